// SPDX-License-Identifier: Apache-2.0
//
// The generations in which the runtime deals 64-bit ids: the form of 2014, TR2 and the draft after
// it. Which inquiry functions there are differs; the first that is found serves.
#include "interface.h"
#include "tool.h"

#include "spec/tr2.h"

#include <set>

namespace compliance {
namespace {

using namespace ocb::ompt_tr2;

Frame frame_at(const ompt_frame_t *frame) {
    return frame == nullptr ? Frame{}
                            : Frame{reinterpret_cast<std::uint64_t>(frame->exit_runtime_frame),
                                    reinterpret_cast<std::uint64_t>(frame->reenter_runtime_frame)};
}

// Callbacks ---------------------------------------------------------------------------------------

void thread_event(Event event, ompt_thread_type_t type, ompt_thread_id_t thread) {
    Arguments arguments;
    arguments.id = thread;
    arguments.number = type;
    record(event, arguments);
}

void on_thread_begin(ompt_thread_type_t type, ompt_thread_id_t thread) {
    thread_event(Event::kThreadBegin, type, thread);
}

void on_thread_end(ompt_thread_type_t type, ompt_thread_id_t thread) {
    thread_event(Event::kThreadEnd, type, thread);
}

// The last arguments differ between 2014 and TR2; those before them are the same.
void on_parallel_begin(ompt_task_id_t task, const ompt_frame_t *frame, ompt_parallel_id_t parallel,
                       std::uint32_t requested) {
    Arguments arguments;
    arguments.id = parallel;
    arguments.parent = task;
    arguments.frame = frame;
    arguments.frame_value = frame_at(frame);
    arguments.number = static_cast<int>(requested);
    record(Event::kParallelBegin, arguments);
}

void on_parallel_end(ompt_parallel_id_t parallel, ompt_task_id_t task) {
    Arguments arguments;
    arguments.id = parallel;
    arguments.parent = task;
    record(Event::kParallelEnd, arguments);
}

void on_task_begin(ompt_task_id_t task, const ompt_frame_t *frame, ompt_task_id_t created) {
    Arguments arguments;
    arguments.id = created;
    arguments.parent = task;
    arguments.frame = frame;
    arguments.frame_value = frame_at(frame);
    record(Event::kTaskBegin, arguments);
}

void on_task_end(ompt_task_id_t task) {
    Arguments arguments;
    arguments.id = task;
    record(Event::kTaskEnd, arguments);
}

// There is a pair of events of implicit tasks, and one of initial tasks, which have no region.
template <bool kEnds> void on_implicit_task(ompt_parallel_id_t parallel, ompt_task_id_t task) {
    Arguments arguments;
    arguments.id = task;
    arguments.parent = parallel;
    arguments.number = -1;
    arguments.ends = kEnds;
    record(Event::kImplicitTask, arguments);
}

template <bool kEnds> void on_initial_task(ompt_task_id_t task) {
    Arguments arguments;
    arguments.id = task;
    arguments.number = -1;
    arguments.ends = kEnds;
    arguments.initial = true;
    record(Event::kImplicitTask, arguments);
}

void on_control(std::uint64_t command, std::uint64_t modifier) {
    Arguments arguments;
    arguments.id = command;
    arguments.parent = modifier;
    record(Event::kControl, arguments);
}

void on_runtime_shutdown() {
    on_shutdown();
}

template <typename Callback> ompt_callback_t as_callback(Callback callback) {
    return reinterpret_cast<ompt_callback_t>(callback);
}

struct EventRow {
    Event event;
    int number;
    const char *name;
    ompt_callback_t callback;
};
const EventRow kEvents[] = {
    {Event::kThreadBegin, ompt_event_thread_begin, "thread_begin", as_callback(on_thread_begin)},
    {Event::kThreadEnd, ompt_event_thread_end, "thread_end", as_callback(on_thread_end)},
    {Event::kParallelBegin, ompt_event_parallel_begin, "parallel_begin",
     as_callback(on_parallel_begin)},
    {Event::kParallelEnd, ompt_event_parallel_end, "parallel_end", as_callback(on_parallel_end)},
    {Event::kTaskBegin, ompt_event_task_begin, "task_begin", as_callback(on_task_begin)},
    {Event::kTaskEnd, ompt_event_task_end, "task_end", as_callback(on_task_end)},
    {Event::kImplicitTask, ompt_event_implicit_task_begin, "implicit_task_begin",
     as_callback(on_implicit_task<false>)},
    {Event::kImplicitTaskEnd, ompt_event_implicit_task_end, "implicit_task_end",
     as_callback(on_implicit_task<true>)},
    {Event::kInitialTask, ompt_event_initial_task_begin, "initial_task_begin",
     as_callback(on_initial_task<false>)},
    {Event::kInitialTaskEnd, ompt_event_initial_task_end, "initial_task_end",
     as_callback(on_initial_task<true>)},
    {Event::kControl, ompt_event_control, "control", as_callback(on_control)},
    {Event::kShutdown, ompt_event_runtime_shutdown, "runtime_shutdown",
     as_callback(on_runtime_shutdown)},
};

constexpr StateNumber kStates[] = {
    {ompt_state_work_serial, State::kSerial},
    {ompt_state_work_parallel, State::kParallel},
    {ompt_state_work_reduction, State::kReduction},
    {ompt_state_idle, State::kIdle},
    {ompt_state_overhead, State::kOverhead},
    {ompt_state_wait_barrier, State::kBarrier},
    {ompt_state_wait_barrier_implicit, State::kBarrierImplicit},
    {ompt_state_wait_barrier_explicit, State::kBarrierExplicit},
    {ompt_state_wait_taskwait, State::kTaskwait},
    {ompt_state_wait_taskgroup, State::kTaskgroup},
    {ompt_state_wait_lock, State::kLock},
    {ompt_state_wait_nest_lock, State::kNestLock},
    {ompt_state_wait_critical, State::kCritical},
    {ompt_state_wait_atomic, State::kAtomic},
    {ompt_state_wait_ordered, State::kOrdered},
};

State state_of(int number) {
    for (const StateNumber &row : kStates) {
        if (row.number == number) {
            return row.state;
        }
    }
    return State::kOther;
}

Support support_of(int result) {
    switch (result) {
    case ompt_set_no_callback:
    case ompt_set_never:
        return Support::kNever;
    case ompt_set_when_convenient:
        return Support::kSometimes;
    case ompt_set_always:
        return Support::kAlways;
    default:
        return Support::kRefused;
    }
}

// The interface -----------------------------------------------------------------------------------

class IdInterface : public Interface {
  public:
    explicit IdInterface(bool is_2014) : is_2014_(is_2014) {}
    void bind(Lookup lookup) override;
    [[nodiscard]] std::vector<const char *> required_names() const override;
    [[nodiscard]] const char *entry_name(Entry entry) const override;
    [[nodiscard]] const char *event_name(Event event) const override { return row_of(event)->name; }

