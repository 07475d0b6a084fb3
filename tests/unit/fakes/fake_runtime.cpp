// SPDX-License-Identifier: Apache-2.0
// The fake runtime's model, threads and regions (fake_constructs.cpp has the rest). All tables are
// static and of fixed size: the entry points are asked in signal-safe requests, whose allocations
// are counted.
#include "fake_runtime.h"

#include "fake_reports.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ocb::test {

using namespace ompt5;

namespace {

constexpr int kCallbackSlots = 64;
constexpr const char *kRuntimeVersion = "LLVM OMP version: 5.0.20140926";
constexpr unsigned kOmpVersion = 201611;

Flavour the_flavour = Flavour::kLibomp19;
std::atomic<ompt_callback_t> callbacks[kCallbackSlots];
bool is_never[kCallbackSlots];
const char *left_out = nullptr;
std::function<void()> inside_set_callback;

thread_local ThreadModel model;

int set_callback(int event, ompt_callback_t callback) {
    if (event <= 0 || event >= kCallbackSlots) {
        return ompt_set_error;
    }
    if (is_never[event]) {
        return ompt_set_never;
    }
    if (inside_set_callback) {
        inside_set_callback();
    }
    callbacks[event].store(callback, std::memory_order_release);
    return ompt_set_always;
}

int get_state(ompt_wait_id_t *wait_id) {
    if (!model.is_known) {
        return ompt_state_work_serial; // and *wait_id stays as it is
    }
    if (wait_id != nullptr) {
        *wait_id = model.wait_id;
    }
    return model.state;
}

ompt_data_t *get_thread_data() {
    return model.is_known ? &model.thread_data : nullptr;
}

int get_task_info(int ancestor, int *flags, ompt_data_t **task_data, ompt_frame_t **frame,
                  ompt_data_t **parallel_data, int *thread_num) {
    if (!model.is_known || ancestor < 0 || ancestor >= model.depth) {
        // libomp 7 to 9 crash where thread_num is asked of a level that is not there.
        if (thread_num != nullptr && model.is_known) {
            std::abort();
        }
        return 0;
    }
    TaskLevel &level = model.levels[model.depth - 1 - ancestor];
    if (flags != nullptr) {
        *flags = level.flags;
    }
    if (task_data != nullptr) {
        *task_data = &level.task_data;
    }
    if (frame != nullptr) {
        *frame = level.frame;
    }
    if (parallel_data != nullptr) {
        *parallel_data = level.parallel_data;
    }
    if (thread_num != nullptr) {
        *thread_num = level.thread_num;
    }
    return 2;
}

int get_parallel_info(int ancestor, ompt_data_t **parallel_data, int *team_size) {
    for (int i = model.depth; model.is_known && i-- > 0;) {
        const TaskLevel &level = model.levels[i];
        if ((level.flags & ompt_task_explicit) != 0 || ancestor-- != 0) {
            continue;
        }
        *parallel_data = level.parallel_data;
        *team_size = level.team_size;
        return 2;
    }
    return 0;
}

template <class F> ompt_interface_fn_t plain(F function) {
    return reinterpret_cast<ompt_interface_fn_t>(function);
}

ompt_interface_fn_t lookup(const char *name) {
    const struct {
        const char *name;
        ompt_interface_fn_t function;
    } entries[] = {
        {"ompt_set_callback", plain(set_callback)},
        {"ompt_get_state", plain(get_state)},
        {"ompt_get_thread_data", plain(get_thread_data)},
        {"ompt_get_task_info", plain(get_task_info)},
        {"ompt_get_parallel_info", plain(get_parallel_info)},
    };
    for (const auto &entry : entries) {
        if (std::strcmp(entry.name, name) == 0 &&
            (left_out == nullptr || std::strcmp(left_out, name) != 0)) {
            return entry.function;
        }
    }
    return nullptr;
}

ompt_sync_region_t kind_of(Barrier barrier) {
    const bool is_new = the_flavour == Flavour::kLibomp19;
    switch (barrier) {
    case Barrier::kExplicit:
        return ompt_sync_region_barrier_explicit;
    case Barrier::kWorkshare:
        return is_new ? ompt_sync_region_barrier_implicit_workshare
                      : ompt_sync_region_barrier_implicit;
    case Barrier::kImplementation:
        return ompt_sync_region_barrier_implementation;
    case Barrier::kRegionEnd:
        return is_new ? ompt_sync_region_barrier_implicit_parallel
                      : ompt_sync_region_barrier_implicit;
    case Barrier::kTeams:
        return is_new ? ompt_sync_region_barrier_teams : ompt_sync_region_barrier_implicit;
    case Barrier::kTaskWait:
        return ompt_sync_region_taskwait;
    case Barrier::kTaskGroup:
        return ompt_sync_region_taskgroup;
    }
    return ompt_sync_region_barrier;
}

bool is_pool_worker() {
    return model.is_worker && model.depth == 1;
}

void fire_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data, unsigned actual,
                        unsigned index, int flags) {
    ompt_data_t none{};
    ompt_data_t *task_data = model.depth > 0 ? &model.innermost().task_data : &none;
    fire<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, endpoint, parallel_data,
                                        task_data, actual, index, flags);
}

} // namespace

