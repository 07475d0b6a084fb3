// SPDX-License-Identifier: Apache-2.0
//
// OpenMP 5.x and TR6: the runtime keeps a word for the tool with every thread, region and task. The
// adapter deals ids and writes them there at the event that announces the new thing. A word that is
// not 0 then is taken as it is: a runtime that hands out used words shows as one that deals an id
// twice.
#include "interface.h"
#include "tool.h"

#include "spec/ompt5.h"
#include "spec/tr6.h"

#include <atomic>
#include <set>

namespace compliance {
namespace {

using namespace ocb::ompt5;

// ompt5.h does not look into frames. From 5.0 on the addresses are in data words and flags follow;
// both generations have the same two pointers in front.
struct FrameWords {
    void *exit_frame;
    void *enter_frame;
};

bool is_tr6 = false;

std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

std::uint64_t id_of(const ompt_data_t *data) {
    return data != nullptr ? data->value : 0;
}

// The threads of a team may come to one word at the same time.
std::uint64_t named(ompt_data_t *data) {
    if (data == nullptr) {
        return 0;
    }
    std::uint64_t none = 0;
    std::atomic_ref<std::uint64_t> word(data->value);
    if (word.load() == 0) {
        word.compare_exchange_strong(none, next_id());
    }
    return word.load();
}

Frame frame_at(const void *address) {
    const auto *words = static_cast<const FrameWords *>(address);
    return words == nullptr ? Frame{}
                            : Frame{reinterpret_cast<std::uint64_t>(words->exit_frame),
                                    reinterpret_cast<std::uint64_t>(words->enter_frame)};
}

// Callbacks ---------------------------------------------------------------------------------------

void on_thread_begin(ompt_thread_t type, ompt_data_t *thread) {
    Arguments arguments;
    arguments.id = named(thread);
    arguments.number = type;
    record(Event::kThreadBegin, arguments);
}

void on_thread_end(ompt_data_t *thread) {
    Arguments arguments;
    arguments.id = id_of(thread);
    record(Event::kThreadEnd, arguments);
}

void on_parallel_begin(ompt_data_t *task, const void *frame, ompt_data_t *parallel,
                       unsigned requested, int, const void *) {
    Arguments arguments;
    arguments.id = named(parallel);
    arguments.parent = id_of(task);
    arguments.frame = frame;
    arguments.frame_value = frame_at(frame);
    arguments.number = static_cast<int>(requested);
    record(Event::kParallelBegin, arguments);
}

void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int, const void *) {
    Arguments arguments;
    arguments.id = id_of(parallel);
    arguments.parent = id_of(task);
    record(Event::kParallelEnd, arguments);
}

void on_task_create(ompt_data_t *task, const void *frame, ompt_data_t *created, int flags, int,
                    const void *) {
    const std::uint64_t id = named(created);
    if ((flags & ompt_task_explicit) == 0) {
        return; // how TR6 and the first runtimes of 5.0 announce the initial task
    }
    Arguments arguments;
    arguments.id = id;
    arguments.parent = id_of(task);
    arguments.frame = frame;
    arguments.frame_value = frame_at(frame);
    record(Event::kTaskBegin, arguments);
}

void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *) {
    if (status != ompt_task_complete && status != ompt_task_cancel) {
        return;
    }
    Arguments arguments;
    arguments.id = id_of(prior);
    record(Event::kTaskEnd, arguments);
}

// The initial task's region keeps the word 0: it is none that a construct has made. TR6 passes no
// flags, and has no such event of initial tasks.
void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                      unsigned size, unsigned index, int flags) {
    Arguments arguments;
    arguments.ends = endpoint != ompt_scope_begin;
    arguments.initial = !is_tr6 && (flags & ompt_task_initial) != 0;
    if (arguments.ends) {
        arguments.id = id_of(task);
    } else {
        arguments.id = named(task);
        if (!is_reported(Event::kParallelBegin) && !arguments.initial) {
            named(parallel);
        }
    }
    arguments.parent = id_of(parallel);
    arguments.frame = parallel;
    arguments.number = is_tr6 ? -1 : flags;
    arguments.a = static_cast<int>(size);
    arguments.b = static_cast<int>(index);
    record(Event::kImplicitTask, arguments);
}

int on_control(std::uint64_t command, std::uint64_t modifier, void *argument, const void *) {
    Arguments arguments;
    arguments.id = command;
    arguments.parent = modifier;
    arguments.frame = argument;
    record(Event::kControl, arguments);
    return kControlAnswer;
}

template <typename Callback> ompt_callback_t as_callback(Callback callback) {
    return reinterpret_cast<ompt_callback_t>(callback);
}

