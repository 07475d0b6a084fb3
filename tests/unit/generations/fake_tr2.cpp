// SPDX-License-Identifier: Apache-2.0
#include "fake_tr2.h"

#include <atomic>
#include <cstring>

extern "C" ocb::ompt_tr2::ompt_interface_fn_t ompt_tool();
extern "C" int ompt_initialize(std::uintptr_t first, std::uintptr_t second, std::uintptr_t third);

namespace ocb::test::tr2 {

Settings settings;

namespace {

constexpr int kEvents = 71;
std::atomic<ompt_callback_t> callbacks[kEvents];
thread_local ThreadModel model;

int set_callback(int event, ompt_callback_t callback) {
    if (event <= 0 || event >= kEvents || !settings.is_initializing) {
        return ompt_set_error;
    }
    if (settings.refused.count(event) != 0) {
        return ompt_set_no_callback;
    }
    callbacks[event].store(callback);
    return ompt_set_always;
}

int get_state(ompt_wait_id_t *wait_id) {
    *wait_id = model.wait_id;
    return model.state;
}

ompt_thread_id_t get_thread_id() {
    return model.id;
}

ompt_parallel_id_t get_parallel_id(int level) {
    return level >= 0 && level < 8 ? model.regions[level] : 0;
}

int get_parallel_team_size(int level) {
    return get_parallel_id(level) != 0 || level == 0 ? model.team_size : -1;
}

std::uint32_t get_parallel_info(int level, ompt_parallel_id_t *id, int *team_size) {
    *id = get_parallel_id(level);
    *team_size = model.team_size;
    return *id != 0 ? 1 : 0;
}

template <class F> ompt_interface_fn_t plain(F function) {
    return reinterpret_cast<ompt_interface_fn_t>(function);
}

} // namespace

void reset() {
    settings = {};
    for (auto &callback : callbacks) {
        callback.store(nullptr);
    }
    model = {};
}

ompt_interface_fn_t lookup(const char *name) {
    const struct {
        const char *name;
        ompt_interface_fn_t function;
        bool is_there;
    } entries[] = {
        {"ompt_set_callback", plain(set_callback), true},
        {"ompt_get_state", plain(get_state), true},
        {"ompt_get_thread_id", plain(get_thread_id), true},
        {"ompt_get_parallel_id", plain(get_parallel_id), !settings.is_draft},
        {"ompt_get_parallel_team_size", plain(get_parallel_team_size), !settings.is_draft},
        {"ompt_get_parallel_info", plain(get_parallel_info), settings.is_draft},
    };
    if (settings.answers_no_lookup) {
        return nullptr;
    }
    if (settings.answers_every_lookup) {
        return plain(get_thread_id);
    }
    for (const auto &entry : entries) {
        if (entry.is_there && std::strcmp(entry.name, name) == 0) {
            return entry.function;
        }
    }
    return nullptr;
}

Initializer ask_for_tool() {
    return reinterpret_cast<Initializer>(ompt_tool());
}

namespace {

void run(Initializer initializer, std::uintptr_t first, std::uintptr_t second,
         std::uintptr_t third) {
    settings.is_initializing = true;
    initializer(first, second, third);
    settings.is_initializing = false;
}

} // namespace

void run_initializer(Initializer initializer) {
    run(initializer, reinterpret_cast<std::uintptr_t>(lookup),
        reinterpret_cast<std::uintptr_t>(kVersion), 2);
}

void initialize(std::uintptr_t first, std::uintptr_t second, std::uintptr_t third) {
    if (const Initializer initializer = ask_for_tool(); initializer != nullptr) {
        run(initializer, first, second, third);
    }
}

bool attach(Order order) {
    const auto entry = reinterpret_cast<std::uintptr_t>(lookup);
    const auto version = reinterpret_cast<std::uintptr_t>(kVersion);
    if (order == Order::kLookupFirst) {
        initialize(entry, version, 2);
    } else {
        initialize(version, 2, entry);
    }
    return count_of_callbacks() > 0;
}

bool attach_2014() {
    settings.is_initializing = true;
    const int stays = ompt_initialize(reinterpret_cast<std::uintptr_t>(lookup),
                                      reinterpret_cast<std::uintptr_t>(kVersion), 1);
    settings.is_initializing = false;
    return stays == 1;
}

void shut_down() {
    tell<ompt_callback_t>(ompt_event_runtime_shutdown);
    for (auto &callback : callbacks) {
        callback.store(nullptr);
    }
}

bool has_callback(int event) {
    return callback_of(event) != nullptr;
}

int count_of_callbacks() {
    int count = 0;
    for (int event = 0; event < kEvents; ++event) {
        count += has_callback(event) ? 1 : 0;
    }
    return count;
}

ompt_callback_t callback_of(int event) {
    return callbacks[event].load();
}

ThreadModel &caller() {
    return model;
}

void thread_begins(ompt_thread_type_t type, ompt_thread_id_t id) {
    model = {};
    model.id = id;
    tell<ompt_thread_type_callback_t>(ompt_event_thread_begin, type, id);
}

void thread_ends(ompt_thread_type_t type) {
    tell<ompt_thread_type_callback_t>(ompt_event_thread_end, type, model.id);
    model = {};
}

void idle(bool begins) {
    model.state = begins ? ompt_state_idle : ompt_state_overhead;
    tell<ompt_thread_callback_t>(begins ? ompt_event_idle_begin : ompt_event_idle_end, model.id);
}

void fork(ompt_parallel_id_t region, const void *function) {
    model.state = ompt_state_overhead;
    tell<ompt_parallel_begin_callback_t>(ompt_event_parallel_begin, ompt_task_id_t{1}, nullptr,
                                         region, 2U, function, ompt_invoker_runtime);
}

void enter(ompt_parallel_id_t region, ompt_task_id_t task) {
    std::memmove(model.regions + 1, model.regions, sizeof model.regions - sizeof region);
    model.regions[0] = region;
    tell<ompt_parallel_callback_t>(ompt_event_implicit_task_begin, region, task);
    model.state = ompt_state_work_parallel;
}

void leave(ompt_parallel_id_t region, ompt_task_id_t task) {
    model.state = ompt_state_overhead;
    tell<ompt_parallel_callback_t>(ompt_event_implicit_task_end, region, task);
    std::memmove(model.regions, model.regions + 1, sizeof model.regions - sizeof region);
}

void join(ompt_parallel_id_t region) {
    tell<ompt_parallel_end_callback_t>(ompt_event_parallel_end, region, ompt_task_id_t{1},
                                       ompt_invoker_runtime);
    model.state = model.regions[0] != 0 ? ompt_state_work_parallel : ompt_state_work_serial;
}

void barrier(bool begins, ompt_parallel_id_t region) {
    if (begins) {
        tell<ompt_sync_callback_t>(ompt_event_barrier_begin, region, ompt_task_id_t{2}, nullptr);
    } else {
        tell<ompt_parallel_callback_t>(ompt_event_barrier_end, region, ompt_task_id_t{2});
    }
}

void wait_barrier(bool begins, ompt_parallel_id_t region, int state) {
    model.state = begins ? state : static_cast<int>(ompt_state_work_parallel);
    tell<ompt_parallel_callback_t>(begins ? ompt_event_wait_barrier_begin
                                          : ompt_event_wait_barrier_end,
                                   region, ompt_task_id_t{2});
}

void mutex(int event, ompt_wait_id_t wait_id) {
    tell<ompt_wait_callback_t>(event, wait_id);
}

void task_begins(ompt_task_id_t task) {
    tell<ompt_task_begin_callback_t>(ompt_event_task_begin, ompt_task_id_t{2}, nullptr, task,
                                     nullptr);
}

void task_ends(ompt_task_id_t task) {
    tell<ompt_task_callback_t>(ompt_event_task_end, task);
}

void task_switches(ompt_task_id_t from, ompt_task_id_t to) {
    tell<ompt_task_pair_callback_t>(ompt_event_task_switch, from, to);
}

void control(std::uint64_t command) {
    tell<ompt_control_callback_t>(ompt_event_control, command, std::uint64_t{0});
}

} // namespace ocb::test::tr2
