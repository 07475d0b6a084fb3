// SPDX-License-Identifier: Apache-2.0
//
// See thread_start.h.
#include "thread_start.h"

#include "sampler.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

namespace ompcollect {
namespace {

using CreateFunction = int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
using StartRoutine = void *(*)(void *);

constinit std::atomic<bool> g_watching{false};
constinit pthread_key_t g_end_key = 0;

struct StartRecord {
    StartRoutine routine;
    void *argument;
};

// Runs in the ending thread, also after pthread_exit and cancellation.
void on_thread_end(void *) {
    if (ThreadSlot *slot = current_slot()) {
        stop_thread_timer(*slot);
    }
    detach_thread();
}

void *start_watched(void *data) {
    const StartRecord record = *static_cast<StartRecord *>(data);
    free(data);
    meet_thread(RawThreadKind::kCreated);
    return record.routine(record.argument);
}

} // namespace

void prepare_thread_start() {
    g_watching.store(pthread_key_create(&g_end_key, on_thread_end) == 0, std::memory_order_release);
}

ThreadSlot *meet_thread(RawThreadKind kind) {
    ThreadSlot *slot = current_slot();
    if (slot) {
        return slot;
    }
    if (!g_watching.load(std::memory_order_acquire)) {
        return nullptr;
    }
    slot = attach_thread(kind);
    if (slot) {
        pthread_setspecific(g_end_key, slot);
        start_thread_timer(*slot);
    }
    return slot;
}

void end_thread_start() {
    g_watching.store(false, std::memory_order_release);
}

} // namespace ompcollect

// Interposed. Passes everything on; what is watched begins in start_watched().
extern "C" __attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
               void *argument) {
    using namespace ompcollect;
    static constinit std::atomic<CreateFunction> real_create{nullptr};
    CreateFunction create = real_create.load(std::memory_order_relaxed);
    if (!create) {
        create = reinterpret_cast<CreateFunction>(dlsym(RTLD_NEXT, "pthread_create"));
        if (!create) {
            return EAGAIN;
        }
        real_create.store(create, std::memory_order_relaxed);
    }
    auto *record = g_watching.load(std::memory_order_acquire)
                       ? static_cast<StartRecord *>(malloc(sizeof(StartRecord)))
                       : nullptr;
    if (!record) {
        return create(thread, attributes, routine, argument);
    }
    *record = {routine, argument};
    const int result = create(thread, attributes, start_watched, record);
    if (result != 0) {
        free(record);
    }
    return result;
}
