// SPDX-License-Identifier: Apache-2.0
// Events on several threads while another one starts, stops, registers, unregisters and pauses.
// What is promised: when STOP, UNREGISTER or a new registration has returned, no call of the old
// callback begins. Most useful under the thread sanitizer.
#include "scene.h"

#include <array>
#include <atomic>
#include <chrono>
#include <random>

namespace ocb::test {
namespace {

constexpr int kRounds = 400;
constexpr std::uint64_t kLocks[] = {0xC0C1, 0xC0C2};

std::array<std::atomic<bool>, kLastEvent + 1> may_be_called;
std::atomic<unsigned> calls, calls_too_late, wrong_answers;

void set_all(bool may) {
    for (std::atomic<bool> &event : may_be_called) {
        event = may;
    }
}

void check(OMP_COLLECTORAPI_EVENT event) {
    ++calls;
    if (!may_be_called[event]) {
        ++calls_too_late;
    }
    // Another thread may have ended the session meanwhile.
    const StateAnswer answer = ask_state();
    const bool is_answer = answer.error == OMP_ERRCODE_OK && answer.state >= THR_OVHD_STATE &&
                           answer.state < THR_LAST_STATE;
    if (!is_answer && answer.error != OMP_ERRCODE_SEQUENCE_ERR) {
        ++wrong_answers;
    }
}

// A thread that runs constructs of all kinds until it is told to end.
class BusyThread {
  public:
    BusyThread() {
        thread_.begin([this] {
            while (!is_told_to_end_) {
                run_once();
            }
        });
    }
    ~BusyThread() {
        is_told_to_end_ = true;
        thread_.done();
    }
    BusyThread(const BusyThread &) = delete;
    BusyThread &operator=(const BusyThread &) = delete;

  private:
    static void run_once() {
        FakeRegion outer(2), inner(1);
        outer.begin_on_master();
        masked_begins();
        masked_ends();
        single_begins();
        single_ends();
        inner.begin_on_master();
        for (const std::uint64_t lock : kLocks) {
            take_mutex(ompt5::ompt_mutex_lock, lock);
            ask_state();
            mutex_released(ompt5::ompt_mutex_lock, lock);
        }
        inner.end_on_master();
        FakeTask task;
        task_created(task);
        barrier_begins(Barrier::kExplicit);
        task_starts(task);
        ask_region();
        task_completes(task);
        barrier_ends(Barrier::kExplicit);
        take_mutex(ompt5::ompt_mutex_ordered, kLocks[0]);
        mutex_released(ompt5::ompt_mutex_ordered, kLocks[0]);
        outer.end_on_master();
    }

    std::atomic<bool> is_told_to_end_{false};
    UserThread thread_; // last: ends first
};

// Two threads with teams of their own, contending for the same locks.
class Traffic {
  private:
    BusyThread first_, second_;
};

class Concurrency : public testing::Test {
  protected:
    Concurrency() {
        calls = calls_too_late = wrong_answers = 0;
        set_all(false);
    }
    ~Concurrency() override {
        if (!has_given_up_) {
            EXPECT_EQ(calls_too_late, 0U);
        }
        EXPECT_EQ(wrong_answers, 0U);
    }

    static void register_all() {
        set_all(true);
        for (int event = kFirstEvent; event <= kLastEvent; ++event) {
            EXPECT_EQ(register_callback(event, check), OMP_ERRCODE_OK);
        }
    }
    // STOP and UNREGISTER wait for a second at most. Where a thread had no processor for so long,
    // its call may come later, as the log tells then.
    template <class Ask> int waited_for(Ask ask) {
        const auto begin = std::chrono::steady_clock::now();
        const int error = ask();
        has_given_up_ |= std::chrono::steady_clock::now() - begin >= std::chrono::seconds(1);
        return error;
    }
    int stop() {
        return waited_for([] { return request(OMP_REQ_STOP); });
    }

    // So that a round is not over before anything has happened in it.
    static void wait_for_calls() {
        const unsigned before = calls;
        while (calls == before) {
            std::this_thread::yield();
        }
    }

    Scene scene_;

