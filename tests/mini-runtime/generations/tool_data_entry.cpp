// SPDX-License-Identifier: Apache-2.0
// What a tool calls in the generations with words.
#include "tool_data.h"

#include "defects.h"
#include "inquiry.h"

#include <cstring>
#include <sched.h>
#include <unistd.h>

namespace mini::tool {

using namespace ocb::ompt5;

namespace {

Check check_of(int callback) {
    switch (callback) {
    case ompt_callback_parallel_begin:
        return Check::kParallelBegin;
    case ompt_callback_parallel_end:
        return Check::kParallelEnd;
    case ompt_callback_task_create:
        return Check::kTaskBegin;
    case ompt_callback_task_schedule:
        return Check::kTaskEnd;
    case ompt_callback_thread_begin:
        return Check::kThreadBegin;
    case ompt_callback_thread_end:
        return Check::kThreadEnd;
    case ompt_callback_implicit_task:
        return Check::kImplicitTask;
    case ompt_callback_control_tool:
        return Check::kControl;
    default:
        return Check::kNone;
    }
}

bool is_left_out(int callback) {
    const Check check = check_of(callback);
    return check != Check::kNone && is_without(check);
}

int set_callback(int event, ompt_callback_t callback) {
    constexpr int kNoAnswer = 77;
    if (event <= 0 || event >= kCallbacks) {
        return breaks(Defect::kUnknownEvent) ? generation::kAlways : ompt_set_error;
    }
    if (!generation::has_callback(event) || is_left_out(event)) {
        return generation::kNever;
    }
    if (callback == nullptr && breaks(Defect::kTakenBack)) {
        return generation::kAlways;
    }
    const bool is_again = callbacks[event].exchange(callback) != nullptr && callback != nullptr;
    if (is_again && breaks(Defect::kSetAgain)) {
        return ompt_set_error;
    }
    return breaks(Defect::kSetCode) && event == ompt_callback_implicit_task ? kNoAnswer
                                                                            : generation::kAlways;
}

int get_callback(int event, ompt_callback_t *callback) {
    if (event <= 0 || event >= kCallbacks) {
        return 0;
    }
    const ompt_callback_t found = callbacks[event].load(std::memory_order_acquire);
    if (found == nullptr) {
        return 0;
    }
    *callback =
        breaks(Defect::kGetCallback) ? reinterpret_cast<ompt_callback_t>(set_callback) : found;
    return 1;
}

int enumerate_states(int current, int *next, const char **name) {
    bool is_found = current == generation::kFirstState;
    for (const NamedState *row = generation::kStates; row->name != nullptr; ++row) {
        if (is_found && inquiry::is_listed(row->state)) {
            *next = generation::state_of(row->state);
            *name = row->name;
            return 1;
        }
        is_found = is_found || generation::state_of(row->state) == current;
    }
    return 0;
}

// One kind of mutex for all.
int enumerate_mutex_impls(int current, int *next, const char **name) {
    if (current != 0) {
        return 0;
    }
    *next = 1;
    *name = "mini_test_and_set";
    return 1;
}

ompt_data_t *get_thread_data() {
    Thread *thread = inquiry::thread();
    return thread != nullptr ? data(&thread->word) : nullptr;
}

int get_state(ompt_wait_id_t *wait_id) {
    return generation::state_of(inquiry::state(wait_id));
}

int get_parallel_info(int ancestor_level, ompt_data_t **parallel_data, int *team_size) {
    const inquiry::RegionView region = inquiry::region(ancestor_level, inquiry::Outermost::kCounts);
    if (!region.exists) {
        return 0;
    }
    if (parallel_data != nullptr) {
        *parallel_data = data(region.word);
    }
    if (team_size != nullptr) {
        *team_size = region.size;
    }
    return 2;
}

int flags_of(const Task &task) {
    switch (task.kind) {
    case TaskKind::kInitial:
        return ompt_task_initial;
    case TaskKind::kImplicit:
        return ompt_task_implicit;
    case TaskKind::kExplicit:
        break;
    }
    return ompt_task_explicit | (task.is_undeferred ? ompt_task_undeferred : 0);
}

int get_task_info(int ancestor_level, int *flags, ompt_data_t **task_data,
                  ompt_frame_t **task_frame, ompt_data_t **parallel_data, int *thread_num) {
    const inquiry::TaskView view = inquiry::task(ancestor_level);
    const Task *task = view.task;
    if (task == nullptr) {
        return 0;
    }
    if (flags != nullptr) {
        *flags = flags_of(*task);
    }
    if (task_data != nullptr) {
        *task_data = data(view.word);
    }
    if (task_frame != nullptr) {
        *task_frame = reinterpret_cast<ompt_frame_t *>(view.frame);
    }
    if (parallel_data != nullptr) {
        *parallel_data = data(&task->team->word);
    }
    if (thread_num != nullptr && !settings.is_like_libomp) { // libomp 6 leaves it
        *thread_num = task->thread_num;
    }
    return 2;
}

int get_num_procs() {
    return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

int get_none() {
    return 0;
}

int get_proc_id() {
    return sched_getcpu();
}

std::uint64_t get_unique_id() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1) + 1;
}

// There are no places, and no memory of tasks to be told of.
int get_place_proc_ids(int, int, int *) {
    return 0;
}

int get_place_num() {
    return -1;
}

int get_partition_place_nums(int, int *) {
    return 0;
}

int get_task_memory(void **, std::size_t *, int) {
    return 0;
}

ompt_interface_fn_t strange_function() {
    return nullptr;
}

// One function serves two checks: it goes with either.
bool is_left_out(const char *name) {
    if (is_without(Check::kInitLookup)) {
        return true;
    }
    if (std::strcmp(name, "ompt_set_callback") == 0) {
        return is_without(Check::kInitSetCallback);
    }
    if (std::strcmp(name, "ompt_get_parallel_info") == 0) {
        return is_without(Check::kParallelId) || is_without(Check::kTeamSize);
    }
    if (std::strcmp(name, "ompt_get_task_info") == 0) {
        return is_without(Check::kTaskId) || is_without(Check::kTaskFrame);
    }
    return std::strcmp(name, "ompt_enumerate_states") == 0 && breaks(Defect::kLookupMissing);
}

struct Named {
    const char *name;
    ompt_interface_fn_t function;
};

template <class Function> Named named(const char *name, Function function) {
    return {name, reinterpret_cast<ompt_interface_fn_t>(function)};
}

} // namespace

