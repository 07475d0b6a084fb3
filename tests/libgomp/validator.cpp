// SPDX-License-Identifier: Apache-2.0
// An OMPT tool that checks what it is told and what it may ask, event by event: begins and ends
// nest in each task, nothing is told of what has ended, data are the ones that belong to the event,
// and the inquiry functions agree with the event. It writes a line for each kind of breach to the
// file OCB_VALIDATE, and a last one with the number of events. What is told of a thread by another
// one is checked as well: what belongs to a thread is found through ompt_get_thread_data.
#include "validator_state.h"

#include <fcntl.h>

namespace {

constexpr auto kWorkTaskloop = static_cast<ompt_work_t>(7);

// ---- Threads and regions -----------------------------------------------------------------------

void on_thread_begin(ompt_thread_t type, ompt_data_t *data) {
    MUST(data != nullptr && data->ptr == nullptr, "thread_begin");
    MUST(data == get_thread_data(), "thread_begin");
    MUST(type == ompt_thread_initial || type == ompt_thread_worker, "thread_begin");
    data->ptr = make<Thread>();
    ++open_threads;
    thread_of("thread_begin");
}

void on_thread_end(ompt_data_t *data) {
    Thread &thread = busy_thread_of("thread_end");
    MUST(data == get_thread_data(), "thread_end");
    // It may end the process inside of a region.
    MUST(thread.current == nullptr || (thread.current->flags & ompt_task_initial) == 0,
         "thread_end");
    thread.has_ended = true;
    --open_threads;
}

void on_parallel_begin(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *region,
                       unsigned, int flags, const void *code) {
    const char *event = "parallel_begin";
    const Thread &thread = busy_thread_of(event);
    Task &task = own_task(thread, encountering, event);
    MUST(frame != nullptr && frame->enter_frame.ptr != nullptr, event);
    MUST(region != nullptr && region->ptr == nullptr, event);
    MUST(code != nullptr, event);
    auto *own = make<Region>();
    own->encountering = &task;
    own->flags = flags;
    region->ptr = own;
    ++open_regions;
}

void on_parallel_end(ompt_data_t *data, ompt_data_t *encountering, int flags, const void *code) {
    const char *event = "parallel_end";
    const Thread &thread = busy_thread_of(event);
    const Task &task = own_task(thread, encountering, event);
    auto *region = static_cast<Region *>(data->ptr);
    MUST(region != nullptr && !region->has_ended, event);
    MUST(region == nullptr || region->encountering == &task, event);
    MUST(region == nullptr || region->flags == flags, event);
    MUST(region == nullptr || region->begun > 0, event);
    MUST(code != nullptr, event);
    if (region != nullptr) {
        region->has_ended = true;
    }
    --open_regions;
}

void begin_implicit(Thread &thread, ompt_data_t *region_data, ompt_data_t *data, unsigned threads,
                    unsigned index, int flags) {
    const char *event = "implicit_task begin";
    MUST(data != nullptr && data->ptr == nullptr, event);
    auto *task = make<Task>();
    data->ptr = task;
    task->flags = flags;
    task->has_begun = true;
    task->before = thread.current;
    thread.current = task;
    ++open_implicit;
    own_task(thread, data, event);
    ompt_data_t *asked = nullptr;
    int size = 0;
    MUST(get_parallel_info(0, &asked, &size) == 2 && asked == region_data, event);
    if ((flags & ompt_task_initial) == 0) {
        auto *region = static_cast<Region *>(region_data->ptr);
        MUST(region != nullptr && !region->has_ended, event);
        MUST(index < threads && size == static_cast<int>(threads), event);
        MUST(has_frame(false), event);
        MUST(region == nullptr || region->begun < static_cast<int>(threads), event);
    }
    if (auto *region = static_cast<Region *>(region_data->ptr)) {
        ++region->begun;
    }
}

void end_implicit(Thread &thread, ompt_data_t *data) {
    const char *event = "implicit_task end";
    Task *task = task_at(data);
    MUST(task != nullptr && task == thread.current && !task->has_ended, event);
    MUST(task == nullptr || task->depth == 0, event);
    if (task != nullptr) {
        task->has_ended = true;
        thread.current = task->before;
    }
    --open_implicit;
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                      unsigned threads, unsigned index, int flags) {
    Thread &thread = busy_thread_of("implicit_task");
    if (endpoint == ompt_scope_begin) {
        begin_implicit(thread, region, task, threads, index, flags);
    } else {
        end_implicit(thread, task);
    }
}

// ---- Constructs --------------------------------------------------------------------------------

const char *sync_event(ompt_scope_endpoint_t endpoint, Scope scope) {
    if (scope == Scope::kSync) {
        return endpoint == ompt_scope_begin ? "sync_region begin" : "sync_region end";
    }
    return endpoint == ompt_scope_begin ? "sync_region_wait begin" : "sync_region_wait end";
}

bool is_explicit_wait(ompt_sync_region_t kind) {
    return kind == ompt_sync_region_barrier_explicit ||
           kind == ompt_sync_region_barrier_implementation || kind == ompt_sync_region_taskwait;
}

void on_any_sync(Scope scope, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                 ompt_data_t *data, const void *code) {
    const char *event = sync_event(endpoint, scope);
    const Thread &thread = busy_thread_of(event);
    if (kind == ompt_sync_region_barrier_implicit_parallel) { // its end may come late
        Task *task = task_at(data);
        MUST(task != nullptr && task == thread.current && !task->has_ended, event);
        if (task != nullptr) {
            endpoint == ompt_scope_begin ? push(*task, scope, kind, event)
                                         : pop(*task, scope, kind, event);
        }
        return;
    }
    Task &task = own_task(thread, data, event);
    MUST(code != nullptr, event);
    MUST(!is_explicit_wait(kind) || has_frame(true), event);
    if (endpoint == ompt_scope_end) {
        return pop(task, scope, kind, event);
    }
    if (scope == Scope::kWait) {
        MUST(task.depth > 0 && task.open[task.depth - 1].scope == Scope::kSync &&
                 task.open[task.depth - 1].kind == kind,
             event);
    }
    push(task, scope, kind, event);
}

void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *,
             ompt_data_t *task, const void *code) {
    on_any_sync(Scope::kSync, kind, endpoint, task, code);
}
void on_sync_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *,
                  ompt_data_t *task, const void *code) {
    on_any_sync(Scope::kWait, kind, endpoint, task, code);
}

