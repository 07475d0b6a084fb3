// SPDX-License-Identifier: Apache-2.0
//
// The head of the text report: what ran, where, how it ended, and what should make a reader doubt.
#include "report_parts.h"
#include "text_layout.h"

#include <cstdio>
#include <cstring>
#include <ctime>

namespace ompcollect {
namespace {

void append_command(Text &to, const Profile &profile) {
    if (profile.arguments.count == 0) {
        to.append(profile.program);
    }
    for (size_t i = 0; i < profile.arguments.count; ++i) {
        to.append(i ? " " : "").append(profile.arguments.texts[i]);
    }
}

const char *end_of(const Profile &profile, const ReportStyle &style, Text &buffer) {
    if (style.how_it_ended) {
        return style.how_it_ended;
    }
    switch (profile.ending) {
    case Ending::kNone:
        return nullptr;
    case Ending::kExit:
    case Ending::kQuitFast:
        if (profile.exit_code < 0) {
            return nullptr;
        }
        return buffer.appendf("exit code %d", profile.exit_code).c_str();
    case Ending::kExec:
        return "became another program (exec)";
    case Ending::kStopped:
        return "its session was stopped";
    }
    return nullptr;
}

void print_process_line(TextOutput &out, const Profile &profile, const ReportStyle &style) {
    WrappedLines line(out, style.width, 2);
    Text text;
    text.appendf("pid %ld", profile.pid);
    if (profile.host && *profile.host) {
        text.append(" on ").append(profile.host);
    }
    if (profile.rank) {
        text.append(", rank ").append(profile.rank);
    }
    if (profile.begin_unix_seconds != 0) {
        const auto begin = static_cast<time_t>(profile.begin_unix_seconds);
        struct tm parts;
        char date[32] = {};
        if (localtime_r(&begin, &parts) && strftime(date, sizeof date, "%F %T", &parts)) {
            text.append(", begun ").append(date);
        }
    }
    line.sentence(text.c_str());
}

void print_time_line(TextOutput &out, const Profile &profile, const ReportStyle &style) {
    WrappedLines line(out, style.width, 2);
    Text text;
    text.appendf("elapsed %.2f s", profile.seconds);
    if (profile.cpu_seconds > 0) {
        text.appendf(", processor %.2f s", profile.cpu_seconds);
    }
    Text buffer;
    if (const char *end = end_of(profile, style, buffer)) {
        text.append("; ").append(end);
    }
    line.sentence(text.c_str());
}

void print_runtime_line(TextOutput &out, const Profile &profile, const ReportStyle &style) {
    if (!*profile.runtime_file && !*profile.runtime_version) {
        return;
    }
    WrappedLines line(out, style.width, 2);
    line.piece("runtime");
    line.piece(profile.runtime_file);
    if (style.runtime_note) {
        line.sentence(style.runtime_note);
    }
    Text text;
    if (*profile.runtime_version) {
        text.append("(").append(profile.runtime_version).append(")");
    }
    if (profile.omp_version != 0) {
        text.appendf("%s_OPENMP %u", text.size() ? ", " : "", profile.omp_version);
    }
    line.sentence(text.c_str());
}

void print_machine_line(TextOutput &out, const Profile &profile, const ReportStyle &style) {
    if (profile.processors_free == 0) {
        return;
    }
    WrappedLines line(out, style.width, 2);
    Text text;
    text.appendf("%u OpenMP thread%s on %u of %u processors", profile.most_threads,
                 profile.most_threads == 1 ? "" : "s", profile.processors_free, profile.processors);
    line.sentence(text.c_str());
    if (profile.affinity && *profile.affinity) {
        text.clear();
        line.piece(text.append("(").append(profile.affinity).append(")").c_str());
    }
}

void print_settings(TextOutput &out, const Profile &profile, const ReportStyle &style) {
    WrappedLines line(out, style.width, 2);
    for (size_t i = 0; i < profile.environment.count; ++i) {
        line.piece(profile.environment.texts[i]);
    }
}

void warn(TextOutput &out, const ReportStyle &style, const char *text) {
    out.print("  warning:\n");
    WrappedLines(out, style.width, 4).sentence(text);
}

} // namespace

void print_header(TextOutput &out, const Profile &profile, const ReportStyle &style) {
    Text command;
    append_command(command, profile);
    Text shown;
    append_printable(shown, command.c_str());
    Text fit;
    constexpr size_t kFrame = sizeof "== OpenMP profile of  ==" - 1;
    append_shortened(fit, shown.c_str(), style.width > kFrame + 10 ? style.width - kFrame : 10);
    out.print("\n== OpenMP profile of %s ==\n", fit.c_str());
    print_process_line(out, profile, style);
    print_time_line(out, profile, style);
    print_runtime_line(out, profile, style);
    print_machine_line(out, profile, style);
    print_settings(out, profile, style);
}

void print_warnings(TextOutput &out, const ReportStyle &style) {
    for (size_t i = 0; i < style.warning_count; ++i) {
        warn(out, style, style.warnings[i]);
    }
}

} // namespace ompcollect
