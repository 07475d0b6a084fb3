// SPDX-License-Identifier: Apache-2.0
// The recorder in TR2, the draft after it and the form of 2014. Which of them it is the name of the
// runtime tells; the order of the arguments is the one that MINI_OMP_ARGUMENT_ORDER asks for.
#include "recorder.h"

#include "spec/tr2.h"

#include <cstdlib>
#include <cstring>

using namespace ocb::ompt_tr2;
using recorder::write_line;

namespace {

ompt_get_parallel_id_t get_parallel_id;
ompt_get_parallel_team_size_t get_team_size;
ompt_get_parallel_info_t get_parallel_info;
ompt_get_task_id_t get_task_id;
ompt_get_task_info_t get_task_info;

// An event in common terms: begin and end are numbers next to each other.
template <int kEvent> void on_pair(std::uint64_t first, std::uint64_t second) {
    static constexpr const char *kNames[] = {"idle", "wait_barrier", "wait_taskwait",
                                             "wait_taskgroup"};
    static_assert(kEvent >= ompt_event_idle_begin && kEvent <= ompt_event_wait_taskgroup_end);
    constexpr int kPair = (kEvent - ompt_event_idle_begin) / 2;
    constexpr bool kHasTask = kPair > 0;
    write_line("%s %s%s", kNames[kPair],
               (kEvent - ompt_event_idle_begin) % 2 == 0 ? "begin" : "end",
               first == 0 || (kHasTask && second == 0) ? " without an id" : "");
}

template <int kEvent> void on_parallel_pair(ompt_parallel_id_t region, ompt_task_id_t task) {
    write_line("event %d%s", kEvent, region == 0 || task == 0 ? " without an id" : "");
}

template <int kEvent> void on_wait(ompt_wait_id_t wait_id) {
    write_line("event %d%s", kEvent, wait_id == 0 ? " without an id" : "");
}

void on_thread_begin(ompt_thread_type_t type, ompt_thread_id_t id) {
    write_line("thread_begin %d%s", type, id == 0 ? " without an id" : "");
}

void on_thread_end(ompt_thread_type_t type, ompt_thread_id_t) {
    write_line("thread_end %d", type);
}

void on_parallel_begin(ompt_task_id_t, const ompt_frame_t *frame, ompt_parallel_id_t,
                       std::uint32_t requested, const void *function, ompt_invoker_t) {
    write_line("parallel_begin %u%s%s", requested,
               frame->reenter_runtime_frame != nullptr ? "" : " without a reenter frame",
               function != nullptr ? "" : " without a function");
}

void on_parallel_end(ompt_parallel_id_t, ompt_task_id_t, ompt_invoker_t) {
    write_line("parallel_end");
}

void on_task_begin(ompt_task_id_t parent, const ompt_frame_t *, ompt_task_id_t task, const void *) {
    write_line("task_begin%s", parent != 0 && task != 0 ? "" : " without an id");
}

void on_task_end(ompt_task_id_t) {
    write_line("task_end");
}

void on_task_switch(ompt_task_id_t first, ompt_task_id_t) {
    write_line("task_switch from %s", first != 0 ? "a task" : "none");
}

void on_control(std::uint64_t command, std::uint64_t modifier) {
    write_line("control %llu %llu", static_cast<unsigned long long>(command),
               static_cast<unsigned long long>(modifier));
}

void on_shutdown() {
    write_line("finalize");
}

ompt_set_callback_t set_callback;

template <class Function> void set(int event, Function function) {
    const int result = set_callback(event, reinterpret_cast<ompt_callback_t>(function));
    if (result != ompt_set_always) {
        write_line("event %d: answer %d", event, result);
    }
}

template <int kFirst, int kLast> void set_pairs() {
    set(kFirst, on_pair<kFirst>);
    if constexpr (kFirst < kLast) {
        set_pairs<kFirst + 1, kLast>();
    }
}

template <int kFirst, int kLast> void set_parallel_pairs() {
    set(kFirst, on_parallel_pair<kFirst>);
    if constexpr (kFirst < kLast) {
        set_parallel_pairs<kFirst + 1, kLast>();
    }
}

template <int kFirst, int kLast> void set_waits() {
    set(kFirst, on_wait<kFirst>);
    if constexpr (kFirst < kLast) {
        set_waits<kFirst + 1, kLast>();
    }
}

std::uint64_t region_at(int level) {
    if (get_parallel_id != nullptr) {
        return get_parallel_id(level);
    }
    ompt_parallel_id_t id = 0;
    int size = 0;
    return get_parallel_info(level, &id, &size) != 0 ? id : 0;
}

int size_at(int level) {
    if (get_team_size != nullptr) {
        return get_team_size(level);
    }
    ompt_parallel_id_t id = 0;
    int size = 0;
    return get_parallel_info(level, &id, &size) != 0 ? size : -1;
}

std::uint64_t task_at(int level) {
    if (get_task_id != nullptr) {
        return get_task_id(level);
    }
    ompt_task_id_t id = 0;
    return get_task_info(level, nullptr, &id, nullptr, nullptr) != 0 ? id : 0;
}

template <class F> void find(ompt_function_lookup_t lookup, const char *name, F &function) {
    function = reinterpret_cast<F>(lookup(name));
}

void set_up(ompt_function_lookup_t lookup, const char *runtime, unsigned version) {
    const char *last_word = runtime != nullptr ? std::strrchr(runtime, ' ') : nullptr;
    write_line("initialize version %u of %s", version, last_word != nullptr ? last_word + 1 : "?");
    find(lookup, "ompt_set_callback", set_callback);
    set(ompt_event_thread_begin, on_thread_begin);
    set(ompt_event_thread_end, on_thread_end);
    set(ompt_event_parallel_begin, on_parallel_begin);
    set(ompt_event_parallel_end, on_parallel_end);
    set(ompt_event_task_begin, on_task_begin);
    set(ompt_event_task_end, on_task_end);
    set(ompt_event_task_switch, on_task_switch);
    set(ompt_event_control, on_control);
    set(ompt_event_runtime_shutdown, on_shutdown);
    set_pairs<ompt_event_idle_begin, ompt_event_wait_taskgroup_end>();
    set_waits<ompt_event_release_lock, ompt_event_release_ordered>();
    set_waits<ompt_event_release_nest_lock_prev, ompt_event_acquired_ordered>();
    set_parallel_pairs<ompt_event_implicit_task_begin, ompt_event_implicit_task_end>();
    set_parallel_pairs<ompt_event_barrier_begin, ompt_event_taskgroup_end>();
    find(lookup, "ompt_get_parallel_id", get_parallel_id);
    find(lookup, "ompt_get_parallel_team_size", get_team_size);
    find(lookup, "ompt_get_parallel_info", get_parallel_info);
    find(lookup, "ompt_get_task_id", get_task_id);
    find(lookup, "ompt_get_task_info", get_task_info);
    recorder::inquiry.region = region_at;
    recorder::inquiry.size = size_at;
    recorder::inquiry.task = task_at;
    find(lookup, "ompt_get_state", recorder::inquiry.get_state);
}

void initialize_lookup_last(const char *runtime, unsigned version, ompt_function_lookup_t lookup) {
    set_up(lookup, runtime, version);
}

void initialize_lookup_first(ompt_function_lookup_t lookup, const char *runtime, unsigned version) {
    set_up(lookup, runtime, version);
}

} // namespace

extern "C" ompt_initialize_fn_t ompt_tool() {
    write_line("tool");
    const char *order = std::getenv("MINI_OMP_ARGUMENT_ORDER");
    if (order != nullptr && std::strcmp(order, "version-first") == 0) {
        return reinterpret_cast<ompt_initialize_fn_t>(
            reinterpret_cast<void *>(&initialize_lookup_last));
    }
    return initialize_lookup_first;
}

extern "C" int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime,
                               unsigned version) {
    set_up(lookup, runtime, version);
    return 1;
}
