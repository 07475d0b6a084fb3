// SPDX-License-Identifier: Apache-2.0
// Requests and the runtime's events in any order: an input is a list of steps of four threads (two
// of the program, two of the runtime's pool). Steps follow the grammar of OpenMP, constructs being
// closed in the order they were opened in, but for the wild ones: ends without a beginning, and
// system calls that fail. Callbacks send requests and use locks. Held to be true all the time:
// states are states, regions fit them, an END comes only behind its BEGIN. The four threads take
// turns on one thread of the system, by exchange of what is thread-local.
#include "input.h"

#include "fake_runtime.h"
#include "omp_collector_client.h"
#include "records/thread_record.h"

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

namespace ocb::test {
namespace {

constexpr int kHeader = OMP_COLLECTOR_HEADER_SIZE;
constexpr int kLastEvent = OMP_EVENT_THR_END_FINISH_TASK;
constexpr unsigned kThreads = 4;
constexpr unsigned kFirstWorker = 2;
constexpr std::size_t kMostOpen = 12;

enum class Open { kRegion, kBarrier, kWait, kHeld, kSingle, kMasked, kReduction, kTask };

struct Construct {
    Open kind;
    unsigned detail = 0; // the kind of barrier or mutex
    FakeRegion *region = nullptr;
    FakeTask *task = nullptr;
    bool is_master = false;
};

struct LogicalThread {
    ThreadModel model;
    ThreadRecord *record = nullptr;
    bool is_alive = false;
    std::vector<Construct> open;
    std::array<int, kLastEvent + 1> begun{}; // BEGINs delivered, less ENDs
};

struct Batch {
    int state_error, state, region_error;
    std::uint64_t region;
};

Batch ask() {
    constexpr int kAllMem =
        OMP_COLLECTOR_PACKED_PAIR + 2 * OMP_COLLECTOR_WORD + 2 * OMP_COLLECTOR_INT;
    int memory[OMP_COLLECTOR_BYTES(5, kAllMem) / sizeof(int)];
    omp_collector_list list = omp_collector_list_in(memory, sizeof memory);
    const int state = omp_collector_add_state(&list);
    const int region = omp_collector_add_region(&list);
    omp_collector_add_parent(&list);
    omp_collector_add(&list, OMP_REQ_TASK_ID, OMP_COLLECTOR_INT);
    require(omp_collector_add(&list, OMP_REQ_TASK_PID, OMP_COLLECTOR_INT) > 0, "room for five");
    require(omp_collector_send(&list, __omp_collector_api) == 0, "a batch of questions");
    const Batch batch{omp_collector_error(&list, state), omp_collector_state_in(&list, state),
                      omp_collector_error(&list, region), omp_collector_region_in(&list, region)};
    return batch;
}

struct Row {
    ompt5::ompt_mutex_t mutex;
    Barrier barrier;
};
constexpr Row kKinds[] = {
    {ompt5::ompt_mutex_lock, Barrier::kExplicit},
    {ompt5::ompt_mutex_nest_lock, Barrier::kWorkshare},
    {ompt5::ompt_mutex_critical, Barrier::kImplementation},
    {ompt5::ompt_mutex_atomic, Barrier::kTaskWait},
    {ompt5::ompt_mutex_ordered, Barrier::kTaskGroup},
    {ompt5::ompt_mutex_test_lock, Barrier::kTeams},
};
constexpr unsigned kKindCount = sizeof(kKinds) / sizeof(kKinds[0]);

// One execution; static data of the library go on from one to the next.
class Play {
  public:
    explicit Play(Input input) : input_(input) {
        current_play = this;
        the_system = System();
        the_system.maps = System::Maps::kNoFile;
        begin_runtime();
    }
    ~Play() {
        end_runtime();
        send(OMP_REQ_STOP, 0, 0);
        current_play = nullptr;
    }
    Play(const Play &) = delete;
    Play &operator=(const Play &) = delete;

    void run() {
        while (!input_.is_used_up()) {
            step();
            look();
        }
    }

  private:
    static void on_event(OMP_COLLECTORAPI_EVENT event) { current_play->called(event); }

