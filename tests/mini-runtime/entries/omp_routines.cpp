// SPDX-License-Identifier: Apache-2.0
// The omp_* routines of programs, locks apart.
#include "kmpc.h"

#include <algorithm>
#include <ctime>
#include <unistd.h>

using namespace mini;

namespace {

Team *team_at(int level) {
    Team *team = current().task->team;
    if (level < 0 || level > team->level) {
        return nullptr;
    }
    while (team->level > level) {
        team = team->parent;
    }
    return team;
}

} // namespace

extern "C" {

int omp_get_thread_num() {
    return current().task->thread_num;
}

int omp_get_num_threads() {
    return current().task->team->size;
}

int omp_get_max_threads() {
    const int wanted = current().task->threads_wanted;
    return wanted > 0 ? wanted : settings.threads;
}

void omp_set_num_threads(int count) {
    current().task->threads_wanted = std::max(count, 1);
}

int omp_get_num_procs() {
    current();
    return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

int omp_in_parallel() {
    return current().task->team->active_level > 0;
}

int omp_get_level() {
    return current().task->team->level;
}

int omp_get_active_level() {
    return current().task->team->active_level;
}

int omp_get_team_size(int level) {
    const Team *team = team_at(level);
    return team != nullptr ? team->size : -1;
}

// The number in the team of a level is that of the task that encountered the next region.
int omp_get_ancestor_thread_num(int level) {
    const Task *task = current().task;
    if (level < 0 || level > task->team->level) {
        return -1;
    }
    while (task->team->level > level) {
        task = task->team->parent_task;
    }
    return task->thread_num;
}

int omp_get_thread_limit() {
    current();
    return settings.thread_limit;
}

void omp_set_max_active_levels(int levels) {
    current();
    settings.max_active_levels.store(std::max(levels, 0));
}

int omp_get_max_active_levels() {
    current();
    return settings.max_active_levels.load();
}

int omp_get_supported_active_levels() {
    return kMaxThreads;
}

void omp_set_nested(int is_on) {
    omp_set_max_active_levels(is_on != 0 ? kMaxThreads : 1);
}

int omp_get_nested() {
    return omp_get_max_active_levels() > 1;
}

void omp_set_dynamic(int) {}

int omp_get_dynamic() {
    return 0;
}

int omp_get_cancellation() {
    current();
    return settings.allows_cancellation;
}

int omp_in_final() {
    return 0;
}

int omp_get_num_teams() {
    return 1;
}

int omp_get_team_num() {
    return 0;
}

int omp_get_num_devices() {
    return 0;
}

int omp_get_initial_device() {
    return 0;
}

int omp_get_device_num() {
    return 0;
}

int omp_is_initial_device() {
    return 1;
}

void omp_set_schedule(int, int) {}

void omp_get_schedule(int *kind, int *chunk) {
    *kind = 2; // dynamic
    *chunk = 1;
}

// Nothing is given back: the request cannot be fulfilled.
int omp_pause_resource(int, int) {
    return -1;
}

int omp_pause_resource_all(int) {
    return -1;
}

double omp_get_wtime() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double omp_get_wtick() {
    return 1e-9;
}

} // extern "C"
