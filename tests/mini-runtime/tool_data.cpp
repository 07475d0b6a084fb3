// SPDX-License-Identifier: Apache-2.0
#include "tool_data.h"

#include "defects.h"
#include "inquiry.h"
#include "start_tool.h"

#include <cstring>
#include <ctime>
#include <sched.h>
#include <unistd.h>

namespace mini::tool {

using namespace ocb::ompt5;

std::atomic<ompt_callback_t> callbacks[kCallbacks];

namespace {

void *result; // of the tool's ompt_start_tool
bool is_active = false;

// Entry points -----------------------------------------------------------------------------------

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
    if (event <= 0 || event >= kCallbacks)
        return breaks(Defect::kUnknownEvent) ? generation::always : ompt_set_error;
    if (!generation::has_callback(event) || is_left_out(event))
        return generation::never;
    if (callback == nullptr && breaks(Defect::kTakenBack))
        return generation::always;
    const bool is_again = callbacks[event].exchange(callback) != nullptr && callback != nullptr;
    if (is_again && breaks(Defect::kSetAgain))
        return ompt_set_error;
    return breaks(Defect::kSetCode) && event == ompt_callback_implicit_task ? kNoAnswer
                                                                            : generation::always;
}

int get_callback(int event, ompt_callback_t *callback) {
    if (event <= 0 || event >= kCallbacks)
        return 0;
    const ompt_callback_t found = callbacks[event].load(std::memory_order_acquire);
    if (found == nullptr)
        return 0;
    *callback =
        breaks(Defect::kGetCallback) ? reinterpret_cast<ompt_callback_t>(set_callback) : found;
    return 1;
}

int enumerate_states(int current, int *next, const char **name) {
    bool is_found = current == generation::first_state;
    for (const NamedState *row = generation::states; row->name != nullptr; ++row) {
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
    if (current != 0)
        return 0;
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
    if (!region.exists)
        return 0;
    if (parallel_data != nullptr)
        *parallel_data = data(region.word);
    if (team_size != nullptr)
        *team_size = region.size;
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
    if (task == nullptr)
        return 0;
    if (flags != nullptr)
        *flags = flags_of(*task);
    if (task_data != nullptr)
        *task_data = data(view.word);
    if (task_frame != nullptr)
        *task_frame = reinterpret_cast<ompt_frame_t *>(view.frame);
    if (parallel_data != nullptr)
        *parallel_data = data(&task->team->word);
    if (thread_num != nullptr)
        *thread_num = task->thread_num;
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
    if (is_without(Check::kInitLookup))
        return true;
    if (std::strcmp(name, "ompt_set_callback") == 0)
        return is_without(Check::kInitSetCallback);
    if (std::strcmp(name, "ompt_get_parallel_info") == 0)
        return is_without(Check::kParallelId) || is_without(Check::kTeamSize);
    if (std::strcmp(name, "ompt_get_task_info") == 0)
        return is_without(Check::kTaskId) || is_without(Check::kTaskFrame);
    return std::strcmp(name, "ompt_enumerate_states") == 0 && breaks(Defect::kLookupMissing);
}

struct Named {
    const char *name;
    ompt_interface_fn_t function;
};

template <class Function> Named named(const char *name, Function function) {
    return {name, reinterpret_cast<ompt_interface_fn_t>(function)};
}

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
    if (is_left_out(name))
        return nullptr;
    for (const Named &function : kFunctions)
        if (std::strcmp(function.name, name) == 0)
            return function.function;
    const ompt_interface_fn_t function = generation::lookup(name);
    return function == nullptr && breaks(Defect::kLookupUnknown)
               ? reinterpret_cast<ompt_interface_fn_t>(strange_function)
               : function;
}

} // namespace

// Life -------------------------------------------------------------------------------------------

void find() {
    const unsigned version = breaks(Defect::kVersionZero) ? 0 : generation::omp_version;
    const char *runtime = breaks(Defect::kNoVersion) ? nullptr : generation::runtime_version;
    result = start_tool(version, runtime);
    if (result != nullptr && breaks(Defect::kEntryTwice))
        start_tool(version, runtime);
}

void initialize() {
    is_active = result != nullptr && generation::initialize(result, lookup);
    if (is_active && breaks(Defect::kInitializerTwice))
        generation::initialize(result, lookup);
    if (!is_active)
        for (auto &callback : callbacks)
            callback.store(nullptr);
}

void tell_end() {
    if (is_active && !is_without(Check::kRuntimeShutdown))
        generation::finalize(result);
}

void finalize() {
    for (auto &callback : callbacks)
        callback.store(nullptr);
    is_active = false;
}

// The tool came along into the child, with its callbacks.
bool begins_anew_in_child() {
    return false;
}

Word new_word() {
    return 0;
}

// Events -----------------------------------------------------------------------------------------

void thread_begin(ThreadKind kind, Word *thread) {
    tell<ompt_callback_thread_begin_t>(
        ompt_callback_thread_begin,
        kind == ThreadKind::kWorker ? ompt_thread_worker : ompt_thread_initial, data(thread));
}

void thread_end(ThreadKind, Word *thread) {
    tell<ompt_callback_thread_end_t>(ompt_callback_thread_end, data(thread));
}

void parallel_begin(const ParallelBegin &told) {
    tell<ompt_callback_parallel_begin_t>(
        ompt_callback_parallel_begin, data(told.parent),
        reinterpret_cast<const ompt_frame_t *>(told.parent_frame), data(told.region),
        told.requested, generation::parallel_flags(told.is_invoked_by_program), told.caller);
}