    // Only one callback of a thread runs at a time, so each input byte has one reader.
    void called(OMP_COLLECTORAPI_EVENT event) {
        require(event >= OMP_EVENT_FORK && event <= kLastEvent, "an event of the contract");
        require(is_registered_[static_cast<unsigned>(event)], "an event that was asked for");
        require(!is_paused_, "no event during PAUSE");
        require(!is_in_callback_, "no event inside a callback");
        is_in_callback_ = true;
        keep_pairs(event);
        const Batch batch = ask();
        require(batch.state_error == OMP_ERRCODE_OK && batch.region_error == OMP_ERRCODE_OK,
                "answers in a callback");
        require(batch.state >= THR_OVHD_STATE && batch.state < THR_LAST_STATE, "a state");
        const unsigned deed = input_.byte();
        if (deed % 16 == 1) {
            do_request(input_.byte());
        } else if (deed % 16 == 2) {
            take_mutex(ompt5::ompt_mutex_lock, deed);
        } else if (deed % 16 == 3) {
            mutex_released(ompt5::ompt_mutex_lock, deed);
        }
        is_in_callback_ = false;
    }

    void keep_pairs(int event) {
        auto &begun = threads_[current_].begun;
        const bool is_task_end = event == OMP_EVENT_THR_END_CREATE_TASK_IMM ||
                                 event == OMP_EVENT_THR_END_CREATE_TASK_DEL;
        const bool is_lone =
            event == OMP_EVENT_THR_FETCHED_TASK || event == OMP_EVENT_THR_BEGIN_EXEC_TASK;
        const bool counts_from_create = event >= OMP_EVENT_THR_BEGIN_CREATE_TASK;
        if (is_lone) {
            return;
        }
        // Up to CREATE_TASK BEGINs are odd; SUSPEND (28) and STEAL (30) even, FINISH (34) too.
        const bool is_begin =
            event == OMP_EVENT_THR_BEGIN_CREATE_TASK ||
            (!is_task_end && (counts_from_create ? event % 2 == 0 : event % 2 == 1));
        if (is_begin) {
            ++begun[static_cast<unsigned>(event)];
            return;
        }
        const auto begin =
            static_cast<unsigned>(is_task_end ? OMP_EVENT_THR_BEGIN_CREATE_TASK : event - 1);
        if (!is_registered_[begin]) {
            return;
        }
        require(begun[begin] > 0, "no END without its BEGIN");
        --begun[begin];
    }

    LogicalThread &self() { return threads_[current_]; }

    void switch_to(unsigned thread) {
        self().model = caller();
        self().record = own_record;
        current_ = thread;
        caller() = self().model;
        own_record = self().record;
    }

    void begin_runtime() {
        runtime_ = std::make_unique<FakeRuntime>(input_.byte() % 2 == 0 ? Flavour::kLibomp14
                                                                        : Flavour::kLibomp19);
        require(runtime_->attach(), "the runtime has a tool");
        begin_thread();
    }

    void end_runtime() {
        for (unsigned thread = kThreads; thread-- > 0;) {
            switch_to(thread);
            end_thread();
        }
        runtime_.reset();
        regions_.clear();
        is_serialized_.clear();
        tasks_.clear();
        is_wild_ = the_system.failed_mmaps != 0;
    }

    void begin_thread() {
        if (self().is_alive) {
            return;
        }
        self().begun = {};
        self().is_alive = true;
        if (current_ < kFirstWorker) {
            user_thread_begins();
        } else {
            worker_begins();
        }
    }

    void end_thread() {
        if (!self().is_alive) {
            return;
        }
        while (!self().open.empty()) {
            close();
        }
        if (current_ < kFirstWorker) {
            user_thread_ends();
        } else {
            worker_ends();
        }
        self().is_alive = false;
    }

    // A worker between two regions does nothing; the fake runtime's depth is bounded.
    bool can_open() {
        return self().is_alive && self().open.size() < kMostOpen &&
               (current_ < kFirstWorker || !self().open.empty());
    }

    void open(Construct construct) { self().open.push_back(construct); }

    void open_region(unsigned detail) {
        if (!can_open()) {
            return;
        }
        const int flags = detail % 8 == 7 ? kFlagsLeague : kFlagsTeam;
        regions_.emplace_back(1 + detail % 3, flags);
        FakeRegion &region = regions_.back();
        open({Open::kRegion, 0, &region, nullptr, true});
        region.begin_on_master();
        is_serialized_.push_back(detail % 3 == 0 || flags == kFlagsLeague);
    }

    // A worker of the pool works for a region that is open on another thread.
    void join_region() {
        if (!self().is_alive || current_ < kFirstWorker || !self().open.empty()) {
            return;
        }
        for (unsigned thread = 0; thread < kThreads; ++thread) {
            for (const Construct &construct : threads_[thread].open) {
                if (thread != current_ && construct.is_master && !is_serialized(construct.region)) {
                    open({Open::kRegion, 0, construct.region, nullptr, false});
                    construct.region->enter(current_ - kFirstWorker + 1);
                    return;
                }
            }
        }
    }

