// SPDX-License-Identifier: Apache-2.0
#include "ompt5/client_callbacks.h"

#include "ompt5/callbacks.h"
#include "ompt5/client_data.h"
#include "ompt5/entry_points.h"
#include "ompt5/first_thread.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>

namespace ocb::ompt5::multiplex {
namespace {

constexpr int kEndOfCallbacks = 64; // ids are below

// Of the runtime, for what the client tool asks through us.
struct RuntimeEntries {
    ompt_function_lookup_t lookup = nullptr;
    ompt_set_callback_t set_callback = nullptr;
    ompt_get_parallel_info_t parallel_info = nullptr;
    ompt_get_task_info_t task_info = nullptr;
};
constinit RuntimeEntries runtime;

constinit std::atomic<ompt_callback_t> client_callbacks[kEndOfCallbacks] = {};
constinit ompt_callback_t own_callbacks[kEndOfCallbacks] = {};

template <class F> F client_callback(ompt_callbacks_t id) {
    return reinterpret_cast<F>(client_callbacks[id].load(std::memory_order_acquire));
}
template <class F> F own_callback(ompt_callbacks_t id) {
    return reinterpret_cast<F>(own_callbacks[id]);
}

// ---- one function for both ---------------------------------------------------------------------

void on_thread_begin(ompt_thread_t type, ompt_data_t *data) {
    using F = ompt_callback_thread_begin_t;
    own_callback<F>(ompt_callback_thread_begin)(type, data);
    if (const F callback = client_callback<F>(ompt_callback_thread_begin)) {
        callback(type, data);
    }
}

void on_thread_end(ompt_data_t *data) {
    using F = ompt_callback_thread_end_t;
    if (const F callback = client_callback<F>(ompt_callback_thread_end)) {
        callback(data);
    }
    drop_ended_task();
    own_callback<F>(ompt_callback_thread_end)(data);
}

void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region,
                       unsigned requested, int flags, const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = ompt_callback_parallel_begin_t;
    own_callback<F>(ompt_callback_parallel_begin)(task, frame, region, requested, flags,
                                                  codeptr_ra);
    if (const F callback = client_callback<F>(ompt_callback_parallel_begin)) {
        callback(client_data_of_task(task), frame, client_data_of_region(region), requested, flags,
                 codeptr_ra);
    }
}

void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = ompt_callback_parallel_end_t;
    if (const F callback = client_callback<F>(ompt_callback_parallel_end)) {
        callback(client_data_of_region(region), client_data_of_task(task), flags, codeptr_ra);
    }
    own_callback<F>(ompt_callback_parallel_end)(region, task, flags, codeptr_ra);
}

void on_task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *created, int flags,
                    int has_dependences, const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = ompt_callback_task_create_t;
    own_callback<F>(ompt_callback_task_create)(task, frame, created, flags, has_dependences,
                                               codeptr_ra);
    if (const F callback = client_callback<F>(ompt_callback_task_create)) {
        callback(client_data_of_task(task), frame, client_data_of_task(created), flags,
                 has_dependences, codeptr_ra);
    }
}

void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    using F = ompt_callback_task_schedule_t;
    if (const F callback = client_callback<F>(ompt_callback_task_schedule)) {
        callback(client_data_of_task(prior), status, client_data_of_task(next));
    }
    own_callback<F>(ompt_callback_task_schedule)(prior, status, next);
    if (status == ompt_task_complete || status == ompt_task_cancel ||
        status == ompt_task_late_fulfill) {
        drop_task(prior);
    }
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                      unsigned actual, unsigned index, int flags) {
    using F = ompt_callback_implicit_task_t;
    const F callback = client_callback<F>(ompt_callback_implicit_task);
    if (endpoint == ompt_scope_begin) {
        drop_ended_task();
        if (task != nullptr) {
            task->value = 0; // what the place's last task left
        }
        own_callback<F>(ompt_callback_implicit_task)(endpoint, region, task, actual, index, flags);
    }
    if (callback != nullptr) {
        callback(endpoint, client_data_of_region(region), client_data_of_task(task), actual, index,
                 flags);
    }
    if (endpoint != ompt_scope_end) {
        return;
    }
    own_callback<F>(ompt_callback_implicit_task)(endpoint, region, task, actual, index, flags);
    end_implicit_task(task);
}