void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
             ompt_data_t *data, std::uint64_t, const void *code) {
    const char *event = endpoint == ompt_scope_begin ? "work begin" : "work end";
    const Thread &thread = busy_thread_of(event);
    Task &task = own_task(thread, data, event);
    MUST(code != nullptr && region != nullptr, event);
    if (endpoint == ompt_scope_begin) {
        // The taskgroup of a taskloop is around it.
        MUST(type != kWorkTaskloop || task.depth == 0 ||
                 task.open[task.depth - 1].scope != Scope::kWait,
             event);
        push(task, Scope::kWork, type, event);
    } else {
        pop(task, Scope::kWork, type, event);
    }
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned, unsigned, ompt_wait_id_t wait_id,
                      const void *code) {
    Thread &thread = busy_thread_of("mutex_acquire");
    MUST(wait_id != 0 && code != nullptr, "mutex_acquire");
    thread.wanted = wait_id;
    thread.wanted_kind = kind;
    thread.is_waiting = kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock;
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *code) {
    Thread &thread = thread_of("mutex_acquired");
    MUST(code != nullptr, "mutex_acquired");
    MUST(thread.wanted == wait_id && thread.wanted_kind == kind, "mutex_acquired");
    thread.is_waiting = false;
}

void on_mutex_released(ompt_mutex_t, ompt_wait_id_t wait_id, const void *code) {
    busy_thread_of("mutex_released");
    MUST(wait_id != 0 && code != nullptr, "mutex_released");
}

void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *code) {
    Thread &thread = thread_of("nest_lock");
    MUST(wait_id != 0 && code != nullptr, "nest_lock");
    if (endpoint == ompt_scope_begin) {
        MUST(thread.wanted == wait_id, "nest_lock");
        thread.is_waiting = false;
    }
}

void on_lock_init(ompt_mutex_t, unsigned, unsigned, ompt_wait_id_t wait_id, const void *code) {
    busy_thread_of("lock_init");
    MUST(wait_id != 0 && code != nullptr, "lock_init");
}
void on_lock_destroy(ompt_mutex_t, ompt_wait_id_t wait_id, const void *code) {
    busy_thread_of("lock_destroy");
    MUST(wait_id != 0 && code != nullptr, "lock_destroy");
}

// ---- Tasks -------------------------------------------------------------------------------------

void on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *data,
                    int flags, int, const void *code) {
    const char *event = "task_create";
    const Thread &thread = busy_thread_of(event);
    own_task(thread, encountering, event);
    MUST(frame != nullptr && frame->enter_frame.ptr != nullptr, event);
    MUST(data != nullptr && data->ptr == nullptr, event);
    MUST((flags & (ompt_task_explicit | ompt_task_taskwait)) != 0, event);
    MUST(code != nullptr, event);
    auto *task = make<Task>();
    task->flags = flags;
    data->ptr = task;
    ++open_tasks;
}

bool is_at_end(ompt_task_status_t status) {
    return status == ompt_task_complete || status == ompt_task_cancel ||
           status == ompt_taskwait_complete;
}