    bool is_serialized(const FakeRegion *region) const {
        for (std::size_t i = 0; i < regions_.size(); ++i) {
            if (&regions_[i] == region) {
                return is_serialized_[i];
            }
        }
        return true;
    }

    // Whoever works for it goes first.
    void empty_region(const FakeRegion *region) {
        const unsigned master = current_;
        for (unsigned thread = kFirstWorker; thread < kThreads; ++thread) {
            auto &open = threads_[thread].open;
            if (thread == master || open.empty() || open.front().region != region ||
                open.front().is_master) {
                continue;
            }
            switch_to(thread);
            while (!self().open.empty()) {
                close();
            }
            switch_to(master);
        }
    }

    void close() {
        if (!self().is_alive || self().open.empty()) {
            return;
        }
        const Construct construct = self().open.back();
        const ompt5::ompt_mutex_t mutex = kKinds[construct.detail % kKindCount].mutex;
        if (construct.is_master) {
            empty_region(construct.region);
        }
        self().open.pop_back();
        switch (construct.kind) {
        case Open::kRegion:
            if (construct.is_master) {
                construct.region->end_on_master();
            } else {
                construct.region->arrive();
            }
            break;
        case Open::kBarrier:
            barrier_ends(kKinds[construct.detail % kKindCount].barrier);
            break;
        case Open::kWait:
            mutex_acquired(mutex, construct.detail);
            open({Open::kHeld, construct.detail});
            break;
        case Open::kHeld:
            mutex_released(mutex, construct.detail);
            break;
        case Open::kSingle:
            single_ends();
            break;
        case Open::kMasked:
            masked_ends();
            break;
        case Open::kReduction:
            reduction_ends();
            break;
        case Open::kTask:
            task_completes(*construct.task);
            break;
        }
    }

    void open_task(unsigned detail) {
        if (!can_open()) {
            return;
        }
        FakeTask &task = tasks_.emplace_back();
        task_created(task, detail % 2 == 0 ? 0 : ompt5::ompt_task_undeferred);
        if (detail % 4 == 3) {
            return; // for later, or never
        }
        open({Open::kTask, 0, nullptr, &task});
        if (self().open.size() > 1 && self().open[self().open.size() - 2].kind == Open::kTask) {
            task_starts_in(*self().open[self().open.size() - 2].task, task);
        } else {
            task_starts(task);
        }
    }

    // What no correct runtime says, and ours may seem to say to who has not heard the beginning.
    void do_wild(unsigned detail) {
        if (!self().is_alive || caller().depth == 0) {
            return;
        }
        is_wild_ = true;
        switch (detail % 10) {
        case 0:
            return barrier_ends(kKinds[detail / 10 % kKindCount].barrier);
        case 1:
            return mutex_acquired(kKinds[detail / 10 % kKindCount].mutex, detail);
        case 2:
            return mutex_released(kKinds[detail / 10 % kKindCount].mutex, detail);
        case 3:
            return single_ends();
        case 4:
            return masked_ends();
        case 5:
            return reduction_ends();
        case 6:
            if (!tasks_.empty()) {
                task_completes(tasks_[detail / 10 % tasks_.size()], ompt5::ompt_task_cancel);
            }
            return;
        case 7:
            if (!tasks_.empty()) {
                task_starts(tasks_[detail / 10 % tasks_.size()]);
            }
            return;
        case 8:
            return nest_lock_again(detail);
        default:
            the_system.failing_mmaps = detail / 10 % 4 + 1;
            return;
        }
    }

    void send(int request, int event, int mem_size) {
        alignas(8) unsigned char list[kHeader + 16 + 4] = {};
        const int size = kHeader + mem_size;
        const OMP_COLLECTORAPI_CALLBACK callback = on_event;
        std::memcpy(list, &size, sizeof size);
        std::memcpy(list + 4, &request, sizeof request);
        if (mem_size >= 4) {
            std::memcpy(list + kHeader, &event, sizeof event);
        }
        if (mem_size >= 12) {
            std::memcpy(list + kHeader + (mem_size >= 16 ? 8 : 4), &callback, sizeof callback);
        }
        require(__omp_collector_api(list) == 0, "a request in a call of its own");
        int error = 0;
        std::memcpy(&error, list + 8, sizeof error);
        if (error == OMP_ERRCODE_OK) {
            note(request, event);
        }
    }

