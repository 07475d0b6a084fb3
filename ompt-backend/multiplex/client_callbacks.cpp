// SPDX-License-Identifier: Apache-2.0
#include "multiplex/client_tool.h"

#include "attachment.h"
#include "base/log.h"
#include "base/options.h"
#include "base/pool.h"
#include "ompt5/callbacks.h"
#include "ompt5/entry_points.h"
#include "records/region.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace ocb::ompt5::chain {

using ompt::plain;

constinit bool has_guest = false;

namespace {

constexpr int kMostCallbacks = 64; // ids are below

using StartTool = ompt_start_tool_result_t *(*)(unsigned, const char *);

constinit ompt_start_tool_result_t *guest = nullptr;
constinit StartTool guest_start = nullptr;
constinit ompt_function_lookup_t runtime_lookup = nullptr;
constinit ompt_set_callback_t runtime_set_callback = nullptr;
constinit ompt_get_parallel_info_t runtime_parallel_info = nullptr;
constinit ompt_get_task_info_t runtime_task_info = nullptr;

constinit std::atomic<ompt_callback_t> guest_callbacks[kMostCallbacks] = {};
constinit ompt_callback_t our_callbacks[kMostCallbacks] = {};

constinit Pool<TaskRecord, 64> task_records;

// ---- data -------------------------------------------------------------------------------------

// What the guest gets for a region or task that we have never seen, which only an inquiry from a
// signal handler can ask for. Nobody's data, always 0.
constinit ompt_data_t nobodys_data{0};

RegionRecord *region_of(const ompt_data_t *data) {
    return ocb::region_of(data->value);
}

ompt_data_t *guest_data_of(RegionRecord &region) {
    static_assert(sizeof(ompt_data_t) == sizeof region.guest_word);
    return reinterpret_cast<ompt_data_t *>(&region.guest_word);
}

// In callbacks. The implicit region around the program has no fork: it gets its record here.
ompt_data_t *guest_region(ompt_data_t *data) {
    if (data == nullptr)
        return nullptr;
    if (data->value == 0) {
        ThreadRecord *thread = own_record;
        const RegionKey key = next_league_key();
        RegionRecord *region = thread != nullptr ? begin_region(*thread, key, 0) : nullptr;
        if (region == nullptr)
            return &nobodys_data;
        data->value = word_of(*region, key);
    }
    return guest_data_of(*region_of(data));
}

ompt_data_t *guest_task(ompt_data_t *data) {
    return data != nullptr ? &task_record(*data).guest : nullptr;
}

void drop_task(ompt_data_t *data) {
    if (!has_guest || data == nullptr || data->value == 0)
        return;
    auto *record = reinterpret_cast<TaskRecord *>(data->value);
    data->value = 0;
    task_records.give(record);
}

// The implicit task that ended last on this thread: in the parallel_end of a serialized region the
// runtime still names it.
constinit thread_local TaskRecord *ended_task __attribute__((tls_model("initial-exec"))) = nullptr;

void drop_ended_task() {
    if (ended_task != nullptr)
        task_records.give(ended_task);
    ended_task = nullptr;
}

void end_implicit_task(const ompt_data_t *data) {
    drop_ended_task();
    if (has_guest && data != nullptr && data->value != 0)
        ended_task = reinterpret_cast<TaskRecord *>(data->value);
}

// ---- callbacks: one function for both ----------------------------------------------------------

template <class F> F guests(ompt_callbacks_t id) {
    return reinterpret_cast<F>(guest_callbacks[id].load(std::memory_order_acquire));
}
template <class F> F ours(ompt_callbacks_t id) {
    return reinterpret_cast<F>(our_callbacks[id]);
}

void on_thread_begin(ompt_thread_t type, ompt_data_t *data) {
    using F = ompt_callback_thread_begin_t;
    ours<F>(ompt_callback_thread_begin)(type, data);
    if (const F callback = guests<F>(ompt_callback_thread_begin))
        callback(type, data);
}

void on_thread_end(ompt_data_t *data) {
    using F = ompt_callback_thread_end_t;
    if (const F callback = guests<F>(ompt_callback_thread_end))
        callback(data);
    drop_ended_task();
    ours<F>(ompt_callback_thread_end)(data);
}

void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region,
                       unsigned requested, int flags, const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = ompt_callback_parallel_begin_t;
    ours<F>(ompt_callback_parallel_begin)(task, frame, region, requested, flags, codeptr_ra);
    if (const F callback = guests<F>(ompt_callback_parallel_begin))
        callback(guest_task(task), frame, guest_region(region), requested, flags, codeptr_ra);
}

