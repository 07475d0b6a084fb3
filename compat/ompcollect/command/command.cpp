// SPDX-License-Identifier: Apache-2.0
#include "command.h"

#include "command_options.h"
#include "diff.h"
#include "failure.h"
#include "formats.h"
#include "people.h"
#include "printable_run.h"
#include "progress.h"
#include "run_binary.h"
#include "run_file.h"
#include "warnings.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace ompcollect::report {
namespace {

namespace fs = std::filesystem;

// Writes a file under another name first, so that nobody sees half of it.
template <class Write> void write_whole(const std::string &path, Write write) {
    const std::string partial = path + ".partial";
    {
        std::ofstream out(partial, std::ios::binary | std::ios::trunc);
        if (out) {
            write(out);
            out.flush();
        }
        if (!out) {
            const int error = errno;
            std::error_code ignored;
            fs::remove(partial, ignored);
            throw Failure(path + ": " + strerror(error ? error : EIO) + "; check what follows -o");
        }
    }
    std::error_code error;
    fs::rename(partial, path, error);
    if (error) {
        throw Failure(path + ": " + error.message());
    }
}

bool is_device(const std::string &path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    return fs::exists(status) && !fs::is_regular_file(status);
}

void parse(CLI::App &app, const std::vector<std::string> &words) {
    try {
        std::vector<std::string> backwards(words.rbegin(), words.rend()); // as the parser wants
        app.parse(backwards);
    } catch (const CLI::ParseError &error) {
        throw Failure(std::string(error.what()) + "; ompcollect " + app.get_name() +
                      " --help lists the options");
    }
}

TextStyle terminal_style(const CommandOptions &options) {
    TextStyle style;
    style.take_rows(options.top, options.all);
    const bool is_terminal = options.output.empty() && isatty(STDOUT_FILENO) == 1;
    const char *no_colour = getenv("NO_COLOR");
    style.colour = is_terminal && (!no_colour || !*no_colour);
    style.width = line_width(is_terminal ? STDOUT_FILENO : -1);
    return style;
}

int report(const std::vector<std::string> &words, const RawReader &read_raw) {
    CommandOptions options;
    const auto app = report_parser(options);
    parse(*app, words);
    if (options.help) {
        tell(STDOUT_FILENO, app->help());
        return 0;
    }
    if (options.files.size() > 1) {
        throw Failure("report takes one run; ompcollect diff compares several");
    }
    const std::string file = options.files.empty() ? newest_run(".") : options.files.front();
    if (file.empty()) {
        throw Failure("there is no saved run in this folder; make one with ompcollect -o run.ompc "
                      "./program");
    }
    Progress progress(STDERR_FILENO, "reading " + file);
    Run run = load_run(file, read_raw);
    if (options.output.empty()) {
        progress.end(); // the screen is for the report
    } else {
        progress.tell("writing " + options.output);
    }
    write_report(std::move(run), options.format, options.output, terminal_style(options));
    return 0;
}

// Of what a file has no place for.
void tell_warnings(const Run &run) {
    for (const Process &process : run.processes) {
        for (const Warning &warning : warnings_of(process)) {
            const bool is_grave = warning.severity >= Severity::kDoubt;
            complain("pid " + std::to_string(process.pid) + ": " + (is_grave ? "warning: " : "") +
                     warning.text);
        }
    }
}

std::vector<Run> load_all(const std::vector<std::string> &files, const RawReader &read_raw) {
    std::vector<Run> runs;
    runs.reserve(files.size());
    for (const std::string &file : files) {
        const Progress progress(STDERR_FILENO, "reading " + file);
        Run &run = runs.emplace_back(load_run(file, read_raw));
        for (Process &process : run.processes) {
            make_printable(process);
        }
    }
    return runs;
}

int diff(const std::vector<std::string> &words, const RawReader &read_raw) {
    CommandOptions options;
    const auto app = diff_parser(options);
    const auto between = std::find(words.begin(), words.end(), "--");
    parse(*app, {words.begin(), between});
    if (options.help) {
        tell(STDOUT_FILENO, app->help());
        return 0;
    }
    std::vector<std::string> before = options.files;
    std::vector<std::string> after;
    if (between != words.end()) {
        after.assign(between + 1, words.end());
    } else if (before.size() == 2) {
        after = {before.back()};
        before.pop_back();
    }
    if (before.empty() || after.empty()) {
        throw Failure("diff takes two runs, or several, a -- and several; ompcollect diff --help "
                      "shows how");
    }
    std::vector<DiffBy> tables;
    for (const auto &[name, by] : {std::pair{"function", DiffBy::kFunction},
                                   {"region", DiffBy::kRegion},
                                   {"state", DiffBy::kState}}) {
        if (options.by == "all" || options.by == name) {
            tables.push_back(by);
        }
    }
    const std::vector<Run> first = load_all(before, read_raw);
    const std::vector<Run> second = load_all(after, read_raw);
    const std::string text =
        options.format == "csv"
            ? diff_csv(first, second, tables)
            : diff_text(first, second, tables, TextStyle::rows_of_a_list(options.top, options.all));
    if (options.output.empty() && options.format != "csv") {
        tell(STDOUT_FILENO, text);
    } else if (options.output.empty()) {
        std::cout << text << std::flush;
    } else {
        write_whole(options.output, [&](std::ostream &out) { out << text; });
    }
    return 0;
}

} // namespace