int on_control_tool(std::uint64_t command, std::uint64_t modifier, void *argument,
                    const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = ompt_callback_control_tool_t;
    const int result =
        own_callback<F>(ompt_callback_control_tool)(command, modifier, argument, codeptr_ra);
    const F callback = client_callback<F>(ompt_callback_control_tool);
    return callback != nullptr ? callback(command, modifier, argument, codeptr_ra) : result;
}

// sync_region_wait and sync_region, reduction: the same signature.
template <ompt_callbacks_t kId>
void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
                    ompt_data_t *task, const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = ompt_callback_sync_region_t;
    const F our_own = own_callback<F>(kId);
    if (our_own != nullptr && endpoint == ompt_scope_begin) {
        our_own(kind, endpoint, region, task, codeptr_ra);
    }
    if (const F callback = client_callback<F>(kId)) {
        callback(kind, endpoint, client_data_of_region(region), client_data_of_task(task),
                 codeptr_ra);
    }
    if (our_own != nullptr && endpoint != ompt_scope_begin) {
        our_own(kind, endpoint, region, task, codeptr_ra);
    }
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                      const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = ompt_callback_mutex_acquire_t;
    mutex_acquire_from(__builtin_return_address(0), kind, hint, impl, wait_id, codeptr_ra);
    if (const F callback = client_callback<F>(ompt_callback_mutex_acquire)) {
        callback(kind, hint, impl, wait_id, codeptr_ra);
    }
}

void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                  const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = ompt_callback_mutex_acquire_t;
    own_callback<F>(ompt_callback_lock_init)(kind, hint, impl, wait_id, codeptr_ra);
    if (const F callback = client_callback<F>(ompt_callback_lock_init)) {
        callback(kind, hint, impl, wait_id, codeptr_ra);
    }
}

template <ompt_callbacks_t kId>
void on_mutex(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = ompt_callback_mutex_t;
    own_callback<F>(kId)(kind, wait_id, codeptr_ra);
    if (const F callback = client_callback<F>(kId)) {
        callback(kind, wait_id, codeptr_ra);
    }
}

void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = ompt_callback_nest_lock_t;
    own_callback<F>(ompt_callback_nest_lock)(endpoint, wait_id, codeptr_ra);
    if (const F callback = client_callback<F>(ompt_callback_nest_lock)) {
        callback(endpoint, wait_id, codeptr_ra);
    }
}

// gcc's code forks a region and begins its loop by one call, which only the master has made.
const void *address_of_work(const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    return provider_code.holds(codeptr_ra) ? tracker::fork_address_of_caller() : codeptr_ra;
}

void on_work(ompt_work_t work_type, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
             ompt_data_t *task, std::uint64_t count, const void *codeptr_ra) {
    codeptr_ra = address_of_work(codeptr_ra);
    using F = ompt_callback_work_t;
    own_callback<F>(ompt_callback_work)(work_type, endpoint, region, task, count, codeptr_ra);
    if (const F callback = client_callback<F>(ompt_callback_work)) {
        callback(work_type, endpoint, client_data_of_region(region), client_data_of_task(task),
                 count, codeptr_ra);
    }
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
               const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = ompt_callback_masked_t;
    own_callback<F>(ompt_callback_masked)(endpoint, region, task, codeptr_ra);
    if (const F callback = client_callback<F>(ompt_callback_masked)) {
        callback(endpoint, client_data_of_region(region), client_data_of_task(task), codeptr_ra);
    }
}

// Callbacks that the client tool alone has, but that carry data of regions or tasks.
void on_dependences(ompt_data_t *task, const void *dependences, int count) {
    using F = void (*)(ompt_data_t *, const void *, int);
    if (const F callback = client_callback<F>(ompt_callback_dependences)) {
        callback(client_data_of_task(task), dependences, count);
    }
}

void on_task_dependence(ompt_data_t *source, ompt_data_t *sink) {
    using F = void (*)(ompt_data_t *, ompt_data_t *);
    if (const F callback = client_callback<F>(ompt_callback_task_dependence)) {
        callback(client_data_of_task(source), client_data_of_task(sink));
    }
}

