// SPDX-License-Identifier: Apache-2.0
// The recorder in the generations with ompt_start_tool.
#include "recorder.h"

#include "spec/tr6.h"

#include <atomic>

using namespace ocb::ompt5;
using recorder::write_line;

namespace {

bool is_tr6 = false;
ompt_get_parallel_info_t get_parallel_info;
ompt_get_task_info_t get_task_info;

const char *end_of(ompt_scope_endpoint_t endpoint) {
    return endpoint == ompt_scope_begin ? "begin" : "end";
}

std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1) + 1;
}

void on_thread_begin(ompt_thread_t type, ompt_data_t *data) {
    data->value = next_id();
    write_line("thread_begin %d", type);
}

void on_thread_end(ompt_data_t *data) {
    write_line(data->value != 0 ? "thread_end" : "thread_end of an unknown thread");
}

void on_parallel_begin(ompt_data_t *, const ompt_frame_t *frame, ompt_data_t *region,
                       unsigned requested, int, const void *) {
    region->value = next_id();
    const auto *addresses = reinterpret_cast<const ocb::ompt_tr6::ompt_frame_t *>(frame);
    write_line("parallel_begin %u%s", requested,
               addresses->enter_frame != nullptr ? "" : " without an enter frame");
}

void on_parallel_end(ompt_data_t *, ompt_data_t *, int, const void *) {
    write_line("parallel_end");
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                      unsigned size, unsigned num, int flags) {
    if (endpoint == ompt_scope_begin) {
        task->value = next_id();
    }
    const bool is_initial = !is_tr6 && (flags & ompt_task_initial) != 0;
    write_line("implicit_task %s %s size %u num %u region %d", end_of(endpoint),
               is_initial ? "initial" : "implicit", size, num, region != nullptr);
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
                    ompt_data_t *, const void *) {
    write_line("sync_region %d %s region %d", kind, end_of(endpoint), region != nullptr);
}

void on_sync_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *,
                  ompt_data_t *, const void *) {
    write_line("sync_wait %d %s", kind, end_of(endpoint));
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned, unsigned, ompt_wait_id_t, const void *) {
    write_line("mutex_acquire %d", kind);
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t, const void *) {
    write_line("mutex_acquired %d", kind);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t, const void *) {
    write_line("mutex_released %d", kind);
}

void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t, const void *) {
    write_line("nest_lock %s", end_of(endpoint));
}

void on_task_create(ompt_data_t *, const ompt_frame_t *, ompt_data_t *task, int flags, int,
                    const void *) {
    task->value = next_id();
    write_line("task_create %#x", static_cast<unsigned>(flags));
}

void on_task_schedule(ompt_data_t *, ompt_task_status_t status, ompt_data_t *) {
    write_line("task_schedule %d", status);
}

void on_31(int first, int second) {
    if (is_tr6) {
        write_line("idle %s", end_of(static_cast<ompt_scope_endpoint_t>(first)));
    } else {
        write_line("reduction %s", end_of(static_cast<ompt_scope_endpoint_t>(second)));
    }
}

constexpr int kAnswer = 42;

int on_control(std::uint64_t command, std::uint64_t modifier, void *, const void *) {
    write_line("control %llu %llu", static_cast<unsigned long long>(command),
               static_cast<unsigned long long>(modifier));
    return kAnswer;
}

std::uint64_t region_at(int level) {
    ompt_data_t *data = nullptr;
    int size = 0;
    return get_parallel_info(level, &data, &size) != 0 ? data->value : 0;
}

int size_at(int level) {
    ompt_data_t *data = nullptr;
    int size = 0;
    return get_parallel_info(level, &data, &size) != 0 ? size : -1;
}

std::uint64_t task_at(int level) {
    ompt_data_t *data = nullptr;
    const int found = get_task_info(level, nullptr, &data, nullptr, nullptr, nullptr);
    return found != 0 ? data->value : 0;
}

void set_up(ompt_function_lookup_t lookup) {
    const auto set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
    const auto set = [&](int callback, auto function) {
        const int result = set_callback(callback, reinterpret_cast<ompt_callback_t>(function));
        if (result != (is_tr6 ? 4 : 5)) {
            write_line("callback %d: answer %d", callback, result);
        }
    };
    set(ompt_callback_thread_begin, on_thread_begin);
    set(ompt_callback_thread_end, on_thread_end);
    set(ompt_callback_parallel_begin, on_parallel_begin);
    set(ompt_callback_parallel_end, on_parallel_end);
    set(ompt_callback_implicit_task, on_implicit_task);
    set(ompt_callback_sync_region, on_sync_region);
    set(ompt_callback_sync_region_wait, on_sync_wait);
    set(ompt_callback_mutex_acquire, on_mutex_acquire);
    set(ompt_callback_mutex_acquired, on_mutex_acquired);
    set(ompt_callback_mutex_released, on_mutex_released);
    set(ompt_callback_nest_lock, on_nest_lock);
    set(ompt_callback_task_create, on_task_create);
    set(ompt_callback_task_schedule, on_task_schedule);
    set(ompt_callback_reduction, on_31);
    set(ompt_callback_control_tool, on_control);
    get_parallel_info =
        reinterpret_cast<ompt_get_parallel_info_t>(lookup("ompt_get_parallel_info"));
    get_task_info = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));
    recorder::inquiry = {reinterpret_cast<ompt_get_state_t>(lookup("ompt_get_state")), region_at,
                         size_at, task_at};
}

void finalize(ompt_data_t *) {
    write_line("finalize");
}

ompt_start_tool_result_t result;

// The second argument is a number in OpenMP 5, an address before.
int initialize(ompt_function_lookup_t lookup, std::uintptr_t second, std::uintptr_t third) {
    is_tr6 = second == reinterpret_cast<std::uintptr_t>(&result.tool_data);
    if (second == reinterpret_cast<std::uintptr_t>(&result)) {
        write_line("initialize tr4");
        return 0;
    }
    const bool has_data = is_tr6 || third == reinterpret_cast<std::uintptr_t>(&result.tool_data);
    write_line("initialize %s%s", is_tr6 ? "tr6" : "5", has_data ? "" : " with other data");
    set_up(lookup);
    return 1;
}

} // namespace

extern "C" ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    write_line("start_tool %u%s", version, runtime != nullptr ? "" : " without a name");
    result.initialize = reinterpret_cast<ompt_initialize_t>(reinterpret_cast<void *>(&initialize));
    result.finalize = finalize;
    return &result;
}
