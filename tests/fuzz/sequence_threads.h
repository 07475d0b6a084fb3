// SPDX-License-Identifier: Apache-2.0
// Four threads (two of the program, two of the runtime's pool) and the constructs that each has
// open. They take turns on one thread of the system, by exchange of what is thread-local.
#pragma once

#include "sequence_session.h"

#include "fake_runtime.h"
#include "records/thread_record.h"

#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace ocb::test {

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
};

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

class Threads {
  public:
    [[nodiscard]] unsigned current() const { return current_; }
    [[nodiscard]] bool is_alive() const { return threads_[current_].is_alive; }
    // The runtime has reported what no correct one does.
    [[nodiscard]] bool is_wild() const { return is_wild_; }

    void begin_runtime(Flavour flavour) {
        runtime_ = std::make_unique<FakeRuntime>(flavour);
        require(runtime_->attach(), "the runtime has a tool");
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

    void switch_to(unsigned thread) {
        self().model = caller();
        self().record = own_record;
        current_ = thread;
        caller() = self().model;
        set_own_record(self().record);
    }

    void begin_thread() {
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

    void open_barrier(unsigned detail) {
        if (can_open()) {
            open({Open::kBarrier, detail});
            barrier_begins(kKinds[detail % kKindCount].barrier);
        }
    }

    void open_wait(unsigned detail) {
        if (can_open()) {
            open({Open::kWait, detail});
            mutex_acquire(kKinds[detail % kKindCount].mutex, detail,
                          detail % 2 == 0 ? MutexImpl::kSpinning : MutexImpl::kQueuing);
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

  private:
    LogicalThread &self() { return threads_[current_]; }

    // A worker between two regions does nothing; the fake runtime's depth is bounded.
    bool can_open() {
        return self().is_alive && self().open.size() < kMostOpen &&
               (current_ < kFirstWorker || !self().open.empty());
    }

    void open(Construct construct) { self().open.push_back(construct); }

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

    std::array<LogicalThread, kThreads> threads_;
    unsigned current_ = 0;
    std::unique_ptr<FakeRuntime> runtime_;
    std::deque<FakeRegion> regions_; // workers' models look at them until the runtime ends
    std::vector<bool> is_serialized_;
    std::deque<FakeTask> tasks_;
    bool is_wild_ = false;
};

} // namespace ocb::test
