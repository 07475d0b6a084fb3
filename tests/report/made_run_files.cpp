// SPDX-License-Identifier: Apache-2.0
//
// made-run-files FOLDER: saves the runs made by hand there, and some that are hard to show, for
// tests that are no C++ (browser/page_test.py).
#include "command.h"
#include "made_runs.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>

namespace ocb_test {
namespace {

// Two regions with a loss each.
Process made_two_regions() {
    MadeProcess made(4, 4);
    const int uneven = made.region("uneven", 41, 10);
    const int queue = made.region("queue", 70, 5);
    made.time(0, uneven, THR_WORK_STATE, 2);
    made.time(0, queue, THR_WORK_STATE, 0.5);
    made.time(0, queue, THR_CTWT_STATE, 1.5);
    for (unsigned i = 1; i < 4; ++i) {
        made.time(i, uneven, THR_WORK_STATE, 0.5);
        made.time(i, uneven, THR_IBAR_STATE, 1.5);
        made.time(i, queue, THR_WORK_STATE, 0.5);
        made.time(i, queue, THR_CTWT_STATE, 1.5);
    }
    return made.process;
}

// Two regions by turns, between whose nodes there are as many as the time line has colours.
Process made_with_two_regions_in_turn() {
    MadeProcess made(1, 4);
    const int first = made.region("first", 10, 2);
    int inner = first;
    for (int i = 0; i < 5; ++i) {
        inner = made.function("inner", 11 + i, inner);
    }
    const int second = made.region("second", 20, 2);
    for (const int region : {first, second}) {
        made.time(0, region, THR_WORK_STATE, 2);
    }
    constexpr int kSamples = 400;
    for (int i = 0; i < kSamples; ++i) {
        const int node = i / 100 % 2 == 0 ? first : second;
        made.process.samples.push_back({0.01 * i + 0.005, 0, node, THR_WORK_STATE});
    }
    return made.process;
}

// A region of two threads inside one, while the team's other threads have nothing to do.
Process made_with_idle_threads_in_a_region() {
    MadeProcess made(4, 4);
    const int narrow = made.region("narrow", 12, 10);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, narrow, i < 2 ? THR_WORK_STATE : THR_IDLE_STATE, i == 0 ? 4 : 3);
        if (i > 0) {
            made.time(i, narrow, THR_IBAR_STATE, 1);
        }
    }
    return made.process;
}

Process made_of_one_sample() {
    MadeProcess made(1, 0.01);
    const int region = made.region("once", 5, 1);
    made.time(0, region, THR_WORK_STATE, 0.01);
    made.process.samples.push_back({0.005, 0, region, THR_WORK_STATE});
    return made.process;
}

// With every kind of fact, and with most of what spoils a run.
Process made_with_doubts() {
    Process process = made_with_samples();
    process.arguments = {"made", "-x", "7 <b>"};
    process.parent_pid = 4241;
    process.host = "node7";
    process.rank = "3";
    process.rank_variable = "PMIX_RANK";
    process.begin = 1'700'000'000;
    process.cpu_seconds = 3.25;
    process.other_threads = 5;
    process.other_cpu_seconds = 0.75;
    process.kernel_seconds = 0.5;
    process.page_faults = 40;
    process.ending = ompcollect::Ending::kNone;
    process.how_it_ended = "killed by signal 9 (Killed)";
    process.is_partial = true;
    process.missing = "no space left on device";
    process.environment = {"OMP_NUM_THREADS=2", "OMP_PLACES=cores"};
    process.processors = 1;
    process.processors_online = 64;
    process.affinity = "0-1";
    process.runtime = "LLVM OMP version: 5.0.20140926";
    process.runtime_file = "/lib/libomp.so.5";
    process.runtime_note = "in place of libgomp";
    process.late_samples = 300;
    process.lost_samples = 9;
    process.signal_taken = true;
    process.signal = 27;
    process.threads_without_timer = 3;
    process.unplaced = 1.25;
    process.unplaced_lock_waits = 8;
    process.unplaced_lock_time = 0.5;
    process.forgotten_regions = 6;
    process.forgotten_modules = 2;
    process.arguments_cut = true;
    process.sample_step = 4;
    process.lines_left_out = 7;
    process.python_missing = "no lines of Python: a reason";
    process.threads[0].voluntary_switches = 10;
    process.threads[1].involuntary_switches = 1000;
    return process;
}

// Without a function, a line or samples with times.
Process made_without_stacks() {
    MadeProcess made(2, 1);
    for (unsigned i = 0; i < 2; ++i) {
        made.time(i, kOutside, i == 0 ? THR_SERIAL_STATE : THR_IDLE_STATE, 0.5);
        made.time(i, kUnknown, THR_WORK_STATE, 0.5);
    }
    return made.process;
}

