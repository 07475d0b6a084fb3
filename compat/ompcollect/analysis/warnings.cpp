// SPDX-License-Identifier: Apache-2.0
#include "warnings.h"

#include "words.h"

namespace ompcollect::report {
namespace {

void warn_of_processors(const Process &process, std::vector<Warning> &to) {
    if (process.threads_on_one_cpu > 1) {
        to.push_back({"threads_on_one_processor",
                      format("%u threads may run on one and the same processor only; look at "
                             "OMP_PROC_BIND, OMP_PLACES and taskset",
                             process.threads_on_one_cpu)});
    } else if (process.processors != 0 && process.most_threads > process.processors) {
        to.push_back({"oversubscribed",
                      format("%u threads on %u processors: waits include time in which the others' "
                             "threads had no processor",
                             process.most_threads, process.processors)});
    }
}

void warn_of_samples(const Process &process, std::vector<Warning> &to) {
    uint64_t samples = 0;
    for (const Thread &thread : process.threads) {
        samples += thread.samples;
    }
    if (samples > 100 && process.late_samples * 2 > samples) {
        to.push_back(
            {"late_samples", format("%.0f %% of the samples came late: the threads seldom had a "
                                    "processor, or had the sampling signal blocked",
                                    100.0 * static_cast<double>(process.late_samples) /
                                        static_cast<double>(samples))});
    }
    if (process.signal_taken) {
        to.push_back({"signal_taken", "the program took over the sampling signal, so samples are "
                                      "missing; give another one with --signal"});
    }
    if (process.threads_without_timer != 0) {
        to.push_back({"threads_without_timer",
                      format("%llu threads got no timer from the system (ulimit -i), so they have "
                             "no samples",
                             static_cast<unsigned long long>(process.threads_without_timer))});
    }
}

void warn_of_losses(const Process &process, std::vector<Warning> &to) {
    if (!process.missing.empty()) {
        to.push_back({"rows_missing",
                      "the profile could not grow, so rows are missing: " + process.missing});
    }
    constexpr double kWorthALine = 0.005; // what the tables round to nothing
    if (process.unplaced >= kWorthALine) {
        to.push_back({"unplaced_time",
                      format("%.2f thread seconds found no row in the profile and are in no table",
                             process.unplaced)});
    }
    if (process.unplaced_lock_waits != 0) {
        to.push_back({"locks_missing",
                      format("%llu waits (%.2f thread seconds) were for locks that found no row in "
                             "the table of locks",
                             static_cast<unsigned long long>(process.unplaced_lock_waits),
                             process.unplaced_lock_time)});
    }
    if (process.forgotten_regions != 0) {
        to.push_back({"regions_forgotten",
                      format("%llu regions found no place: their teams' time is under \"in regions "
                             "whose fork was not seen\"",
                             static_cast<unsigned long long>(process.forgotten_regions))});
    }
    if (process.arguments_cut) {
        to.push_back({"command_cut", "the command was too long to be kept whole"});
    }
    if (process.is_partial) {
        to.push_back(
            {"cut_file", "the profile's file is cut or damaged; this is what could be read"});
    }
}

} // namespace

std::vector<Warning> warnings_of(const Process &process) {
    std::vector<Warning> warnings;
    warn_of_processors(process, warnings);
    warn_of_samples(process, warnings);
    warn_of_losses(process, warnings);
    return warnings;
}

} // namespace ompcollect::report
