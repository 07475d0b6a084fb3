// SPDX-License-Identifier: Apache-2.0
#include "work.h"

namespace ocb::gomp {
namespace {

constexpr ompt_work_t kWorkTypes[] = {static_cast<ompt_work_t>(0), ompt_work_loop,
                                      ompt_work_sections, ompt_work_single_executor};

void tell(ompt_work_t type, ompt_scope_endpoint_t endpoint, TaskRecord &task, std::uint64_t count,
          const void *code) {
    if (auto work = callback<ompt_callback_work_t>(ompt_callback_work)) {
        work(type, endpoint, &task.region->word, &task.word, count, code);
    }
}

} // namespace

void begin_work(ThreadRecord &thread, Work work, std::uint64_t count, const void *code) {
    close_work(thread, code);
    TaskRecord &task = task_of(thread);
    task.open_work = work;
    tell(kWorkTypes[static_cast<int>(work)], ompt_scope_begin, task, count, code);
}

void end_work(ThreadRecord &thread, Work work, const void *code) {
    TaskRecord &task = task_of(thread);
    if (task.open_work != work) {
        return;
    }
    task.open_work = Work::kNone;
    tell(kWorkTypes[static_cast<int>(work)], ompt_scope_end, task, 0, code);
}

void close_work(ThreadRecord &thread, const void *code) {
    if (task_of(thread).open_work != Work::kNone) {
        end_work(thread, task_of(thread).open_work, code);
    }
}

void pass_single(ThreadRecord &thread, const void *code) {
    TaskRecord &task = task_of(thread);
    tell(ompt_work_single_other, ompt_scope_begin, task, 1, code);
    tell(ompt_work_single_other, ompt_scope_end, task, 1, code);
}

void tell_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, TaskRecord &task,
               const void *code) {
    if (auto tell = callback<ompt_callback_sync_region_t>(ompt_callback_sync_region)) {
        tell(kind, endpoint, &task.region->word, &task.word, code);
    }
}

void tell_sync_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, TaskRecord &task,
                    const void *code) {
    if (auto tell = callback<ompt_callback_sync_region_t>(ompt_callback_sync_region_wait)) {
        tell(kind, endpoint, &task.region->word, &task.word, code);
    }
}

} // namespace ocb::gomp
