// SPDX-License-Identifier: Apache-2.0
//
// The one table of a run's plain values: what each is called in files, what it means, which range
// it has (ranges.h), and how those of several threads or processes make one. Files write and read
// them by it, the check of a run goes through it, the HTML page shows what it says. A new value is
// a member in run.h and a row here.
#pragma once

#include "ranges.h"
#include "run.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ompcollect::report {

enum class Combine : unsigned { kNone, kSum, kMin, kMax };

struct Field {
    const char *name;  // the key in files
    const char *about; // a few words for people, with what the number counts
    Quantity quantity = Quantity::kAny;
    Combine combine = Combine::kNone;
};

// Who it is, when it ran and how it ended.
template <class Visit> void for_each_fact_of_process(Visit &visit) {
    using Q = Quantity;
    using C = Combine;
    using P = Process;
    visit(Field{"pid", "process", Q::kProcess}, &P::pid);
    visit(Field{"parent_pid", "its parent", Q::kProcess}, &P::parent_pid);
    visit(Field{"program", "program"}, &P::program);
    visit(Field{"build_id", "build of the program"}, &P::build_id);
    visit(Field{"arguments", "command"}, &P::arguments);
    visit(Field{"host", "host"}, &P::host);
    visit(Field{"rank", "rank in an MPI job"}, &P::rank);
    visit(Field{"rank_variable", "variable that had the rank"}, &P::rank_variable);
    visit(Field{"launcher", "launcher of the job"}, &P::launcher);
    visit(Field{"ranks", "ranks of the job, as its launcher has told", Q::kCount}, &P::ranks);
    visit(Field{"job", "name of the job"}, &P::job);
    visit(Field{"begin", "begun, in seconds since 1970", Q::kDate, C::kMin}, &P::begin);
    visit(Field{"begin_nanoseconds", "of that, the part of a second", Q::kNanoseconds},
          &P::begin_nanoseconds);
    visit(Field{"seconds", "elapsed seconds", Q::kSeconds, C::kMax}, &P::seconds);
    visit(Field{"cpu_seconds", "processor seconds of all its threads", Q::kThreadSeconds, C::kSum},
          &P::cpu_seconds);
    visit(Field{"other_threads", "threads without OpenMP", Q::kCount, C::kSum}, &P::other_threads);
    visit(Field{"other_cpu_seconds", "their processor seconds", Q::kThreadSeconds, C::kSum},
          &P::other_cpu_seconds);
    visit(Field{"other_waited_seconds", "what they waited for a processor", Q::kThreadSeconds,
                C::kSum},
          &P::other_waited_seconds);
    visit(Field{"kernel_seconds", "of all processor seconds, those in the kernel",
                Q::kThreadSeconds, C::kSum},
          &P::kernel_seconds);
    visit(Field{"page_faults", "page faults", Q::kCount, C::kSum}, &P::page_faults);
    visit(Field{"exit_code", "exit code"}, &P::exit_code);
    visit(Field{"ending", "what the collector saw of the end"}, &P::ending);
    visit(Field{"how_it_ended", "how it ended"}, &P::how_it_ended);
    visit(Field{"is_partial", "the profile is not whole"}, &P::is_partial);
    visit(Field{"missing", "why rows are missing"}, &P::missing);
    visit(Field{"environment", "settings"}, &P::environment);
}

// The machine and the runtime.
template <class Visit> void for_each_fact_of_machine(Visit &visit) {
    using Q = Quantity;
    using C = Combine;
    using P = Process;
    visit(Field{"processors", "processors that it may run on", Q::kProcessors, C::kSum},
          &P::processors);
    visit(Field{"processors_online", "processors of the machine", Q::kProcessors, C::kMax},
          &P::processors_online);
    visit(Field{"megahertz", "frequency of processors that it ran on, in MHz", Q::kMegahertz},
          &P::megahertz);
    visit(Field{"affinity", "which ones it may run on"}, &P::affinity);
    visit(Field{"runtime", "version of the OpenMP runtime"}, &P::runtime);
    visit(Field{"runtime_file", "OpenMP runtime"}, &P::runtime_file);
    visit(Field{"runtime_note", "how it came to its runtime"}, &P::runtime_note);
    visit(Field{"other_runtimes", "OpenMP runtimes that were loaded besides"}, &P::other_runtimes);
    visit(Field{"ompt_generation", "OMPT of the runtime"}, &P::ompt_generation);
    visit(Field{"omp_version", "_OPENMP"}, &P::omp_version);
    visit(Field{"producer", "who served the Collector API"}, &P::producer);
    visit(Field{"most_threads", "most OpenMP threads at one time", Q::kThreads, C::kSum},
          &P::most_threads);
}

