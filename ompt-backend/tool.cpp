// SPDX-License-Identifier: Apache-2.0
// ompt_start_tool and what follows from it. The runtime may call it on any thread, also from inside
// our own START; no lock is held across it.
#include "tool.h"

#include "callbacks.h"
#include "chain.h"
#include "log.h"
#include "options.h"
#include "runtime.h"
#include "runtime_report.h"
#include "spin_lock.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

extern "C" int __omp_collector_api(void *arg);

namespace ocb {
namespace ompt5 {

constinit EntryPoints entry_points;
constinit std::atomic<bool> is_attached{false};
constinit std::atomic<bool> is_insufficient{false};

namespace {

constinit std::atomic<bool> is_taken{false}; // by the runtime that came first

// The code of a function of the runtime, empty if it has none of that name.
CodeRange code_of(void *library, const char *name) {
    void *address = dlsym(library, name);
    if (address == nullptr)
        return {};
    Dl_info info;
    void *entry = nullptr;
    if (dladdr1(address, &info, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr)
        return {};
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    return {begin, begin + static_cast<const ElfW(Sym) *>(entry)->st_size};
}

void find_test_locks(ompt_function_lookup_t lookup) {
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(lookup), &info) == 0 || info.dli_fname == nullptr)
        return;
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr)
        return;
    test_lock_code = code_of(library, "__kmpc_test_lock");
    test_nest_lock_code = code_of(library, "__kmpc_test_nest_lock");
    dlclose(library);
}

template <class F> void find(ompt_function_lookup_t lookup, const char *name, F &function) {
    function = reinterpret_cast<F>(lookup(name));
}

int initialize(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *) {
    find(lookup, "ompt_set_callback", entry_points.set_callback);
    find(lookup, "ompt_get_state", entry_points.get_state);
    find(lookup, "ompt_get_task_info", entry_points.get_task_info);
    find(lookup, "ompt_get_thread_data", entry_points.get_thread_data);
    if (entry_points.set_callback == nullptr || entry_points.get_state == nullptr ||
        entry_points.get_task_info == nullptr || entry_points.get_thread_data == nullptr) {
        log_once(LogLevel::kError, LogCause::kRefusedByRuntime,
                 "the OpenMP runtime's tools interface lacks a function that OpenMP 5.0 demands; "
                 "run the program on LLVM libomp 8 or later");
        is_insufficient.store(true, std::memory_order_release);
        is_taken.store(false, std::memory_order_release);
        return 0;
    }
    keep_file(lookup);
    find_test_locks(lookup);
    const char *lock_kind = secure_getenv("KMP_LOCK_KIND");
    locks_are_futexes = lock_kind != nullptr && std::strcmp(lock_kind, "futex") == 0;
    stay_and_become_visible();
    chain::begin(lookup, initial_device_num);
    // The guest's data live in our records of regions and tasks, so there is nothing to leave out.
    if (chain::has_guest)
        runtime::want(kNeedAll);
    is_attached.store(true, std::memory_order_release);
    log_once(LogLevel::kInfo, LogCause::kAttached,
             "attached to the OpenMP runtime: ", runtime_file(), " (", runtime_version(), ")");
    runtime::observe_wanted();
    return 1;
}

void finalize(ompt_data_t *) {
    chain::end();
    is_attached.store(false, std::memory_order_release);
    is_taken.store(false, std::memory_order_release);
    log_once(LogLevel::kInfo, LogCause::kDetached, "the OpenMP runtime has ended");
}

constinit ompt_start_tool_result_t start_result{initialize, finalize, {0}};

// Which rows of kCallbacks the runtime has from us.
constinit SpinLock registering;
constinit std::atomic<Needs> wanted{0};
constinit std::atomic<Needs> observed{0};

void register_callbacks(Needs needs) {
    for (std::size_t i = 0; i < kCallbackCount; ++i) {
        const CallbackRow &row = kCallbacks[i];
        if ((row.needs & needs) == 0)
            continue;
        keep_result(
            i, entry_points.set_callback(row.id, chain::shared_callback(row.id, row.function)));
    }
}

} // namespace

// A runtime that loads us through OMP_TOOL_LIBRARIES does so privately, and unloads us at its end;
// so may a collector that opens us by name.
void stay_and_become_visible() {
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(&stay_and_become_visible), &info) == 0 ||
        info.dli_fname == nullptr)
        return;
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL | RTLD_NODELETE);
}

bool is_being_asked() {
    return is_taken.load(std::memory_order_acquire) && !is_attached.load(std::memory_order_acquire);
}

} // namespace ompt5

namespace runtime {

bool is_attached() {
    return ompt5::is_attached.load(std::memory_order_acquire);
}

Needs wanted_needs() {
    return ompt5::wanted.load(std::memory_order_relaxed);
}

void want(Needs needs) {
    if ((wanted_needs() & needs) != needs)
        ompt5::wanted.fetch_or(needs, std::memory_order_release);
}

// In a signal handler too: libomp's ompt_set_callback is two plain stores. Whoever holds the lock
// looks again after giving it back, so that no wish is lost.
void observe_wanted() {
    using namespace ompt5;
    while (is_attached() && (observed.load(std::memory_order_acquire) &
                             wanted.load(std::memory_order_acquire)) != wanted_needs()) {
        if (!registering.try_lock())
            return;
        const Needs missing =
            wanted.load(std::memory_order_acquire) & ~observed.load(std::memory_order_relaxed);
        register_callbacks(missing);
        observed.fetch_or(missing, std::memory_order_release);
        registering.unlock();
    }
}

void reset_after_fork() {
    ompt5::registering.reset_after_fork();
    ompt5::chain::reset_after_fork();
}

} // namespace runtime
} // namespace ocb

extern "C" __attribute__((visibility("default"))) ocb::ompt5::ompt_start_tool_result_t *
ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    using namespace ocb;
    if (ompt5::is_taken.exchange(true, std::memory_order_acq_rel)) {
        log_once(LogLevel::kWarn, LogCause::kSecondRuntime,
                 "a second OpenMP runtime in this process asked for a tool; only the first is "
                 "observed. Make the program and its libraries use one OpenMP runtime");
        return nullptr;
    }
    ompt5::keep_version(omp_version, runtime_version);
    // A runtime that comes anew (after a hard pause) has none of our callbacks.
    ompt5::observed.store(0, std::memory_order_release);
    ompt5::chain::find_guest(omp_version, runtime_version);
    return &ompt5::start_result;
}
