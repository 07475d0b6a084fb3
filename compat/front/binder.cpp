// SPDX-License-Identifier: Apache-2.0
#include "binder.h"

#include "marks.h"
#include "objects.h"
#include "references.h"
#include "rows.h"
#include "scope.h"
#include "trace.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

extern "C" {
__attribute__((visibility("hidden"))) constinit const void *ocb_front_real_dlopen = nullptr;
constinit thread_local int ocb_front_opened_with = 0;
}

namespace ocb::front {
namespace {

constexpr char kDlopen[] = "dlopen";

// Guarded by the lock.
constinit pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
constinit ObjectList objects;
constinit int seen_count = 0; // of objects at the head of the linker's list
constinit bool is_something_undefined = false;

// Read without the lock: whether the calling thread has it, and whether there is anything new.
constinit std::atomic<pthread_t> looking{};
constinit std::atomic<unsigned long long> seen_added{0}, seen_removed{0};

// The definition that the dynamic linker binds the reference to. Null: none, or the object's own.
const void *definition_behind(const Caller &caller, const Reference &reference) {
    const std::uintptr_t bound = __atomic_load_n(reference.slot, __ATOMIC_RELAXED);
    if (!caller.object.holds(bound)) { // also null: nobody defines it
        return reinterpret_cast<const void *>(bound);
    }
    if (!reference.is_call) {
        return nullptr;
    }
    const void *definition = definition_for(objects, caller, reference);
    is_something_undefined |= definition == nullptr;
    return caller.object.holds(reinterpret_cast<std::uintptr_t>(definition)) ? nullptr : definition;
}

// Entries by which an object may create explicit tasks. A taskloop allocates tasks by itself.
bool creates_tasks(Stub stub) {
    switch (stub) {
    case s___kmpc_omp_task_alloc:
    case s___kmpc_omp_target_task_alloc:
    case s_GOMP_task:
    case s_GOMP_taskloop:
    case s_GOMP_taskloop_ull:
    case s_GOMP_target_ext:
        return true;
    default:
        return false;
    }
}

// Entries by which an object may execute a single construct.
bool begins_single(Stub stub) {
    return stub == s___kmpc_single || stub == s_GOMP_single_start ||
           stub == s_GOMP_single_start_with_end || stub == s_GOMP_single_copy_start;
}

// Called before the slot leads to the stub.
void note_call_of(Stub entry) {
    if (creates_tasks(entry)) {
        __atomic_fetch_or(&ocb_front_calls, OMP_COLLECTOR_FRONT_TASKS, __ATOMIC_SEQ_CST);
    }
    if (begins_single(entry)) {
        __atomic_fetch_and(&ocb_front_calls, ~unsigned{OMP_COLLECTOR_FRONT_NO_SINGLES},
                           __ATOMIC_SEQ_CST);
    }
}

// 0: the call stays as it is.
std::uintptr_t stub_for_reference(const Caller &caller, const Reference &reference) {
    const Stub entry = stub_of(reference.name, reference.version);
    if (entry != kStubCount) {
        note_call_of(entry); // wherever it leads, and whenever
    }
    const void *definition = definition_behind(caller, reference);
    if (definition == nullptr || is_stub(reinterpret_cast<std::uintptr_t>(definition))) {
        return 0;
    }
    if (std::strcmp(reference.name, kDlopen) == 0) {
        if (ocb_front_real_dlopen == nullptr) {
            ocb_front_real_dlopen = definition;
        }
        return ocb_front_real_dlopen == definition
                   ? reinterpret_cast<std::uintptr_t>(ocb_front_dlopen)
                   : 0;
    }
    if (entry == kStubCount) {
        return 0; // a version that no runtime has
    }
    const std::uintptr_t stub = stub_for(objects, entry, definition);
    if (stub != 0) {
        __atomic_store_n(&ocb_front_is_bound, 1U, __ATOMIC_RELAXED);
        trace_binding(objects, caller.object, reference, definition);
    }
    return stub;
}

// A runtime's calls of itself are not the program's.
bool is_runtime(const Object &object) {
    const Dynamic dynamic(object);
    return object.name[0] != '\0' && dynamic.defines("omp_get_num_procs") &&
           (dynamic.defines("GOMP_parallel") || dynamic.defines("__kmpc_fork_call"));
}

void bind_object(const Caller &caller) {
    const References references(caller.object);
    bool is_known = false;
    bool is_left_alone = false;
    references.for_each(
        [](const char *name) {
            return stub_of(name, nullptr) != kStubCount || std::strcmp(name, kDlopen) == 0;
        },
        [&](const Reference &reference) {
            if (!is_known) {
                is_known = true;
                is_left_alone = is_runtime(caller.object);
            }
            if (is_left_alone || !references.is_only_called(reference)) {
                return;
            }
            if (const std::uintptr_t stub = stub_for_reference(caller, reference)) {
                references.store(reference.slot, stub);
            }
        });
}

// A failed look-up leaves a message of dlerror(), which the program would take for its own.
void forget_messages() {
    while (dlerror() != nullptr) {
        continue;
    }
}

// True for an object that came with the program and begins late. Another thread may be opening one
// meanwhile, which the linker has not relocated yet.
bool came_with_the_program(const void *code) {
    const Object *object = seen_count != 0 ? objects.holding(code) : nullptr;
    return object != nullptr && is_first_object(objects, *object);
}

// `code` is of the object that begins.
void bind_new_objects(const Changes &now, const void *code) {
    if (!objects.take() || came_with_the_program(code)) {
        return;
    }
    if (seen_count == 0) {
        record_first_objects(objects.count());
    }
    // After a dlclose it is not known which objects of the list are new.
    const bool is_list_longer = now.removed == seen_removed.load(std::memory_order_relaxed);
    const int first_new = is_list_longer ? seen_count : 0;
    const Object *opened = is_list_longer && seen_count != 0 && first_new < objects.count()
                               ? &objects[first_new]
                               : nullptr;
    const bool is_deep = (ocb_front_opened_with & RTLD_DEEPBIND) != 0;
    ocb_front_opened_with = 0;
    const bool looks_again = is_something_undefined;
    is_something_undefined = false;
    for (int i = looks_again ? 0 : first_new; i < objects.count(); ++i) {
        bind_object({objects[i], i >= first_new ? opened : nullptr, is_deep && i >= first_new});
    }
    seen_count = objects.count();
    seen_added.store(now.added, std::memory_order_relaxed);
    seen_removed.store(now.removed, std::memory_order_relaxed);
    forget_messages();
}

// A second copy of this library leaves all to the one that comes first.
bool is_first_front() {
    const void *first = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_FRONT_CONNECT);
    return first == nullptr || first == reinterpret_cast<const void *>(omp_collector_front_connect);
}

void look(const void *code) {
    const Changes now = changes();
    if ((now.added == seen_added.load(std::memory_order_relaxed) &&
         now.removed == seen_removed.load(std::memory_order_relaxed)) ||
        pthread_equal(looking.load(std::memory_order_relaxed), pthread_self()) != 0) {
        return;
    }
    const int saved_errno = errno;
    pthread_mutex_lock(&lock);
    looking.store(pthread_self(), std::memory_order_relaxed);
    ocb_front_begin_marks();
    const unsigned calls_before = ocb_front_calls; // under the lock alone they change
    if (is_first_front()) {
        bind_new_objects(now, code);
    }
    const bool calls_more = ocb_front_calls != calls_before;
    looking.store(pthread_t{}, std::memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    if (calls_more) {
        __atomic_load_n(&ocb_front_note_fork, __ATOMIC_SEQ_CST)(nullptr, nullptr);
    }
    errno = saved_errno;
}

void reset_lock() { // in a forked child
    lock = PTHREAD_MUTEX_INITIALIZER;
    looking.store(pthread_t{}, std::memory_order_relaxed);
}

// For a program without an object that is linked with crti.o.
__attribute__((constructor)) void begin() {
    look(nullptr);
    pthread_atfork(nullptr, nullptr, reset_lock);
}

} // namespace

void unbind(int row) {
    pthread_mutex_lock(&lock);
    close_row(row);
    for_each_object([row](const Object &object) {
        const References references(object);
        references.for_each_slot([&](std::uintptr_t *slot) {
            if (const std::uintptr_t behind =
                    behind_stub_of(row, __atomic_load_n(slot, __ATOMIC_RELAXED))) {
                references.store(slot, behind);
            }
        });
    });
    pthread_mutex_unlock(&lock);
}

} // namespace ocb::front

#ifndef OCB_FRONT_BEGINS_LATE // ThreadSanitizer's runtime is not ready when the first object begins
// NOLINTNEXTLINE(readability-identifier-naming): the C library's name
extern "C" __attribute__((visibility("default"))) void __gmon_start__() {
    ocb::front::look(__builtin_return_address(0));
}
#endif
