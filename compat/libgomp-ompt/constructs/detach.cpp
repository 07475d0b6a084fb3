// SPDX-License-Identifier: Apache-2.0
// Detachable tasks: which task an event belongs to. A task is in the list, and kept, from its
// creation until its event is fulfilled. A short lock: nothing is called under it.
#include "task.h"
#include "tool.h"

#include <pthread.h>

namespace ocb::gomp {
namespace {

constinit pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
constinit TaskRecord *expecting = nullptr;

TaskRecord *take_expecting(const void *event) {
    TaskRecord **place = &expecting;
    while (*place != nullptr && (*place)->event != event) {
        place = &(*place)->next;
    }
    TaskRecord *task = *place;
    if (task != nullptr) {
        *place = task->next;
    }
    return task;
}

void fulfilled(const void *event) {
    pthread_mutex_lock(&lock);
    TaskRecord *task = take_expecting(event);
    bool is_late = false;
    if (task != nullptr) {
        task->marks.is_fulfilled = true;
        is_late = task->marks.body_is_done;
    }
    pthread_mutex_unlock(&lock);
    if (task == nullptr) {
        return;
    }
    if (auto tell = callback<ompt_callback_task_schedule_t>(ompt_callback_task_schedule)) {
        tell(&task->word, is_late ? ompt_task_late_fulfill : ompt_task_early_fulfill, nullptr);
    }
    release(*task);
}

} // namespace

void expect_event(TaskRecord &task, void *event) {
    task.event = event;
    task.references.fetch_add(1, std::memory_order_relaxed);
    pthread_mutex_lock(&lock);
    task.next = expecting;
    expecting = &task;
    pthread_mutex_unlock(&lock);
}

void restart_expecting_after_fork() {
    lock = PTHREAD_MUTEX_INITIALIZER;
}

bool body_ends(TaskRecord &task) {
    if (task.event == nullptr) {
        return true;
    }
    pthread_mutex_lock(&lock);
    task.marks.body_is_done = true;
    const bool is_fulfilled = task.marks.is_fulfilled;
    pthread_mutex_unlock(&lock);
    return is_fulfilled;
}

} // namespace ocb::gomp

using namespace ocb::gomp;

// The event tells the task before the runtime lets it go.
ENTRY_POINT(void, omp_fulfill_event, (void *event), (event)) {
    fulfilled(event);
    REAL(omp_fulfill_event)(event);
}

ENTRY_POINT(void, omp_fulfill_event_, (void *event), (event)) {
    fulfilled(event);
    REAL(omp_fulfill_event_)(event);
}