void on_cancel(ompt_data_t *task, int flags, const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = void (*)(ompt_data_t *, int, const void *);
    if (const F callback = client_callback<F>(ompt_callback_cancel)) {
        callback(client_data_of_task(task), flags, codeptr_ra);
    }
}

void on_dispatch(ompt_data_t *region, ompt_data_t *task, int kind, ompt_data_t instance) {
    if (kind == ompt_dispatch_section) {
        instance.ptr = const_cast<void *>(tracker::program_address(instance.ptr));
    }
    using F = void (*)(ompt_data_t *, ompt_data_t *, int, ompt_data_t);
    if (const F callback = client_callback<F>(ompt_callback_dispatch)) {
        callback(client_data_of_region(region), client_data_of_task(task), kind, instance);
    }
}

void on_target(int kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
               std::uint64_t target_id, const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = void (*)(int, ompt_scope_endpoint_t, int, ompt_data_t *, std::uint64_t, const void *);
    if (const F callback = client_callback<F>(ompt_callback_target)) {
        callback(kind, endpoint, device, client_data_of_task(task), target_id, codeptr_ra);
    }
}

void on_target_emi(int kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                   ompt_data_t *target_task, ompt_data_t *target, const void *codeptr_ra) {
    codeptr_ra = tracker::program_address(codeptr_ra);
    using F = void (*)(int, ompt_scope_endpoint_t, int, ompt_data_t *, ompt_data_t *, ompt_data_t *,
                       const void *);
    if (const F callback = client_callback<F>(ompt_callback_target_emi)) {
        callback(kind, endpoint, device, client_data_of_task(task),
                 client_data_of_task(target_task), target, codeptr_ra);
    }
}

// Callbacks not in this list have no data of regions or tasks: the runtime calls the client tool
// itself. X(NAME, function) is ompt_callback_NAME.
#define OCB_SHARED_CALLBACKS(X)                                                                    \
    X(thread_begin, on_thread_begin)                                                               \
    X(thread_end, on_thread_end)                                                                   \
    X(parallel_begin, on_parallel_begin)                                                           \
    X(parallel_end, on_parallel_end)                                                               \
    X(task_create, on_task_create)                                                                 \
    X(task_schedule, on_task_schedule)                                                             \
    X(implicit_task, on_implicit_task)                                                             \
    X(target, on_target)                                                                           \
    X(control_tool, on_control_tool)                                                               \
    X(sync_region_wait, on_sync_region<ompt_callback_sync_region_wait>)                            \
    X(mutex_released, on_mutex<ompt_callback_mutex_released>)                                      \
    X(dependences, on_dependences)                                                                 \
    X(task_dependence, on_task_dependence)                                                         \
    X(work, on_work)                                                                               \
    X(masked, on_masked)                                                                           \
    X(sync_region, on_sync_region<ompt_callback_sync_region>)                                      \
    X(lock_init, on_lock_init)                                                                     \
    X(lock_destroy, on_mutex<ompt_callback_lock_destroy>)                                          \
    X(mutex_acquire, on_mutex_acquire)                                                             \
    X(mutex_acquired, on_mutex<ompt_callback_mutex_acquired>)                                      \
    X(nest_lock, on_nest_lock)                                                                     \
    X(cancel, on_cancel)                                                                           \
    X(reduction, on_sync_region<ompt_callback_reduction>)                                          \
    X(dispatch, on_dispatch)                                                                       \
    X(target_emi, on_target_emi)

#define OCB_SHARED_ID(name, function) ompt_callback_##name,
constexpr ompt_callbacks_t kSharedIds[] = {OCB_SHARED_CALLBACKS(OCB_SHARED_ID)};
#undef OCB_SHARED_ID

// A callback of ours that is not in the list would be replaced when the client tool registers it.
consteval bool ours_are_shared() {
    return std::ranges::all_of(kCallbackIds, [](ompt_callbacks_t ours) {
        return std::ranges::find(kSharedIds, ours) != std::end(kSharedIds);
    });
}
static_assert(ours_are_shared());