bool is_report_command(const std::string &word) {
    return word == "report" || word == "diff";
}

int report_command(const std::vector<std::string> &arguments, const RawReader &read_raw) {
    const std::vector<std::string> words(arguments.begin() + 1, arguments.end());
    return arguments.front() == "report" ? report(words, read_raw) : diff(words, read_raw);
}

Run load_run(const std::string &path, const RawReader &read_raw) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        if (read_raw) {
            return read_raw(path);
        }
        throw Failure(path + " is a folder; give the file of a saved run");
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw Failure(path + ": " + strerror(errno) + "; give the file of a saved run");
    }
    if (is_binary_run(in)) {
        return read_binary(in, path);
    }
    if (in.peek() != '{' && read_raw) {
        return read_raw(path);
    }
    std::ostringstream text;
    text << in.rdbuf();
    return read_run(text.str(), path);
}

void save_run(const Run &run, const std::string &path) {
    write_whole(path, [&](std::ostream &out) { write_binary(run, out); });
}

void write_report(Run run, const std::string &name, const std::string &path,
                  const TextStyle &style) {
    const Format &format = format_named(name);
    if (!format.has_warnings) {
        tell_warnings(run);
    }
    const bool to_screen = path.empty() || path == "-";
    for (Process &process : run.processes) {
        if (format.names == Names::kPrintable) {
            make_printable(process);
        }
    }
    if (format.write_folder) {
        if (to_screen) {
            throw Failure(std::string(format.name) + " is a folder: name it with -o run." +
                          format.suffix);
        }
        format.write_folder(run, path);
    } else if (to_screen) {
        format.write(run, style, std::cout);
        if (!std::cout.flush()) {
            throw Failure(std::string("standard output: ") + strerror(errno));
        }
    } else if (is_device(path)) {
        std::ofstream out(path, std::ios::binary);
        format.write(run, style, out);
        if (!out.flush()) {
            throw Failure(path + ": " + strerror(errno) + "; check what follows -o");
        }
    } else {
        write_whole(path, [&](std::ostream &out) { format.write(run, style, out); });
    }
}

std::string newest_run(const std::string &folder) {
    std::string newest;
    fs::file_time_type time;
    std::error_code ignored;
    for (const auto &entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().extension() == kRunSuffix) {
            const fs::file_time_type its = entry.last_write_time(ignored);
            if (newest.empty() || its > time) {
                newest = entry.path();
                time = its;
            }
        }
    }
    return newest;
}

} // namespace ompcollect::report
