// SPDX-License-Identifier: Apache-2.0
//
// What the file of a large run costs (run_file.sh makes the table):
//   large-run write FILE CELLS   so many cells, four times as many samples, a node for 20 cells;
//                                an export where FILE ends in .json
//   large-run open FILE          reads and checks it
// Both print processor seconds, and the peak of memory beside what was there before, in MB; `open`
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

Run large_run(unsigned cells) {
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
    Run run;
    run.processes.push_back(std::move(process));
    return run;
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

void write(const std::string &file, unsigned cells) {
    const Run run = large_run(cells);
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
        if (what == "write" && count == 4) {
            write(arguments[2], static_cast<unsigned>(std::stoul(arguments[3])));
        } else if (what == "open" && count == 3) {
            open(arguments[2]);
        } else {
            std::fprintf(stderr, "usage: %s write FILE CELLS | open FILE\n", arguments[0]);
            return 2;
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