void on_task_schedule(ompt_data_t *prior_data, ompt_task_status_t status, ompt_data_t *next_data) {
    const char *event = "task_schedule";
    Task *prior = task_at(prior_data), *next = task_at(next_data);
    if (status == ompt_task_early_fulfill || status == ompt_task_late_fulfill) {
        ++events_told; // by any thread
        MUST(prior != nullptr && next_data == nullptr, event);
        if (status == ompt_task_late_fulfill) {
            --open_tasks;
        }
        return;
    }
    Thread &thread = busy_thread_of(event);
    MUST(prior != nullptr && !prior->has_ended, event);
    if (status == ompt_taskwait_complete) {
        MUST(next_data == nullptr, event);
        prior->has_ended = true;
        --open_tasks;
        return;
    }
    MUST(prior == thread.current, event);
    MUST(next != nullptr && !next->has_ended && next != prior, event);
    if (prior != nullptr && is_at_end(status)) {
        MUST(prior->depth == 0 || was_cancelled, event);
        MUST((prior->flags & ompt_task_explicit) != 0, event);
        prior->has_ended = true;
        --open_tasks;
    }
    if (next != nullptr) {
        const bool is_new = status == ompt_task_switch;
        MUST(!is_new || !next->has_begun, event);
        MUST(is_new || next->has_begun, event);
        if (is_new) {
            next->has_begun = true;
            next->before = prior;
        }
        thread.current = next;
    }
}

struct Dependence {
    ompt_data_t variable;
    int type;
};
void on_dependences(ompt_data_t *data, const Dependence *list, int count) {
    const char *event = "dependences";
    busy_thread_of(event);
    const Task *task = task_at(data);
    MUST(task != nullptr && !task->has_begun, event);
    MUST(list != nullptr && count > 0, event);
    for (int i = 0; i < count; ++i) {
        MUST(list[i].type > 0 && list[i].type <= 7, event);
    }
}

void on_cancel(ompt_data_t *data, int flags, const void *code) {
    const Thread &thread = busy_thread_of("cancel");
    own_task(thread, data, "cancel");
    MUST(flags != 0 && code != nullptr, "cancel");
    was_cancelled = true;
}

int on_control_tool(std::uint64_t, std::uint64_t, void *, const void *code) {
    busy_thread_of("control_tool");
    MUST(code != nullptr, "control_tool");
    MUST(has_frame(true), "control_tool");
    return 0;
}

// ---- Begin and end of the tool -----------------------------------------------------------------

template <class Function>
void look_up(ompt_function_lookup_t lookup, const char *name, Function &f) {
    f = reinterpret_cast<Function>(lookup(name));
    MUST(f != nullptr, "initialize");
}

template <class Function> ompt_callback_t plain(Function *function) {
    return reinterpret_cast<ompt_callback_t>(function);
}

void set_callbacks(ompt_set_callback_t set) {
    const struct {
        int event;
        ompt_callback_t function;
    } rows[] = {
        {ompt_callback_thread_begin, plain(on_thread_begin)},
        {ompt_callback_thread_end, plain(on_thread_end)},
        {ompt_callback_parallel_begin, plain(on_parallel_begin)},
        {ompt_callback_parallel_end, plain(on_parallel_end)},
        {ompt_callback_task_create, plain(on_task_create)},
        {ompt_callback_task_schedule, plain(on_task_schedule)},
        {ompt_callback_implicit_task, plain(on_implicit_task)},
        {ompt_callback_control_tool, plain(on_control_tool)},
        {ompt_callback_sync_region_wait, plain(on_sync_wait)},
        {ompt_callback_mutex_released, plain(on_mutex_released)},
        {ompt_callback_dependences, plain(on_dependences)},
        {ompt_callback_work, plain(on_work)},
        {ompt_callback_sync_region, plain(on_sync)},
        {ompt_callback_lock_init, plain(on_lock_init)},
        {ompt_callback_lock_destroy, plain(on_lock_destroy)},
        {ompt_callback_mutex_acquire, plain(on_mutex_acquire)},
        {ompt_callback_mutex_acquired, plain(on_mutex_acquired)},
        {ompt_callback_nest_lock, plain(on_nest_lock)},
        {ompt_callback_cancel, plain(on_cancel)},
    };
    for (const auto &row : rows) {
        MUST(set(row.event, row.function) >= ompt_set_sometimes, "initialize");
    }
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t *) {
    const char *path = getenv("OCB_VALIDATE");
    file = path != nullptr ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
    if (file < 0) {
        return 0;
    }
    ompt_set_callback_t set = nullptr;
    look_up(lookup, "ompt_set_callback", set);
    look_up(lookup, "ompt_get_thread_data", get_thread_data);
    look_up(lookup, "ompt_get_state", get_state);
    look_up(lookup, "ompt_get_parallel_info", get_parallel_info);
    look_up(lookup, "ompt_get_task_info", get_task_info);
    look_up(lookup, "ompt_enumerate_states", enumerate_states);
    const char *name = nullptr;
    for (int state = ompt_state_undefined; enumerate_states(state, &state, &name) != 0;) {
        is_listed[state & 0x1ff] = true;
    }
    set_callbacks(set);
    return 1;
}

void finalize(ompt_data_t *) {
    is_over = true;
    write_line("open regions %ld tasks %ld implicit %ld threads %ld%s", open_regions.load(),
               open_tasks.load(), open_implicit.load(), open_threads.load(),
               was_cancelled ? " cancelled" : "");
    write_line("end events %ld breaches %ld", events_told.load(), breaches.load());
}

} // namespace

extern "C" __attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned, const char *) {
    static ompt_start_tool_result_t result{initialize, finalize, {0}};
    return &result;
}