void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = ompt_callback_parallel_end_t;
    if (const F callback = guests<F>(ompt_callback_parallel_end))
        callback(guest_region(region), guest_task(task), flags, codeptr_ra);
    ours<F>(ompt_callback_parallel_end)(region, task, flags, codeptr_ra);
}

void on_task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *created, int flags,
                    int has_dependences, const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = ompt_callback_task_create_t;
    ours<F>(ompt_callback_task_create)(task, frame, created, flags, has_dependences, codeptr_ra);
    if (const F callback = guests<F>(ompt_callback_task_create))
        callback(guest_task(task), frame, guest_task(created), flags, has_dependences, codeptr_ra);
}

void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    using F = ompt_callback_task_schedule_t;
    if (const F callback = guests<F>(ompt_callback_task_schedule))
        callback(guest_task(prior), status, guest_task(next));
    ours<F>(ompt_callback_task_schedule)(prior, status, next);
    if (status == ompt_task_complete || status == ompt_task_cancel ||
        status == ompt_task_late_fulfill)
        drop_task(prior);
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                      unsigned actual, unsigned index, int flags) {
    using F = ompt_callback_implicit_task_t;
    const F callback = guests<F>(ompt_callback_implicit_task);
    if (endpoint == ompt_scope_begin) {
        drop_ended_task();
        if (task != nullptr)
            task->value = 0; // what the place's last task left
        ours<F>(ompt_callback_implicit_task)(endpoint, region, task, actual, index, flags);
    }
    if (callback != nullptr)
        callback(endpoint, guest_region(region), guest_task(task), actual, index, flags);
    if (endpoint != ompt_scope_end)
        return;
    ours<F>(ompt_callback_implicit_task)(endpoint, region, task, actual, index, flags);
    end_implicit_task(task);
}

int on_control_tool(std::uint64_t command, std::uint64_t modifier, void *argument,
                    const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = ompt_callback_control_tool_t;
    const int result = ours<F>(ompt_callback_control_tool)(command, modifier, argument, codeptr_ra);
    const F callback = guests<F>(ompt_callback_control_tool);
    return callback != nullptr ? callback(command, modifier, argument, codeptr_ra) : result;
}

// sync_region_wait and sync_region, reduction: the same signature.
template <ompt_callbacks_t kId>
void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
                    ompt_data_t *task, const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = ompt_callback_sync_region_t;
    const F our_own = ours<F>(kId);
    if (our_own != nullptr && endpoint == ompt_scope_begin)
        our_own(kind, endpoint, region, task, codeptr_ra);
    if (const F callback = guests<F>(kId))
        callback(kind, endpoint, guest_region(region), guest_task(task), codeptr_ra);
    if (our_own != nullptr && endpoint != ompt_scope_begin)
        our_own(kind, endpoint, region, task, codeptr_ra);
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                      const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = ompt_callback_mutex_acquire_t;
    mutex_acquire_from(__builtin_return_address(0), kind, hint, impl, wait_id, codeptr_ra);
    if (const F callback = guests<F>(ompt_callback_mutex_acquire))
        callback(kind, hint, impl, wait_id, codeptr_ra);
}

template <ompt_callbacks_t kId>
void on_mutex(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = ompt_callback_mutex_t;
    ours<F>(kId)(kind, wait_id, codeptr_ra);
    if (const F callback = guests<F>(kId))
        callback(kind, wait_id, codeptr_ra);
}

void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = ompt_callback_nest_lock_t;
    ours<F>(ompt_callback_nest_lock)(endpoint, wait_id, codeptr_ra);
    if (const F callback = guests<F>(ompt_callback_nest_lock))
        callback(endpoint, wait_id, codeptr_ra);
}

void on_work(ompt_work_t work_type, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
             ompt_data_t *task, std::uint64_t count, const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = ompt_callback_work_t;
    ours<F>(ompt_callback_work)(work_type, endpoint, region, task, count, codeptr_ra);
    if (const F callback = guests<F>(ompt_callback_work))
        callback(work_type, endpoint, guest_region(region), guest_task(task), count, codeptr_ra);
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
               const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = ompt_callback_masked_t;
    ours<F>(ompt_callback_masked)(endpoint, region, task, codeptr_ra);
    if (const F callback = guests<F>(ompt_callback_masked))
        callback(endpoint, guest_region(region), guest_task(task), codeptr_ra);
}

