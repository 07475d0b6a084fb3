// SPDX-License-Identifier: Apache-2.0
// STATE and CURRENT_PRID in signal handlers: nothing allocated, errno kept, a stack of less than a
// KiB, on known and unknown threads, at the first request and in any state; and answers that fit
// each other wherever in the library the signal comes.
#include "allocation_count.h"
#include "fresh_process.h"
#include "sanitized.h"
#include "scene.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <pthread.h>
#include <vector>

namespace ocb::test {
namespace {

constexpr int kSignal = SIGUSR1;

// Installs `handler`, to run on an alternate stack of the calling thread that is painted before.
class OnPaintedStack {
  public:
    explicit OnPaintedStack(void (*handler)(int)) : memory_(kSize, kPaint) {
        stack_t stack{};
        stack.ss_sp = memory_.data();
        stack.ss_size = memory_.size();
        EXPECT_EQ(sigaltstack(&stack, &stack_before_), 0);
        struct sigaction action {};
        action.sa_handler = handler;
        action.sa_flags = SA_ONSTACK | SA_RESTART;
        EXPECT_EQ(sigaction(kSignal, &action, &action_before_), 0);
    }
    ~OnPaintedStack() {
        sigaction(kSignal, &action_before_, nullptr);
        sigaltstack(&stack_before_, nullptr);
    }
    OnPaintedStack(const OnPaintedStack &) = delete;
    OnPaintedStack &operator=(const OnPaintedStack &) = delete;

    // The bytes between the stack's beginning and the deepest that has been written.
    [[nodiscard]] std::ptrdiff_t depth() const {
        return memory_.end() - std::find_if(memory_.begin(), memory_.end(),
                                            [](unsigned char byte) { return byte != kPaint; });
    }

  private:
    static constexpr std::size_t kSize =
        std::size_t{256} * 1024; // the kernel's frame alone may have many KiB
    static constexpr unsigned char kPaint = 0x5C;

