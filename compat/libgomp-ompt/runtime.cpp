// SPDX-License-Identifier: Apache-2.0
// Without this library a caller's GOMP_parallel would be the first definition in the global scope,
// or else the one that its own library's dependencies bring (a plugin's, a Python wheel's). Both
// are looked up here as the dynamic linker would have done, this library left out.
#include "runtime.h"

#include "message.h"
#include "object.h"
#include "records.h"
#include "routes.h"
#include "shortcut.h"
#include "tool.h"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

namespace ocb::gomp {

constinit std::atomic<int> mode{kUndecided};
constinit Runtime shared_runtime{};

namespace {

struct Name {
    const char *name;
    const char *version; // null: the default one
};
constexpr Name kNames[] = {
#define ENTRY(name)  {#name, nullptr},
#define LOCK(name)   {#name, nullptr}, {#name, "OMP_1.0"},
#define CALLED(name) {#name, nullptr},
#include "entries.inc"
};
static_assert(sizeof(kNames) / sizeof(kNames[0]) == kFunctionCount);

constexpr int kMostRuntimes = 16;

// All under the lock, but the tables of complete runtimes, which stay as they are.
constinit pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
constinit std::atomic<bool> is_starting{false};
pthread_t starter;
constinit bool is_tool_decided = false;
constinit bool has_tool = false;
constinit Runtime runtimes[kMostRuntimes]{};
constinit std::atomic<int> runtime_count{0};

// Where the code of a call is, and its runtime's number in the upper bits: what calls in the mode
// kByCaller mostly find.
constexpr unsigned kSites = 1024;
constexpr unsigned kNumberShift = 56;
constinit std::atomic<std::uint64_t> sites[kSites]{};

std::atomic<std::uint64_t> &site_of(std::uint64_t code) {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
    return sites[(code * kFactor) >> 54U];
}
static_assert(kSites == 1U << (64 - 54));

void *look_up(void *handle, const Name &name) {
    return name.version != nullptr ? dlvsym(handle, name.name, name.version)
                                   : dlsym(handle, name.name);
}

// The global scope's definitions are taken each for itself: another library may stand between the
// program and libgomp.
void bind_functions(Runtime &runtime, void *handle) {
    for (int i = 0; i < kFunctionCount; ++i) {
        runtime.functions[i] = look_up(handle, kNames[i]);
    }
    for (int i = 0; i < kFunctionCount; ++i) { // a runtime without the old versions
        if (runtime.functions[i] == nullptr && kNames[i].version != nullptr) {
            runtime.functions[i] = runtime.functions[i - 1];
        }
    }
}

void bind(Runtime &runtime, void *handle, std::uintptr_t base) {
    bind_functions(runtime, handle);
    runtime.base = base;
    runtime.is_libgomp = is_libgomp_without_ompt(base);
}

bool decide_tool() {
    if (!is_tool_decided) {
        starter = pthread_self();
        is_starting.store(true, std::memory_order_release);
        has_tool = start_tool();
        if (has_tool && own_thread == nullptr) {
            enter_thread(ompt_thread_initial);
        }
        is_starting.store(false, std::memory_order_release);
        is_tool_decided = true;
    }
    return has_tool;
}

// The first definition in the global scope behind this library.
bool bind_shared_runtime() {
    void *any = dlsym(RTLD_NEXT, "omp_get_num_procs");
    if (any == nullptr || dlsym(RTLD_NEXT, "GOMP_parallel") == nullptr) {
        return false;
    }
    bind(shared_runtime, RTLD_NEXT, base_of(any));
    return true;
}

void observe(Runtime &runtime) {
    runtime.is_observed = runtime.is_libgomp && decide_tool();
}

void observe_shared_runtime() {
    observe(shared_runtime);
    mode.store(shared_runtime.is_observed ? kObserved : kDirect, std::memory_order_release);
    route_calls();
}

Runtime *bind_runtime_of_caller(const void *code) {
    ObjectHandle caller(code);
    const void *found = caller.find("GOMP_parallel");
    ObjectHandle object = found != nullptr && base_of(found) != base_of(&lock)
                              ? ObjectHandle(found)
                              : any_object_with("GOMP_parallel");
    if (!object) {
        return nullptr;
    }
    const int count = runtime_count.load(std::memory_order_relaxed);
    for (int i = 0; i < count; ++i) {
        if (runtimes[i].base == object.base()) {
            return &runtimes[i];
        }
    }
    if (count == kMostRuntimes) {
        return nullptr;
    }
    bind(runtimes[count], object.keep(), object.base());
    observe(runtimes[count]);
    runtime_count.store(count + 1, std::memory_order_release);
    return &runtimes[count];
}

// During the tool's start its own calls of the runtime go on unobserved.
const Runtime &unobserved_during_start() {
    static constinit Runtime unobserved{};
    if (unobserved.base == 0) {
        const int count = runtime_count.load(std::memory_order_relaxed);
        const Runtime &latest = shared_runtime.base != 0 ? shared_runtime : runtimes[count];
        for (int i = 0; i < kFunctionCount; ++i) {
            unobserved.functions[i] = latest.functions[i];
        }
        unobserved.base = latest.base;
    }
    return unobserved;
}

// False after two seconds. The holder needs the dynamic linker, and our caller may hold the
// linker's lock, in a library's constructor: waiting on would be for ever.
bool take_lock() {
    constexpr time_t kPatience = 2;
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += kPatience;
    return pthread_mutex_timedlock(&lock, &until) == 0;
}

// The shared runtime's functions without a tool, for who cannot wait until the tool has started.
// Null: there is no shared runtime, or no memory.
const Runtime *runtime_aside() {
    static constinit std::atomic<Runtime *> aside{nullptr};
    Runtime *known = aside.load(std::memory_order_acquire);
    if (known != nullptr || dlsym(RTLD_NEXT, "GOMP_parallel") == nullptr) {
        return known;
    }
    void *memory =
        mmap(nullptr, sizeof(Runtime), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    auto *runtime = static_cast<Runtime *>(memory);
    bind_functions(*runtime, RTLD_NEXT);
    if (!aside.compare_exchange_strong(known, runtime, std::memory_order_acq_rel)) {
        munmap(memory, sizeof(Runtime));
        return known;
    }
    return runtime;
}

const Runtime &find_under_lock(Function function, const void *code) {
    const int known = mode.load(std::memory_order_relaxed);
    if (known == kDirect || known == kObserved) {
        return shared_runtime;
    }
    if (bind_shared_runtime()) {
        observe_shared_runtime();
        return shared_runtime;
    }
    mode.store(kByCaller, std::memory_order_release);
    Runtime *runtime = bind_runtime_of_caller(code);
    if (runtime == nullptr) {
        end_process("no OpenMP runtime defines ", kNames[function].name);
    }
    return *runtime;
}

// What was looked up and is not there leaves a message, which a program would take for its own.
void forget_messages() {
    while (dlerror() != nullptr) {
        continue;
    }
}

// In a forked child.
void reset_lock() {
    lock = PTHREAD_MUTEX_INITIALIZER;
}

// What only the beginning of the process shows. Calls may come before.
__attribute__((constructor)) void look_around() {
    note_stderr();
    note_relocated_objects();
    pthread_atfork(nullptr, nullptr, reset_lock);
}

const Runtime &find(Function function, const void *code) {
    const auto address = reinterpret_cast<std::uint64_t>(code);
    constexpr std::uint64_t kAddress = (std::uint64_t{1} << kNumberShift) - 1;
    const std::uint64_t site = site_of(address).load(std::memory_order_acquire);
    if (site != 0 && (site & kAddress) == (address & kAddress)) {
        return runtimes[(site >> kNumberShift) - 1];
    }
    if (is_starting.load(std::memory_order_acquire) &&
        pthread_equal(starter, pthread_self()) != 0) {
        return unobserved_during_start();
    }

    const int saved_errno = errno;
    if (!take_lock()) {
        if (const Runtime *aside = runtime_aside()) {
            errno = saved_errno;
            return *aside;
        }
        pthread_mutex_lock(&lock);
    }
    const Runtime &runtime = find_under_lock(function, code);
    if (mode.load(std::memory_order_relaxed) == kDirect) {
        route_past(function);
    }
    forget_messages();
    if (&runtime != &shared_runtime) {
        const auto number = static_cast<std::uint64_t>(&runtime - runtimes) + 1;
        site_of(address).store((address & kAddress) | number << kNumberShift,
                               std::memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    errno = saved_errno;
    return runtime;
}

} // namespace

const Runtime &find_runtime(Function function, const void *code) {
    const Runtime &runtime = find(function, code);
    if (runtime.functions[function] == nullptr) {
        end_process("no OpenMP runtime defines ", kNames[function].name);
    }
    return runtime;
}

Start initialise_if_loaded() {
    if (is_starting.load(std::memory_order_acquire) &&
        pthread_equal(starter, pthread_self()) != 0) {
        return Start::kNone;
    }
    if (!take_lock()) {
        return Start::kUnderWay;
    }
    if (mode.load(std::memory_order_relaxed) == kUndecided && bind_shared_runtime()) {
        observe_shared_runtime();
    } else if (mode.load(std::memory_order_relaxed) == kUndecided) {
        // Known to some callers only: each is bound when it calls.
        ObjectHandle object = any_object_with("GOMP_parallel");
        if (object && is_libgomp_without_ompt(object.base())) {
            decide_tool();
        }
    }
    const bool is_served = has_tool;
    forget_messages();
    pthread_mutex_unlock(&lock);
    return is_served ? Start::kDone : Start::kNone;
}

const Runtime *first_runtime() {
    if (shared_runtime.base != 0) {
        return &shared_runtime;
    }
    return runtime_count.load(std::memory_order_acquire) != 0 ? &runtimes[0] : nullptr;
}

} // namespace ocb::gomp
