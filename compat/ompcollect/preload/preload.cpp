// SPDX-License-Identifier: Apache-2.0
//
// What ompcollect preloads: a library that does nothing in a process without an OpenMP runtime. So
// that has no signal, no timer, no thread and no file of ours. Where a runtime asks for a tool it
// loads bridge and collector, and hands the call on to the bridge. A runtime that is there from the
// begin gets them at once, so that what the program does before its first use has call paths.
#include "preload_services.h"

#include "base/standard_error.h"
#include "base/write_signals.h"
#include "listener.h"
#include "omp_collector_bridge.h"
#include "printable.h"
#include "program_signal.h"
#include "real.h"
#include "roomy_stack.h"
#include "status_file.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <initializer_list>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constinit unsigned closed_libraries = 0;
constinit std::atomic<void *> bridge_handle{nullptr};
enum class Loading : int { kNotYet, kIsLoading, kDone };
constinit std::atomic<Loading> collector_loading{Loading::kNotYet};

constinit ompcollect_preload_services services = {
    0, 0, &closed_libraries, take_signal, pass_on, listen, 0, 0};
constinit ocb::StandardError standard_error;

void complain(const char *library, const char *why) {
    char cause[512];
    printable_into(cause, sizeof cause, why ? why : "?");
    char line[1024];
    const int length = snprintf(line, sizeof line,
                                "[ompcollect] %s cannot be loaded (%s): no profile of this process "
                                "(pid %ld)\n",
                                library, cause, static_cast<long>(getpid()));
    const auto size =
        length < static_cast<int>(sizeof line) ? static_cast<size_t>(length) : sizeof line - 1;
    standard_error.write(line, size);
}

// As the launcher says, or else beside this library. Installed, they are one folder above it.
void *load(const char *variable, const char *name, int flags) {
    const int how = RTLD_NOW | RTLD_NODELETE | flags;
    const char *given = secure_getenv(variable);
    Dl_info own;
    void *library = nullptr;
    if (given && *given) {
        library = dlopen(given, how);
    } else if (dladdr(reinterpret_cast<const void *>(&services), &own) && own.dli_fname) {
        const char *slash = strrchr(own.dli_fname, '/');
        const int folder = slash ? static_cast<int>(slash + 1 - own.dli_fname) : 0;
        for (const char *place : {"../", ""}) {
            char path[PATH_MAX] = {};
            snprintf(path, sizeof path, "%.*s%s%s", folder, own.dli_fname, place, name);
            library = library ? library : dlopen(path, how);
        }
    }
    if (!library) {
        complain(name, dlerror());
    }
    return library;
}

// It is loaded now if it is not there yet.
void *bridge() {
    void *handle = bridge_handle.load(std::memory_order_acquire);
    if (!handle) {
        handle = load("OMPCOLLECT_BRIDGE", OMP_COLLECTOR_BRIDGE_SONAME, RTLD_GLOBAL);
        bridge_handle.store(handle, std::memory_order_release);
    }
    return handle;
}

template <class Function> Function of_bridge(const char *name) {
    void *handle = bridge();
    return handle ? reinterpret_cast<Function>(dlsym(handle, name)) : nullptr;
}

// What another thread has begun and not ended is not done in the child.
void restart_after_fork() {
    Loading before = Loading::kIsLoading;
    collector_loading.compare_exchange_strong(before, Loading::kNotYet);
    restart_signals_after_fork();
}

// Once: in our constructor, or before it where that of another library calls OpenMP.
void record_begin() {
    static constinit std::atomic<bool> is_done{false};
    if (is_done.exchange(true)) {
        return;
    }
    find_signal_functions();
    pthread_atfork(nullptr, nullptr, restart_after_fork);
    timespec now; // by the system's clock, as the collector's times (clocks.h)
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    services.begin_ns =
        static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
    const ocb::FileIdentity file = ocb::FileIdentity::of(STDERR_FILENO);
    services.stderr_device = file.device;
    services.stderr_number = file.number;
    standard_error.note(file);
}

// False where another thread loads it, or has done so.
bool load_collector() {
    record_begin();
    Loading before = Loading::kNotYet;
    if (!collector_loading.compare_exchange_strong(before, Loading::kIsLoading)) {
        return false;
    }
    load("OMPCOLLECT_COLLECTOR", "libompcollect-default.so", RTLD_LOCAL);
    collector_loading.store(Loading::kDone, std::memory_order_release);
    return true;
}