  private:
    bool has_given_up_ = false;
};

TEST_F(Concurrency, NoCallAfterStop) {
    const Traffic traffic;
    for (int round = 0; round < kRounds; ++round) {
        register_all();
        wait_for_calls();
        ASSERT_EQ(stop(), OMP_ERRCODE_OK);
        set_all(false);
        ASSERT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
    }
}

TEST_F(Concurrency, NoCallAfterUnregister) {
    const Traffic traffic;
    register_all();
    for (int round = 0; round < kRounds; ++round) {
        const int event = kFirstEvent + round % kLastEvent;
        wait_for_calls();
        ASSERT_EQ(waited_for([event] { return unregister(event); }), OMP_ERRCODE_OK);
        may_be_called[static_cast<std::size_t>(event)] = false;
        std::this_thread::yield();
        may_be_called[static_cast<std::size_t>(event)] = true;
        ASSERT_EQ(register_callback(event, check), OMP_ERRCODE_OK);
    }
}

// Callbacks come for what is registered alone, whatever was asked before.
TEST_F(Concurrency, ControlRequestsInAnyOrder) {
    const Traffic traffic;
    std::mt19937 random(1);
    for (int round = 0; round < kRounds; ++round) {
        const int event = kFirstEvent + static_cast<int>(random() % kLastEvent);
        const auto at = static_cast<std::size_t>(event);
        switch (random() % 8) {
        case 0:
            EXPECT_EQ(request(OMP_REQ_PAUSE), OMP_ERRCODE_OK);
            break;
        case 1:
            EXPECT_EQ(request(OMP_REQ_RESUME), OMP_ERRCODE_OK);
            break;
        case 2:
            ASSERT_EQ(stop(), OMP_ERRCODE_OK);
            set_all(false);
            ASSERT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
            break;
        case 3:
            EXPECT_EQ(waited_for([event] { return unregister(event); }), OMP_ERRCODE_OK);
            may_be_called[at] = false;
            break;
        default:
            may_be_called[at] = true;
            EXPECT_EQ(register_callback(event, check), OMP_ERRCODE_OK);
            break;
        }
        std::this_thread::yield();
    }
    register_all();
    request(OMP_REQ_RESUME);
    wait_for_calls();
}

// Control requests from two threads at once: exactly one START of two is accepted.
TEST_F(Concurrency, SessionsFromTwoThreads) {
    const Traffic traffic;
    UserThread other;
    for (int round = 0; round < kRounds; ++round) {
        ASSERT_EQ(stop(), OMP_ERRCODE_OK);
        set_all(false);
        int error_of_other = -1;
        other.begin([&] { error_of_other = request(OMP_REQ_START); });
        const int error = request(OMP_REQ_START);
        other.done();
        EXPECT_EQ(error + error_of_other, OMP_ERRCODE_OK + OMP_ERRCODE_SEQUENCE_ERR);
        may_be_called[OMP_EVENT_FORK] = true;
        EXPECT_EQ(register_callback(OMP_EVENT_FORK, check), OMP_ERRCODE_OK);
        if (round % 20 == 0) {
            wait_for_calls();
        }
    }
}

// Threads come and go while their records are looked at by STOP.
TEST_F(Concurrency, ThreadsThatComeAndGo) {
    constexpr int kGenerations = 30;
    const Traffic traffic;
    for (int generation = 0; generation < kGenerations; ++generation) {
        register_all();
        UserThread master;
        Worker worker;
        FakeRegion region(2);
        master.run([&] { region.begin_on_master(); });
        worker.begin([&] {
            region.enter(1);
            barrier_begins(Barrier::kExplicit);
            barrier_ends(Barrier::kExplicit);
            region.arrive();
        });
        wait_for_calls();
        ASSERT_EQ(stop(), OMP_ERRCODE_OK);
        set_all(false);
        ASSERT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
        worker.done();
        master.run([&] { region.end_on_master(); });
    }
}

// A worker asks for its state all the time while its master leaves one region and enters the next:
// it is in one of the two, or idle.
TEST_F(Concurrency, StateOfAWorkerWhileItsMasterLeaves) {
    Worker worker;
    state();
    for (int round = 0; round < kRounds; ++round) {
        FakeRegion region(2);
        begin_team(region, worker);
        const std::uint64_t id = ocb::test::region();
        worker.run([&] { region.arrive(); });
        worker.begin([id] {
            for (bool is_idle = false; !is_idle;) {
                const StateAnswer answer = ask_state();
                const std::uint64_t region_id = ocb::test::region();
                is_idle = answer.state == THR_IDLE_STATE;
                if (!is_idle && answer.state != THR_IBAR_STATE) {
                    ++wrong_answers;
                }
                if (region_id != 0 && (is_idle || region_id != id)) {
                    ++wrong_answers;
                }
            }
        });
        region.end_on_master();
        FakeRegion alone(1); // takes the record that the worker looks at
        alone.begin_on_master();
        alone.end_on_master();
        worker.done();
    }
}

} // namespace
} // namespace ocb::test
