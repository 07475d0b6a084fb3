// SPDX-License-Identifier: Apache-2.0
// What a thread answers inside a callback, whatever the callback does there, and a callback that is
// left by longjmp: the thread's next report finds it ended.
#include "scene.h"

#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <functional>

namespace ocb::test {
namespace {

using ompt5::ompt_mutex_critical;
using ompt5::ompt_mutex_lock;
using ompt5::ompt_mutex_ordered;

constexpr std::uint64_t kLockInCallback = 0xC011EC8;
constexpr std::uint64_t kProgramsLock = 0x10C5;

// ---- answers -----------------------------------------------------------------------------------

struct Answers {
    StateAnswer state;
    RegionAnswer region, parent;
    int task;

    bool operator==(const Answers &other) const {
        return state.error == other.state.error && state.state == other.state.state &&
               state.wait_id == other.state.wait_id && region.error == other.region.error &&
               region.id == other.region.id && parent.error == other.parent.error &&
               parent.id == other.parent.id && task == other.task;
    }
};

Answers ask_all() {
    return {ask_state(), ask_region(), ask_parent(), task()};
}

volatile std::sig_atomic_t handler_has_run;
Answers in_handler;
void ask_in_handler(int) {
    in_handler = ask_all();
    handler_has_run = 1;
}

Answers ask_by_signal() {
    handler_has_run = 0;
    raise(SIGUSR1);
    EXPECT_EQ(handler_has_run, 1);
    return in_handler;
}

int callbacks_checked = 0;

void use_openmp_and_ask(OMP_COLLECTORAPI_EVENT event) {
    const Answers before = ask_all();
    EXPECT_TRUE(ask_by_signal() == before) << name_of_event(event);
    take_mutex(ompt_mutex_lock, kLockInCallback);
    EXPECT_TRUE(ask_all() == before) << name_of_event(event) << ", a lock held";
    EXPECT_TRUE(ask_by_signal() == before) << name_of_event(event) << ", a lock held";
    FakeRegion region(1);
    region.begin_on_master();
    EXPECT_TRUE(ask_all() == before) << name_of_event(event) << ", in a region";
    EXPECT_TRUE(ask_by_signal() == before) << name_of_event(event) << ", in a region";
    region.end_on_master();
    mutex_released(ompt_mutex_lock, kLockInCallback);
    EXPECT_TRUE(ask_all() == before) << name_of_event(event) << ", afterwards";
    ++callbacks_checked;
    record(event);
}

class InsideCallback : public PerFlavour {};
OCB_FOR_EACH_FLAVOUR(InsideCallback);

// Everything that has events, on a team of two with contention.
TEST_P(InsideCallback, AnswersHoldWhateverTheCallbackDoes) {
    const Scene scene(GetParam());
    struct sigaction action {
    }, before{};
    action.sa_handler = ask_in_handler;
    sigaction(SIGUSR1, &action, &before);
    for (int event = kFirstEvent; event <= kLastTaskEvent; ++event) {
        if (!is_never_delivered(event)) {
            ASSERT_EQ(register_callback(event, use_openmp_and_ask), OMP_ERRCODE_OK);
        }
    }
    callbacks_checked = 0;
    {
        Worker worker;
        UserThread holder;
        holder.run([] { take_mutex(ompt_mutex_lock, kProgramsLock); });
        FakeRegion region(2);
        begin_team(region, worker);
        masked_begins();
        masked_ends();
        single_begins();
        single_ends();
        barrier_begins(Barrier::kWorkshare);
        barrier_ends(Barrier::kWorkshare);
        barrier_begins(Barrier::kExplicit);
        barrier_ends(Barrier::kExplicit);
        mutex_acquire(ompt_mutex_lock, kProgramsLock);
        holder.run([] { mutex_released(ompt_mutex_lock, kProgramsLock); });
        mutex_acquired(ompt_mutex_lock, kProgramsLock);
        mutex_released(ompt_mutex_lock, kProgramsLock);
        take_mutex(ompt_mutex_ordered, 1);
        mutex_released(ompt_mutex_ordered, 1);
        FakeTask task;
        task_created(task);
        task_starts(task);
        masked_begins();
        masked_ends();
        task_completes(task);
        end_team(region, worker);
        EXPECT_EQ(state(), THR_SERIAL_STATE);
    }
    EXPECT_GT(callbacks_checked, 25);
    take_seen();
    sigaction(SIGUSR1, &before, nullptr);
}

// ---- left by longjmp ---------------------------------------------------------------------------

std::jmp_buf outside;
int times_left = 0;
bool uses_lock = false;

void leave(OMP_COLLECTORAPI_EVENT event) {
    record(event);
    if (uses_lock) {
        take_mutex(ompt_mutex_lock, kLockInCallback);
    }
    ++times_left;
    std::longjmp(outside, 1);
}

__attribute__((noinline)) void leave_out_of(void (*construct)()) {
    if (setjmp(outside) == 0) {
        construct();
    }
}

// As deep on the stack as a runtime may be, all of it written to: a sanitizer leaves gaps between
// small frames, and the mark may lie in one.
__attribute__((noinline, no_sanitize("address"))) void run_deeper(void (*construct)()) {
    constexpr std::size_t kFrame = 4096;
    auto *frame = static_cast<volatile char *>(alloca(kFrame));
    for (std::size_t i = 0; i < kFrame; ++i) {
        frame[i] = 1;
    }
    construct();
    frame[0] = 0;
}

__attribute__((noinline)) void run_as_deep(void (*construct)()) {
    construct();
}

void ordered_is_got() {
    mutex_acquired(ompt_mutex_ordered, 1);
}
void ordered_is_left() {
    mutex_released(ompt_mutex_ordered, 1);
}

// The construct in whose event the callback leaves, what had begun before, the next report, and
// what the collector gets of all that.
struct Jump {
    const char *name;
    int event;
    void (*first)();
    void (*construct)();
    void (*next)();
    const char *names;
};
void nothing() {}
void explicit_begins() {
    barrier_begins(Barrier::kExplicit);
}
void explicit_ends() {
    barrier_ends(Barrier::kExplicit);
}
void ordered_is_wanted() {
    mutex_acquire(ompt_mutex_ordered, 1);
}
constexpr Jump kJumps[] = {
    {"BeginMaster", OMP_EVENT_THR_BEGIN_MASTER, nothing, masked_begins, masked_ends,
     "BEGIN_MASTER END_MASTER"},
    {"EndMaster", OMP_EVENT_THR_END_MASTER, masked_begins, masked_ends, single_begins,
     "BEGIN_MASTER END_MASTER BEGIN_SINGLE"},
    {"BeginSingle", OMP_EVENT_THR_BEGIN_SINGLE, nothing, single_begins, single_ends,
     "BEGIN_SINGLE END_SINGLE"},
    {"EndSingle", OMP_EVENT_THR_END_SINGLE, single_begins, single_ends, masked_begins,
     "BEGIN_SINGLE END_SINGLE BEGIN_MASTER"},
    {"EndBarrier", OMP_EVENT_THR_END_EBAR, explicit_begins, explicit_ends, masked_begins,
     "BEGIN_EBAR END_EBAR BEGIN_MASTER"},
    {"BeginOrdered", OMP_EVENT_THR_BEGIN_ORDERED, ordered_is_wanted, ordered_is_got,
     ordered_is_left, "BEGIN_ODWT END_ODWT BEGIN_ORDERED END_ORDERED"},
};

class LeftCallback : public testing::TestWithParam<std::tuple<Jump, bool, bool>> {};
std::string name_of_jump(const testing::TestParamInfo<std::tuple<Jump, bool, bool>> &info) {
    return std::string(std::get<0>(info.param).name) +
           (std::get<1>(info.param) ? "ThenDeeper" : "ThenAsDeep") +
           (std::get<2>(info.param) ? "WithLock" : "");
}
INSTANTIATE_TEST_SUITE_P(Each, LeftCallback,
                         testing::Combine(testing::ValuesIn(kJumps), testing::Bool(),
                                          testing::Bool()),
                         name_of_jump);

TEST_P(LeftCallback, HasEndedAtTheNextReport) {
    const auto [jump, is_deeper, with_lock] = GetParam();
    const Scene scene;
    record_all_events();
    Worker worker;
    FakeRegion region(2);
    begin_team(region, worker);
    take_seen();
    const std::uint64_t id = ocb::test::region();
    uses_lock = with_lock;
    times_left = 0;
    ASSERT_EQ(register_callback(jump.event, leave), OMP_ERRCODE_OK);
    jump.first();
    leave_out_of(jump.construct);
    ASSERT_EQ(times_left, 1);
    ASSERT_EQ(register_callback(jump.event, record), OMP_ERRCODE_OK);
    is_deeper ? run_deeper(jump.next) : run_as_deep(jump.next);
    EXPECT_EQ(take_names(), jump.names);
    EXPECT_EQ(state(), THR_WORK_STATE);
    EXPECT_EQ(ocb::test::region(), id);
    barrier_begins(Barrier::kExplicit);
    EXPECT_EQ(state(), THR_EBAR_STATE);
    barrier_ends(Barrier::kExplicit);
    if (with_lock) {
        mutex_released(ompt_mutex_lock, kLockInCallback);
    }
    end_team(region, worker);
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    take_seen();
}

} // namespace
} // namespace ocb::test