void parallel_end(Word *region, Word *parent, bool is_invoked_by_program, const void *caller) {
    tell<ompt_callback_parallel_end_t>(ompt_callback_parallel_end, data(region), data(parent),
                                       generation::parallel_flags(is_invoked_by_program), caller);
}

// At the end of its last barrier the region no longer is the thread's.
static ompt_data_t *region_data(SyncKind kind, Endpoint endpoint, Word *region) {
    const bool is_over = kind == SyncKind::kBarrierParallel && endpoint == Endpoint::kEnd;
    return is_over ? nullptr : data(region);
}

void sync(SyncKind kind, Endpoint endpoint, Word *region, Word *task, const void *caller) {
    tell<ompt_callback_sync_region_t>(
        ompt_callback_sync_region, static_cast<ompt_sync_region_t>(generation::sync_of(kind)),
        endpoint_of(endpoint), region_data(kind, endpoint, region), data(task), caller);
}

void sync_wait(SyncKind kind, Endpoint endpoint, Word *region, Word *task, const void *caller) {
    tell<ompt_callback_sync_region_t>(
        ompt_callback_sync_region_wait, static_cast<ompt_sync_region_t>(generation::sync_of(kind)),
        endpoint_of(endpoint), region_data(kind, endpoint, region), data(task), caller);
}

static ompt_mutex_t mutex_of(const MutexUse &use) {
    return static_cast<ompt_mutex_t>(generation::mutex_of(use.kind, use.is_test));
}

constexpr unsigned kMutexImplementation = 1;

void mutex_wanted(const MutexUse &use) {
    tell<ompt_callback_mutex_acquire_t>(ompt_callback_mutex_acquire, mutex_of(use), use.hint,
                                        kMutexImplementation, use.wait_id, use.caller);
}

void mutex_waited_for(const MutexUse &) {}

void mutex_acquired(const MutexUse &use) {
    tell<ompt_callback_mutex_t>(ompt_callback_mutex_acquired, mutex_of(use), use.wait_id,
                                use.caller);
}

void mutex_released(const MutexUse &use) {
    tell<ompt_callback_mutex_t>(ompt_callback_mutex_released, mutex_of(use), use.wait_id,
                                use.caller);
}

void nest_lock_again(Endpoint endpoint, const MutexUse &use) {
    tell<ompt_callback_nest_lock_t>(ompt_callback_nest_lock, endpoint_of(endpoint), use.wait_id,
                                    use.caller);
}

void lock_initialised(const MutexUse &use) {
    tell<ompt_callback_mutex_acquire_t>(ompt_callback_lock_init, mutex_of(use), use.hint,
                                        kMutexImplementation, use.wait_id, use.caller);
}

void lock_destroyed(const MutexUse &use) {
    tell<ompt_callback_mutex_t>(ompt_callback_lock_destroy, mutex_of(use), use.wait_id, use.caller);
}

void work(WorkKind kind, Endpoint endpoint, Word *region, Word *task, std::uint64_t count,
          const void *caller) {
    tell<ompt_callback_work_t>(ompt_callback_work,
                               static_cast<ompt_work_t>(generation::work_of(kind)),
                               endpoint_of(endpoint), data(region), data(task), count, caller);
}

void masked(Endpoint endpoint, Word *region, Word *task, const void *caller) {
    tell<ompt_callback_masked_t>(ompt_callback_masked, endpoint_of(endpoint), data(region),
                                 data(task), caller);
}

void task_create(const TaskCreate &told) {
    const int flags = ompt_task_explicit | (told.is_undeferred ? ompt_task_undeferred : 0);
    tell<ompt_callback_task_create_t>(ompt_callback_task_create, data(told.parent),
                                      reinterpret_cast<const ompt_frame_t *>(told.parent_frame),
                                      data(told.task), flags, 0, told.caller);
}

void task_switch(Word *prior, TaskStatus status, Word *next) {
    tell<ompt_callback_task_schedule_t>(
        ompt_callback_task_schedule, data(prior),
        static_cast<ompt_task_status_t>(generation::status_of(status)), data(next));
}

void task_end(Word *) {} // task_schedule tells of it

void flush(Word *thread, const void *caller) {
    using Flush = void (*)(ompt_data_t * thread_data, const void *codeptr_ra);
    tell<Flush>(ompt_callback_flush, data(thread), caller);
}

void cancel(Word *task, int kind, const void *caller) {
    using Cancel = void (*)(ompt_data_t * task_data, int flags, const void *codeptr_ra);
    // kind: 1 parallel, 2 loop, 3 sections, 4 taskgroup. Flags: activated is 0x10.
    constexpr int kFlags[] = {0, 0x11, 0x14, 0x12, 0x18};
    tell<Cancel>(ompt_callback_cancel, data(task), kFlags[kind & 7], caller);
}

// -2: there is no tool, -1: it has no callback.
int control(std::uint64_t command, std::uint64_t modifier, void *argument, const void *caller) {
    if (!is_active)
        return -2;
    const auto function = reinterpret_cast<ompt_callback_control_tool_t>(
        callbacks[ompt_callback_control_tool].load());
    return function != nullptr ? function(command, modifier, argument, caller) : -1;
}

} // namespace mini::tool

extern "C" int omp_control_tool(int command, int modifier, void *argument) {
    mini::current();
    return mini::event::control(static_cast<std::uint64_t>(command),
                                static_cast<std::uint64_t>(modifier), argument, MINI_ENTRY);
}