// The guest's alone, but with data in them.
void on_dependences(ompt_data_t *task, const void *dependences, int count) {
    using F = void (*)(ompt_data_t *, const void *, int);
    if (const F callback = guests<F>(ompt_callback_dependences))
        callback(guest_task(task), dependences, count);
}

void on_task_dependence(ompt_data_t *source, ompt_data_t *sink) {
    using F = void (*)(ompt_data_t *, ompt_data_t *);
    if (const F callback = guests<F>(ompt_callback_task_dependence))
        callback(guest_task(source), guest_task(sink));
}

void on_cancel(ompt_data_t *task, int flags, const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = void (*)(ompt_data_t *, int, const void *);
    if (const F callback = guests<F>(ompt_callback_cancel))
        callback(guest_task(task), flags, codeptr_ra);
}

void on_dispatch(ompt_data_t *region, ompt_data_t *task, int kind, ompt_data_t instance) {
    using F = void (*)(ompt_data_t *, ompt_data_t *, int, ompt_data_t);
    if (const F callback = guests<F>(ompt_callback_dispatch))
        callback(guest_region(region), guest_task(task), kind, instance);
}

void on_target(int kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
               std::uint64_t target_id, const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = void (*)(int, ompt_scope_endpoint_t, int, ompt_data_t *, std::uint64_t, const void *);
    if (const F callback = guests<F>(ompt_callback_target))
        callback(kind, endpoint, device, guest_task(task), target_id, codeptr_ra);
}

void on_target_emi(int kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                   ompt_data_t *target_task, ompt_data_t *target, const void *codeptr_ra) {
    codeptr_ra = program_address(codeptr_ra);
    using F = void (*)(int, ompt_scope_endpoint_t, int, ompt_data_t *, ompt_data_t *, ompt_data_t *,
                       const void *);
    if (const F callback = guests<F>(ompt_callback_target_emi))
        callback(kind, endpoint, device, guest_task(task), guest_task(target_task), target,
                 codeptr_ra);
}

struct SharedRow {
    ompt_callbacks_t id;
    ompt_callback_t function;
};

// Callbacks not in this table have no data of regions or tasks: the runtime calls the guest itself.
const SharedRow kShared[] = {
    {ompt_callback_thread_begin, plain(on_thread_begin)},
    {ompt_callback_thread_end, plain(on_thread_end)},
    {ompt_callback_parallel_begin, plain(on_parallel_begin)},
    {ompt_callback_parallel_end, plain(on_parallel_end)},
    {ompt_callback_task_create, plain(on_task_create)},
    {ompt_callback_task_schedule, plain(on_task_schedule)},
    {ompt_callback_implicit_task, plain(on_implicit_task)},
    {ompt_callback_target, plain(on_target)},
    {ompt_callback_control_tool, plain(on_control_tool)},
    {ompt_callback_sync_region_wait, plain(on_sync_region<ompt_callback_sync_region_wait>)},
    {ompt_callback_mutex_released, plain(on_mutex<ompt_callback_mutex_released>)},
    {ompt_callback_dependences, plain(on_dependences)},
    {ompt_callback_task_dependence, plain(on_task_dependence)},
    {ompt_callback_work, plain(on_work)},
    {ompt_callback_masked, plain(on_masked)},
    {ompt_callback_sync_region, plain(on_sync_region<ompt_callback_sync_region>)},
    {ompt_callback_mutex_acquire, plain(on_mutex_acquire)},
    {ompt_callback_mutex_acquired, plain(on_mutex<ompt_callback_mutex_acquired>)},
    {ompt_callback_nest_lock, plain(on_nest_lock)},
    {ompt_callback_cancel, plain(on_cancel)},
    {ompt_callback_reduction, plain(on_sync_region<ompt_callback_reduction>)},
    {ompt_callback_dispatch, plain(on_dispatch)},
    {ompt_callback_target_emi, plain(on_target_emi)},
};

ompt_callback_t shared_function(int id) {
    for (const SharedRow &row : kShared)
        if (row.id == id)
            return row.function;
    return nullptr;
}

// ---- the guest's entry points ------------------------------------------------------------------