// After the bridge has taken the runtime: START then leaves the runtime, which is being
// initialised, alone. False: it was refused.
bool begin_session() {
    if (__atomic_exchange_n(&services.runtime_has_asked, 1, __ATOMIC_ACQ_REL) != 0 ||
        load_collector()) {
        return current_listener() != nullptr;
    }
    const ompcollect_listener *listener = current_listener();
    return listener && listener->runtime_asks && listener->runtime_asks() != 0;
}

// For the launcher, should the process leave no profile. `code`: of the runtime.
void leave_note(bool bridge_is_taken, bool has_session, const void *code) {
    const char *folder = secure_getenv("OMPCOLLECT_PROFILE_DIR");
    char path[PATH_MAX];
    if (!folder || snprintf(path, sizeof path, "%s/%ld%s", folder, static_cast<long>(getpid()),
                            kAskedSuffix) >= static_cast<int>(sizeof path)) {
        return;
    }
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return;
    }
    const char *word = !bridge_is_taken ? kAskedRefused
                       : has_session    ? kAskedTaken
                                        : kAskedNoSession;
    Dl_info runtime;
    const char *file = dladdr(code, &runtime) != 0 && runtime.dli_fname ? runtime.dli_fname : "";
    const auto guard = ocb::NoWriteSignals::for_file();
    dprintf(fd, "%s %s\n", word, file);
    close(fd);
}

void load_collector_and_note(bool bridge_is_taken, const void *code) {
    const bool has_session = bridge_is_taken && begin_session();
    leave_note(bridge_is_taken, has_session, code);
}

template <class Function> Function of_process(const char *name) {
    const auto function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    if (!function) {
        dlerror(); // the program would take the message for its own
    }
    return function;
}

// A runtime that is asked for would initialise, and read variables that the program may still set:
// bridge and collector are loaded, and wait for the first runtime that asks. Until then the program
// may have a session of its own.
void observe_early() {
    const bool has_runtime =
        of_process<void *>("GOMP_parallel") || of_process<void *>("__kmpc_fork_call");
    if (has_runtime && bridge()) {
        load_collector();
    }
}

__attribute__((constructor)) void begin() {
    record_begin();
    observe_early();
}

constinit Real<int (*)(void *)> real_dlclose("dlclose");

} // namespace

} // namespace ompcollect

using namespace ompcollect;

OMPCOLLECT_INTERPOSED const ompcollect_preload_services *ompcollect_preload() {
    return &services;
}

// OpenMP 5 and TR6.
OMPCOLLECT_INTERPOSED void *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    const void *const runtime = __builtin_return_address(0);
    void *result = nullptr;
    with_room([&] {
        const auto start = of_bridge<void *(*)(unsigned, const char *)>("ompt_start_tool");
        result = start ? start(omp_version, runtime_version) : nullptr;
        load_collector_and_note(result != nullptr, runtime);
    });
    return result;
}

// TR2 and its draft: what it returns is called by the runtime afterwards.
OMPCOLLECT_INTERPOSED void *ompt_tool() {
    const void *const runtime = __builtin_return_address(0);
    void *result = nullptr;
    with_room([&] {
        const auto tool = of_bridge<void *(*)()>("ompt_tool");
        result = tool ? tool() : nullptr;
        load_collector_and_note(result != nullptr, runtime);
    });
    return result;
}

// The form of 2014: this call is the initialisation.
OMPCOLLECT_INTERPOSED int ompt_initialize(uintptr_t first, uintptr_t second, uintptr_t third) {
    const void *const runtime = __builtin_return_address(0);
    int result = 0;
    with_room([&] {
        const auto initialize =
            of_bridge<int (*)(uintptr_t, uintptr_t, uintptr_t)>("ompt_initialize");
        result = initialize ? initialize(first, second, third) : 0;
        load_collector_and_note(result != 0, runtime);
    });
    return result;
}

// Addresses of a library that is closed may be those of another soon.
OMPCOLLECT_INTERPOSED int dlclose(void *library) {
    const auto close_library = real_dlclose.get();
    const int result = close_library ? close_library(library) : -1;
    __atomic_fetch_add(&closed_libraries, 1, __ATOMIC_RELAXED);
    return result;
}