Flavour flavour() {
    return the_flavour;
}

ompt_callback_t callback_of(int callback) {
    return callbacks[callback].load(std::memory_order_acquire);
}

int state_of(Barrier barrier) {
    const bool is_new = the_flavour == Flavour::kLibomp19;
    switch (barrier) {
    case Barrier::kExplicit:
        return is_new ? ompt_state_wait_barrier_explicit : ompt_state_wait_barrier;
    case Barrier::kWorkshare:
        return is_new ? ompt_state_wait_barrier_implicit_workshare : ompt_state_wait_barrier;
    case Barrier::kImplementation:
        return is_new ? ompt_state_wait_barrier_implementation : ompt_state_wait_barrier;
    case Barrier::kRegionEnd:
        return is_new ? ompt_state_wait_barrier_implicit_parallel
                      : ompt_state_wait_barrier_implicit;
    case Barrier::kTeams:
        return is_new ? ompt_state_wait_barrier_teams : ompt_state_wait_barrier_implicit;
    case Barrier::kTaskWait:
    case Barrier::kTaskGroup:
        return ompt_state_work_parallel;
    }
    return ompt_state_undefined;
}

void report_sync(Barrier barrier, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                 const void *code) {
    const ompt_sync_region_t kind = kind_of(barrier);
    ompt_data_t *task_data = model.depth > 0 ? &model.innermost().task_data : nullptr;
    const auto around = [&] {
        fire<ompt_callback_sync_region_t>(ompt_callback_sync_region, kind, endpoint, parallel_data,
                                          task_data, code);
    };
    if (endpoint == ompt_scope_begin) {
        around();
    }
    fire<ompt_callback_sync_region_t>(ompt_callback_sync_region_wait, kind, endpoint, parallel_data,
                                      task_data, code);
    if (endpoint == ompt_scope_end) {
        around();
    }
}

ThreadModel &caller() {
    return model;
}

FakeRuntime::FakeRuntime(Flavour which) {
    the_flavour = which;
    left_out = nullptr;
    inside_set_callback = nullptr;
    for (int i = 0; i < kCallbackSlots; ++i) {
        callbacks[i].store(nullptr, std::memory_order_relaxed);
        is_never[i] = false;
    }
}

FakeRuntime::~FakeRuntime() {
    finalize();
}

bool FakeRuntime::attach() {
    tool_ = ompt_start_tool(kOmpVersion, kRuntimeVersion);
    is_up_ = tool_ != nullptr && tool_->initialize(lookup, 0, &tool_->tool_data) != 0;
    return is_up_;
}

void FakeRuntime::finalize() {
    if (is_up_) {
        tool_->finalize(&tool_->tool_data);
    }
    is_up_ = false;
    for (auto &callback : callbacks) {
        callback.store(nullptr, std::memory_order_release);
    }
}

void FakeRuntime::leave_out(const char *entry_point) {
    left_out = entry_point;
}

void FakeRuntime::never_call(int callback) {
    is_never[callback] = true;
}

void FakeRuntime::at_set_callback(std::function<void()> what) {
    inside_set_callback = std::move(what);
}

bool FakeRuntime::has_callback(int callback) {
    return callbacks[callback].load(std::memory_order_acquire) != nullptr;
}

int FakeRuntime::count_of_callbacks() {
    int count = 0;
    for (int i = 0; i < kCallbackSlots; ++i) {
        count += has_callback(i) ? 1 : 0;
    }
    return count;
}

bool reports_initial_tasks = true;

void user_thread_begins() {
    model = ThreadModel{};
    model.is_known = true;
    model.state = ompt_state_overhead;
    fire<ompt_callback_thread_begin_t>(ompt_callback_thread_begin, ompt_thread_initial,
                                       &model.thread_data);
    TaskLevel level;
    level.flags = ompt_task_initial;
    level.parallel_data = &model.initial_data;
    model.enter(level);
    if (reports_initial_tasks) {
        fire_implicit_task(ompt_scope_begin, &model.initial_data, 1, 1, ompt_task_initial);
    }
    model.state = ompt_state_work_serial;
}