int set_callback(int event, ompt_callback_t callback) {
    if (event <= 0 || event >= kMostCallbacks)
        return runtime_set_callback(event, callback);
    guest_callbacks[event].store(callback, std::memory_order_release);
    const ompt_callback_t shared = shared_function(event);
    if (shared == nullptr)
        return runtime_set_callback(event, callback);
    // Never taken back: other threads may be on their way into it.
    return runtime_set_callback(event, shared);
}

int get_callback(int event, ompt_callback_t *callback) {
    if (event <= 0 || event >= kMostCallbacks)
        return 0;
    const ompt_callback_t registered = guest_callbacks[event].load(std::memory_order_acquire);
    if (registered == nullptr)
        return 0;
    *callback = registered;
    return 1;
}

// Async-signal-safe, as OMPT's own.
int get_parallel_info(int level, ompt_data_t **region, int *team_size) {
    ompt_data_t *data = nullptr;
    const int result = runtime_parallel_info(level, &data, team_size);
    if (result != 0 && region != nullptr)
        *region =
            data == nullptr || data->value == 0 ? &nobodys_data : guest_data_of(*region_of(data));
    return result;
}

int get_task_info(int level, int *flags, ompt_data_t **task, ompt_frame_t **frame,
                  ompt_data_t **region, int *thread_num) {
    ompt_data_t *task_data = nullptr;
    ompt_data_t *region_data = nullptr;
    const int result = runtime_task_info(level, flags, &task_data, frame, &region_data, thread_num);
    if (result == 0)
        return result;
    if (task != nullptr)
        *task = task_data == nullptr || task_data->value == 0
                    ? &nobodys_data
                    : &reinterpret_cast<TaskRecord *>(task_data->value)->guest;
    if (region != nullptr)
        *region = region_data == nullptr || region_data->value == 0
                      ? &nobodys_data
                      : guest_data_of(*region_of(region_data));
    return result;
}

void forget_callbacks() {
    for (std::atomic<ompt_callback_t> &callback : guest_callbacks)
        callback.store(nullptr, std::memory_order_release);
}

void finalize_guest() {
    forget_callbacks();
    if (guest != nullptr)
        guest->finalize(&guest->tool_data);
    guest = nullptr;
}

struct EntryRow {
    const char *name;
    ompt_interface_fn_t function;
};

template <class F> ompt_interface_fn_t entry(F function) {
    return reinterpret_cast<ompt_interface_fn_t>(function);
}

const EntryRow kEntries[] = {
    {"ompt_set_callback", entry(set_callback)},
    {"ompt_get_callback", entry(get_callback)},
    {"ompt_get_parallel_info", entry(get_parallel_info)},
    {"ompt_get_task_info", entry(get_task_info)},
    {"ompt_finalize_tool", entry(finalize_guest)},
};

ompt_interface_fn_t look_up(const char *name) {
    for (const EntryRow &row : kEntries)
        if (std::strcmp(row.name, name) == 0)
            // What the runtime does not have the guest does not get either.
            return runtime_lookup(name) != nullptr ? row.function : nullptr;
    return runtime_lookup(name);
}

// ---- finding the guest -------------------------------------------------------------------------

// Our own symbol's address may resolve to a tool in front of us: what counts is the object.
bool is_ours(const void *function) {
    Dl_info own;
    Dl_info other;
    return dladdr(reinterpret_cast<void *>(&is_ours), &own) != 0 && dladdr(function, &other) != 0 &&
           own.dli_fbase == other.dli_fbase;
}

// A runtime's own definition answers for programs without a tool.
bool is_runtimes_own(StartTool start) {
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(start), &info) == 0 || info.dli_fname == nullptr)
        return false;
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr)
        return false;
    void *get_max_threads = dlsym(library, "omp_get_max_threads");
    Dl_info runtime_info;
    const bool is_own = get_max_threads != nullptr && dladdr(get_max_threads, &runtime_info) != 0 &&
                        runtime_info.dli_fbase == info.dli_fbase;
    dlclose(library);
    return is_own;
}

bool try_guest(StartTool start, unsigned omp_version, const char *runtime_version) {
    if (start == nullptr || is_ours(reinterpret_cast<void *>(start)) || is_runtimes_own(start))
        return false;
    guest = start(omp_version, runtime_version);
    guest_start = start;
    return guest != nullptr;
}

