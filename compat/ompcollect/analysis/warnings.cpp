// SPDX-License-Identifier: Apache-2.0
#include "warnings.h"

#include "frames.h"
#include "region_shape.h"
#include "time_class.h"
#include "verdict_limits.h"
#include "words.h"

#include <algorithm>
#include <vector>

namespace ompcollect::report {
namespace {

using Words = unsigned long long;

// Each is empty where it does not hold.

std::string one_processor(const Process &process) {
    return process.threads_on_one_cpu > 1
               ? format("%u threads may run on one and the same processor only; look at "
                        "OMP_PROC_BIND, OMP_PLACES, taskset and cpusets",
                        process.threads_on_one_cpu)
               : "";
}

std::string oversubscribed(const Process &process) {
    const bool is = process.threads_on_one_cpu <= 1 && process.processors != 0 &&
                    process.most_threads > process.processors;
    return is ? format("%u threads on %u processors: waits include time in which the others' "
                       "threads had no processor",
                       process.most_threads, process.processors)
              : "";
}

// How many processors neither this program nor others used.
double free_processors(const Process &process) {
    const double others = is_known(process.others_cpu_seconds) ? process.others_cpu_seconds : 0;
    return process.processors - (process.cpu_seconds + others) / std::max(process.seconds, 1e-9);
}

std::string one_thread(const Process &process) {
    double in_regions = 0;
    std::string settings;
    for (const Cell &cell : process.cells) {
        in_regions += region_of(process, cell.node) >= 0 ? cell.wall : 0;
    }
    for (const std::string &each : process.environment) {
        for (const char *name : {"OMP_NUM_THREADS=", "OMP_THREAD_LIMIT=", "OMP_DYNAMIC="}) {
            settings += each.starts_with(name) ? " " + each : "";
        }
    }
    const bool is = process.most_threads == 1 &&
                    free_processors(process) >= 1 - limit(Limit::kMuch) &&
                    in_regions > limit(Limit::kNoticed) * process.seconds;
    return is ? format("its regions had one thread, and %u processors were there: more of them "
                       "save up to %.2f s of %.2f s (%s)",
                       process.processors, in_regions * (1 - 1.0 / process.processors),
                       process.seconds,
                       settings.empty() ? "OMP_NUM_THREADS, OMP_THREAD_LIMIT, OMP_DYNAMIC, "
                                          "num_threads"
                                        : settings.c_str() + 1)
              : "";
}

std::string unobserved_runtime(const Process &process) {
    const double seconds = process.other_runtimes.empty() ? 0 : unobserved_seconds(process);
    return seconds > 0 ? format("regions of another OpenMP runtime are not observed, for %.2f s: "
                                "%s; that time is in no finding. Make the program and its "
                                "libraries use one OpenMP runtime",
                                seconds, process.other_runtimes.c_str())
                       : "";
}

std::string throttled(const Process &process) {
    return process.throttled_periods != 0
               ? format(
                     "its container or job may use %.2f processors, and the kernel stopped it in "
                     "%llu of %llu periods: other waits include that",
                     process.quota, Words{process.throttled_periods}, Words{process.quota_periods})
               : "";
}

std::string shared_machine(const Process &process) {
    return is_shared(process)
               ? format("the machine was shared: other processes took %.0f %% of the "
                        "processor time that its threads wanted; gains are upper bounds",
                        100 * taken_by_others(process))
               : "";
}

std::string late_samples(const Process &process) {
    uint64_t samples = 0;
    for (const Thread &thread : process.threads) {
        samples += thread.samples;
    }
    // Those that came are as many as the periods in which one came.
    const double due = static_cast<double>(process.late_samples) + static_cast<double>(samples);
    const double part = static_cast<double>(process.late_samples) / due;
    return static_cast<double>(samples) > limit(Limit::kOften) && part > limit(Limit::kQuarter)
               ? format("%.0f %% of the samples that were due came late: the threads were in the "
                        "kernel for long, or had the sampling signal blocked",
                        100 * part)
               : "";
}

std::string lost_samples(const Process &process) {
    uint64_t samples = 0;
    for (const Thread &thread : process.threads) {
        samples += thread.samples;
    }
    const auto lost = static_cast<double>(process.lost_samples);
    return lost > limit(Limit::kWorthALine) * static_cast<double>(samples)
               ? format("%llu samples of threads that were ending are lost, besides %llu that are "
                        "not",
                        Words{process.lost_samples}, Words{samples})
               : "";
}

std::string signal_taken(const Process &process) {
    return process.signal_taken ? "the program took over the sampling signal, so samples are "
                                  "missing; give another one with --signal"
                                : "";
}

std::string threads_without_timer(const Process &process) {
    return process.threads_without_timer != 0
               ? format("%llu threads got no timer from the system (ulimit -i), so they have no "
                        "samples",
                        Words{process.threads_without_timer})
               : "";
}

std::string rows_missing(const Process &process) {
    return process.missing.empty()
               ? ""
               : "the profile could not grow, so rows are missing: " + process.missing;
}

std::string unplaced_time(const Process &process) {
    constexpr double kRounded = 0.005; // what the tables round to nothing
    return process.unplaced >= kRounded
               ? format("%.2f thread seconds found no row in the profile and are in no table",
                        process.unplaced)
               : "";
}

std::string locks_missing(const Process &process) {
    return process.unplaced_lock_waits != 0
               ? format("%llu waits (%.2f thread seconds) were for locks that found no row in the "
                        "table of locks",
                        Words{process.unplaced_lock_waits}, process.unplaced_lock_time)
               : "";
}

std::string regions_forgotten(const Process &process) {
    return process.forgotten_regions != 0
               ? format("%llu regions found no place: their teams' time is under \"in regions "
                        "whose fork was not seen\"",
                        Words{process.forgotten_regions})
               : "";
}

std::string modules_forgotten(const Process &process) {
    return process.forgotten_modules != 0
               ? format("%llu loaded objects found no place: their code is unknown",
                        Words{process.forgotten_modules})
               : "";
}

std::string lines_left_out(const Process &process) {
    return process.lines_left_out != 0
               ? format("%llu source lines with little time are not in the table of lines",
                        Words{process.lines_left_out})
               : "";
}

std::string lines_missing(const Process &process) {
    return process.lines_missing;
}

std::string python_missing(const Process &process) {
    return process.python_missing;
}

std::string command_cut(const Process &process) {
    return process.arguments_cut ? "the command was too long to be kept whole" : "";
}

std::string cut_file(const Process &process) {
    return process.is_partial ? "the profile's file is cut or damaged; this is what could be read"
                              : "";
}

std::string samples_thinned(const Process &process) {
    return process.sample_step > 1
               ? format("the time line has one in %u of the samples, as their file has a limit "
                        "(OMPCOLLECT_SAMPLES_MB); the tables have all",
                        process.sample_step)
               : "";
}

std::string samples_left_out(const Process &process) {
    const std::string why =
        (process.samples_end_early.empty() ? "" : ", ") + process.samples_end_early;
    return process.samples_missed != 0 || !process.samples_end_early.empty()
               ? format("the time line is not whole: %llu samples had no room%s; the tables have "
                        "all of them",
                        Words{process.samples_missed}, why.c_str())
               : "";
}

std::string no_wall_times(const Process &process) {
    return process.has_wall_times ? "" : "time asleep was not measured (--clock cpu)";
}

std::string stood_still(const Process &process) {
    return process.stood_still_seconds > 0
               ? format("the whole process stood still for %.2f s besides: it was stopped or "
                        "frozen, or its clock jumped ahead; no other figure has that time",
                        process.stood_still_seconds)
               : "";
}

std::string set_back(const Process &process) {
    return process.set_back_seconds > 0
               ? format("its clock was set back by %.2f s while it ran; all times go on as if it "
                        "had not been",
                        process.set_back_seconds)
               : "";
}

// All clocks of a run are monotonic. A file from another source may contradict itself.
std::string times_disagree(const Process &process) {
    std::vector<double> sums(process.threads.size());
    for (const Cell &cell : process.cells) {
        sums[cell.thread] += cell.wall;
    }
    const double longest = sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
    // With many threads one sample may stand for this long.
    const double least = process.rate != 0 ? limit(Limit::kFewestSamples) / process.rate : 0;
    return process.has_wall_times && longest > (1 + limit(Limit::kMuch)) * process.seconds + least
               ? format("a thread's times are %.2f s, the run's are %.2f s: a clock has jumped; "
                        "shares of the elapsed time are too large",
                        longest, process.seconds)
               : "";
}

std::string became_another(const Process &process) {
    return process.ending == Ending::kExec
               ? "the process became another program (exec); what that did is not in here"
               : "";
}

std::string session_stopped(const Process &process) {
    return process.ending == Ending::kStopped
               ? "the session was stopped before the end; what came later is not in here"
               : "";
}

std::string killed(const Process &process) {
    const bool is = process.ending == Ending::kNone && !process.how_it_ended.empty();
    return is ? "the end was not seen: " + process.how_it_ended : "";
}

struct WarningRow {
    const char *name;
    Severity severity;
    std::string (*sentence)(const Process &process);
};
constexpr WarningRow kRows[] = {
    {"threads_on_one_processor", Severity::kDoubt, one_processor},
    {"oversubscribed", Severity::kDoubt, oversubscribed},
    {"one_thread", Severity::kDoubt, one_thread},
    {"unobserved_runtime", Severity::kDoubt, unobserved_runtime},
    {"throttled", Severity::kDoubt, throttled},
    {kSharedMachine, Severity::kDoubt, shared_machine},
    {"late_samples", Severity::kDoubt, late_samples},
    {"times_disagree", Severity::kDoubt, times_disagree},
    {"stood_still", Severity::kDoubt, stood_still},
    {"set_back", Severity::kDoubt, set_back},
    {"lost_samples", Severity::kLoss, lost_samples},
    {"signal_taken", Severity::kLoss, signal_taken},
    {"threads_without_timer", Severity::kLoss, threads_without_timer},
    {"rows_missing", Severity::kLoss, rows_missing},
    {"unplaced_time", Severity::kLoss, unplaced_time},
    {"locks_missing", Severity::kLoss, locks_missing},
    {"regions_forgotten", Severity::kLoss, regions_forgotten},
    {"modules_forgotten", Severity::kLoss, modules_forgotten},
    {"lines_missing", Severity::kLoss, lines_missing},
    {"python_missing", Severity::kLoss, python_missing},
    {"command_cut", Severity::kLoss, command_cut},
    {"cut_file", Severity::kLoss, cut_file},
    {"samples_thinned", Severity::kNote, samples_thinned},
    {"samples_left_out", Severity::kNote, samples_left_out},
    {"lines_left_out", Severity::kNote, lines_left_out},
    {"no_wall_times", Severity::kNote, no_wall_times},
    {"became_another_program", Severity::kEnd, became_another},
    {"session_stopped", Severity::kEnd, session_stopped},
    {"end_not_seen", Severity::kEnd, killed},
};

} // namespace

const char *severity_name(Severity severity) {
    constexpr const char *kNames[] = {"end", "note", "doubt", "loss"};
    return kNames[static_cast<unsigned>(severity)];
}

std::vector<Warning> warnings_of(const Process &process) {
    std::vector<Warning> warnings;
    for (const WarningRow &row : kRows) {
        std::string text = row.sentence(process);
        if (!text.empty()) {
            warnings.push_back({row.name, row.severity, std::move(text)});
        }
    }
    return warnings;
}

std::vector<std::string> warning_texts(const Run &run) {
    std::vector<std::string> texts;
    for (const Process &process : run.processes) {
        for (const Warning &warning : warnings_of(process)) {
            texts.push_back(process_name(process) + ": " + warning.text);
        }
    }
    return texts;
}

} // namespace ompcollect::report