ompt_interface_fn_t lookup(const char *name) {
    static const Named kFunctions[] = {
        named("ompt_set_callback", set_callback),
        named("ompt_get_callback", get_callback),
        named("ompt_enumerate_states", enumerate_states),
        named("ompt_enumerate_mutex_impls", enumerate_mutex_impls),
        named("ompt_get_thread_data", get_thread_data),
        named("ompt_get_state", get_state),
        named("ompt_get_parallel_info", get_parallel_info),
        named("ompt_get_task_info", get_task_info),
        named("ompt_get_num_procs", get_num_procs),
        named("ompt_get_num_places", get_none),
        named("ompt_get_place_proc_ids", get_place_proc_ids),
        named("ompt_get_place_num", get_place_num),
        named("ompt_get_partition_place_nums", get_partition_place_nums),
        named("ompt_get_task_memory", get_task_memory),
        named("ompt_get_num_devices", get_none),
        named("ompt_get_target_info", get_none),
        named("ompt_get_proc_id", get_proc_id),
        named("ompt_get_unique_id", get_unique_id),
    };
    if (is_left_out(name)) {
        return nullptr;
    }
    for (const Named &function : kFunctions) {
        if (std::strcmp(function.name, name) == 0) {
            return function.function;
        }
    }
    const ompt_interface_fn_t function = generation::lookup(name);
    return function == nullptr && breaks(Defect::kLookupUnknown)
               ? reinterpret_cast<ompt_interface_fn_t>(strange_function)
               : function;
}

} // namespace mini::tool