#define OCB_SHARED_FUNCTION(name, function) OCB_OMPT_FUNCTION(function),
const ompt_callback_t kSharedFunctions[] = {OCB_SHARED_CALLBACKS(OCB_SHARED_FUNCTION)};
#undef OCB_SHARED_FUNCTION

ompt_callback_t shared_function(int id) {
    const auto *found = std::ranges::find(kSharedIds, id);
    return found != std::end(kSharedIds) ? kSharedFunctions[found - kSharedIds] : nullptr;
}

// ---- the client tool's entry points ------------------------------------------------------------

int set_runtime_callback(int event, ompt_callback_t callback) {
    return first_thread::set_callback(static_cast<ompt_callbacks_t>(event), callback);
}

int set_callback(int event, ompt_callback_t callback) {
    if (event <= 0 || event >= kEndOfCallbacks) {
        return runtime.set_callback(event, callback);
    }
    client_callbacks[event].store(callback, std::memory_order_release);
    const ompt_callback_t shared = shared_function(event);
    if (shared == nullptr) {
        return runtime.set_callback(event, callback);
    }
    // Never set to null: other threads may be entering it.
    return runtime.set_callback(event, shared);
}

int get_callback(int event, ompt_callback_t *callback) {
    if (event <= 0 || event >= kEndOfCallbacks) {
        return 0;
    }
    const ompt_callback_t registered = client_callbacks[event].load(std::memory_order_acquire);
    if (registered == nullptr) {
        return 0;
    }
    *callback = registered;
    return 1;
}

// Async-signal-safe, as OMPT's own.
int get_parallel_info(int level, ompt_data_t **region, int *team_size) {
    ompt_data_t *data = nullptr;
    const int result = runtime.parallel_info(level, &data, team_size);
    if (result != 0 && region != nullptr) {
        *region = known_client_data_of_region(data);
    }
    return result;
}

int get_task_info(int level, int *flags, ompt_data_t **task, ompt_frame_t **frame,
                  ompt_data_t **region, int *thread_num) {
    ompt_data_t *task_data = nullptr;
    ompt_data_t *region_data = nullptr;
    const int result = runtime.task_info(level, flags, &task_data, frame, &region_data, thread_num);
    if (result == 0) {
        return result;
    }
    if (task != nullptr) {
        *task = known_client_data_of_task(task_data);
    }
    if (region != nullptr) {
        *region = known_client_data_of_region(region_data);
    }
    return result;
}

struct EntryRow {
    const char *name;
    ompt_interface_fn_t function;
};

const EntryRow kEntries[] = {
    {"ompt_set_callback", OCB_OMPT_FUNCTION(set_callback)},
    {"ompt_get_callback", OCB_OMPT_FUNCTION(get_callback)},
    {"ompt_get_parallel_info", OCB_OMPT_FUNCTION(get_parallel_info)},
    {"ompt_get_task_info", OCB_OMPT_FUNCTION(get_task_info)},
};

} // namespace

ompt_callback_t shared_callback(ompt_callbacks_t id, ompt_callback_t ours_alone) {
    const ompt_callback_t shared = has_client_tool ? shared_function(id) : nullptr;
    return shared != nullptr ? shared : ours_alone;
}

ompt_interface_fn_t look_up(const char *name) {
    for (const EntryRow &row : kEntries) {
        if (std::strcmp(row.name, name) == 0) {
            // The client tool gets only what the runtime has.
            return runtime.lookup(name) != nullptr ? row.function : nullptr;
        }
    }
    return runtime.lookup(name);
}

void prepare_callbacks(ompt_function_lookup_t runtime_lookup) {
    runtime = {runtime_lookup, set_runtime_callback,
               reinterpret_cast<ompt_get_parallel_info_t>(runtime_lookup("ompt_get_parallel_info")),
               entry_points.get_task_info};
    for (const ompt::CallbackRow &row : kCallbacks) {
        own_callbacks[row.number] = row.function;
    }
}

void forget_callbacks() {
    for (std::atomic<ompt_callback_t> &callback : client_callbacks) {
        callback.store(nullptr, std::memory_order_release);
    }
}

} // namespace ocb::ompt5::multiplex
