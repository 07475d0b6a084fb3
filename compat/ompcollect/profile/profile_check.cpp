// SPDX-License-Identifier: Apache-2.0
#include "profile_check.h"

#include <cstdlib>

namespace ompcollect {
namespace {

void check_facts(const Profile &profile, RangeCheck &check) {
    check.number(Quantity::kProcess, profile.pid);
    check.number(Quantity::kProcess, profile.parent_pid);
    check.number(Quantity::kDate, profile.begin_unix_seconds);
    check.number(Quantity::kSeconds, profile.seconds);
    check.number(Quantity::kThreadSeconds, profile.cpu_seconds);
    check.number(Quantity::kProcessors, profile.processors);
    check.number(Quantity::kProcessors, profile.processors_free);
    check.number(Quantity::kSignal, profile.signal);
    check.number(Quantity::kThreads, profile.most_threads);
    check.number(Quantity::kRate, profile.rate);
    check.number(Quantity::kCount, profile.others.count);
    check.number(Quantity::kThreadSeconds, profile.others.cpu);
    const uint64_t counts[] = {
        profile.late_samples,      profile.lost_samples,          profile.walks,
        profile.cut_walks,         profile.fork_stacks,           profile.fork_walks,
        profile.samples_missed,    profile.threads_without_timer, profile.unplaced_lock_waits,
        profile.forgotten_regions,
    };
    for (const uint64_t count : counts) {
        check.number(Quantity::kCount, count);
    }
    for (const EventRow &event : profile.events) {
        check.number(Quantity::kCount, event.count);
    }
    check.number(Quantity::kThreadSeconds, total_wall(profile.unplaced));
    check.number(Quantity::kThreadSeconds, profile.unplaced_lock_time);
    check.number(Quantity::kThreadSeconds, total_cpu(profile.unplaced));
    check.number(Quantity::kStep, profile.sample_step);
}

void check_threads(const Profile &profile, RangeCheck &check) {
    for (size_t i = 0; i < profile.thread_count; ++i) {
        const ThreadRow &row = profile.threads[i];
        check.number(Quantity::kProcess, row.tid);
        check.number(Quantity::kCount, row.threads);
        check.number(Quantity::kSeconds, row.begin);
        check.number(Quantity::kSeconds, row.end);
        check.number(Quantity::kCount, row.samples);
        for (const uint64_t count : row.events) {
            check.number(Quantity::kCount, count);
        }
    }
}

void check_cells(const Profile &profile, RangeCheck &check) {
    double wall = 0;
    double cpu = 0;
    for (size_t i = 0; i < profile.cell_count; ++i) {
        check.number(Quantity::kCount, profile.cells[i].samples);
        wall += profile.cells[i].wall;
        cpu += profile.cells[i].cpu;
    }
    check.number(Quantity::kThreadSeconds, wall);
    check.number(Quantity::kThreadSeconds, cpu);
    // Two cells of a region may be beyond it, and come back into the range when they are added.
    wall = 0;
    cpu = 0;
    for (size_t i = 0; i < profile.path_cell_count; ++i) {
        check.number(Quantity::kCount, profile.path_cells[i].samples);
        wall += profile.path_cells[i].wall;
        cpu += profile.path_cells[i].cpu;
    }
    check.number(Quantity::kThreadSeconds, wall);
    check.number(Quantity::kThreadSeconds, cpu);
    for (size_t i = 0; i < profile.region_count; ++i) {
        check.number(Quantity::kCount, profile.regions[i].entries);
        check.number(Quantity::kCount, profile.regions[i].samples);
    }
    for (size_t i = 0; i < profile.sample_count; ++i) {
        check.number(Quantity::kSeconds, profile.samples[i].time);
    }
}

void check_locks(const Profile &profile, RangeCheck &check) {
    for (size_t i = 0; i < profile.lock_count; ++i) {
        const LockRow &row = profile.locks[i];
        check.number(Quantity::kCount, row.waits);
        check.number(Quantity::kCount, row.samples);
        check.number(Quantity::kThreadSeconds, row.wall);
        for (size_t k = 0; k < row.holder_count; ++k) {
            check.number(Quantity::kThreadSeconds, row.holders[k].wall);
            check.number(Quantity::kCount, row.holders[k].samples);
        }
    }
}

// Parents come first.
void check_paths(const Profile &profile, RangeCheck &check) {
    auto *depths = static_cast<unsigned *>(calloc(profile.path_count + 1, sizeof(unsigned)));
    for (size_t i = 0; depths && i < profile.path_count; ++i) {
        const int parent = profile.paths[i].parent;
        depths[i] = parent >= 0 ? depths[parent] + 1 : 1;
        check.number(Quantity::kDepth, depths[i]);
        check.number(Quantity::kCount, profile.paths[i].entries);
    }
    free(depths);
}

} // namespace

void check_profile(const Profile &profile, RangeCheck &check) {
    check_facts(profile, check);
    check_threads(profile, check);
    check_cells(profile, check);
    check_locks(profile, check);
    check_paths(profile, check);
}

} // namespace ompcollect
