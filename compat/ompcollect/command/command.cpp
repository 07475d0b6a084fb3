// SPDX-License-Identifier: Apache-2.0
#include "command.h"

#include "command_options.h"
#include "diff_command.h"
#include "failure.h"
#include "formats.h"
#include "job_command.h"
#include "opened_page.h"
#include "people.h"
#include "printable_run.h"
#include "progress.h"
#include "text_report.h"
#include "verdict.h"
#include "viewer.h"
#include "warnings.h"
#include "words.h"
#include "written_file.h"

#include <CLI/CLI.hpp>
#include <malloc.h>
#include <optional>
#include <unistd.h>
#include <utility>

namespace ompcollect::report {
namespace {

TextStyle terminal_style(const CommandOptions &options) {
    TextStyle style;
    style.take_options(options.top, options.all, parts_named(options.show));
    style.with_source = options.with_source;
    const bool is_terminal = options.output.empty() && isatty(STDOUT_FILENO) == 1;
    const char *no_colour = getenv("NO_COLOR");
    style.colour = is_terminal && takes_escapes(STDOUT_FILENO) && (!no_colour || !*no_colour);
    style.width = line_width(is_terminal ? STDOUT_FILENO : -1);
    return style;
}

// Where none is given, it is the one that the output's name ends with.
void choose_format(CommandOptions &options, const CLI::App &app) {
    const Format *const named = format_of_file(options.output);
    if (app.count("--format") == 0 && named) {
        options.format = named->name;
    }
}

// What --open stands for besides; behind the name of the run.
void choose_page(CommandOptions &options, bool has_format) {
    if (has_format && options.format != "html") {
        throw Failure("--open shows the format html, not " + options.format +
                      "; leave one of them out");
    }
    options.format = "html";
    if (options.output.empty()) {
        options.output = page_name(options.files.front());
    } else if (options.output == "-") {
        throw Failure("--open needs a file to open; leave -o - out");
    }
}

void make_report(const CommandOptions &options, const RawReader &read_raw) {
    Progress progress(STDERR_FILENO, "reading " + joined(options.files, ", "));
    const RunLoader load = [&read_raw](const std::string &path) {
        return load_run(path, read_raw);
    };
    std::optional<Run> run = only_file(options, load);
    const RunLoader load_once = [&run, &load](const std::string &path) {
        return run ? *std::exchange(run, std::nullopt) : load(path);
    };
    const bool may_be_job = !run || !is_single(*run);
    if (may_be_job && report_job(options, terminal_style(options), load_once)) {
        if (options.with_source) {
            complain("the page of a job has no lines, so it keeps no sources; --rank N makes that "
                     "of a rank");
        }
        return;
    }
    if (!run || run->processes.empty()) {
        run = processes_of(options, load);
    }
    if (options.output.empty()) {
        progress.end(); // the screen is for the report
    } else {
        progress.tell("writing " + options.output);
    }
    write_report(std::move(*run), options.format, options.output, terminal_style(options));
}

// Where no file is named.
void choose_newest(CommandOptions &options) {
    if (options.files.empty()) {
        options.files.push_back(newest_run("."));
    }
    if (options.files.front().empty()) {
        throw Failure("there is no saved run in this folder; make one with ompcollect -o run.ompc "
                      "./program");
    }
}

int report(const std::vector<std::string> &words, const RawReader &read_raw) {
    CommandOptions options;
    const auto app = report_parser(options);
    parse(*app, words);
    if (options.help) {
        tell(STDOUT_FILENO, app->help());
        return 0;
    }
    choose_newest(options);
    choose_format(options, *app);
    if (options.open) {
        choose_page(options, app->count("--format") != 0);
    }
    if (options.with_source && options.format != "html") {
        throw Failure("--with-source is for the format html, not " + options.format +
                      "; leave one of them out");
    }
    make_report(options, read_raw);
    if (options.open) {
        open_page(options.output);
    }
    return 0;
}

// Of what a file has no place for.
void report_warnings(const Run &run) {
    for (const Process &process : run.processes) {
        for (const Warning &warning : warnings_of(process)) {
            const bool is_grave = warning.severity >= Severity::kDoubt;
            complain("pid " + std::to_string(process.pid) + ": " + (is_grave ? "warning: " : "") +
                     warning.text);
        }
    }
}

int merge_command(const std::vector<std::string> &words, const RawReader &read_raw) {
    CommandOptions options;
    const auto app = merge_parser(options);
    parse(*app, words);
    if (options.help) {
        tell(STDOUT_FILENO, app->help());
        return 0;
    }
    return merge_files(options,
                       [&read_raw](const std::string &path) { return load_run(path, read_raw); });
}

int view(const std::vector<std::string> &words, const RawReader &read_raw) {
    CommandOptions options;
    const auto app = view_parser(options);
    parse(*app, words);
    if (options.help) {
        tell(STDOUT_FILENO, app->help());
        return 0;
    }
    choose_newest(options);
    Progress progress(STDERR_FILENO, "reading " + joined(options.files, ", "));
    Run run = processes_of(
        options, [&read_raw](const std::string &path) { return load_run(path, read_raw); });
    for (Process &process : run.processes) {
        make_printable(process);
    }
    progress.end(); // the screen is for the run
    view_run(run);
    return 0;
}

} // namespace

bool is_report_command(const std::string &word) {
    return word == "report" || word == "diff" || word == "merge" || word == "view";
}

int report_command(const std::vector<std::string> &arguments, const RawReader &read_raw) {
    // Columns of a large run go back to the system: each form of a report has other ones.
    constexpr int kOfSmallLists = 1 << 17;
    mallopt(M_MMAP_THRESHOLD, kOfSmallLists);
    const std::vector<std::string> words(arguments.begin() + 1, arguments.end());
    return arguments.front() == "report"  ? report(words, read_raw)
           : arguments.front() == "merge" ? merge_command(words, read_raw)
           : arguments.front() == "view"  ? view(words, read_raw)
                                          : diff_command(words, read_raw);
}

void write_report(Run run, const std::string &name, const std::string &path,
                  const TextStyle &style) {
    const Format &format = format_named(name);
    if (!format.has_warnings) {
        report_warnings(run);
    }
    for (Process &process : run.processes) {
        if (format.names == Names::kPrintable) {
            make_printable(process);
        }
    }
    const bool is_for_screen = (path.empty() && isatty(STDOUT_FILENO) != 1) || format.is_text;
    if (path.empty() && !format.write_folder && !is_for_screen) {
        throw Failure(std::string(format.name) +
                      " is nothing for a terminal: name the file with "
                      "-o run." +
                      format.suffix);
    }
    if (!format.write_folder) {
        write_to(path, [&](std::ostream &out) { format.write(run, style, out); });
    } else if (path.empty() || path == "-") {
        throw Failure(std::string(format.name) + " is a folder: name it with -o run." +
                      format.suffix);
    } else {
        format.write_folder(run, path);
    }
}

} // namespace ompcollect::report