// How it was measured.
template <class Visit> void for_each_fact_of_measurement(Visit &visit) {
    using Q = Quantity;
    using C = Combine;
    using P = Process;
    visit(Field{"rate", "samples a second of a thread", Q::kRate}, &P::rate);
    visit(Field{"has_cpu_times", "processor time was measured apart"}, &P::has_cpu_times);
    visit(Field{"has_wall_times", "time asleep was measured"}, &P::has_wall_times);
    visit(Field{"waited_for_own",
                "thread seconds without a processor, as it has more threads than processors",
                Q::kSecondsIfKnown, C::kSum},
          &P::waited_for_own);
    visit(Field{"waited_for_others",
                "thread seconds without a processor, as others had its processors",
                Q::kSecondsIfKnown, C::kSum},
          &P::waited_for_others);
    visit(Field{"others_cpu_seconds", "processor seconds of others on its processors",
                Q::kSecondsIfKnown, C::kSum},
          &P::others_cpu_seconds);
    visit(Field{"in_regions_seconds", "elapsed seconds in which a region ran, whoever forked it",
                Q::kSecondsIfKnown, C::kMax},
          &P::in_regions_seconds);
    visit(Field{"quota", "processors that its control group may use; 0: all", Q::kProcessors},
          &P::quota);
    visit(Field{"quota_periods", "periods of that", Q::kCount, C::kMax}, &P::quota_periods);
    visit(
        Field{"throttled_periods", "of these, in which the group was stopped", Q::kCount, C::kMax},
        &P::throttled_periods);
    visit(Field{"throttled_seconds", "processor seconds in which the group was stopped",
                Q::kThreadSeconds, C::kMax},
          &P::throttled_seconds);
    visit(Field{"stood_still_seconds", "seconds besides, in which the whole process stood still",
                Q::kSeconds, C::kMax},
          &P::stood_still_seconds);
    visit(
        Field{"set_back_seconds", "seconds by which its clock was set back", Q::kSeconds, C::kMax},
        &P::set_back_seconds);
    visit(Field{"calls", "system calls in which threads slept"}, &P::calls);
    visit(Field{"start_code", "what START got"}, &P::start_code);
}

// What was lost, and what the stacks and the time line have.
template <class Visit> void for_each_fact_of_losses(Visit &visit) {
    using Q = Quantity;
    using C = Combine;
    using P = Process;
    visit(Field{"late_samples", "samples that came late", Q::kCount, C::kSum}, &P::late_samples);
    visit(Field{"lost_samples", "samples that found no row", Q::kCount, C::kSum}, &P::lost_samples);
    visit(Field{"signal", "signal of the sampling", Q::kSignal}, &P::signal);
    visit(Field{"signal_taken", "the program took that signal"}, &P::signal_taken);
    visit(Field{"threads_on_one_processor", "most threads bound to one and the same processor",
                Q::kThreads, C::kMax},
          &P::threads_on_one_cpu);
    visit(Field{"threads_without_timer", "threads without a timer", Q::kCount, C::kSum},
          &P::threads_without_timer);
    visit(Field{"unplaced", "thread seconds that are in no table", Q::kThreadSeconds, C::kSum},
          &P::unplaced);
    visit(Field{"unplaced_lock_waits", "waits for locks without a row", Q::kCount, C::kSum},
          &P::unplaced_lock_waits);
    visit(Field{"unplaced_lock_time", "thread seconds in them", Q::kThreadSeconds, C::kSum},
          &P::unplaced_lock_time);
    visit(Field{"forgotten_regions", "regions that found no place", Q::kCount, C::kSum},
          &P::forgotten_regions);
    visit(Field{"forgotten_modules", "loaded objects beyond those that are remembered", Q::kCount,
                C::kSum},
          &P::forgotten_modules);
    visit(Field{"lines_left_out", "source lines beyond those that are kept", Q::kCount, C::kSum},
          &P::lines_left_out);
    visit(Field{"lines_missing", "why files have no source lines"}, &P::lines_missing);
    visit(Field{"python_missing", "why there are no lines of Python"}, &P::python_missing);
    visit(Field{"arguments_cut", "the command is not whole"}, &P::arguments_cut);
    visit(Field{"stacks", "call stacks that were kept"}, &P::stacks);
    visit(Field{"walks", "stacks walked for samples", Q::kCount, C::kSum}, &P::walks);
    visit(Field{"cut_walks", "of these, cut short", Q::kCount, C::kSum}, &P::cut_walks);
    visit(Field{"fork_stacks", "stacks at forks", Q::kCount, C::kSum}, &P::fork_stacks);
    visit(Field{"fork_walks", "of these, walked", Q::kCount, C::kSum}, &P::fork_walks);
    visit(Field{"samples_missed", "samples without room in the time line", Q::kCount, C::kSum},
          &P::samples_missed);
    visit(Field{"samples_end_early", "why the time line ends early"}, &P::samples_end_early);
    visit(Field{"sample_step", "the time line has one sample in so many", Q::kStep, C::kMax},
          &P::sample_step);
}

