// SPDX-License-Identifier: Apache-2.0
// What the validating tool (validator.cpp) knows of threads, regions and tasks, and what holds of
// every event. Included once.
#pragma once

#include "spec/ompt5.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <utility>

using namespace ocb::ompt5;

namespace {

// ---- Breaches ----------------------------------------------------------------------------------

std::atomic<long> events_told{0}, breaches{0};
std::atomic<bool> is_over{false};
int file = -1;

void write_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void write_line(const char *format, ...) {
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    length =
        length < static_cast<int>(sizeof line) - 1 ? length : static_cast<int>(sizeof line) - 2;
    line[length] = '\n';
    if (write(file, line, static_cast<std::size_t>(length) + 1) < 0) {
        abort();
    }
}

// A line per place in this file and process.
void breach(std::atomic<bool> &is_told, const char *event, const char *what) {
    ++breaches;
    if (!is_told.exchange(true)) {
        write_line("breach %s: %s", event, what);
    }
}
#define MUST(condition, event)                                                                     \
    do {                                                                                           \
        static std::atomic<bool> is_told{false};                                                   \
        if (!(condition)) {                                                                        \
            breach(is_told, event, #condition);                                                    \
        }                                                                                          \
    } while (false)

// ---- What is known -----------------------------------------------------------------------------

struct Task;

struct Region {
    Task *encountering;
    std::atomic<int> begun;
    int flags;
    bool has_ended;
};

enum class Scope : unsigned char { kSync, kWait, kWork };

struct Open {
    Scope scope;
    int kind;
};

struct Task {
    static constexpr int kDepth = 32;
    Open open[kDepth];
    int depth;
    int flags;
    bool has_begun;
    bool has_ended;
    Task *before; // of the thread, when this one began
};

struct Thread {
    Task *current;
    std::uint64_t wanted; // the mutex that it waits for
    ompt_mutex_t wanted_kind;
    bool is_waiting;
    bool has_ended;
};

std::atomic<long> open_regions{0}, open_tasks{0}, open_implicit{0}, open_threads{0};
std::atomic<bool> was_cancelled{false};

// Never freed: an event of what has ended is to be seen.
template <class Type> Type *make() {
    return static_cast<Type *>(calloc(1, sizeof(Type)));
}
Task *task_at(const ompt_data_t *data) {
    return data != nullptr ? static_cast<Task *>(data->ptr) : nullptr;
}

ompt_get_thread_data_t get_thread_data;
ompt_get_state_t get_state;
ompt_get_parallel_info_t get_parallel_info;
ompt_get_task_info_t get_task_info;
int (*enumerate_states)(int, int *, const char **);
bool is_listed[0x200];

// Whether the event may come: a thread may have had one in hand when the tool was told of the end.
bool is_in_time() {
    static thread_local bool had_one_in_hand = false;
    return !is_over.load() || !std::exchange(had_one_in_hand, true);
}

// The thread of an event, and what holds of every event.
Thread &thread_of(const char *event) {
    static Thread nobody{};
    ++events_told;
    MUST(is_in_time(), event);
    const ompt_data_t *data = get_thread_data();
    MUST(data != nullptr, event);
    MUST(data == nullptr || data->ptr != nullptr, event);
    if (data == nullptr || data->ptr == nullptr) {
        return nobody;
    }
    Thread &thread = *static_cast<Thread *>(data->ptr);
    MUST(!thread.has_ended, event);
    ompt_wait_id_t wait_id = 0;
    const int state = get_state(&wait_id);
    MUST(state >= 0 && state < 0x200 && is_listed[state], event);
    return thread;
}

// The same between a mutex's acquire and acquired: the thread does nothing else.
Thread &busy_thread_of(const char *event) {
    Thread &thread = thread_of(event);
    MUST(!thread.is_waiting, event);
    thread.is_waiting = false;
    return thread;
}

// An event of the thread's own task.
Task &own_task(const Thread &thread, const ompt_data_t *data, const char *event) {
    static Task nothing{};
    Task *task = task_at(data);
    MUST(task != nullptr, event);
    MUST(task == nullptr || task == thread.current, event);
    MUST(task == nullptr || !task->has_ended, event);
    int flags = 0, thread_num = 0;
    ompt_data_t *told = nullptr, *region = nullptr;
    ompt_frame_t *frame = nullptr;
    MUST(get_task_info(0, &flags, &told, &frame, &region, &thread_num) == 2, event);
    MUST(told == data, event);
    MUST(task == nullptr || flags == task->flags, event);
    MUST(frame != nullptr, event);
    if (task != nullptr && (task->flags & ompt_task_explicit) != 0) { // the next on the stack
        MUST(get_task_info(1, nullptr, &told, nullptr, nullptr, nullptr) == 2, event);
        MUST(task_at(told) == task->before, event);
    }
    return task != nullptr ? *task : nothing;
}

bool has_frame(bool is_enter) {
    ompt_frame_t *frame = nullptr;
    return get_task_info(0, nullptr, nullptr, &frame, nullptr, nullptr) == 2 && frame != nullptr &&
           (is_enter ? frame->enter_frame.ptr : frame->exit_frame.ptr) != nullptr;
}

void push(Task &task, Scope scope, int kind, const char *event) {
    MUST(task.depth < Task::kDepth, event);
    if (task.depth < Task::kDepth) {
        task.open[task.depth++] = {scope, kind};
    }
}

void pop(Task &task, Scope scope, int kind, const char *event) {
    MUST(task.depth > 0, event);
    if (task.depth > 0) {
        const Open &open = task.open[--task.depth];
        MUST(open.scope == scope && open.kind == kind, event);
    }
}

} // namespace
