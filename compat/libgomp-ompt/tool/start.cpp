// SPDX-License-Identifier: Apache-2.0
// When the tool starts: at the first call of a libgomp, or when somebody asks for it. The functions
// of runtime.h that need more than its table.
#include "binder.h"
#include "inquiry.h"
#include "message.h"
#include "objects.h"
#include "provider.h"
#include "records.h"
#include "routes.h"
#include "runtime/runtime.h"
#include "task.h"
#include "tool.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>

namespace ocb::gomp {

namespace {

struct Name {
    front::SymbolName name;
    const char *version; // null: the default one
};
constexpr Name kNames[] = {
#define ENTRY(name)  {#name, nullptr},
#define LOCK(name)   {#name, nullptr}, {#name, "OMP_1.0"},
#define CALLED(name) {#name, nullptr},
#include "entries.inc"
};
static_assert(sizeof(kNames) / sizeof(kNames[0]) == kFunctionCount);

// All under the lock, but the functions of a row.
constinit pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
constinit std::atomic<bool> is_starting{false};
pthread_t starter;
constinit bool is_tool_decided = false;
constinit bool has_tool = false;

// The text stands in the object's read-only memory.
bool has_text(const front::Object &object, const char *text) {
    for (int i = 0; i < object.header_count; ++i) {
        const ElfW(Phdr) &part = object.headers[i];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_R) != 0 && (part.p_flags & PF_W) == 0 &&
            memmem(reinterpret_cast<const void *>(object.base + part.p_vaddr), part.p_memsz, text,
                   std::strlen(text) + 1) != nullptr) {
            return true;
        }
    }
    return false;
}

// GNU's runtime, and one that asks for no tool of its own. LLVM's has the same names for programs
// built by gcc, and GNU's of a later day may have OMPT: there is nothing to do then. That of gcc 17
// in development has omp_control_tool and no OMPT. Whoever asks for a tool reads the variable.
bool is_libgomp_without_ompt(const front::Object &object) {
    const front::Dynamic dynamic(object);
    return dynamic.defines("GOMP_parallel") && !dynamic.defines("__kmpc_fork_call") &&
           !dynamic.defines("ompt_start_tool") && !has_text(object, "OMP_TOOL_LIBRARIES");
}

bool is_any_libgomp_loaded() {
    bool is_loaded = false;
    front::for_each_object([&](const front::Object &object) {
        is_loaded = is_loaded || is_libgomp_without_ompt(object);
    });
    return is_loaded;
}

// Each by itself: another library may stand before libgomp for some of them.
void begin_serving(int row, const front::Runtime &found) {
    Runtime &runtime = runtimes[row];
    for (int i = 0; i < kFunctionCount; ++i) {
        runtime.functions[i] =
            const_cast<void *>(found.function(kNames[i].name, kNames[i].version));
    }
    for (int i = 0; i < kFunctionCount; ++i) { // a runtime without the old versions
        if (runtime.functions[i] == nullptr && kNames[i].version != nullptr) {
            runtime.functions[i] = runtime.functions[i - 1];
        }
    }
    runtime.base = found.object()->base;
    begin_routes(row);
}

void go_on_in_child() {
    forget_other_threads();
    restart_expecting_after_fork();
}

bool decide_tool() {
    if (!is_tool_decided) {
        starter = pthread_self();
        is_starting.store(true, std::memory_order_release);
        has_tool = start_tool(look_up, initial_device);
        if (has_tool) {
            pthread_atfork(nullptr, nullptr, go_on_in_child);
            if (own_thread == nullptr) {
                enter_thread(ompt_thread_initial);
            }
        }
        is_starting.store(false, std::memory_order_release);
        is_tool_decided = true;
    }
    return has_tool;
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

void observe(Runtime &runtime) {
    const int row = static_cast<int>(&runtime - runtimes);
    const bool observes = decide_tool();
    if (runtime.observation.load(std::memory_order_relaxed) == Observation::kUndecided) {
        const auto can_cancel = function_of<int (*)()>(runtime, k_omp_get_cancellation);
        runtime.can_cancel = can_cancel != nullptr && can_cancel() != 0;
        runtime.observation.store(observes ? Observation::kObserved : Observation::kNone,
                                  std::memory_order_release);
        route_calls();
        if (!observes) {
            front::unbind(row);
        }
    }
}

// During the tool's start its own calls of the runtime go on unobserved.
bool is_own_start() {
    return is_starting.load(std::memory_order_acquire) &&
           pthread_equal(starter, pthread_self()) != 0;
}

// What was looked up and is not there leaves a message, which a program would take for its own.
void forget_messages() {
    while (dlerror() != nullptr) {
        continue;
    }
}

// In a forked child. A start that another thread was at goes on nowhere, and a new thread may have
// that one's name.
void reset_lock() {
    lock = PTHREAD_MUTEX_INITIALIZER;
    if (!is_own_start()) {
        is_starting.store(false, std::memory_order_relaxed);
    }
}

// What only the beginning of the process shows. Calls may come before.
__attribute__((constructor)) void look_around() {
    record_stderr();
    pthread_atfork(nullptr, nullptr, reset_lock);
}

} // namespace

bool is_observed(Runtime &runtime) {
    const Observation known = runtime.observation.load(std::memory_order_acquire);
    if (known != Observation::kUndecided || is_own_start()) {
        return known == Observation::kObserved;
    }
    const int saved_errno = errno;
    const bool is_ours = take_lock();
    if (is_ours) {
        observe(runtime);
        forget_messages();
        pthread_mutex_unlock(&lock);
    }
    errno = saved_errno;
    // A call that cannot wait until the tool has started is not observed.
    return is_ours && runtime.observation.load(std::memory_order_relaxed) == Observation::kObserved;
}

Start initialise_if_loaded() {
    if (is_own_start()) {
        return Start::kNone;
    }
    if (!take_lock()) {
        return Start::kUnderWay;
    }
    if (first_runtime() != nullptr) {
        for (Runtime &runtime : runtimes) {
            if (runtime.base != 0) {
                observe(runtime);
                break;
            }
        }
    } else if (is_any_libgomp_loaded()) {
        decide_tool(); // nobody calls it yet
    }
    const bool is_served = has_tool;
    forget_messages();
    pthread_mutex_unlock(&lock);
    return is_served ? Start::kDone : Start::kNone;
}

} // namespace ocb::gomp

constexpr ocb::front::Provider ocb::front::kProvider = {ocb::gomp::is_libgomp_without_ompt,
                                                        ocb::gomp::begin_serving};