void user_thread_ends() {
    if (reports_initial_tasks) {
        fire_implicit_task(ompt_scope_end, &model.initial_data, 0, 1, ompt_task_initial);
    }
    fire<ompt_callback_thread_end_t>(ompt_callback_thread_end, &model.thread_data);
    model = ThreadModel{};
}

void worker_begins() {
    model = ThreadModel{};
    model.is_known = true;
    model.is_worker = true;
    model.state = ompt_state_overhead;
    fire<ompt_callback_thread_begin_t>(ompt_callback_thread_begin, ompt_thread_worker,
                                       &model.thread_data);
    model.state = ompt_state_idle;
}

void worker_ends() {
    if (model.owes_region_end) {
        model.depth = 0; // at shutdown the team is gone
        report_region_end();
    }
    fire<ompt_callback_thread_end_t>(ompt_callback_thread_end, &model.thread_data);
    model = ThreadModel{};
}

FakeRegion::FakeRegion(unsigned team_size, int flags) : team_size_(team_size), flags_(flags) {}

void FakeRegion::fork() {
    // The tool's data lies on the stack here; its value is copied into the team afterwards.
    ompt_data_t on_stack{};
    // A worker may begin one in a callback outside of any team.
    ompt_data_t *task = model.depth > 0 ? &model.innermost().task_data : &model.initial_data;
    fire<ompt_callback_parallel_begin_t>(ompt_callback_parallel_begin, task,
                                         static_cast<const ompt_frame_t *>(nullptr), &on_stack,
                                         team_size_, flags_, kUserCode);
    data_.value = on_stack.value;
}

void FakeRegion::enter(unsigned thread_num) {
    const bool owes = model.owes_region_end;
    if (model.is_worker && thread_num != 0) {
        model.depth = 0; // a pool thread has nothing below the region it works for
    }
    TaskLevel level;
    level.flags = is_league() ? ompt_task_initial : ompt_task_implicit;
    level.thread_num = static_cast<int>(thread_num);
    level.team_size = static_cast<int>(team_size_);
    level.parallel_data = &data_;
    model.enter(level);
    if (owes) { // the late report finds the next region's data in the runtime
        report_region_end();
    }
    if (team_size_ > 1) {
        model.state = ompt_state_work_parallel;
    }
    fire_implicit_task(ompt_scope_begin, &data_, team_size_, thread_num, level.flags);
    model.state = ompt_state_work_parallel;
}

void FakeRegion::arrive() {
    const bool is_worker = is_pool_worker();
    model.state = ompt_state_overhead;
    report_sync(Barrier::kRegionEnd, ompt_scope_begin, &data_, is_worker ? nullptr : kUserCode);
    model.state = state_of(Barrier::kRegionEnd);
    model.owes_region_end = is_worker;
}

void FakeRegion::leave() {
    model.state = ompt_state_overhead;
    if (team_size_ > 1 && !is_league()) {
        report_sync(Barrier::kRegionEnd, ompt_scope_end, nullptr, kUserCode);
    }
    fire_implicit_task(ompt_scope_end, nullptr, team_size_, 0, model.innermost().flags);
}

void FakeRegion::join() {
    const bool is_serialized = team_size_ == 1;
    // In a serialized region the ending region is still there, in a real team no more.
    if (!is_serialized) {
        --model.depth;
    }
    const int below = is_serialized ? model.depth - 2 : model.depth - 1;
    ompt_data_t *encountering = below >= 0 ? &model.levels[below].task_data : &model.initial_data;
    fire<ompt_callback_parallel_end_t>(ompt_callback_parallel_end, &data_, encountering, flags_,
                                       kUserCode);
    if (is_serialized) {
        --model.depth;
    }
    model.state = model.depth > 1 ? ompt_state_work_parallel : ompt_state_work_serial;
}

void FakeRegion::begin_on_master() {
    fork();
    enter(0);
}

void FakeRegion::end_on_master() {
    if (team_size_ > 1 && !is_league()) {
        arrive();
    }
    leave();
    join();
}

void report_region_end() {
    model.owes_region_end = false;
    report_sync(Barrier::kRegionEnd, ompt_scope_end, nullptr, nullptr);
    const unsigned index =
        model.depth > 0 ? static_cast<unsigned>(model.innermost().thread_num) : 1;
    fire_implicit_task(ompt_scope_end, nullptr, 0, index, ompt_task_implicit);
    model.state = ompt_state_idle;
}

} // namespace ocb::test
