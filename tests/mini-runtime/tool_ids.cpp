// SPDX-License-Identifier: Apache-2.0
#include "tool_ids.h"

#include "defects.h"
#include "inquiry.h"
#include "start_tool.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mini::tool {

using namespace ocb::ompt_tr2;

namespace {

constexpr int kEvents = 71;
std::atomic<ompt_callback_t> callbacks[kEvents];
bool has_tool = false, is_active = false, is_initializing = false;

template <class Function, class... Arguments> void tell(int event, Arguments... arguments) {
    const auto function =
        reinterpret_cast<Function>(callbacks[event].load(std::memory_order_acquire));
    if (function != nullptr)
        function(arguments...);
}

// Entry points -----------------------------------------------------------------------------------

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
    case ompt_event_control:
        return Check::kControl;
    case ompt_event_runtime_shutdown:
        return Check::kRuntimeShutdown;
    default:
        return Check::kNone;
    }
}

int result_for(int event) {
    if (event >= ompt_event_target_task_begin && event <= ompt_event_target_data_map_end)
        return ompt_set_never; // there are no devices
    switch (event) {
    case ompt_event_workshare_begin: // of Fortran
    case ompt_event_workshare_end:
        return ompt_set_never;
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
    if (event <= 0 || event >= kEvents)
        return breaks(Defect::kUnknownEvent) ? ompt_set_always : ompt_set_error;
    if (!is_initializing && !generation::registers_at_any_time)
        return ompt_set_error;
    const int result = result_for(event);
    if (result != ompt_set_always)
        return result;
    if (callback == nullptr && breaks(Defect::kTakenBack))
        return result;
    const bool is_again = callbacks[event].exchange(callback) != nullptr && callback != nullptr;
    return is_again && breaks(Defect::kSetAgain) ? ompt_set_error : result;
}

int get_callback(int event, ompt_callback_t *callback) {
    if (event <= 0 || event >= kEvents)
        return 0;
    const ompt_callback_t found = callbacks[event].load(std::memory_order_acquire);
    if (found == nullptr)
        return 0;
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
    return generation::undefined_state;
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
    for (const Row &row : kRows)
        if (std::strcmp(row.name, name) == 0)
            return row.check;
    return Check::kNone;
}

// Where one function serves two checks it goes with either.
bool is_left_out(const char *name) {
    if (is_without(Check::kInitLookup))
        return true;
    const Check check = check_of(name);
    if (check != Check::kNone && is_without(check))
        return true;
    if (std::strcmp(name, "ompt_get_parallel_info") == 0)
        return is_without(Check::kTeamSize);
    if (std::strcmp(name, "ompt_get_task_info") == 0)
        return is_without(Check::kTaskId) || is_without(Check::kTaskFrame);
    // The draft has no enumeration.
    return breaks(Defect::kLookupMissing) && (std::strcmp(name, "ompt_enumerate_state") == 0 ||
                                              std::strcmp(name, "ompt_get_thread_id") == 0);
}

ompt_interface_fn_t lookup(const char *name) {
    static const Named kFunctions[] = {named("ompt_set_callback", set_callback),
                                       named("ompt_get_callback", get_callback),
                                       named("ompt_get_thread_id", get_thread_id),
                                       named("ompt_get_state", get_state),
                                       {}};
    if (is_left_out(name))
        return nullptr;
    ompt_interface_fn_t function = find_in(kFunctions, name);
    if (function == nullptr)
        function = generation::lookup(name);
    if (function == nullptr && breaks(Defect::kLookupUnknown))
        function = reinterpret_cast<ompt_interface_fn_t>(strange_function);
    return function;
}

} // namespace

ompt_interface_fn_t find_in(const Named *functions, const char *name) {
    for (; functions->name != nullptr; ++functions)
        if (std::strcmp(functions->name, name) == 0)
            return functions->function;
    return nullptr;
}

const char *told_runtime(const char *version) {
    return breaks(Defect::kNoVersion) ? nullptr : version;
}

unsigned told_version(unsigned version) {
    return breaks(Defect::kVersionZero) ? 0 : version;
}

bool tool_is_enabled_or_end() {
    const Wish wish = wish_of_user();
    if (wish != Wish::kOther || breaks(Defect::kOtherGoesOn))
        return wish == Wish::kEnabled;
    if (!breaks(Defect::kOtherSilent))
        std::fprintf(stderr, "mini-omp: fatal error: OMP_TOOL=%s is neither enabled nor disabled\n",
                     std::getenv("OMP_TOOL"));
    std::exit(1);
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
    const int first = generation::undefined_state + 1; // ompt_state_first
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
    if (task == nullptr)
        return 0;
    if (type != nullptr)
        *type = task->kind == TaskKind::kInitial    ? ompt_task_serial
                : task->kind == TaskKind::kImplicit ? ompt_task_implicit
                                                    : ompt_task_explicit;
    if (task_id != nullptr)
        *task_id = *view.word;
    if (task_frame != nullptr)
        *task_frame = reinterpret_cast<ompt_frame_t *>(view.frame);
    if (parallel_id != nullptr)
        *parallel_id = task->team->word;
    return 1;
}

