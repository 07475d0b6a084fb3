// SPDX-License-Identifier: Apache-2.0
#include "ompt5/own_threads.h"

#include "id_table.h"
#include "runtime.h"

#include <atomic>
#include <dlfcn.h>

namespace ocb::ompt5 {

constinit thread_local bool is_runtimes_own = false;

namespace own_threads {

constinit std::atomic<bool> there_are_any{false};

namespace {

// By the address of the runtime's data of a task: the word of the region that created it.
constinit ompt::IdTable<8> regions_of_tasks;

std::uint64_t id_of(const ompt_data_t *task) {
    return reinterpret_cast<std::uint64_t>(task);
}

} // namespace

bool forks_itself(const void *codeptr_ra) {
    Dl_info info;
    return dladdr(codeptr_ra, &info) != 0 && info.dli_sname == nullptr;
}

void fork(tracker::RegionWord &region_word) {
    region_word.store(kTeamWord, std::memory_order_release);
    there_are_any.store(true, std::memory_order_release);
    // A thread of the runtime's own is known by the task that it enters.
    runtime::want(kNeedTaskSwitches);
    runtime::observe_wanted();
    is_runtimes_own = true;
    tracker::forget_caller();
}

void enter() {
    is_runtimes_own = true;
    tracker::forget_caller();
}

void keep_region_of(const ompt_data_t *task) {
    if (auto *node = regions_of_tasks.insert(id_of(task), 0); node != nullptr) {
        node->word.store(tracker::region_word_of_caller(), std::memory_order_relaxed);
    }
}

void forget_region_of(const ompt_data_t *task) {
    if (auto *node = regions_of_tasks.find(id_of(task)); node != nullptr) {
        regions_of_tasks.erase(*node);
    }
}

bool enter_task(const ompt_data_t *task) {
    const auto *node = regions_of_tasks.find(id_of(task));
    if (node == nullptr) {
        return false;
    }
    tracker::lend_caller(node->word.load(std::memory_order_relaxed));
    return tracker::caller_is_known();
}

void reset_after_fork() {
    there_are_any.store(false, std::memory_order_relaxed);
    is_runtimes_own = false;
    regions_of_tasks.clear_after_fork();
}

} // namespace own_threads
} // namespace ocb::ompt5