    std::uint64_t thread_id() override { return get_thread_id_ != nullptr ? get_thread_id_() : 0; }
    std::uint64_t parallel_id(int level) override {
        if (get_parallel_id_ != nullptr) {
            return get_parallel_id_(level);
        }
        ompt_parallel_id_t id = 0;
        int size = 0;
        return get_parallel_info_(level, &id, &size) != 0 ? id : 0;
    }
    int team_size(int level) override {
        if (get_team_size_ != nullptr) {
            return get_team_size_(level);
        }
        ompt_parallel_id_t id = 0;
        int size = 0;
        return get_parallel_info_(level, &id, &size) != 0 ? size : -1;
    }
    std::uint64_t task_id(int level) override {
        if (get_task_id_ != nullptr) {
            return get_task_id_(level);
        }
        ompt_task_id_t id = 0;
        return task_info(level, &id, nullptr) ? id : 0;
    }
    const void *task_frame(int level, Frame *frame) override {
        ompt_frame_t *address = nullptr;
        if (get_task_frame_ != nullptr) {
            address = get_task_frame_(level);
        } else if (!task_info(level, nullptr, &address)) {
            address = nullptr;
        }
        *frame = frame_at(address);
        return address;
    }
    void *idle_frame() override { return get_idle_frame_(); }
    State state() override {
        ompt_wait_id_t wait_id = 0;
        return state_of(get_state_(&wait_id));
    }
    bool lists(State state) override { return listed_.empty() || listed_.count(state) != 0; }

    Support set_again(Event event) override { return set(event, row_of(event)->callback); }
    Support set_none(Event event) override { return set(event, nullptr); }
    Support set_unknown() override { return support_of(set_callback_(9999, kEvents[0].callback)); }
    int get_callback(Event event) override;

  private:
    static const EventRow *row_of(Event event) {
        for (const EventRow &row : kEvents) {
            if (row.event == event) {
                return &row;
            }
        }
        return nullptr;
    }
    Support set(Event event, ompt_callback_t callback) {
        return support_of(set_callback_(row_of(event)->number, callback));
    }
    bool task_info(int level, ompt_task_id_t *id, ompt_frame_t **frame) {
        ompt_task_type_t type{};
        ompt_task_id_t task = 0;
        ompt_frame_t *task_frame = nullptr;
        ompt_parallel_id_t parallel = 0;
        if (get_task_info_(level, &type, &task, &task_frame, &parallel, nullptr) == 0) {
            return false;
        }
        if (id != nullptr) {
            *id = task;
        }
        if (frame != nullptr) {
            *frame = task_frame;
        }
        return true;
    }
    void list_states(Lookup lookup);