// Calls visit(field, pointer to the member) for each fact of a process, in the order of files.
template <class Visit> void for_each_fact(Visit visit) {
    for_each_fact_of_process(visit);
    for_each_fact_of_machine(visit);
    for_each_fact_of_measurement(visit);
    for_each_fact_of_losses(visit);
}

// The same for a thread.
template <class Visit> void for_each_thread_value(Visit visit) {
    using Q = Quantity;
    using C = Combine;
    visit(Field{"number", "in the order of first sight"}, &Thread::number);
    visit(Field{"tid", "number of the system", Q::kProcess}, &Thread::tid);
    visit(Field{"is_initial", "the process began with it"}, &Thread::is_initial);
    visit(Field{"threads", "threads that shared the row", Q::kCount, C::kSum}, &Thread::threads);
    visit(Field{"begin", "first seen, in seconds from the begin", Q::kSeconds, C::kMin},
          &Thread::begin);
    visit(Field{"end", "last seen, in seconds from the begin", Q::kSeconds, C::kMax}, &Thread::end);
    visit(Field{"samples", "samples", Q::kCount, C::kSum}, &Thread::samples);
#define OMPCOLLECT_VISIT(name, about, heading, line, member)                                       \
    visit(Field{#name, about, Q::kCount, C::kSum}, &Thread::name);
    OMPCOLLECT_THREAD_COUNTS(OMPCOLLECT_VISIT)
#undef OMPCOLLECT_VISIT
    visit(Field{"events", "events, by number", Q::kCount, C::kSum}, &Thread::events);
    visit(Field{"has_cpu_times", "processor time was measured apart"}, &Thread::has_cpu_times);
    visit(Field{"cpu_seconds", "processor seconds", Q::kSecondsIfKnown, C::kSum},
          &Thread::cpu_seconds);
    visit(Field{"waited_seconds", "seconds ready to run, without a processor", Q::kSecondsIfKnown,
                C::kSum},
          &Thread::waited_seconds);
    visit(Field{"fewest_processors", "smallest set of processors, as ranges", Q::kCount},
          &Thread::fewest_processors);
    visit(Field{"last_processors", "last set of processors, as ranges", Q::kCount},
          &Thread::last_processors);
}

// One value of many, as the field has it; 0 where there are none, or where they make no one.
template <class Row, class Number>
Number combined(const Field &field, const std::vector<Row> &rows, Number Row::*member) {
    Number all{};
    bool is_first = true;
    for (const Row &row : rows) {
        const Number one = row.*member;
        all = field.combine == Combine::kSum   ? all + one
              : field.combine == Combine::kMin ? (is_first ? one : std::min(all, one))
              : field.combine == Combine::kMax ? (is_first ? one : std::max(all, one))
                                               : Number{};
        is_first = false;
    }
    return all;
}

} // namespace ompcollect::report
