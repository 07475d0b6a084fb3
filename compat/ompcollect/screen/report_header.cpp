// SPDX-License-Identifier: Apache-2.0
//
// The head of the text report: what ran, where, and how it ended.
#include "people.h"
#include "report_parts.h"
#include "text_layout.h"
#include "warnings.h"
#include "words.h"

#include <ctime>

namespace ompcollect::report {
namespace {

std::string end_of(const Process &process) {
    if (!process.how_it_ended.empty()) {
        return process.how_it_ended;
    }
    switch (process.ending) {
    case Ending::kNone:
        return {};
    case Ending::kExit:
    case Ending::kQuitFast:
        return process.exit_code < 0 ? "" : format("exit code %d", process.exit_code);
    case Ending::kExec:
        return "became another program (exec)";
    case Ending::kStopped:
        return "its session was stopped";
    }
    return {};
}

std::string local_date(int64_t unix_seconds) {
    const auto begin = static_cast<time_t>(unix_seconds);
    struct tm parts;
    char date[32] = {};
    const bool is_date =
        localtime_r(&begin, &parts) && strftime(date, sizeof date, "%F %T", &parts) != 0;
    return is_date ? date : "";
}

std::string process_sentence(const Process &process) {
    std::string text = format("pid %ld", process.pid);
    text += process.host.empty() ? "" : " on " + process.host;
    text += process.rank.empty() ? "" : ", rank " + process.rank;
    const std::string date = process.begin != 0 ? local_date(process.begin) : "";
    return text + (date.empty() ? "" : ", begun " + date);
}

std::string time_sentence(const Process &process) {
    std::string text = format("elapsed %.2f s", process.seconds);
    if (process.cpu_seconds > 0) {
        text += format(", processor %.2f s", process.cpu_seconds);
    }
    const std::string end = end_of(process);
    return text + (end.empty() ? "" : "; " + end);
}

void runtime_line(std::string &out, const Process &process, size_t width) {
    if (process.runtime_file.empty() && process.runtime.empty()) {
        return;
    }
    WrappedLines line(out, width, 2);
    line.piece("runtime");
    line.piece(process.runtime_file);
    line.sentence(process.runtime_note);
    std::string text = process.runtime.empty() ? "" : "(" + process.runtime + ")";
    if (process.omp_version != 0) {
        text += format("%s_OPENMP %u", text.empty() ? "" : ", ", process.omp_version);
    }
    line.sentence(text);
}

std::string threads_sentence(const Process &process) {
    return format("%u OpenMP thread%s on %u of %u processors", process.most_threads,
                  process.most_threads == 1 ? "" : "s", process.processors,
                  process.processors_online);
}

void machine_line(std::string &out, const Process &process, size_t width) {
    if (process.processors == 0) {
        return;
    }
    WrappedLines line(out, width, 2);
    line.sentence(threads_sentence(process));
    if (!process.affinity.empty()) {
        line.piece("(" + process.affinity + ")");
    }
}

void settings_lines(std::string &out, const Process &process, size_t width) {
    WrappedLines line(out, width, 2);
    for (const std::string &setting : process.environment) {
        line.piece(setting);
    }
}

std::string counted_samples(const Process &process) {
    uint64_t samples = 0;
    for (const Thread &thread : process.threads) {
        samples += thread.samples;
    }
    std::string text = format("%s sample%s", grouped(samples).c_str(), samples == 1 ? "" : "s");
    return text + (process.lost_samples == 0
                       ? ""
                       : format(", %s lost", grouped(process.lost_samples).c_str()));
}

// Where the runtime lies and the settings are left out; what the process lost is not.
std::string brief_header(const Process &process, size_t width) {
    std::string out;
    WrappedLines(out, width, 2)
        .sentence(process_sentence(process) + "; " + counted_samples(process));
    WrappedLines(out, width, 2).sentence(time_sentence(process));
    WrappedLines line(out, width, 2);
    if (process.processors != 0) {
        line.sentence(threads_sentence(process) + (process.runtime.empty() ? "" : ";"));
    }
    line.sentence(process.runtime);
    line.sentence(process.runtime_note);
    return out;
}

} // namespace

std::string header_text(const Process &process, const TextStyle &style) {
    const std::string command =
        process.arguments.empty() ? process.program : joined(process.arguments, " ");
    constexpr size_t kFrame = sizeof "== OpenMP profile of  ==" - 1;
    std::string out =
        "\n== OpenMP profile of " +
        shortened(printable(command), style.width > kFrame + 10 ? style.width - kFrame : 10) +
        " ==\n";
    if (style.parts == kBrief) {
        return out + brief_header(process, style.width);
    }
    WrappedLines(out, style.width, 2).sentence(process_sentence(process));
    WrappedLines(out, style.width, 2).sentence(time_sentence(process));
    runtime_line(out, process, style.width);
    machine_line(out, process, style.width);
    settings_lines(out, process, style.width);
    return out;
}

// Notes stand with the samples, the end stands in the head.
std::string warnings_text(const Process &process, const TextStyle &style) {
    constexpr size_t kManyLines = 8; // for a brief report: there each warning has one, then
    std::string out;
    std::string short_ones;
    for (const Warning &warning : warnings_of(process)) {
        if (warning.severity >= Severity::kDoubt) {
            const std::string text = printable(warning.text);
            out += hanging_lines("  warning: ", text, style.width);
            short_ones += hanging_lines("  warning: ", text, style.width, 1);
        }
    }
    const bool is_long = line_count(out) > kManyLines;
    return style.parts == kBrief && is_long ? short_ones : out;
}

} // namespace ompcollect::report