    std::vector<unsigned char> memory_;
    stack_t stack_before_{};
    struct sigaction action_before_ {};
};

struct HandlerAnswers {
    int state_error, state, region_error;
    std::uint64_t region;
    unsigned allocations;
    int errno_after;
};
HandlerAnswers handler_answers;

constexpr int kErrno = 4711;

void do_nothing(int) {}

void ask_both(int) {
    const int before = errno;
    errno = kErrno;
    const AllocationCount count;
    const StateAnswer answer = ask_state();
    const RegionAnswer id = ask_region();
    handler_answers = {answer.error, answer.state, id.error, id.id, count.count(), errno};
    errno = before;
}

std::ptrdiff_t depth_with(void (*handler)(int)) {
    const OnPaintedStack stack(handler);
    raise(kSignal);
    return stack.depth();
}

// Asks in a handler on the calling thread.
void expect_safe(int state, bool is_in_region) {
    const std::ptrdiff_t of_an_empty_handler = depth_with(do_nothing);
    handler_answers = {};
    const std::ptrdiff_t depth = depth_with(ask_both);
    EXPECT_EQ(handler_answers.state_error, OMP_ERRCODE_OK);
    EXPECT_EQ(handler_answers.region_error, OMP_ERRCODE_OK);
    EXPECT_STREQ(name_of_state(handler_answers.state), name_of_state(state));
    EXPECT_EQ(handler_answers.region != 0, is_in_region);
    EXPECT_EQ(handler_answers.allocations, 0U);
    EXPECT_EQ(handler_answers.errno_after, kErrno);
    constexpr std::ptrdiff_t kKiB = 1024;
    EXPECT_TRUE(is_sanitized() || depth - of_an_empty_handler < kKiB)
        << depth - of_an_empty_handler;
}

TEST(SignalSafety, AllocationsAreCounted) {
    const AllocationCount count;
    std::vector<int> *volatile vector = new std::vector<int>(1);
    delete vector;
    EXPECT_EQ(count.count(), 4U);
}

OCB_FRESH_TEST_WITH(SignalSafety, FirstStateRequestOfTheSession, "OCB_OBSERVE=registered") {
    const Scene scene;
    EXPECT_EQ(FakeRuntime::count_of_callbacks(), 6);
    expect_safe(THR_SERIAL_STATE, false);
    EXPECT_GT(FakeRuntime::count_of_callbacks(), 6);
}

OCB_FRESH_TEST(SignalSafety, WithoutARuntime) {
    const Session session;
    expect_safe(THR_SERIAL_STATE, false);
}

OCB_FRESH_TEST(SignalSafety, ThreadUnknownToTheRuntime) {
    const Scene scene;
    FakeThread thread;
    thread.run([] { expect_safe(THR_SERIAL_STATE, false); });
}

OCB_FRESH_TEST(SignalSafety, ThreadThatTheBridgeSeesForTheFirstTime) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread thread;
    FakeRegion outer(1), inner(1);
    thread.run([&] {
        outer.begin_on_master();
        inner.begin_on_master();
    });
    const Session session;
    thread.run([&] {
        expect_safe(THR_WORK_STATE, true);
        inner.end_on_master();
        outer.end_on_master();
    });
}

TEST(SignalSafety, InEveryState) {
    constexpr std::uint64_t kLock = 0x516;
    const Scene scene;
    observe_everything();
    Worker worker;
    worker.run([] { expect_safe(THR_IDLE_STATE, false); });
    expect_safe(THR_SERIAL_STATE, false);
    FakeRegion region(2);
    region.fork();
    expect_safe(THR_OVHD_STATE, false);
    region.enter(0);
    worker.run([&] { region.enter(1); });
    expect_safe(THR_WORK_STATE, true);
    worker.run([] { expect_safe(THR_WORK_STATE, true); });
    barrier_begins(Barrier::kExplicit);
    expect_safe(THR_EBAR_STATE, true);
    barrier_ends(Barrier::kExplicit);
    reduction_begins();
    expect_safe(THR_REDUC_STATE, true);
    reduction_ends();
    worker.run([] { take_mutex(ompt5::ompt_mutex_lock, kLock); });
    mutex_acquire(ompt5::ompt_mutex_lock, kLock, MutexImpl::kSpinning);
    expect_safe(THR_LKWT_STATE, true);
    worker.run([] { mutex_released(ompt5::ompt_mutex_lock, kLock); });
    expect_safe(THR_LKWT_STATE, true);
    mutex_acquired(ompt5::ompt_mutex_lock, kLock);
    mutex_released(ompt5::ompt_mutex_lock, kLock);
    worker.run([&] {
        region.arrive();
        expect_safe(THR_IBAR_STATE, true);
    });
    region.end_on_master();
    worker.run([] { expect_safe(THR_IDLE_STATE, false); });
}

TEST(SignalSafety, InsideACallback) {
    const Scene scene;
    register_callback(OMP_EVENT_FORK,
                      [](OMP_COLLECTORAPI_EVENT) { expect_safe(THR_OVHD_STATE, true); });
    FakeRegion region(1);
    region.begin_on_master();
    region.end_on_master();
    EXPECT_EQ(handler_answers.state, THR_OVHD_STATE);
}

// Between any two instructions of the library: the answers must fit each other.
std::atomic<unsigned> samples, contradictions, allocations;

bool fit(int state, std::uint64_t region) {
    switch (state) {
    case THR_WORK_STATE:
        return region != 0;
    case THR_SERIAL_STATE:
    case THR_IDLE_STATE:
        return region == 0;
    default:
        return state >= THR_OVHD_STATE && state < THR_LAST_STATE;
    }
}

void sample(int) {
    const AllocationCount count;
    const StateAnswer answer = ask_state();
    const RegionAnswer id = ask_region();
    samples.fetch_add(1, std::memory_order_relaxed);
    if (answer.error != OMP_ERRCODE_OK || id.error != OMP_ERRCODE_OK || !fit(answer.state, id.id)) {
        contradictions.fetch_add(1, std::memory_order_relaxed);
    }
    allocations.fetch_add(count.count(), std::memory_order_relaxed);
}

void ignore(OMP_COLLECTORAPI_EVENT) {}

TEST(SignalSafety, SamplesThatComeAnywhere) {
    constexpr unsigned kSamples = 5000;
    constexpr std::uint64_t kLock = 0x517;
    const Scene scene;
    observe_everything();
    for (int event = kFirstEvent; event <= kLastEvent; ++event) {
        ASSERT_EQ(register_callback(event, ignore), OMP_ERRCODE_OK);
    }
    samples = contradictions = allocations = 0;
    std::atomic<bool> is_over{false}, is_ready{false};
    pthread_t target{};
    UserThread sampled;
    sampled.begin([&] {
        const OnPaintedStack stack(sample);
        target = pthread_self();
        is_ready = true;
        while (!is_over) {
            FakeRegion outer(2), inner(1);
            outer.begin_on_master();
            barrier_begins(Barrier::kExplicit);
            FakeTask task;
            task_starts(task);
            take_mutex(ompt5::ompt_mutex_lock, kLock);
            mutex_released(ompt5::ompt_mutex_lock, kLock);
            task_completes(task);
            barrier_ends(Barrier::kExplicit);
            inner.begin_on_master();
            single_begins();
            reduction_begins();
            reduction_ends();
            inner.end_on_master();
            outer.end_on_master();
        }
        // Signals under way come before the handler goes.
        sigset_t none;
        sigemptyset(&none);
        pthread_sigmask(SIG_SETMASK, &none, nullptr);
    });
    while (!is_ready) {
        std::this_thread::yield();
    }
    while (samples < kSamples) {
        pthread_kill(target, kSignal);
    }
    is_over = true;
    sampled.done();
    EXPECT_EQ(contradictions, 0U);
    EXPECT_EQ(allocations, 0U);
}

} // namespace
} // namespace ocb::test
