// SPDX-License-Identifier: Apache-2.0
// Callbacks and the end of a session or registration: those in flight are waited for, requests
// inside callbacks work, and what a thread does inside a callback raises no events and leaves no
// trace in what it was doing.
#include "events/delivery.h"
#include "events/session.h"
#include "fresh_process.h"
#include "scene.h"

#include <atomic>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<bool> slow_sleeps_are_counted{false};
std::atomic<int> count_of_slow_sleeps{0};

} // namespace

// In libc's place for the whole program: on demand a sleep takes 5 ms, as on a busy machine.
extern "C" int nanosleep(const timespec *time, timespec *rest) {
    timespec slow{0, 5'000'000};
    if (slow_sleeps_are_counted) {
        ++count_of_slow_sleeps;
        time = &slow;
    }
    return static_cast<int>(syscall(SYS_nanosleep, time, rest));
}

namespace ocb::test {
namespace {

void fork_and_join() {
    FakeRegion region(1);
    region.begin_on_master();
    region.end_on_master();
}

// A callback that ends only some time after the request that it holds up has taken effect: whoever
// does not wait for it finds it running.
std::atomic<bool> callback_has_begun, callback_has_ended;

template <class F> void stay_until(F has_taken_effect) {
    callback_has_begun = true;
    while (!has_taken_effect()) {
        sched_yield();
    }
    // Long enough for a request that does not wait to return, far below the bound of one that does.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    callback_has_ended = true;
}

void stay_until_stopped(OMP_COLLECTORAPI_EVENT) {
    stay_until([] { return !session::is_started(); });
}
void stay_until_unregistered(OMP_COLLECTORAPI_EVENT event) {
    stay_until([event] { return !ocb::events::wants(static_cast<ocb::Event>(event)); });
}

void expect_waits(OMP_COLLECTORAPI_CALLBACK callback, int (*end)()) {
    callback_has_begun = callback_has_ended = false;
    ASSERT_EQ(register_callback(OMP_EVENT_FORK, callback), OMP_ERRCODE_OK);
    UserThread thread;
    thread.begin(fork_and_join);
    while (!callback_has_begun) {
        sched_yield();
    }
    EXPECT_EQ(end(), OMP_ERRCODE_OK);
    EXPECT_TRUE(callback_has_ended);
    thread.done();
}

TEST(Delivery, StopWaitsForACallbackInFlight) {
    const Scene scene;
    expect_waits(stay_until_stopped, [] { return request(OMP_REQ_STOP); });
}

TEST(Delivery, UnregisterWaitsForACallbackInFlight) {
    const Scene scene;
    expect_waits(stay_until_unregistered, [] { return unregister(OMP_EVENT_FORK); });
}

TEST(Delivery, RegisteringNullWaitsForACallbackInFlight) {
    const Scene scene;
    expect_waits(stay_until_unregistered,
                 [] { return register_callback(OMP_EVENT_FORK, nullptr); });
}

// The promise is the request's, whoever took the registration away first.
TEST(Delivery, SecondUnregisterWaitsForACallbackInFlight) {
    const Scene scene;
    expect_waits(stay_until_unregistered, [] {
        UserThread first;
        first.begin([] { unregister(OMP_EVENT_FORK); });
        while (ocb::events::wants(ocb::Event::kFork)) {
            sched_yield();
        }
        const int error = unregister(OMP_EVENT_FORK);
        EXPECT_TRUE(callback_has_ended);
        first.done();
        return error;
    });
}

// A callback of another event is not waited for: here it ends only after UNREGISTER has returned.
std::atomic<bool> other_is_unregistered;
void stay_until_told(OMP_COLLECTORAPI_EVENT) {
    callback_has_begun = true;
    while (!other_is_unregistered) {
        poll(nullptr, 0, 1); // a sleep that nobody counts
    }
}

// Returns when the thread is in the callback of FORK, where it stays until it is told.
void begin_long_callback(UserThread &thread) {
    callback_has_begun = other_is_unregistered = false;
    register_callback(OMP_EVENT_FORK, stay_until_told);
    thread.begin(fork_and_join);
    while (!callback_has_begun) {
        sched_yield();
    }
}

OCB_FRESH_TEST(Delivery, UnregisterDoesNotWaitForOtherEvents) {
    const Scene scene;
    capture_stderr();
    register_callback(OMP_EVENT_JOIN, record);
    UserThread thread;
    begin_long_callback(thread);
    EXPECT_EQ(unregister(OMP_EVENT_JOIN), OMP_ERRCODE_OK);
    other_is_unregistered = true;
    thread.done();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// STOP gives up after a while, and says so.
OCB_FRESH_TEST(Delivery, StopGivesUpOnACallbackThatDoesNotEnd) {
    const Scene scene;
    capture_stderr();
    UserThread thread;
    begin_long_callback(thread);
    EXPECT_EQ(request(OMP_REQ_STOP), OMP_ERRCODE_OK);
    other_is_unregistered = true;
    thread.done();
    EXPECT_NE(testing::internal::GetCapturedStderr().find("still running"), std::string::npos);
}

// The bound is a second of time. Where each sleep takes longer than it was asked for, fewer of them
// fill it.
OCB_FRESH_TEST(Delivery, StopGivesUpByTheClock) {
    constexpr int kMostSleeps = 1000; // of 5 ms; by their own length it would take 20,000
    const Scene scene;
    capture_stderr();
    UserThread thread;
    begin_long_callback(thread);
    slow_sleeps_are_counted = true;
    EXPECT_EQ(request(OMP_REQ_STOP), OMP_ERRCODE_OK);
    slow_sleeps_are_counted = false;
    other_is_unregistered = true;
    thread.done();
    EXPECT_NE(testing::internal::GetCapturedStderr().find("still running"), std::string::npos);
    EXPECT_LT(count_of_slow_sleeps, kMostSleeps);
}

int error_inside = -1;
void stop_inside(OMP_COLLECTORAPI_EVENT) {
    error_inside = request(OMP_REQ_STOP);
}

TEST(Delivery, StopInsideACallback) {
    const Scene scene;
    error_inside = -1;
    register_callback(OMP_EVENT_FORK, stop_inside);
    register_callback(OMP_EVENT_JOIN, record);
    fork_and_join();
    EXPECT_EQ(error_inside, OMP_ERRCODE_OK);
    EXPECT_EQ(take_names(), "");
    EXPECT_EQ(request(OMP_REQ_STATE), OMP_ERRCODE_SEQUENCE_ERR);
}

void unregister_inside(OMP_COLLECTORAPI_EVENT event) {
    record(event);
    error_inside = unregister(event);
}

TEST(Delivery, UnregisterInsideItsOwnCallback) {
    const Scene scene;
    error_inside = -1;
    register_callback(OMP_EVENT_FORK, unregister_inside);
    fork_and_join();
    fork_and_join();
    EXPECT_EQ(error_inside, OMP_ERRCODE_OK);
    EXPECT_EQ(take_names(), "FORK");
}

void restart_inside(OMP_COLLECTORAPI_EVENT) {
    request(OMP_REQ_STOP);
    error_inside = request(OMP_REQ_START);
}

TEST(Delivery, StopAndStartInsideACallback) {
    const Scene scene;
    error_inside = -1;
    register_callback(OMP_EVENT_FORK, restart_inside);
    register_callback(OMP_EVENT_JOIN, record);
    fork_and_join();
    EXPECT_EQ(error_inside, OMP_ERRCODE_OK);
    EXPECT_EQ(take_names(), "");
    record_events({OMP_EVENT_FORK, OMP_EVENT_JOIN});
    fork_and_join();
    EXPECT_EQ(take_names(), "FORK JOIN");
}

// Two callbacks that both wait for the other one's end would wait for ever: a thread that waits
// itself is not waited for. (The bound would end it too, and say so.)
std::barrier<> *both_are_inside = nullptr;
void stop_together(OMP_COLLECTORAPI_EVENT) {
    both_are_inside->arrive_and_wait();
    request(OMP_REQ_STOP);
}
void run_together(OMP_COLLECTORAPI_CALLBACK callback) {
    capture_stderr();
    std::barrier<> both(2);
    both_are_inside = &both;
    UserThread other;
    for (int round = 0; round < 50; ++round) {
        request(OMP_REQ_STOP);
        ASSERT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
        ASSERT_EQ(register_callback(OMP_EVENT_FORK, callback), OMP_ERRCODE_OK);
        other.begin(fork_and_join);
        fork_and_join();
        other.done();
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

OCB_FRESH_TEST(Delivery, TwoCallbacksThatBothStop) {
    const Scene scene;
    run_together(stop_together);
}

OCB_FRESH_TEST(Delivery, TwoCallbacksThatBothUnregister) {
    const Scene scene;
    run_together([](OMP_COLLECTORAPI_EVENT event) {
        both_are_inside->arrive_and_wait();
        unregister(event);
    });
}

void errno_is_changed(OMP_COLLECTORAPI_EVENT) {
    errno = EDOM;
}

TEST(Delivery, CallbackDoesNotChangeTheProgramsErrno) {
    const Scene scene;
    register_callback(OMP_EVENT_FORK, errno_is_changed);
    errno = ERANGE;
    fork_and_join();
    EXPECT_EQ(errno, ERANGE);
}

constexpr std::uint64_t kCollectorsLock = 0xC011EC7;

// TAU's callbacks take a lock of the same runtime on each event.
void record_under_lock(OMP_COLLECTORAPI_EVENT event) {
    take_mutex(ompt5::ompt_mutex_lock, kCollectorsLock);
    record(event);
    mutex_released(ompt5::ompt_mutex_lock, kCollectorsLock);
}

void record_all_under_lock() {
    for (int event = kFirstEvent; event <= kLastEvent; ++event) {
        ASSERT_EQ(register_callback(event, record_under_lock), OMP_ERRCODE_OK);
    }
}

TEST(Delivery, EventsRaisedInsideACallbackAreNotDelivered) {
    const Scene scene;
    record_all_under_lock();
    // Held by another thread: to take it would be a wait.
    UserThread other;
    other.run([] { take_mutex(ompt5::ompt_mutex_lock, kCollectorsLock); });
    fork_and_join();
    EXPECT_EQ(take_names(), "FORK JOIN");
    other.run([] { mutex_released(ompt5::ompt_mutex_lock, kCollectorsLock); });
}

void record_and_fork(OMP_COLLECTORAPI_EVENT event) {
    fork_and_join();
    record(event);
}

TEST(Delivery, RegionInsideACallbackIsNotDelivered) {
    const Scene scene;
    register_callback(OMP_EVENT_FORK, record_and_fork);
    register_callback(OMP_EVENT_JOIN, record_and_fork);
    fork_and_join();
    const std::vector<Seen> seen = take_seen();
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].region, seen[1].region);
    EXPECT_EQ(seen[0].state, THR_OVHD_STATE);
    EXPECT_EQ(seen[1].state, THR_OVHD_STATE);
}

TEST(Delivery, LockInsideACallbackLeavesTheLockWaitOpen) {
    constexpr std::uint64_t kLock = 0x10C4;
    const Scene scene;
    record_all_under_lock();
    UserThread holder;
    holder.run([] { take_mutex(ompt5::ompt_mutex_lock, kLock); });
    mutex_acquire(ompt5::ompt_mutex_lock, kLock);
    EXPECT_EQ(take_seen(),
              (std::vector<Seen>{{OMP_EVENT_THR_BEGIN_LKWT, THR_LKWT_STATE, 0, 0, kLock}}));
    const StateAnswer waiting = ask_state();
    EXPECT_EQ(waiting.state, THR_LKWT_STATE);
    EXPECT_EQ(waiting.wait_id, kLock);
    holder.run([] { mutex_released(ompt5::ompt_mutex_lock, kLock); });
    mutex_acquired(ompt5::ompt_mutex_lock, kLock);
    EXPECT_EQ(take_seen(),
              (std::vector<Seen>{{OMP_EVENT_THR_END_LKWT, THR_LKWT_STATE, 0, 0, kLock}}));
    mutex_released(ompt5::ompt_mutex_lock, kLock);
    EXPECT_EQ(take_names(), "");
}

TEST(Delivery, LockInsideACallbackLeavesTheBarriersWaitIdAlone) {
    const Scene scene;
    record_all_under_lock();
    FakeRegion region(2);
    region.begin_on_master();
    barrier_begins(Barrier::kExplicit);
    const StateAnswer waiting = ask_state();
    barrier_ends(Barrier::kExplicit);
    const std::vector<Seen> seen = take_seen();
    region.end_on_master();
    ASSERT_EQ(seen.size(), 3U);
    EXPECT_EQ(waiting.state, THR_EBAR_STATE);
    EXPECT_EQ(waiting.wait_id, seen[1].wait_id);
    EXPECT_EQ(seen[2].wait_id, seen[1].wait_id);
    EXPECT_NE(waiting.wait_id, kCollectorsLock);
}

TEST(Delivery, RegionInsideACallbackLeavesTheBarrierAlone) {
    const Scene scene;
    register_callback(OMP_EVENT_THR_BEGIN_EBAR, record_and_fork);
    register_callback(OMP_EVENT_THR_END_EBAR, record);
    FakeRegion region(2);
    region.begin_on_master();
    barrier_begins(Barrier::kExplicit);
    EXPECT_EQ(state(), THR_EBAR_STATE);
    barrier_ends(Barrier::kExplicit);
    EXPECT_EQ(take_names(), "BEGIN_EBAR END_EBAR");
    region.end_on_master();
}

} // namespace
} // namespace ocb::test