struct EventRow {
    Event event;
    int number; // the same in both generations
    const char *name;
    ompt_callback_t callback;
};
const EventRow kEvents[] = {
    {Event::kThreadBegin, ompt_callback_thread_begin, "thread_begin", as_callback(on_thread_begin)},
    {Event::kThreadEnd, ompt_callback_thread_end, "thread_end", as_callback(on_thread_end)},
    {Event::kParallelBegin, ompt_callback_parallel_begin, "parallel_begin",
     as_callback(on_parallel_begin)},
    {Event::kParallelEnd, ompt_callback_parallel_end, "parallel_end", as_callback(on_parallel_end)},
    {Event::kTaskBegin, ompt_callback_task_create, "task_create", as_callback(on_task_create)},
    {Event::kTaskEnd, ompt_callback_task_schedule, "task_schedule", as_callback(on_task_schedule)},
    {Event::kImplicitTask, ompt_callback_implicit_task, "implicit_task",
     as_callback(on_implicit_task)},
    {Event::kControl, ompt_callback_control_tool, "control_tool", as_callback(on_control)},
};

constexpr StateNumber kStates[] = {
    {ompt_state_work_serial, State::kSerial},
    {ompt_state_work_parallel, State::kParallel},
    {ompt_state_work_reduction, State::kReduction},
    {ompt_state_wait_barrier, State::kBarrier},
    {ompt_state_wait_barrier_implicit_parallel, State::kBarrierImplicitParallel},
    {ompt_state_wait_barrier_implicit_workshare, State::kBarrierImplicitWorksharing},
    {ompt_state_wait_barrier_implicit, State::kBarrierImplicit},
    {ompt_state_wait_barrier_explicit, State::kBarrierExplicit},
    {ompt_state_wait_barrier_implementation, State::kBarrierImplementation},
    {ompt_state_wait_taskwait, State::kTaskwait},
    {ompt_state_wait_taskgroup, State::kTaskgroup},
    {ompt_state_wait_mutex, State::kMutex},
    {ompt_state_wait_lock, State::kLock},
    {ompt_state_wait_critical, State::kCritical},
    {ompt_state_wait_atomic, State::kAtomic},
    {ompt_state_wait_ordered, State::kOrdered},
    {ompt_state_idle, State::kIdle},
    {ompt_state_overhead, State::kOverhead},
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
    // TR6 has one answer less.
    const int always = is_tr6 ? int{ocb::ompt_tr6::ompt_set_always} : int{ompt_set_always};
    const int sometimes = is_tr6 ? int{ocb::ompt_tr6::ompt_set_sometimes} : int{ompt_set_sometimes};
    if (result <= ompt_set_error || result > always) {
        return Support::kRefused;
    }
    return result == always      ? Support::kAlways
           : result >= sometimes ? Support::kSometimes
                                 : Support::kNever;
}

// The interface -----------------------------------------------------------------------------------

class DataInterface : public Interface {
  public:
    void bind(Lookup lookup) override;
    [[nodiscard]] std::vector<const char *> required_names() const override;
    [[nodiscard]] const char *entry_name(Entry entry) const override;
    [[nodiscard]] const char *event_name(Event event) const override;

    std::uint64_t thread_id() override {
        return get_thread_data_ != nullptr ? id_of(get_thread_data_()) : 0;
    }
    std::uint64_t parallel_id(int level) override {
        ompt_data_t *data = nullptr;
        int size = 0;
        return get_parallel_info_(level, &data, &size) != 0 ? id_of(data) : 0;
    }
    int team_size(int level) override {
        ompt_data_t *data = nullptr;
        int size = 0;
        return get_parallel_info_(level, &data, &size) != 0 ? size : -1;
    }
    std::uint64_t task_id(int level) override {
        ompt_data_t *data = nullptr;
        if (!task_info(level, &data, nullptr)) {
            return 0;
        }
        // Where no event has announced the task, it gets its id when somebody asks.
        const bool announced = is_reported(Event::kTaskBegin) && is_reported(Event::kImplicitTask);
        return announced ? id_of(data) : named(data);
    }
    const void *task_frame(int level, Frame *frame) override {
        ompt_frame_t *address = nullptr;
        if (!task_info(level, nullptr, &address)) {
            address = nullptr;
        }
        *frame = frame_at(address);
        return address;
    }
    void *idle_frame() override { return nullptr; }
    State state() override {
        ompt_wait_id_t wait_id = 0;
        return state_of(get_state_(&wait_id));
    }
    bool lists(State state) override { return listed_.empty() || listed_.count(state) != 0; }

    Support set_again(Event event) override { return set(event, row_of(event).callback); }
    Support set_none(Event event) override { return set(event, nullptr); }
    Support set_unknown() override { return support_of(set_callback_(9999, kEvents[0].callback)); }
    int get_callback(Event event) override;

  private:
    using GetCallback = int (*)(int, ompt_callback_t *);