// "path[:path...]", the form of OMP_TOOL_LIBRARIES. The first that has a tool for us is taken.
bool try_list(const char *list, unsigned omp_version, const char *runtime_version) {
    char path[1024];
    for (const char *at = list; at != nullptr && *at != '\0';) {
        const char *colon = std::strchr(at, ':');
        const std::size_t length =
            colon != nullptr ? static_cast<std::size_t>(colon - at) : std::strlen(at);
        if (length > 0 && length < sizeof path) {
            std::memcpy(path, at, length);
            path[length] = '\0';
            void *library = dlopen(path, RTLD_LAZY);
            auto start = library != nullptr
                             ? reinterpret_cast<StartTool>(dlsym(library, "ompt_start_tool"))
                             : nullptr;
            if (try_guest(start, omp_version, runtime_version))
                return true;
            // One without a tool stays loaded: its constructors may have begun a session.
            if (library == nullptr)
                log_once(LogLevel::kWarn, LogCause::kGuestNotLoaded,
                         "a further tool cannot be loaded: ", dlerror());
        }
        at = colon != nullptr ? colon + 1 : nullptr;
    }
    return false;
}

} // namespace

TaskRecord &task_record(ompt_data_t &data) {
    static constinit TaskRecord nobodys_record;
    if (data.value == 0) {
        TaskRecord *record = task_records.take();
        if (record == nullptr)
            return nobodys_record;
        *record = TaskRecord{};
        data.value = reinterpret_cast<std::uint64_t>(record);
    }
    return *reinterpret_cast<TaskRecord *>(data.value);
}

void find_guest(unsigned omp_version, const char *runtime_version) {
    guest = nullptr;
    const char *named = options().tool_libraries;
    if (try_list(named, omp_version, runtime_version))
        return;
    if (try_guest(reinterpret_cast<StartTool>(dlsym(RTLD_NEXT, "ompt_start_tool")), omp_version,
                  runtime_version))
        return;
    // With us in the place the runtime itself does not look there any more.
    try_list(secure_getenv("OMP_TOOL_LIBRARIES"), omp_version, runtime_version);
}

namespace {

// Many tools call their initializer ompt_initialize and export it. Then the name is bound to ours,
// which is there for the runtimes of 2014 and stands in front; the tool's own is the one in its
// library.
ompt_initialize_t guests_initialize() {
    Dl_info info;
    if (!is_ours(reinterpret_cast<void *>(guest->initialize)) ||
        dladdr(reinterpret_cast<void *>(guest_start), &info) == 0 || info.dli_fname == nullptr)
        return guest->initialize;
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr)
        return guest->initialize;
    void *own = dlsym(library, "ompt_initialize");
    dlclose(library);
    return own != nullptr ? reinterpret_cast<ompt_initialize_t>(own) : guest->initialize;
}

} // namespace

void drop_guest() {
    if (guest != nullptr || options().tool_libraries != nullptr)
        log_once(LogLevel::kWarn, LogCause::kGuestNotLoaded,
                 "a further tool is left out: the runtime's tools interface is older than OpenMP "
                 "5.0: ",
                 ompt::current_adapter().name);
    guest = nullptr;
}

void begin(ompt_function_lookup_t lookup, int initial_device_num) {
    if (guest == nullptr)
        return;
    runtime_lookup = lookup;
    runtime_set_callback = entry_points.set_callback;
    runtime_task_info = entry_points.get_task_info;
    runtime_parallel_info =
        reinterpret_cast<ompt_get_parallel_info_t>(lookup("ompt_get_parallel_info"));
    for (const ompt::CallbackRow &row : kCallbacks)
        our_callbacks[row.number] = row.function;
    has_guest = true;
    if (guests_initialize()(look_up, initial_device_num, &guest->tool_data) == 0) {
        has_guest = false;
        guest = nullptr;
        forget_callbacks();
        return;
    }
    log_once(LogLevel::kInfo, LogCause::kGuestAttached, "a further OMPT tool runs beside us");
}

void reset_after_fork() {
    task_records.reset_lock_after_fork();
}

void end() {
    finalize_guest();
    has_guest = false;
}

ompt_callback_t shared_callback(ompt_callbacks_t id, ompt_callback_t ours_alone) {
    const ompt_callback_t shared = has_guest ? shared_function(id) : nullptr;
    return shared != nullptr ? shared : ours_alone;
}

} // namespace ocb::ompt5::chain
