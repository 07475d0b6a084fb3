// SPDX-License-Identifier: Apache-2.0
#include "diff_command.h"

#include "command_options.h"
#include "comparison_formats.h"
#include "failure.h"
#include "job_command.h"
#include "job_text.h"
#include "people.h"
#include "printable_run.h"
#include "progress.h"
#include "verdict.h"
#include "words.h"
#include "written_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <sstream>
#include <unistd.h>

namespace ompcollect::report {
namespace {

// The one that was asked, or that the name of the output ends with, or text.
const DiffFormat &format_of(const CommandOptions &options, bool is_named) {
    const std::vector<DiffFormat> &formats = diff_formats();
    const auto named = [&](const DiffFormat &format) {
        const std::string suffix = std::string(".") + format.suffix;
        return is_named ? options.format == format.name
                        : suffix.size() > 1 && options.output.ends_with(suffix);
    };
    const auto at = std::find_if(formats.begin(), formats.end(), named);
    return at == formats.end() ? formats.front() : *at;
}

struct Files {
    std::vector<std::string> before;
    std::vector<std::string> after;
};

Files files_of(const CommandOptions &options, const std::vector<std::string> &words) {
    const auto between = std::find(words.begin(), words.end(), "--");
    Files files{options.files, {}};
    if (between != words.end()) {
        files.after.assign(between + 1, words.end());
    } else if (files.before.size() == 2) {
        files.after = {files.before.back()};
        files.before.pop_back();
    }
    if (files.before.empty() || files.after.empty()) {
        refuse_input(
            "diff takes two runs, or several, a -- and several; ompcollect diff --help shows "
            "how");
    }
    for (const std::string &file : files.after) {
        if (file.starts_with("-")) {
            refuse_input(file + " stands behind the --, where files are; put options before them");
        }
    }
    for (const std::vector<std::string> *side : {&files.before, &files.after}) {
        if (side->size() > kMostRunsOfASide) {
            refuse_input(std::to_string(side->size()) + " runs on a side; give at most " +
                         std::to_string(kMostRunsOfASide));
        }
    }
    return files;
}

ComparedRun compared_file(const std::string &file, bool with_paths, const RawReader &read_raw) {
    const Progress progress(STDERR_FILENO, "reading " + file);
    const RunLoader load = [&read_raw](const std::string &path) {
        return load_run(path, read_raw);
    };
    const bool is_whole_job = is_merged(file);
    Run run = is_whole_job ? Run() : load(file);
    if (is_whole_job || is_job(run)) {
        std::vector<std::string> complaints;
        Job job = is_whole_job ? merge(job_inputs({file}), load, complaints) : job_of_run(run);
        if (job.ranks.empty()) {
            throw Failure(complaints.empty() ? file + " has no rank" : complaints.front());
        }
        make_printable(job);
        return compared_job(job, file, with_paths);
    }
    for (Process &process : run.processes) {
        make_printable(process);
    }
    if (run.processes.empty()) {
        refuse_input(file + " has no process that used OpenMP; give runs of one program");
    }
    return compared_run(run, file, with_paths);
}

Side side_of(const std::vector<std::string> &files, bool with_paths, const RawReader &read_raw) {
    std::vector<ComparedRun> runs;
    runs.reserve(files.size());
    for (const std::string &file : files) {
        runs.push_back(compared_file(file, with_paths, read_raw));
    }
    return Side(std::move(runs));
}

DiffStyle style_of(const CommandOptions &options, const DiffFormat &format) {
    DiffStyle style;
    style.top = options.all ? 0 : options.top != 0 ? options.top : style.top;
    const bool is_terminal = options.output.empty() && isatty(STDOUT_FILENO) == 1;
    style.width = line_width(is_terminal ? STDOUT_FILENO : -1);
    const bool is_asked = !options.by.empty();
    for (const auto &[name, by] : {std::pair{"function", DiffBy::kFunction},
                                   {"region", DiffBy::kRegion},
                                   {"state", DiffBy::kState}}) {
        if (options.by == name || options.by == "all" ||
            (!is_asked && strcmp(format.name, "csv") == 0)) {
            style.tables.push_back(by);
        }
    }
    return style;
}

void write_it(const CommandOptions &options, const DiffFormat &format, const DiffStyle &style,
              const Judged &judged) {
    const bool is_text = strcmp(format.name, "text") == 0;
    if (options.output.empty() && is_text) {
        std::ostringstream text;
        format.write(judged, style, text);
        tell(STDOUT_FILENO, text.str());
        return;
    }
    write_to(options.output, [&](std::ostream &out) { format.write(judged, style, out); });
    for (const Ruling &ruling : judged.rulings) {
        complain(ruling_line(ruling));
    }
}

} // namespace

int diff_command(const std::vector<std::string> &words, const RawReader &read_raw) {
    CommandOptions options;
    const auto app = diff_parser(options);
    parse(*app, {words.begin(), std::find(words.begin(), words.end(), "--")}, kExitUsage);
    if (options.help) {
        tell(STDOUT_FILENO, app->help());
        return 0;
    }
    std::vector<Rule> rules;
    rules.reserve(options.rules.size());
    for (const std::string &rule : options.rules) {
        rules.push_back(rule_of(rule));
    }
    const DiffFormat &format = format_of(options, app->count("--format") != 0);
    if (format.needs_rules && rules.empty()) {
        refuse_input(std::string("the format ") + format.name +
                     " has a test case for each rule; give one, as --fail-if 'elapsed > +5%'");
    }
    const Files files = files_of(options, words);
    const Side before = side_of(files.before, format.needs_paths, read_raw);
    const Side after = side_of(files.after, format.needs_paths, read_raw);
    const Comparison comparison = comparison_of(before, after);
    std::vector<Ruling> rulings;
    rulings.reserve(rules.size());
    for (const Rule &rule : rules) {
        rulings.push_back(ruling_of(rule, comparison));
    }
    write_it(options, format, style_of(options, format), {comparison, rulings, before, after});
    return exit_code_of(rulings);
}

} // namespace ompcollect::report