    static const EventRow &row_of(Event event) {
        for (const EventRow &row : kEvents) {
            if (row.event == event) {
                return row;
            }
        }
        __builtin_unreachable();
    }
    Support set(Event event, ompt_callback_t callback) {
        return support_of(set_callback_(row_of(event).number, callback));
    }
    // thread_num stays null: some runtimes look for it in a team that is not there, beyond the
    // outermost level.
    bool task_info(int level, ompt_data_t **data, ompt_frame_t **frame) {
        int flags = 0;
        ompt_data_t *task = nullptr;
        ompt_frame_t *task_frame = nullptr;
        ompt_data_t *parallel = nullptr;
        if (get_task_info_(level, &flags, &task, &task_frame, &parallel, nullptr) == 0) {
            return false;
        }
        if (data != nullptr) {
            *data = task;
        }
        if (frame != nullptr) {
            *frame = task_frame;
        }
        return true;
    }
    void list_states(Lookup lookup);

    ompt_set_callback_t set_callback_ = nullptr;
    GetCallback get_callback_ = nullptr;
    ompt_get_thread_data_t get_thread_data_ = nullptr;
    ompt_get_state_t get_state_ = nullptr;
    ompt_get_parallel_info_t get_parallel_info_ = nullptr;
    ompt_get_task_info_t get_task_info_ = nullptr;
    std::set<State> listed_;
};

void DataInterface::bind(Lookup lookup) {
    set_callback_ = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
    get_callback_ = reinterpret_cast<GetCallback>(lookup("ompt_get_callback"));
    get_thread_data_ = reinterpret_cast<ompt_get_thread_data_t>(lookup("ompt_get_thread_data"));
    get_state_ = reinterpret_cast<ompt_get_state_t>(lookup("ompt_get_state"));
    get_parallel_info_ =
        reinterpret_cast<ompt_get_parallel_info_t>(lookup("ompt_get_parallel_info"));
    get_task_info_ = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));

    bool *found = shared().has;
    found[static_cast<int>(Entry::kParallelId)] = get_parallel_info_ != nullptr;
    found[static_cast<int>(Entry::kTeamSize)] = get_parallel_info_ != nullptr;
    found[static_cast<int>(Entry::kTaskId)] = get_task_info_ != nullptr;
    found[static_cast<int>(Entry::kTaskFrame)] = get_task_info_ != nullptr;
    found[static_cast<int>(Entry::kState)] = get_state_ != nullptr;

    if (set_callback_ != nullptr) {
        for (const EventRow &row : kEvents) {
            const int result = set_callback_(row.number, row.callback);
            shared().raw_result[static_cast<int>(row.event)] = result;
            shared().support[static_cast<int>(row.event)] = support_of(result);
        }
    }
    // The finalizer needs no registration.
    shared().support[static_cast<int>(Event::kShutdown)] = Support::kAlways;
    list_states(lookup);
}

void DataInterface::list_states(Lookup lookup) {
    const auto enumerate =
        reinterpret_cast<ocb::ompt_tr6::ompt_enumerate_states_t>(lookup("ompt_enumerate_states"));
    if (enumerate == nullptr) {
        return;
    }
    int state = ompt_state_undefined;
    const char *name = nullptr;
    for (int i = 0; i < 256 && enumerate(state, &state, &name) != 0; ++i) {
        listed_.insert(state_of(state));
    }
}

std::vector<const char *> DataInterface::required_names() const {
    std::vector<const char *> names = {"ompt_enumerate_states", "ompt_get_callback",
                                       "ompt_get_thread_data"};
    if (!is_tr6) {
        names.insert(names.end(),
                     {"ompt_enumerate_mutex_impls", "ompt_get_num_places",
                      "ompt_get_place_proc_ids", "ompt_get_place_num",
                      "ompt_get_partition_place_nums", "ompt_get_proc_id", "ompt_get_task_memory",
                      "ompt_get_num_devices", "ompt_get_num_procs", "ompt_get_target_info",
                      "ompt_get_unique_id", "ompt_finalize_tool"});
    }
    return names;
}

const char *DataInterface::entry_name(Entry entry) const {
    switch (entry) {
    case Entry::kParallelId:
    case Entry::kTeamSize:
        return "ompt_get_parallel_info";
    case Entry::kTaskId:
    case Entry::kTaskFrame:
        return "ompt_get_task_info";
    case Entry::kState:
        return "ompt_get_state";
    case Entry::kIdleFrame:
    case Entry::kCount:
        break;
    }
    return nullptr;
}

const char *DataInterface::event_name(Event event) const {
    return event == Event::kShutdown ? "the finalizer" : row_of(event).name;
}

int DataInterface::get_callback(Event event) {
    ompt_callback_t callback = nullptr;
    const int result = get_callback_(row_of(event).number, &callback);
    if (result == 0) {
        return 0;
    }
    return result == 1 && callback == row_of(event).callback ? 1 : -1;
}

} // namespace

Interface *make_data_interface(bool tr6) {
    static DataInterface the_one;
    is_tr6 = tr6;
    return &the_one;
}

} // namespace compliance
