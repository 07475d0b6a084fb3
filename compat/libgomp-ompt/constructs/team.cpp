// SPDX-License-Identifier: Apache-2.0
#include "team.h"

#include "tool.h"
#include "work.h"

namespace ocb::gomp {
namespace {

int ask(const RegionRecord &region, Function function) {
    return function_of<int (*)()>(*region.runtime, function)();
}

void report_join(ompt_scope_endpoint_t endpoint, RegionRecord *region, TaskRecord &task,
                 const void *code) {
    ompt_data_t *parallel_data = region != nullptr ? &region->word : nullptr;
    const auto wait = callback<ompt_callback_sync_region_t>(ompt_callback_sync_region_wait);
    const auto sync = callback<ompt_callback_sync_region_t>(ompt_callback_sync_region);
    const auto kind = ompt_sync_region_barrier_implicit_parallel;
    if (endpoint == ompt_scope_begin && sync != nullptr) {
        sync(kind, endpoint, parallel_data, &task.word, code);
    }
    if (wait != nullptr) {
        wait(kind, endpoint, parallel_data, &task.word, code);
    }
    if (endpoint == ompt_scope_end && sync != nullptr) {
        sync(kind, endpoint, parallel_data, &task.word, code);
    }
}

void end_master_task(TaskRecord &task, int team_size) {
    task.marks.has_ended = true;
    if (auto tell = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task)) {
        tell(ompt_scope_end, nullptr, &task.word, static_cast<unsigned>(team_size), 0,
             ompt_task_implicit);
    }
}

// What the last region with this record may have had in common: written where it differs, as other
// threads read it.
void describe(RegionRecord &region, RegionRecord *outer, const RegionRequest &request, int flags) {
    if (region.outer != outer || region.flags != flags) {
        region.outer = outer;
        region.flags = flags;
    }
    if (region.work != request.work || region.work_count != request.work_count) {
        region.work = request.work;
        region.work_count = request.work_count;
    }
}

} // namespace

RegionRecord &begin_region(const Call &call, ThreadRecord &thread, const RegionRequest &request,
                           int flags) {
    TaskRecord &encountering = task_of(thread);
    RegionRecord &region = take_region(thread);
    thread.forked = &region;
    region.function = request.function;
    region.data = request.data;
    region.runtime = call.runtime;
    region.code = call.code;
    region.encountering = &encountering;
    describe(region, encountering.region, request, flags);
    region.run.store(region.run.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    region.enter_frame_before = encountering.frame.enter_frame.ptr;
    encountering.frame.enter_frame.ptr = call.frame;
    if (auto tell = callback<ompt_callback_parallel_begin_t>(ompt_callback_parallel_begin)) {
        const unsigned threads = request.threads != 0
                                     ? request.threads
                                     : static_cast<unsigned>(function_of<int (*)()>(
                                           *call.runtime, k_omp_get_max_threads)());
        tell(&encountering.word, &encountering.frame, &region.word, threads, flags, call.code);
    }
    done_before(&region);
    return region;
}

void begin_implicit_task(ThreadRecord &thread, RegionRecord &region, void *frame) {
    TaskRecord &task = take_task(thread, nullptr, region.encountering);
    const int team_size = ask(region, k_omp_get_num_threads);
    task.region = &region;
    task.region_run = region.run.load(std::memory_order_relaxed);
    task.flags = ompt_task_implicit;
    task.thread_num = ask(region, k_omp_get_thread_num);
    task.team_size = team_size;
    task.frame.exit_frame.ptr = frame;
    if (region.team_size.load(std::memory_order_relaxed) != team_size) {
        region.team_size.store(team_size, std::memory_order_relaxed);
    }
    if (task.thread_num == 0) {
        region.master_task = &task;
    }
    thread.task.store(&task, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread.state.store(ompt_state_work_parallel, std::memory_order_relaxed);
    if (auto tell = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task)) {
        tell(ompt_scope_begin, &region.word, &task.word, static_cast<unsigned>(team_size),
             static_cast<unsigned>(task.thread_num), ompt_task_implicit);
    }
    if (region.work != Work::kNone) {
        begin_work(thread, region.work, region.work_count, region.code);
    }
}

void leave_implicit_task(ThreadRecord &thread, RegionRecord &region) {
    TaskRecord &task = task_of(thread);
    // A worker without one need not look at the region's record again.
    if (task.marks.open_work != Work::kNone) {
        close_work(thread, region.code);
    }
    task.frame.exit_frame.ptr = nullptr;
    const bool is_master = task.thread_num == 0;
    if (!is_master) {
        thread.left_run = task.region_run;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        thread.left_region.store(&region, std::memory_order_relaxed);
    }
    // A team of one does not wait.
    if (task.team_size > 1) {
        thread.state.store(ompt_state_overhead, std::memory_order_relaxed);
        report_join(ompt_scope_begin, &region, task, is_master ? region.code : nullptr);
        thread.state.store(is_master ? ompt_state_wait_barrier_implicit_parallel : kStateLeftRegion,
                           std::memory_order_relaxed);
    } else if (is_master && !task.marks.has_created) {
        // Nor is there anything left to do: what follows is libgomp's own time.
        thread.state.store(ompt_state_overhead, std::memory_order_relaxed);
        end_master_task(task, 1);
    }
}

void run_implicit_task(void *data) {
    seen_behind(data);
    RegionRecord &region = *static_cast<RegionRecord *>(data);
    __builtin_prefetch(&region); // the master has just written it: it comes meanwhile
    ThreadRecord *thread = own_thread;
    if (thread == nullptr) {
        thread = &enter_thread(ompt_thread_worker);
    } else if (thread->forked != &region) {
        end_left_region(*thread);
    }
    begin_implicit_task(*thread, region, __builtin_frame_address(0));
    region.function(region.data);
    leave_implicit_task(*thread, region);
    done_before(&region);
}

void end_region(const Call &call, ThreadRecord &thread, RegionRecord &region) {
    seen_behind(&region);
    TaskRecord &encountering = *region.encountering;
    TaskRecord *task = region.master_task;
    if (task != nullptr) {
        const int team_size = task->team_size;
        thread.state.store(ompt_state_overhead, std::memory_order_relaxed);
        if (team_size > 1) {
            report_join(ompt_scope_end, nullptr, *task, call.code);
        }
        if (!task->marks.has_ended) {
            end_master_task(*task, team_size);
        }
    }
    // From here on the team's workers are idle.
    region.run.store(region.run.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    thread.task.store(&encountering, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread.state.store((encountering.flags & ompt_task_initial) != 0 ? ompt_state_work_serial
                                                                     : ompt_state_work_parallel,
                       std::memory_order_relaxed);
    encountering.frame.enter_frame.ptr = region.enter_frame_before;
    if (auto tell = callback<ompt_callback_parallel_end_t>(ompt_callback_parallel_end)) {
        tell(&region.word, &encountering.word, region.flags, call.code);
    }
    if (task != nullptr) {
        release(*task);
    }
    give_back(thread, region);
}

} // namespace ocb::gomp