    // The session as the contract has it.
    void note(int request, int event) {
        switch (request) {
        case OMP_REQ_START:
            is_started_ = true;
            is_paused_ = false;
            break;
        case OMP_REQ_STOP:
            is_started_ = false;
            is_registered_ = {};
            for (LogicalThread &thread : threads_) {
                thread.begun = {};
            }
            break;
        case OMP_REQ_REGISTER:
            is_registered_[static_cast<unsigned>(event)] = true;
            break;
        case OMP_REQ_UNREGISTER:
            is_registered_[static_cast<unsigned>(event)] = false;
            break;
        case OMP_REQ_PAUSE:
            is_paused_ = true;
            break;
        case OMP_REQ_RESUME:
            is_paused_ = false;
            break;
        default:
            break;
        }
    }

    void do_request(unsigned detail) {
        constexpr int kSizes[] = {12, 16, 0, 4, 8};
        const int request = static_cast<int>(detail % (OMP_REQ_LAST + 1));
        const int size = kSizes[detail / 16 % 5];
        const bool has_event = request == OMP_REQ_REGISTER || request == OMP_REQ_UNREGISTER;
        send(request, has_event ? static_cast<int>(input_.byte() % (kLastEvent + 3)) : 0, size);
    }

    void register_all() {
        send(OMP_REQ_START, 0, 0);
        for (int event = OMP_EVENT_FORK; event <= kLastEvent; ++event) {
            send(OMP_REQ_REGISTER, event, 12);
        }
    }

    void step() {
        const unsigned what = input_.byte();
        const unsigned detail = input_.byte();
        switch (what % 16) {
        case 0:
            switch_to(detail % kThreads);
            return begin_thread();
        case 1:
            return do_request(detail);
        case 2:
            return register_all();
        case 3:
        case 4:
            return open_region(detail);
        case 5:
            return join_region();
        case 6:
            if (can_open()) {
                open({Open::kBarrier, detail});
                barrier_begins(kKinds[detail % kKindCount].barrier);
            }
            return;
        case 7:
            if (can_open()) {
                open({Open::kWait, detail});
                mutex_acquire(kKinds[detail % kKindCount].mutex, detail,
                              detail % 2 == 0 ? MutexImpl::kSpinning : MutexImpl::kQueuing);
            }
            return;
        case 8:
            return open_simple(detail);
        case 9:
            return open_task(detail);
        case 10:
            control_tool(detail % 6);
            return resynchronise();
        case 11:
            if (detail == 0) {
                end_runtime();
                switch_to(0);
                return begin_runtime();
            }
            return detail % 8 == 1 ? end_thread() : do_wild(detail);
        default:
            return close();
        }
    }

    // The program's omp_control_tool may have paused or ended the session.
    void resynchronise() {
        send(OMP_REQ_STOP, 0, 0);
        is_started_ = is_paused_ = false;
        is_registered_ = {};
        for (LogicalThread &thread : threads_) {
            thread.begun = {};
        }
    }

    void open_simple(unsigned detail) {
        if (!can_open()) {
            return;
        }
        constexpr struct {
            Open kind;
            void (*begin)();
        } kSimple[] = {{Open::kSingle, single_begins},
                       {Open::kMasked, masked_begins},
                       {Open::kReduction, reduction_begins}};
        const auto &simple = kSimple[detail % 3];
        open({simple.kind});
        simple.begin();
    }

    // Between two steps the thread is asked as a signal handler asks.
    void look() {
        const Batch batch = ask();
        const int wanted = is_started_ ? OMP_ERRCODE_OK : OMP_ERRCODE_SEQUENCE_ERR;
        require(batch.state_error == wanted && batch.region_error == wanted, "answers or refusals");
        if (!is_started_) {
            return;
        }
        require(batch.state >= THR_OVHD_STATE && batch.state <= THR_ATWT_STATE, "a state");
        // Without memory for its records the library knows less.
        if (is_wild_ || the_system.failed_mmaps != 0) {
            return;
        }
        require(batch.state != THR_WORK_STATE || batch.region != 0, "WORK is in a region");
        require((batch.state != THR_SERIAL_STATE && batch.state != THR_IDLE_STATE) ||
                    batch.region == 0,
                "SERIAL and IDLE are not in a region");
    }

    static Play *current_play;

    Input input_;
    std::array<LogicalThread, kThreads> threads_;
    unsigned current_ = 0;
    std::unique_ptr<FakeRuntime> runtime_;
    std::deque<FakeRegion> regions_; // workers' models look at them until the runtime ends
    std::vector<bool> is_serialized_;
    std::deque<FakeTask> tasks_;
    std::array<bool, kLastEvent + 1> is_registered_{};
    bool is_started_ = false, is_paused_ = false;
    bool is_in_callback_ = false;
    bool is_wild_ = false;
};

Play *Play::current_play = nullptr;

} // namespace
} // namespace ocb::test

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    ocb::test::Play play(ocb::test::Input(data, size));
    play.run();
    return 0;
}