Process made_of_many_regions() {
    constexpr int kRegions = 10'000;
    MadeProcess made(2, 100);
    for (int i = 0; i < kRegions; ++i) {
        const int region = made.region("region" + std::to_string(i), i + 1, 3);
        for (unsigned thread = 0; thread < 2; ++thread) {
            made.time(thread, region, THR_WORK_STATE, 0.01);
        }
        made.process.samples.push_back({0.01 * i + 0.005, 0, region, THR_WORK_STATE});
        made.process.samples.push_back({0.01 * i + 0.005, 1, region, THR_WORK_STATE});
    }
    return made.process;
}

// Names of 10 kB that a browser could take for parts of its page.
Process made_with_markup() {
    constexpr int kTimes = 200;
    std::string name;
    for (int i = 0; i < kTimes; ++i) {
        name += "<img src=x onerror=alert(1)></script><b>&amp;\"'`${1}@DATA@";
    }
    Process process = made_with_samples();
    for (Node &node : process.nodes) {
        node.function = name + node.function.str();
        node.source = name + ".c:7";
    }
    process.program = "/a</noscript><b>" + name;
    return process;
}

// Names of 10 kB that a terminal would act on.
Process made_with_controls() {
    constexpr int kTimes = 300;
    std::string name;
    for (int i = 0; i < kTimes; ++i) {
        name += "\033]0;taken\007\033[2J\033[31m\x9b\r\n\t\xff\xc3(";
    }
    Process process = made_with_samples();
    for (Node &node : process.nodes) {
        node.function = name + node.function.str();
        node.source = name + ".c:7";
    }
    process.program = "/a" + name;
    process.host = name;
    return process;
}

// Lines in files of the folder: here.c is there, gone.c is not, twice.c is in two folders.
Process made_with_sources(const std::string &folder, bool is_old) {
    MadeProcess made(1, 4);
    const int region = made.region("work", 5, 1);
    made.process.begin = is_old ? 1000 : 0;
    const std::pair<const char *, std::string> places[] = {{"here.c:3", folder},
                                                           {"here.c:20", folder},
                                                           {"gone.c:7", folder},
                                                           {"twice.c:1", folder},
                                                           {"twice.c:2", "/other"}};
    double time = 0.25;
    for (const auto &[source, own] : places) {
        const int node = made.function("at", 1, region);
        made.process.nodes.back().source = source;
        made.time(0, node, THR_WORK_STATE, time);
        Line line = {source, "at", "", {}, 5, own};
        line.times.wall[THR_WORK_STATE] = time;
        made.process.lines.push_back(line);
        time *= 2;
    }
    made.process.stacks = "full";
    return made.process;
}

bool save_sources(const std::string &folder) {
    constexpr int kLines = 30;
    std::ofstream out(folder + "/here.c");
    for (int i = 1; i <= kLines; ++i) {
        out << "\tline " << i << " <b>\033[2J</script>\n";
    }
    out.close();
    save_run({{made_with_sources(folder, false)}}, folder + "/sources.ompc");
    save_run({{made_with_sources(folder, true)}}, folder + "/old-sources.ompc");
    return static_cast<bool>(out);
}

struct MadeRun {
    const char *name;
    std::function<Process()> make;
};
const MadeRun kRuns[] = {
    {"imbalance", made_imbalance},
    {"serial-part", made_serial_part},
    {"tiny-regions", made_tiny_regions},
    {"contended-critical", made_contended_critical},
    {"false-ordered", made_false_ordered},
    {"single-in-loop", made_single_in_loop},
    {"oversubscription", made_nested_oversubscription},
    {"task-flood", made_task_flood},
    {"triangle", made_triangle},
    {"lock-convoy", made_lock_convoy},
    {"healthy", made_healthy},
    {"samples", made_with_samples},
    {"two-regions", made_two_regions},
    {"two-regions-in-turn", made_with_two_regions_in_turn},
    {"idle-in-region", made_with_idle_threads_in_a_region},
    {"one-sample", made_of_one_sample},
    {"doubts", made_with_doubts},
    {"no-stacks", made_without_stacks},
    {"many-regions", made_of_many_regions},
    {"markup", made_with_markup},
    {"controls", made_with_controls},
};

} // namespace
} // namespace ocb_test

int main(int argc, char **argv) {
    if (argc != 2) {
        std::fputs("usage: made-run-files FOLDER\n", stderr);
        return 2;
    }
    for (const ocb_test::MadeRun &run : ocb_test::kRuns) {
        ompcollect::report::save_run({{run.make()}},
                                     std::string(argv[1]) + "/" + run.name + ".ompc");
    }
    return ocb_test::save_sources(std::filesystem::absolute(argv[1]).string()) ? 0 : 1;
}
