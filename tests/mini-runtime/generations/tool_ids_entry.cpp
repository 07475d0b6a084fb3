// SPDX-License-Identifier: Apache-2.0
// What a tool calls in the generations with ids.
#include "tool_ids.h"

#include "defects.h"
#include "events.h"
#include "inquiry.h"

#include <cstring>

namespace mini::tool {

using namespace ocb::ompt_tr2;

namespace {

Check check_of(int event) {
    switch (event) {
    case ompt_event_parallel_begin:
        return Check::kParallelBegin;
    case ompt_event_parallel_end:
        return Check::kParallelEnd;
    case ompt_event_task_begin:
        return Check::kTaskBegin;
    case ompt_event_task_end:
        return Check::kTaskEnd;
    case ompt_event_thread_begin:
        return Check::kThreadBegin;
    case ompt_event_thread_end:
        return Check::kThreadEnd;
    case ompt_event_implicit_task_begin:
    case ompt_event_implicit_task_end:
    case ompt_event_initial_task_begin:
    case ompt_event_initial_task_end:
        return Check::kImplicitTask;
    case ompt_event_control:
        return Check::kControl;
    case ompt_event_runtime_shutdown:
        return Check::kRuntimeShutdown;
    default:
        return Check::kNone;
    }
}

int result_for(int event) {
    if (event >= ompt_event_target_task_begin && event <= ompt_event_target_data_map_end) {
        return ompt_set_never; // there are no devices
    }
    switch (event) {
    case ompt_event_workshare_begin: // of Fortran
    case ompt_event_workshare_end:
        return ompt_set_never;
    case ompt_event_task_switch:
        return generation::kIs2014 && event::is_like_old_libomp() ? ompt_set_no_callback
                                                                  : ompt_set_always;
    case ompt_event_task_dependences:
    case ompt_event_task_dependence_pair:
        return ompt_set_no_callback;
    default:
        break;
    }
    const Check check = check_of(event);
    return check != Check::kNone && is_without(check) ? ompt_set_never : ompt_set_always;
}

int set_callback(int event, ompt_callback_t callback) {
    if (event <= 0 || event >= kEvents) {
        return breaks(Defect::kUnknownEvent) ? ompt_set_always : ompt_set_error;
    }
    if (!is_initializing && !generation::kRegistersAtAnyTime) {
        return ompt_set_error;
    }
    const int result = result_for(event);
    if (result != ompt_set_always) {
        return result;
    }
    if (callback == nullptr && breaks(Defect::kTakenBack)) {
        return result;
    }
    const bool is_again = callbacks[event].exchange(callback) != nullptr && callback != nullptr;
    return is_again && breaks(Defect::kSetAgain) ? ompt_set_error : result;
}

int get_callback(int event, ompt_callback_t *callback) {
    if (event <= 0 || event >= kEvents) {
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

ompt_thread_id_t get_thread_id() {
    const Thread *thread = inquiry::thread();
    return thread != nullptr ? thread->word : ompt_id_none;
}

int number_of(State state) {
    switch (state) {
    case State::kSerial:
        return ompt_state_work_serial;
    case State::kParallel:
        return ompt_state_work_parallel;
    case State::kReduction:
        return ompt_state_work_reduction;
    case State::kIdle:
        return ompt_state_idle;
    case State::kOverhead:
        return ompt_state_overhead;
    case State::kBarrierParallel:
    case State::kBarrierWorkshare:
        return ompt_state_wait_barrier_implicit;
    case State::kBarrierExplicit:
        return ompt_state_wait_barrier_explicit;
    case State::kBarrierImplementation:
        return ompt_state_wait_barrier;
    case State::kTaskwait:
        return ompt_state_wait_taskwait;
    case State::kTaskgroup:
        return ompt_state_wait_taskgroup;
    case State::kLock:
        return ompt_state_wait_lock;
    case State::kNestLock:
        return ompt_state_wait_nest_lock;
    case State::kCritical:
        return ompt_state_wait_critical;
    case State::kAtomic:
        return ompt_state_wait_atomic;
    case State::kOrdered:
        return ompt_state_wait_ordered;
    case State::kUndefined:
        break;
    }
    return generation::kUndefinedState;
}

int get_state(ompt_wait_id_t *wait_id) {
    return number_of(inquiry::state(wait_id));
}

ompt_interface_fn_t strange_function() {
    return nullptr;
}

Check check_of(const char *name) {
    struct Row {
        const char *name;
        Check check;
    };
    static constexpr Row kRows[] = {{"ompt_set_callback", Check::kInitSetCallback},
                                    {"ompt_get_idle_frame", Check::kIdleFrame},
                                    {"ompt_get_parallel_id", Check::kParallelId},
                                    {"ompt_get_parallel_info", Check::kParallelId},
                                    {"ompt_get_parallel_team_size", Check::kTeamSize},
                                    {"ompt_get_task_id", Check::kTaskId},
                                    {"ompt_get_task_frame", Check::kTaskFrame}};
    for (const Row &row : kRows) {
        if (std::strcmp(row.name, name) == 0) {
            return row.check;
        }
    }
    return Check::kNone;
}

// Where one function serves two checks it goes with either.
bool is_left_out(const char *name) {
    if (is_without(Check::kInitLookup)) {
        return true;
    }
    const Check check = check_of(name);
    if (check != Check::kNone && is_without(check)) {
        return true;
    }
    if (std::strcmp(name, "ompt_get_parallel_info") == 0) {
        return is_without(Check::kTeamSize);
    }
    if (std::strcmp(name, "ompt_get_task_info") == 0) {
        return is_without(Check::kTaskId) || is_without(Check::kTaskFrame);
    }
    // The draft has no enumeration.
    return breaks(Defect::kLookupMissing) && (std::strcmp(name, "ompt_enumerate_state") == 0 ||
                                              std::strcmp(name, "ompt_get_thread_id") == 0);
}

} // namespace

ompt_interface_fn_t lookup(const char *name) {
    static const Named kFunctions[] = {named("ompt_set_callback", set_callback),
                                       named("ompt_get_callback", get_callback),
                                       named("ompt_get_thread_id", get_thread_id),
                                       named("ompt_get_state", get_state),
                                       {}};
    if (is_left_out(name)) {
        return nullptr;
    }
    ompt_interface_fn_t function = find_in(kFunctions, name);
    if (function == nullptr) {
        function = generation::lookup(name);
    }
    if (function == nullptr && breaks(Defect::kLookupUnknown)) {
        function = reinterpret_cast<ompt_interface_fn_t>(strange_function);
    }
    return function;
}

ompt_interface_fn_t find_in(const Named *functions, const char *name) {
    for (; functions->name != nullptr; ++functions) {
        if (std::strcmp(functions->name, name) == 0) {
            return functions->function;
        }
    }
    return nullptr;
}

int enumerate_state(int current, int *next, const char **name) {
    struct Row {
        State state;
        const char *name;
    };
    static constexpr Row kRows[] = {
        {State::kSerial, "ompt_state_work_serial"},
        {State::kParallel, "ompt_state_work_parallel"},
        {State::kReduction, "ompt_state_work_reduction"},
        {State::kIdle, "ompt_state_idle"},
        {State::kOverhead, "ompt_state_overhead"},
        {State::kBarrierImplementation, "ompt_state_wait_barrier"},
        {State::kBarrierParallel, "ompt_state_wait_barrier_implicit"},
        {State::kBarrierExplicit, "ompt_state_wait_barrier_explicit"},
        {State::kTaskwait, "ompt_state_wait_taskwait"},
        {State::kTaskgroup, "ompt_state_wait_taskgroup"},
        {State::kLock, "ompt_state_wait_lock"},
        {State::kNestLock, "ompt_state_wait_nest_lock"},
        {State::kCritical, "ompt_state_wait_critical"},
        {State::kAtomic, "ompt_state_wait_atomic"},
        {State::kOrdered, "ompt_state_wait_ordered"},
        {State::kUndefined, "ompt_state_undefined"},
    };
    const int first = generation::kUndefinedState + 1; // ompt_state_first
    bool is_found = current == first;
    for (const Row &row : kRows) {
        if (is_found && inquiry::is_listed(row.state)) {
            *next = number_of(row.state);
            *name = row.name;
            return 1;
        }
        is_found = is_found || number_of(row.state) == current;
    }
    return 0;
}

ompt_parallel_id_t get_parallel_id(int ancestor_level) {
    const Word *word = inquiry::region(ancestor_level, inquiry::Outermost::kDoesNot).word;
    return word != nullptr ? *word : ompt_id_none;
}

int get_parallel_team_size(int ancestor_level) {
    return inquiry::region(ancestor_level, inquiry::Outermost::kDoesNot).size;
}

ompt_task_id_t get_task_id(int ancestor_level) {
    const Word *word = inquiry::task(ancestor_level).word;
    return word != nullptr ? *word : ompt_id_none;
}

ompt_frame_t *get_task_frame(int ancestor_level) {
    return reinterpret_cast<ompt_frame_t *>(inquiry::task(ancestor_level).frame);
}

void *get_idle_frame() {
    return inquiry::idle_frame();
}

std::uint32_t get_task_info(int ancestor_level, ompt_task_type_t *type, ompt_task_id_t *task_id,
                            ompt_frame_t **task_frame, ompt_parallel_id_t *parallel_id) {
    const inquiry::TaskView view = inquiry::task(ancestor_level);
    const Task *task = view.task;
    if (task == nullptr) {
        return 0;
    }
    if (type != nullptr) {
        *type = task->kind == TaskKind::kInitial    ? ompt_task_serial
                : task->kind == TaskKind::kImplicit ? ompt_task_implicit
                                                    : ompt_task_explicit;
    }
    if (task_id != nullptr) {
        *task_id = *view.word;
    }
    if (task_frame != nullptr) {
        *task_frame = reinterpret_cast<ompt_frame_t *>(view.frame);
    }
    if (parallel_id != nullptr) {
        *parallel_id = task->team->word;
    }
    return 1;
}

} // namespace mini::tool