// Life -------------------------------------------------------------------------------------------

void find() {
    has_tool = generation::find_tool();
    if (has_tool && breaks(Defect::kEntryTwice))
        generation::find_tool();
}

void initialize() {
    is_initializing = true;
    is_active = has_tool && generation::initialize(lookup);
    // In the form of 2014 entry point and initializer are one.
    if (is_active &&
        (breaks(Defect::kInitializerTwice) || (generation::is_2014 && breaks(Defect::kEntryTwice))))
        generation::initialize(lookup);
    is_initializing = false;
    if (!is_active)
        for (auto &callback : callbacks)
            callback.store(nullptr);
}

void tell_end() {
    tell<ompt_callback_t>(ompt_event_runtime_shutdown);
}

void finalize() {
    for (auto &callback : callbacks)
        callback.store(nullptr);
    is_active = false;
}

Word new_word() {
    static std::atomic<Word> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Events -----------------------------------------------------------------------------------------

namespace {

// Begin and end are two events, one after the other.
int event_of(int begin, Endpoint endpoint) {
    return endpoint == Endpoint::kBegin ? begin : begin + 1;
}

void tell_begin(int event, Word *region, Word *task, const void *caller) {
    if (generation::is_2014)
        tell<ompt_parallel_callback_t>(event, *region, *task);
    else
        tell<ompt_sync_callback_t>(event, *region, *task, caller);
}

} // namespace

void thread_begin(ThreadKind kind, Word *thread) {
    tell<ompt_thread_type_callback_t>(
        ompt_event_thread_begin,
        kind == ThreadKind::kWorker ? ompt_thread_worker : ompt_thread_initial, *thread);
}

void thread_end(ThreadKind kind, Word *thread) {
    tell<ompt_thread_type_callback_t>(
        ompt_event_thread_end,
        kind == ThreadKind::kWorker ? ompt_thread_worker : ompt_thread_initial, *thread);
}

void parallel_begin(const ParallelBegin &told) {
    const auto *frame = reinterpret_cast<const ompt_frame_t *>(told.parent_frame);
    if (generation::is_2014)
        tell<ompt_parallel_begin_callback_2014_t>(ompt_event_parallel_begin, *told.parent, frame,
                                                  *told.region, told.requested, told.function);
    else
        tell<ompt_parallel_begin_callback_t>(ompt_event_parallel_begin, *told.parent, frame,
                                             *told.region, told.requested, told.function,
                                             told.is_invoked_by_program ? ompt_invoker_program
                                                                        : ompt_invoker_runtime);
}

void parallel_end(Word *region, Word *parent, bool is_invoked_by_program, const void *) {
    if (generation::is_2014)
        tell<ompt_parallel_end_callback_2014_t>(ompt_event_parallel_end, *region, *parent);
    else
        tell<ompt_parallel_end_callback_t>(ompt_event_parallel_end, *region, *parent,
                                           is_invoked_by_program ? ompt_invoker_program
                                                                 : ompt_invoker_runtime);
}

void initial_task(Endpoint endpoint, Word *, Word *task) {
    tell<ompt_task_callback_t>(event_of(ompt_event_initial_task_begin, endpoint), *task);
}

void implicit_task(Endpoint endpoint, Word *region, Word *task, unsigned, unsigned) {
    tell<ompt_parallel_callback_t>(event_of(ompt_event_implicit_task_begin, endpoint), *region,
                                   *task);
}

void idle(Endpoint endpoint, Word *thread) {
    tell<ompt_thread_callback_t>(event_of(ompt_event_idle_begin, endpoint), *thread);
}

void sync(SyncKind kind, Endpoint endpoint, Word *region, Word *task, const void *caller) {
    const int event = kind == SyncKind::kTaskwait    ? ompt_event_taskwait_begin
                      : kind == SyncKind::kTaskgroup ? ompt_event_taskgroup_begin
                                                     : ompt_event_barrier_begin;
    if (endpoint == Endpoint::kBegin)
        tell_begin(event, region, task, caller);
    else
        tell<ompt_parallel_callback_t>(event + 1, *region, *task);
}

void sync_wait(SyncKind kind, Endpoint endpoint, Word *region, Word *task, const void *) {
    const int event = kind == SyncKind::kTaskwait    ? ompt_event_wait_taskwait_begin
                      : kind == SyncKind::kTaskgroup ? ompt_event_wait_taskgroup_begin
                                                     : ompt_event_wait_barrier_begin;
    tell<ompt_parallel_callback_t>(event_of(event, endpoint), *region, *task);
}

void reduction(Endpoint, Word *, Word *, const void *) {} // only a state

namespace {

constexpr ompt_lock_type_t kLockType = 1;
constexpr std::uint32_t kAtomicType = 1;

} // namespace

void mutex_wanted(const MutexUse &) {}

void mutex_waited_for(const MutexUse &use) {
    const int event = ompt_event_wait_lock + static_cast<int>(use.kind);
    if (use.kind == MutexKind::kCritical && !generation::is_2014)
        tell<ompt_lock_callback_t>(event, use.wait_id, use.hint, kLockType);
    else if (use.kind == MutexKind::kAtomic && !generation::is_2014)
        tell<ompt_atomic_callback_t>(event, use.wait_id, kAtomicType);
    else
        tell<ompt_wait_callback_t>(event, use.wait_id);
}

void mutex_acquired(const MutexUse &use) {
    constexpr int kAcquired[] = {ompt_event_acquired_lock, ompt_event_acquired_nest_lock_first,
                                 ompt_event_acquired_critical, ompt_event_acquired_atomic,
                                 ompt_event_acquired_ordered};
    tell<ompt_wait_callback_t>(kAcquired[static_cast<int>(use.kind)], use.wait_id);
}

void mutex_released(const MutexUse &use) {
    tell<ompt_wait_callback_t>(ompt_event_release_lock + static_cast<int>(use.kind), use.wait_id);
}

void nest_lock_again(Endpoint endpoint, const MutexUse &use) {
    tell<ompt_wait_callback_t>(endpoint == Endpoint::kBegin ? ompt_event_acquired_nest_lock_next
                                                            : ompt_event_release_nest_lock_prev,
                               use.wait_id);
}

void lock_initialised(const MutexUse &use) {
    const int event =
        use.kind == MutexKind::kLock ? ompt_event_init_lock : ompt_event_init_nest_lock;
    if (generation::is_2014)
        tell<ompt_wait_callback_t>(event, use.wait_id);
    else
        tell<ompt_lock_callback_t>(event, use.wait_id, use.hint, kLockType);
}

void lock_destroyed(const MutexUse &use) {
    tell<ompt_wait_callback_t>(use.kind == MutexKind::kLock ? ompt_event_destroy_lock
                                                            : ompt_event_destroy_nest_lock,
                               use.wait_id);
}

void work(WorkKind kind, Endpoint endpoint, Word *region, Word *task, std::uint64_t,
          const void *caller) {
    if (kind == WorkKind::kDistribute)
        return; // there is no event
    const int event = ompt_event_loop_begin + 2 * static_cast<int>(kind);
    if (endpoint == Endpoint::kEnd)
        tell<ompt_parallel_callback_t>(event + 1, *region, *task);
    else if (kind == WorkKind::kSingleOther)
        tell<ompt_parallel_callback_t>(event, *region, *task);
    else
        tell<ompt_workshare_begin_callback_t>(event, *region, *task, caller);
}

void masked(Endpoint endpoint, Word *region, Word *task, const void *caller) {
    if (endpoint == Endpoint::kBegin)
        tell_begin(ompt_event_master_begin, region, task, caller);
    else
        tell<ompt_parallel_callback_t>(ompt_event_master_end, *region, *task);
}

void task_create(const TaskCreate &told) {
    tell<ompt_task_begin_callback_t>(ompt_event_task_begin, *told.parent,
                                     reinterpret_cast<const ompt_frame_t *>(told.parent_frame),
                                     *told.task, told.function);
}

// 0 for a task that is complete.
void task_switch(Word *prior, TaskStatus status, Word *next) {
    const bool goes_on = status == TaskStatus::kSwitch || status == TaskStatus::kYield;
    tell<ompt_task_pair_callback_t>(ompt_event_task_switch, goes_on ? *prior : ompt_id_none, *next);
}

void task_end(Word *task) {
    tell<ompt_task_callback_t>(ompt_event_task_end, *task);
}

void flush(Word *thread, const void *) {
    if (generation::is_2014)
        tell<ompt_callback_t>(ompt_event_flush);
    else
        tell<ompt_thread_callback_t>(ompt_event_flush, *thread);
}

void cancel(Word *, int, const void *) {} // there is no event

int control(std::uint64_t command, std::uint64_t modifier, void *, const void *) {
    tell<ompt_control_callback_t>(ompt_event_control, command, modifier);
    return 0;
}

} // namespace mini::tool

extern "C" void ompt_control(std::uint64_t command, std::uint64_t modifier) {
    mini::current();
    mini::event::control(command, modifier, nullptr, MINI_ENTRY);
}