    bool is_2014_;
    ompt_set_callback_t set_callback_ = nullptr;
    ompt_get_callback_t get_callback_ = nullptr;
    ompt_get_thread_id_t get_thread_id_ = nullptr;
    ompt_get_state_t get_state_ = nullptr;
    ompt_get_parallel_id_t get_parallel_id_ = nullptr;
    ompt_get_parallel_team_size_t get_team_size_ = nullptr;
    ompt_get_parallel_info_t get_parallel_info_ = nullptr;
    ompt_get_task_info_draft_t get_task_info_ = nullptr;
    ompt_get_task_id_t get_task_id_ = nullptr;
    ompt_get_task_frame_t get_task_frame_ = nullptr;
    ompt_get_idle_frame_t get_idle_frame_ = nullptr;
    std::set<State> listed_;
};

// A runtime that gives an address for a name that nobody has given to a function gives the same one
// for names of other generations: that is no function.
template <typename Pointer> void find(Lookup lookup, const char *name, Pointer &pointer) {
    const Function found = lookup(name);
    pointer = found != lookup("ompt_no_such_function") ? reinterpret_cast<Pointer>(found) : nullptr;
}

void IdInterface::bind(Lookup lookup) {
    find(lookup, "ompt_set_callback", set_callback_);
    find(lookup, "ompt_get_callback", get_callback_);
    find(lookup, "ompt_get_thread_id", get_thread_id_);
    find(lookup, "ompt_get_state", get_state_);
    find(lookup, "ompt_get_parallel_id", get_parallel_id_);
    find(lookup, "ompt_get_parallel_team_size", get_team_size_);
    find(lookup, "ompt_get_parallel_info", get_parallel_info_);
    find(lookup, "ompt_get_task_info", get_task_info_);
    find(lookup, "ompt_get_task_id", get_task_id_);
    find(lookup, "ompt_get_task_frame", get_task_frame_);
    find(lookup, "ompt_get_idle_frame", get_idle_frame_);

    bool *found = shared().has;
    const bool parallel_info = get_parallel_info_ != nullptr;
    const bool task_info = get_task_info_ != nullptr;
    found[static_cast<int>(Entry::kParallelId)] = parallel_info || get_parallel_id_ != nullptr;
    found[static_cast<int>(Entry::kTeamSize)] = parallel_info || get_team_size_ != nullptr;
    found[static_cast<int>(Entry::kTaskId)] = task_info || get_task_id_ != nullptr;
    found[static_cast<int>(Entry::kTaskFrame)] = task_info || get_task_frame_ != nullptr;
    found[static_cast<int>(Entry::kState)] = get_state_ != nullptr;
    found[static_cast<int>(Entry::kIdleFrame)] = get_idle_frame_ != nullptr;

    if (set_callback_ != nullptr) {
        for (const EventRow &row : kEvents) {
            const int result = set_callback_(row.number, row.callback);
            shared().raw_result[static_cast<int>(row.event)] = result;
            shared().support[static_cast<int>(row.event)] = support_of(result);
        }
    }
    list_states(lookup);
}

void IdInterface::list_states(Lookup lookup) {
    ompt_enumerate_state_t enumerate = nullptr;
    find(lookup, "ompt_enumerate_state", enumerate);
    if (enumerate == nullptr) {
        return;
    }
    // Where the list begins is a number of the documents or of libomp; the wrong one ends it.
    for (int state : {ompt_state_first_tr2, ompt_state_first_libomp}) {
        const char *name = nullptr;
        for (int i = 0; i < 256 && enumerate(state, &state, &name) != 0; ++i) {
            listed_.insert(state_of(state));
        }
        if (!listed_.empty()) {
            return;
        }
    }
}

std::vector<const char *> IdInterface::required_names() const {
    std::vector<const char *> names = {"ompt_get_callback", "ompt_get_thread_id"};
    // The draft chapter names no function that lists the states.
    if (shared().registration.generation != Generation::kTr2Draft) {
        names.push_back("ompt_enumerate_state");
    }
    return names;
}

const char *IdInterface::entry_name(Entry entry) const {
    const bool draft = shared().registration.generation == Generation::kTr2Draft;
    // TR2 has one function for a task where 2014 has two; runtimes of its time have the two.
    const bool info = !is_2014_ && get_task_id_ == nullptr && get_task_frame_ == nullptr;
    switch (entry) {
    case Entry::kParallelId:
        return draft ? "ompt_get_parallel_info" : "ompt_get_parallel_id";
    case Entry::kTeamSize:
        return draft ? "ompt_get_parallel_info" : "ompt_get_parallel_team_size";
    case Entry::kTaskId:
        return info ? "ompt_get_task_info" : "ompt_get_task_id";
    case Entry::kTaskFrame:
        return info ? "ompt_get_task_info" : "ompt_get_task_frame";
    case Entry::kState:
        return "ompt_get_state";
    case Entry::kIdleFrame:
        // TR2 and the draft have taken it out; where it is there nevertheless it is tested.
        return is_2014_ || get_idle_frame_ != nullptr ? "ompt_get_idle_frame" : nullptr;
    case Entry::kCount:
        break;
    }
    return nullptr;
}

int IdInterface::get_callback(Event event) {
    ompt_callback_t callback = nullptr;
    const int result = get_callback_(row_of(event)->number, &callback);
    if (result == 0) {
        return 0;
    }
    return result == 1 && callback == row_of(event)->callback ? 1 : -1;
}

} // namespace

Interface *make_id_interface(bool is_2014) {
    static IdInterface the_one(is_2014);
    return &the_one;
}

} // namespace compliance
