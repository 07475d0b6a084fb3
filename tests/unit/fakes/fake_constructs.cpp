// SPDX-License-Identifier: Apache-2.0
// What the fake runtime reports of barriers, mutexes, shared work and tasks.
#include "fake_reports.h"

namespace ocb::test {

using namespace ompt5;

void barrier_begins(Barrier barrier) {
    report_sync(barrier, ompt_scope_begin, caller().innermost().parallel_data, kUserCode);
    caller().state = state_of(barrier);
}

void barrier_ends(Barrier barrier) {
    report_sync(barrier, ompt_scope_end, caller().innermost().parallel_data, kUserCode);
    caller().state = ompt_state_work_parallel;
}

void mutex_acquire(ompt_mutex_t kind, std::uint64_t wait_id, MutexImpl impl) {
    constexpr unsigned kHint = 0;
    const int before = caller().state;
    if (kind == ompt_mutex_ordered) {
        caller().state = ompt_state_wait_ordered;
    }
    fire<ompt_callback_mutex_acquire_t>(ompt_callback_mutex_acquire, kind, kHint,
                                        static_cast<unsigned>(impl), wait_id, kUserCode);
    if (kind != ompt_mutex_ordered) {
        caller().state = before;
    }
}

void mutex_acquired(ompt_mutex_t kind, std::uint64_t wait_id) {
    caller().state = caller().depth > 1 ? ompt_state_work_parallel : ompt_state_work_serial;
    caller().wait_id = 0;
    fire<ompt_callback_mutex_t>(ompt_callback_mutex_acquired, kind, wait_id, kUserCode);
}

void mutex_released(ompt_mutex_t kind, std::uint64_t wait_id) {
    fire<ompt_callback_mutex_t>(ompt_callback_mutex_released, kind, wait_id, kUserCode);
}

void lock_initialised(ompt_mutex_t kind, std::uint64_t wait_id) {
    constexpr unsigned kHint = 0, kImpl = 1;
    fire<ompt_callback_mutex_acquire_t>(ompt_callback_lock_init, kind, kHint, kImpl, wait_id,
                                        kUserCode);
}

void lock_destroyed(ompt_mutex_t kind, std::uint64_t wait_id) {
    fire<ompt_callback_mutex_t>(ompt_callback_lock_destroy, kind, wait_id, kUserCode);
}

void take_mutex(ompt_mutex_t kind, std::uint64_t wait_id) {
    mutex_acquire(kind, wait_id);
    mutex_acquired(kind, wait_id);
}

void test_lock(std::uint64_t wait_id, bool success) {
    const ompt_mutex_t kind =
        flavour() == Flavour::kLibomp19 ? ompt_mutex_test_lock : ompt_mutex_lock;
    mutex_acquire(kind, wait_id);
    if (success) {
        mutex_acquired(kind, wait_id);
    }
}

void nest_lock_again(std::uint64_t wait_id) {
    mutex_acquire(ompt_mutex_nest_lock, wait_id);
    fire<ompt_callback_nest_lock_t>(ompt_callback_nest_lock, ompt_scope_begin, wait_id, kUserCode);
}

void nest_lock_inner_release(std::uint64_t wait_id) {
    fire<ompt_callback_nest_lock_t>(ompt_callback_nest_lock, ompt_scope_end, wait_id, kUserCode);
}

namespace {

void fire_single(ompt_scope_endpoint_t endpoint) {
    TaskLevel &level = caller().innermost();
    fire<ompt_callback_work_t>(ompt_callback_work, ompt_work_single_executor, endpoint,
                               level.parallel_data, &level.task_data, std::uint64_t{1}, kUserCode);
}

void fire_masked(ompt_scope_endpoint_t endpoint) {
    TaskLevel &level = caller().innermost();
    fire<ompt_callback_masked_t>(ompt_callback_masked, endpoint, level.parallel_data,
                                 &level.task_data, kUserCode);
}

void fire_reduction(ompt_scope_endpoint_t endpoint) {
    TaskLevel &level = caller().innermost();
    fire<ompt_callback_sync_region_t>(ompt_callback_reduction, ompt_sync_region_reduction, endpoint,
                                      level.parallel_data, &level.task_data, kUserCode);
}

void fire_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    fire<ompt_callback_task_schedule_t>(ompt_callback_task_schedule, prior, status, next);
}

} // namespace

void single_begins() {
    fire_single(ompt_scope_begin);
}
void single_ends() {
    fire_single(ompt_scope_end);
}
void masked_begins() {
    fire_masked(ompt_scope_begin);
}
void masked_ends() {
    fire_masked(ompt_scope_end);
}
void reduction_begins() {
    fire_reduction(ompt_scope_begin);
}
void reduction_ends() {
    fire_reduction(ompt_scope_end);
}

void task_created(FakeTask &task, int extra_flags) {
    constexpr int kNoDependences = 0;
    fire<ompt_callback_task_create_t>(ompt_callback_task_create, &caller().innermost().task_data,
                                      static_cast<const ompt_frame_t *>(nullptr), &task.data,
                                      ompt_task_explicit | extra_flags, kNoDependences, kUserCode);
}

void task_starts(FakeTask &task) {
    fire_schedule(&caller().innermost().task_data, ompt_task_switch, &task.data);
}

void task_completes(FakeTask &task, ompt_task_status_t status) {
    fire_schedule(&task.data, status, &caller().innermost().task_data);
}

void task_completes_into(FakeTask &task, FakeTask &next) {
    fire_schedule(&task.data, ompt_task_complete, &next.data);
}

void task_starts_in(FakeTask &encountering, FakeTask &task) {
    fire_schedule(&encountering.data, ompt_task_switch, &task.data);
}

void task_fulfilled(FakeTask &task, ompt_task_status_t status) {
    fire_schedule(&task.data, status, nullptr);
}

int control_tool(std::uint64_t command) {
    const auto function = callback_of(ompt_callback_control_tool);
    if (function == nullptr) {
        return -1;
    }
    return reinterpret_cast<ompt_callback_control_tool_t>(function)(command, 0, nullptr, kUserCode);
}

} // namespace ocb::test
