// SPDX-License-Identifier: Apache-2.0
//
// See made_runs.h.
#include "made_runs.h"

namespace ocb_test {

Process made_imbalance() {
    MadeProcess made(4, 2);
    const int region = made.region("uneven", 41, 10);
    made.time(0, region, THR_WORK_STATE, 2);
    for (unsigned i = 1; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, 0.5);
        made.time(i, region, THR_IBAR_STATE, 1.5);
    }
    return made.process;
}

Process made_serial_part() {
    MadeProcess made(4, 4);
    const int region = made.region("loop", 12, 1);
    made.serial(3);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, 1);
    }
    return made.process;
}

Process made_tiny_regions() {
    MadeProcess made(4, 1.2);
    const int region = made.region("tiny", 20, 100000);
    made.serial(0.2);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, 0.4);
        made.time(i, region, THR_OVHD_STATE, 0.2);
        made.time(i, region, THR_IBAR_STATE, 0.4);
    }
    return made.process;
}

Process made_contended_critical() {
    MadeProcess made(4, 4);
    const int region = made.region("counts", 33, 1);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, 1);
        made.time(i, region, THR_CTWT_STATE, 2.9);
        made.time(i, region, THR_IBAR_STATE, 0.1);
    }
    made.lock(THR_CTWT_STATE, "", 40000, 11.6);
    return made.process;
}

Process made_false_ordered() {
    MadeProcess made(4, 4);
    const int region = made.region("prints", 50, 1);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, 1.2);
        made.time(i, region, THR_ODWT_STATE, 2.8);
    }
    return made.process;
}

Process made_single_in_loop() {
    MadeProcess made(4, 4);
    const int region = made.region("steps", 60, 1);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, i == 0 ? 2.2 : 1.6);
        made.time(i, region, THR_IBAR_STATE, i == 0 ? 1.8 : 2.4);
    }
    made.process.nodes[static_cast<size_t>(region)].single_seconds = 3;
    made.process.events[OMP_EVENT_THR_BEGIN_IBAR].count = uint64_t{4} * 10001;
    return made.process;
}

Process made_nested_oversubscription() {
    MadeProcess made(16, 4);
    made.process.processors = 4;
    const int outer = made.region("outer", 70, 1);
    const int inner = made.region("inner", 75, 40, outer);
    made.process.nodes[static_cast<size_t>(inner)].masters = 4;
    for (unsigned i = 0; i < 16; ++i) {
        made.time(i, inner, THR_WORK_STATE, 3.6, 0.9);
        made.time(i, inner, THR_IBAR_STATE, 0.2);
        made.time(i, i < 4 ? outer : inner, THR_IBAR_STATE, 0.2);
    }
    return made.process;
}

Process made_task_flood() {
    MadeProcess made(4, 4);
    const int region = made.region("tasks", 80, 1);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, 0.8);
        made.time(i, region, THR_OVHD_STATE, 2.6);
        made.time(i, region, THR_IBAR_STATE, 0.6);
    }
    return made.process;
}

Process made_triangle() {
    MadeProcess made(4, 7);
    const int region = made.region("triangle", 90, 10);
    for (unsigned i = 0; i < 4; ++i) {
        const double work = 1 + 2.0 * i;
        made.time(i, region, THR_WORK_STATE, work);
        made.time(i, region, THR_IBAR_STATE, 7 - work);
    }
    return made.process;
}

Process made_lock_convoy() {
    MadeProcess made(4, 4);
    const int region = made.region("convoy", 95, 1);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, 1.1);
        made.time(i, region, THR_LKWT_STATE, 2.9, 0.1);
    }
    made.lock(THR_LKWT_STATE, "the_lock", 40000, 11);
    made.lock(THR_LKWT_STATE, "another", 3, 0.6);
    return made.process;
}

Process made_healthy() {
    MadeProcess made(4, 4);
    const int region = made.region("good", 5, 10);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, 3.98);
        made.time(i, region, THR_IBAR_STATE, 0.02);
    }
    return made.process;
}

Process made_with_samples() {
    MadeProcess made(2, 2);
    const int main = made.function("main", 3);
    const int region = made.region("main", 10, 1, main);
    const int slow = made.function("slow", 20, region);
    const int fast = made.function("fast", 30, region);
    const int setup = made.function("setup", 2, main);
    made.serial(0.5, setup);
    made.time(0, slow, THR_WORK_STATE, 1.5);
    made.time(1, fast, THR_WORK_STATE, 0.5);
    made.time(1, region, THR_IBAR_STATE, 1);
    for (int i = 0; i < 200; ++i) {
        const double now = 0.01 * i + 0.005;
        const bool serial = i < 50;
        made.process.samples.push_back(
            {now, 0, serial ? setup : slow,
             static_cast<unsigned>(serial ? THR_SERIAL_STATE : THR_WORK_STATE)});
        made.process.samples.push_back({now, 1, serial ? kOutside : (i < 100 ? fast : region),
                                        static_cast<unsigned>(serial    ? THR_IDLE_STATE
                                                              : i < 100 ? THR_WORK_STATE
                                                                        : THR_IBAR_STATE)});
    }
    return made.process;
}

} // namespace ocb_test
