// SPDX-License-Identifier: Apache-2.0
//
// What the file of a large run costs (run_file.sh makes the table):
//   large-run write FILE CELLS   so many cells, four times as many samples, a node for 20 cells;
//                                an export where FILE ends in .json
//   large-run stacks FILE STACKS so many call paths, of which each has one cell and one sample
//   large-run open FILE          reads and checks it
// All print processor seconds, and the peak of memory beside what was there before, in MB; `open`
// the memory of the model, too.
#include "command.h"
#include "run_file.h"

#include "omp_collector_api.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <malloc.h>
#include <string>

namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)

constexpr unsigned kThreads = 64;
constexpr unsigned kStates[] = {THR_WORK_STATE, THR_IBAR_STATE, THR_CTWT_STATE, THR_OVHD_STATE};

// A process of 64 threads, of which nothing was measured yet.
Process empty_process() {
    Process process;
    process.pid = 42;
    process.program = "/opt/program/bin/program";
    process.seconds = 1000;
    process.rate = 97;
    process.processors = kThreads;
    process.most_threads = kThreads;
    process.has_cpu_times = true;
    process.stacks = "full";
    for (unsigned i = 0; i < kThreads; ++i) {
        Thread &thread = process.threads.emplace_back();
        thread.number = i;
        thread.tid = 42 + i;
        thread.is_initial = i == 0;
        thread.end = process.seconds;
    }
    return process;
}

Run run_of(Process process) {
    Run run;
    run.processes.push_back(std::move(process));
    return run;
}

Run large_run(unsigned cells) {
    Process process = empty_process();
    const SharedText module = process.program;
    const unsigned nodes = cells / 20 + 1;
    for (unsigned i = 0; i < nodes; ++i) {
        Node &node = process.nodes.emplace_back();
        node.parent = i % 12 == 0 ? -1 : static_cast<int>(i) - 1;
        node.kind = i % 12 == 3 ? NodeKind::kRegion : NodeKind::kFunction;
        node.function = "solver::step<double>(grid&, int) [" + std::to_string(i % 5000) + "]";
        node.source = "solver.cpp:" + std::to_string(i % 5000);
        node.module = module;
        node.offset = 0x1000 + i;
        node.entries = node.kind == NodeKind::kRegion ? 100 : 0;
    }
    process.cells.reserve(cells);
    for (unsigned i = 0; i < cells; ++i) {
        process.cells.push_back(
            {i % kThreads, static_cast<int>(i % nodes), kStates[i / nodes % 4], 0.01, 0.009, 1});
    }
    process.samples.reserve(size_t{4} * cells);
    for (unsigned i = 0; i < 4 * cells; ++i) {
        process.samples.push_back({i * (process.seconds / (4.0 * cells)), i % kThreads,
                                   static_cast<int>(i * 7919ULL % nodes), kStates[i % 4]});
    }
    return run_of(std::move(process));
}

// As a recursion with two branches makes them: a node of the tree has two callees. Below each end
// are four nodes more, of which the second is one of a hundred regions.
Run run_of_stacks(unsigned stacks) {
    constexpr unsigned kRegions = 100;
    Process process = empty_process();
    const SharedText module = process.program;
    std::vector<int> first_of_region(kRegions, -1);
    const auto add = [&](int parent, NodeKind kind, unsigned number) {
        Node &node = process.nodes.emplace_back();
        node.parent = parent;
        node.kind = kind;
        node.function = "solver::step<double>(grid&, int) [" + std::to_string(number) + "]";
        node.source = "solver.cpp:" + std::to_string(number);
        node.module = module;
        node.offset = 0x1000 + number;
        const int own = static_cast<int>(process.nodes.size()) - 1;
        if (kind == NodeKind::kRegion) {
            int &first = first_of_region[number % kRegions];
            node.same_as = first;
            node.entries = first < 0 ? 100 : 0;
            first = first < 0 ? own : first;
        }
        return own;
    };
    for (unsigned i = 0; i < stacks; ++i) {
        add(i == 0 ? -1 : static_cast<int>(i - 1) / 2, NodeKind::kFunction, i % 2);
    }
    for (unsigned i = 0; i < stacks; ++i) {
        int node = static_cast<int>(i);
        for (unsigned below = 0; below < 4; ++below) {
            const bool is_region = below == 1;
            node = add(node, is_region ? NodeKind::kRegion : NodeKind::kFunction,
                       (i * 4 + below) % 5000);
        }
        const unsigned state = kStates[i / kThreads % 4];
        process.cells.push_back({i % kThreads, node, state, 0.01, 0.009, 1});
        process.samples.push_back({i * (process.seconds / stacks), i % kThreads, node, state});
    }
    return run_of(std::move(process));
}

// "VmRSS:" or "VmHWM:", in MB.
double memory(const char *what) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(what)) {
            return std::stod(line.substr(strlen(what))) / 1024;
        }
    }
    return 0;
}

double allocated() {
    const struct mallinfo2 now = mallinfo2();
    return static_cast<double>(now.uordblks + now.hblkhd) / (1U << 20U);
}

class Watch {
  public:
    Watch() : memory_(memory("VmRSS:")) {
        std::ofstream("/proc/self/clear_refs") << "5"; // the peak is that from now on
    }
    void tell() const {
        const double passed = static_cast<double>(clock() - begin_) / CLOCKS_PER_SEC;
        std::printf("%.3f %.1f", passed, memory("VmHWM:") - memory_);
    }

  private:
    double memory_;
    clock_t begin_ = clock();
};

void write(const std::string &file, const Run &run) {
    const Watch watch;
    if (file.ends_with(".json")) {
        std::ofstream out(file, std::ios::binary);
        write_run(run, out);
    } else {
        save_run(run, file);
    }
    watch.tell();
    std::printf("\n");
}

void open(const std::string &file) {
    const double before = allocated();
    const Watch watch;
    const Run run = load_run(file, {});
    watch.tell();
    std::printf(" %.1f\n", allocated() - before);
    if (run.processes.empty() || run.processes.front().cells.empty()) {
        throw std::runtime_error("an empty run");
    }
}

} // namespace

int main(int count, char **arguments) {
    const std::string what = count > 1 ? arguments[1] : "";
    try {
        if ((what == "write" || what == "stacks") && count == 4) {
            const auto size = static_cast<unsigned>(std::stoul(arguments[3]));
            write(arguments[2], what == "write" ? large_run(size) : run_of_stacks(size));
        } else if (what == "open" && count == 3) {
            open(arguments[2]);
        } else {
            std::fprintf(stderr, "usage: %s write FILE CELLS | stacks FILE STACKS | open FILE\n",
                         arguments[0]);
            return 2;
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
