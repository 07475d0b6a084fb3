// SPDX-License-Identifier: Apache-2.0
#include "inquiry.h"

#include "records.h"
#include "room.h"
#include "routes.h"
#include "support.h"
#include "tool.h"

#include <cstring>
#include <sched.h>

namespace ocb::gomp {
namespace {

// A question to the runtime; `other` where it has no such function.
int ask_runtime(Function function, int other) {
    const Runtime *runtime = first_runtime();
    const auto ask = runtime != nullptr ? function_of<int (*)()>(*runtime, function) : nullptr;
    return ask != nullptr ? ask() : other;
}

// ---- Callbacks ---------------------------------------------------------------------------------

int set_callback(int event, ompt_callback_t function) {
    if (event <= 0 || event >= kEventCount) {
        return ompt_set_error;
    }
    const int support = support_of(event);
    if (support == ompt_set_always || support == ompt_set_sometimes ||
        support == ompt_set_sometimes_paired) {
        callbacks[event].store(function, std::memory_order_release);
        if (function != nullptr && event != ompt_callback_control_tool) {
            want_event(static_cast<unsigned>(event));
        }
    }
    return support;
}

int get_callback(int event, ompt_callback_t *function) {
    if (event <= 0 || event >= kEventCount) {
        return 0;
    }
    const ompt_callback_t set = callbacks[event].load(std::memory_order_relaxed);
    if (set == nullptr) {
        return 0;
    }
    *function = set;
    return 1;
}

// ---- The calling thread ------------------------------------------------------------------------

// The task whose code the thread runs or waits in; null for a thread without one: unknown, or a
// worker whose region is over. In that region's barrier it may still be given an explicit task:
// libgomp 12 uses the team's memory for the next team while workers leave it.
TaskRecord *current_task() {
    const ThreadRecord *thread = own_thread;
    if (thread == nullptr || !tool_is_active()) {
        return nullptr;
    }
    TaskRecord *task = thread->task.load(std::memory_order_relaxed);
    const RegionRecord *left = thread->left_region.load(std::memory_order_relaxed);
    const bool is_in_explicit = task != nullptr && (task->flags & ompt_task_explicit) != 0;
    const bool is_idle = !is_in_explicit && left != nullptr && is_over(*left, thread->left_run);
    return is_idle ? nullptr : task;
}

int get_state(ompt_wait_id_t *wait_id) {
    const ThreadRecord *thread = own_thread;
    if (thread == nullptr || !tool_is_active()) {
        return ompt_state_work_serial;
    }
    const std::uint64_t wait = own_wait;
    if (wait_id != nullptr) {
        *wait_id = wait & ((std::uint64_t{1} << kWaitStateShift) - 1);
    }
    if (wait != 0) {
        return static_cast<int>(wait >> kWaitStateShift);
    }
    const TaskRecord *task = thread->task.load(std::memory_order_relaxed);
    if (task != nullptr && (task->flags & ompt_task_explicit) != 0) {
        return task->region->encountering != nullptr ? ompt_state_work_parallel
                                                     : ompt_state_work_serial;
    }
    const int state = thread->state.load(std::memory_order_relaxed);
    if (state != kStateLeftRegion) {
        return state;
    }
    const RegionRecord *left = thread->left_region.load(std::memory_order_relaxed);
    return left != nullptr && !is_over(*left, thread->left_run)
               ? ompt_state_wait_barrier_implicit_parallel
               : ompt_state_idle;
}

ompt_data_t *get_thread_data() {
    return own_thread != nullptr && tool_is_active() ? &own_thread->word : nullptr;
}

int get_parallel_info(int level, ompt_data_t **parallel_data, int *team_size) {
    const TaskRecord *task = current_task();
    RegionRecord *region = task != nullptr && level >= 0 ? task->region : nullptr;
    while (region != nullptr && level-- > 0) {
        region = region->outer;
    }
    if (region == nullptr) {
        return 0;
    }
    if (parallel_data != nullptr) {
        *parallel_data = &region->word;
    }
    if (team_size != nullptr) {
        *team_size = region->team_size.load(std::memory_order_relaxed);
    }
    return 2;
}

int get_task_info(int level, int *flags, ompt_data_t **task_data, ompt_frame_t **task_frame,
                  ompt_data_t **parallel_data, int *thread_num) {
    TaskRecord *task = level >= 0 ? current_task() : nullptr;
    while (task != nullptr && level-- > 0) {
        task = task->below;
    }
    if (task == nullptr) {
        return 0;
    }
    if (flags != nullptr) {
        *flags = task->flags;
    }
    if (task_data != nullptr) {
        *task_data = &task->word;
    }
    if (task_frame != nullptr) {
        *task_frame = &task->frame;
    }
    if (parallel_data != nullptr) {
        *parallel_data = &task->region->word;
    }
    if (thread_num != nullptr) {
        *thread_num = task->thread_num;
    }
    return 2;
}

int get_task_memory(void **address, std::size_t *size, int) {
    *address = nullptr;
    *size = 0;
    return 0;
}

std::uint64_t get_unique_id() {
    static constinit std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// ---- The machine -------------------------------------------------------------------------------

int get_num_procs() {
    return ask_runtime(k_omp_get_num_procs, 1);
}

int get_num_places() {
    return ask_runtime(k_omp_get_num_places, 0);
}

int get_place_num() {
    return own_thread != nullptr ? ask_runtime(k_omp_get_place_num, -1) : -1;
}

// The runtime's functions for ids fill an array of the length that another one returns.
int fill(int count, int size, int *ids, int place, bool is_place) {
    const Runtime *runtime = first_runtime();
    const Room<int, 1024> all(count > 0 && runtime != nullptr ? static_cast<std::size_t>(count)
                                                              : 0);
    if (all.rows == nullptr) {
        return 0;
    }
    if (is_place) {
        function_of<void (*)(int, int *)>(*runtime, k_omp_get_place_proc_ids)(place, all.rows);
    } else {
        function_of<void (*)(int *)>(*runtime, k_omp_get_partition_place_nums)(all.rows);
    }
    for (int i = 0; i < count && i < size; ++i) {
        ids[i] = all.rows[i];
    }
    return count;
}

int get_place_proc_ids(int place, int size, int *ids) {
    const Runtime *runtime = first_runtime();
    const auto count = runtime != nullptr
                           ? function_of<int (*)(int)>(*runtime, k_omp_get_place_num_procs)
                           : nullptr;
    return count != nullptr ? fill(count(place), size, ids, place, true) : 0;
}

int get_partition_place_nums(int size, int *nums) {
    return fill(ask_runtime(k_omp_get_partition_num_places, 0), size, nums, 0, false);
}

int get_proc_id() {
    return own_thread != nullptr ? sched_getcpu() : -1;
}

int get_num_devices() {
    return ask_runtime(k_omp_get_num_devices, 0);
}

// Target regions run on the host here: no device has an OMPT.
int get_target_info(std::uint64_t *, std::uint64_t *, std::uint64_t *) {
    return 0;
}

struct Question {
    const char *name;
    ompt_interface_fn_t function;
    bool needs_records = false;
};
constexpr bool kNeedsRecords = true;

template <class Type> ompt_interface_fn_t plain(Type *function) {
    return reinterpret_cast<ompt_interface_fn_t>(function);
}

} // namespace

ompt_interface_fn_t look_up(const char *name) {
    const Question questions[] = {
        {"ompt_enumerate_states", plain(enumerate_states)},
        {"ompt_enumerate_mutex_impls", plain(enumerate_mutex_impls)},
        {"ompt_set_callback", plain(set_callback)},
        {"ompt_get_callback", plain(get_callback)},
        {"ompt_get_thread_data", plain(get_thread_data), kNeedsRecords},
        {"ompt_get_num_procs", plain(get_num_procs)},
        {"ompt_get_num_places", plain(get_num_places)},
        {"ompt_get_place_proc_ids", plain(get_place_proc_ids)},
        {"ompt_get_place_num", plain(get_place_num)},
        {"ompt_get_partition_place_nums", plain(get_partition_place_nums)},
        {"ompt_get_proc_id", plain(get_proc_id)},
        {"ompt_get_state", plain(get_state), kNeedsRecords},
        {"ompt_get_parallel_info", plain(get_parallel_info), kNeedsRecords},
        {"ompt_get_task_info", plain(get_task_info), kNeedsRecords},
        {"ompt_get_task_memory", plain(get_task_memory)},
        {"ompt_get_target_info", plain(get_target_info)},
        {"ompt_get_num_devices", plain(get_num_devices)},
        {"ompt_get_unique_id", plain(get_unique_id)},
        {"ompt_finalize_tool", plain(finalize_tool)},
    };
    for (const Question &question : questions) {
        if (name != nullptr && std::strcmp(question.name, name) == 0) {
            if (question.needs_records) {
                want_answers();
            }
            return question.function;
        }
    }
    return nullptr;
}

int initial_device() {
    return ask_runtime(k_omp_get_initial_device, 0);
}

} // namespace ocb::gomp
