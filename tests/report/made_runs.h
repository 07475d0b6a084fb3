// SPDX-License-Identifier: Apache-2.0
//
// Profiles made by hand, with known answers: ten of one classical disease each, and what is needed
// to make others. Times are round numbers; a sample stands for 10 ms.
#pragma once

#include "run.h"

#include "omp_collector_api.h"

#include <cmath>
#include <string>

namespace ocb_test {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)

class MadeProcess {
  public:
    explicit MadeProcess(unsigned threads, double seconds) {
        process.pid = 4242;
        process.program = "/somewhere/made";
        process.seconds = seconds;
        process.rate = 100;
        process.processors = 64;
        process.has_cpu_times = true;
        process.most_threads = threads;
        process.events.resize(ompcollect::kEventNumbers);
        for (unsigned i = 0; i < threads; ++i) {
            Thread thread;
            thread.number = i;
            thread.tid = 4242 + static_cast<long>(i);
            thread.is_initial = i == 0;
            thread.end = seconds;
            thread.events.resize(ompcollect::kEventNumbers);
            process.threads.push_back(thread);
        }
    }

    int function(const std::string &name, int line, int parent = -1) {
        return node(NodeKind::kFunction, name, line, 0, parent);
    }
    int region(const std::string &name, int line, uint64_t entries, int parent = -1) {
        process.events[OMP_EVENT_FORK].count += entries;
        return node(NodeKind::kRegion, name, line, entries, parent);
    }
    // cpu below 0: all of it.
    void time(unsigned thread, int at, unsigned state, double wall, double cpu = -1) {
        const auto samples = static_cast<uint64_t>(std::llround(wall * process.rate));
        process.cells.push_back({thread, at, state, wall, cpu < 0 ? wall : cpu, samples});
        process.threads[thread].samples += samples;
    }
    // The initial thread works alone, the others are idle.
    void serial(double seconds, int at = kOutside) {
        time(0, at, THR_SERIAL_STATE, seconds);
        for (unsigned i = 1; i < process.threads.size(); ++i) {
            time(i, kOutside, THR_IDLE_STATE, seconds, 0);
        }
    }
    void lock(unsigned state, const std::string &object, uint64_t waits, double wall) {
        process.locks.push_back({state,
                                 0x1000 + process.locks.size(),
                                 {object, ""},
                                 {"at", "made.c:7"},
                                 waits,
                                 static_cast<uint64_t>(wall * process.rate),
                                 wall,
                                 0});
    }

    Process process;

  private:
    int node(NodeKind kind, const std::string &name, int line, uint64_t entries, int parent) {
        Node to;
        to.parent = parent;
        to.kind = kind;
        to.function = name;
        to.source = "made.c:" + std::to_string(line);
        to.module = "/somewhere/made";
        to.offset = 0x1000 + static_cast<uint64_t>(line);
        to.entries = entries;
        process.nodes.push_back(to);
        return static_cast<int>(process.nodes.size()) - 1;
    }
};

// Thread 0 works 2 s, the three others 0.5 s.
Process made_imbalance();
// 3 s alone, then 1 s by four.
Process made_serial_part();
// 100,000 entries of 10 us.
Process made_tiny_regions();
Process made_contended_critical();
Process made_false_ordered();
Process made_single_in_loop();
// Sixteen threads on four processors, teams inside teams.
Process made_nested_oversubscription();
Process made_task_flood();
// Thread i of four works 1 + 2 i parts.
Process made_triangle();
Process made_lock_convoy();
// Four threads that work all the time.
Process made_healthy();
// Two threads, functions inside and outside a region, samples with times: thread 0 works in slow()
// while thread 1 waits for it.
Process made_with_samples();

} // namespace ocb_test
