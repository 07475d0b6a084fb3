// SPDX-License-Identifier: Apache-2.0
// On every thread BEGIN_x and END_x come in pairs: no END whose BEGIN was not delivered, whatever
// comes between them (a late registration, PAUSE, another session), and whatever the runtime leaves
// out. FORK and JOIN likewise. What the two say of region and wait id is the same.
#include "scene.h"

#include <array>
#include <memory>
#include <ostream>
#include <vector>

namespace ocb::test {
namespace {

constexpr std::uint64_t kLock = 0x57A1, kCritical = 0x57A2, kAtomic = 0x57A3, kOrdered = 0x57A4;

std::unique_ptr<FakeRegion> inner_region;
UserThread *holder = nullptr;

struct Construct {
    const char *name;
    int begin_event; // END is the next number
    void (*begin)();
    void (*end)();
};

template <Barrier kBarrier> void begin_barrier() {
    barrier_begins(kBarrier);
}
template <Barrier kBarrier> void end_barrier() {
    barrier_ends(kBarrier);
}
template <ompt5::ompt_mutex_t kKind, std::uint64_t kWaitId> void want() {
    mutex_acquire(kKind, kWaitId);
}
template <ompt5::ompt_mutex_t kKind, std::uint64_t kWaitId> void get_and_give_back() {
    holder->run([] { mutex_released(kKind, kWaitId); });
    mutex_acquired(kKind, kWaitId);
    mutex_released(kKind, kWaitId);
    holder->run([] { take_mutex(kKind, kWaitId); });
}
void get_and_leave_ordered() {
    mutex_acquired(ompt5::ompt_mutex_ordered, kOrdered);
    mutex_released(ompt5::ompt_mutex_ordered, kOrdered);
}

// In a region of two, while another thread holds the mutexes.
const Construct kConstructs[] = {
    {"Region", OMP_EVENT_FORK,
     [] {
         inner_region = std::make_unique<FakeRegion>(1);
         inner_region->begin_on_master();
     },
     [] { inner_region->end_on_master(); }},
    {"ImplicitBarrier", OMP_EVENT_THR_BEGIN_IBAR, begin_barrier<Barrier::kWorkshare>,
     end_barrier<Barrier::kWorkshare>},
    {"ExplicitBarrier", OMP_EVENT_THR_BEGIN_EBAR, begin_barrier<Barrier::kExplicit>,
     end_barrier<Barrier::kExplicit>},
    {"Lock", OMP_EVENT_THR_BEGIN_LKWT, want<ompt5::ompt_mutex_lock, kLock>,
     get_and_give_back<ompt5::ompt_mutex_lock, kLock>},
    {"Critical", OMP_EVENT_THR_BEGIN_CTWT, want<ompt5::ompt_mutex_critical, kCritical>,
     get_and_give_back<ompt5::ompt_mutex_critical, kCritical>},
    {"Atomic", OMP_EVENT_THR_BEGIN_ATWT, want<ompt5::ompt_mutex_atomic, kAtomic>,
     get_and_give_back<ompt5::ompt_mutex_atomic, kAtomic>},
    {"OrderedWait", OMP_EVENT_THR_BEGIN_ODWT, want<ompt5::ompt_mutex_ordered, kOrdered>,
     get_and_leave_ordered},
    {"Ordered", OMP_EVENT_THR_BEGIN_ORDERED,
     [] { take_mutex(ompt5::ompt_mutex_ordered, kOrdered); },
     [] { mutex_released(ompt5::ompt_mutex_ordered, kOrdered); }},
    {"Master", OMP_EVENT_THR_BEGIN_MASTER, masked_begins, masked_ends},
    {"Single", OMP_EVENT_THR_BEGIN_SINGLE, single_begins, single_ends},
};

void PrintTo(const Construct &construct, std::ostream *out) {
    *out << construct.name;
}

class StrictPairs : public testing::TestWithParam<Construct> {
  protected:
    StrictPairs() {
        observe_everything();
        holder = &holder_;
        holder_.run([] {
            take_mutex(ompt5::ompt_mutex_lock, kLock);
            take_mutex(ompt5::ompt_mutex_critical, kCritical);
            take_mutex(ompt5::ompt_mutex_atomic, kAtomic);
        });
        team_.begin_on_master();
    }
    ~StrictPairs() override {
        team_.end_on_master();
        holder_.run([] {
            mutex_released(ompt5::ompt_mutex_lock, kLock);
            mutex_released(ompt5::ompt_mutex_critical, kCritical);
            mutex_released(ompt5::ompt_mutex_atomic, kAtomic);
        });
        take_seen();
    }

    static void register_pair() {
        record_events({GetParam().begin_event, GetParam().begin_event + 1});
    }
    static void restart() {
        request(OMP_REQ_STOP);
        request(OMP_REQ_START);
    }
    static std::string begin_name() { return name_of_event(GetParam().begin_event); }
    static std::string end_name() { return name_of_event(GetParam().begin_event + 1); }

    // From here on everything is as if nothing had been.
    static void expect_whole_pair() {
        take_seen();
        GetParam().begin();
        GetParam().end();
        EXPECT_EQ(take_names(), begin_name() + " " + end_name());
    }

    Scene scene_;

  private:
    UserThread holder_;
    FakeRegion team_{2};
};

std::string name_of_construct(const testing::TestParamInfo<Construct> &info) {
    return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Each, StrictPairs, testing::ValuesIn(kConstructs), name_of_construct);

TEST_P(StrictPairs, BothEndsSayTheSame) {
    register_pair();
    GetParam().begin();
    GetParam().end();
    std::vector<Seen> seen = take_seen();
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].event, GetParam().begin_event);
    EXPECT_NE(seen[0].region, 0U);
    seen[0].event = GetParam().begin_event + 1;
    EXPECT_EQ(seen[1], seen[0]);
}

TEST_P(StrictPairs, BegunBeforeRegistration) {
    GetParam().begin();
    register_pair();
    GetParam().end();
    EXPECT_EQ(take_names(), "");
    expect_whole_pair();
}

TEST_P(StrictPairs, BegunBeforeStart) {
    request(OMP_REQ_STOP);
    GetParam().begin();
    request(OMP_REQ_START);
    register_pair();
    GetParam().end();
    EXPECT_EQ(take_names(), "");
    expect_whole_pair();
}

TEST_P(StrictPairs, BegunDuringPause) {
    register_pair();
    request(OMP_REQ_PAUSE);
    GetParam().begin();
    request(OMP_REQ_RESUME);
    GetParam().end();
    EXPECT_EQ(take_names(), "");
    expect_whole_pair();
}

TEST_P(StrictPairs, EndedDuringPause) {
    register_pair();
    GetParam().begin();
    request(OMP_REQ_PAUSE);
    GetParam().end();
    request(OMP_REQ_RESUME);
    EXPECT_EQ(take_names(), begin_name());
    expect_whole_pair();
}

TEST_P(StrictPairs, PauseBetween) {
    register_pair();
    GetParam().begin();
    request(OMP_REQ_PAUSE);
    request(OMP_REQ_RESUME);
    GetParam().end();
    EXPECT_EQ(take_names(), begin_name() + " " + end_name());
}

TEST_P(StrictPairs, AnotherSessionBetween) {
    register_pair();
    GetParam().begin();
    restart();
    register_pair();
    GetParam().end();
    EXPECT_EQ(take_names(), begin_name());
    expect_whole_pair();
}

TEST_P(StrictPairs, BeginAlone) {
    record_events({GetParam().begin_event});
    for (int round = 0; round < 2; ++round) {
        GetParam().begin();
        GetParam().end();
    }
    EXPECT_EQ(take_names(), begin_name() + " " + begin_name());
}

// Who asks for ENDs alone gets them.
TEST_P(StrictPairs, EndAlone) {
    record_events({GetParam().begin_event + 1});
    for (int round = 0; round < 2; ++round) {
        GetParam().begin();
        GetParam().end();
    }
    EXPECT_EQ(take_names(), end_name() + " " + end_name());
}

// "Before both were registered": the END of a pair whose BEGIN was registered too late.
TEST_P(StrictPairs, BeginRegisteredBetween) {
    record_events({GetParam().begin_event + 1});
    GetParam().begin();
    record_events({GetParam().begin_event});
    GetParam().end();
    EXPECT_EQ(take_names(), "");
    expect_whole_pair();
}

// Deeper than any program nests, and than the record keeps pair by pair.
constexpr int kDeep = 100;

std::string repeat(const std::string &word, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) {
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

template <class F> void times(int count, F work) {
    for (int i = 0; i < count; ++i) {
        work();
    }
}

class DeepPairs : public testing::Test {
  protected:
    DeepPairs() {
        record_events({OMP_EVENT_THR_BEGIN_MASTER, OMP_EVENT_THR_END_MASTER});
        region_.begin_on_master();
    }
    ~DeepPairs() override { region_.end_on_master(); }

    Scene scene_;

  private:
    FakeRegion region_{1};
};

TEST_F(DeepPairs, EachBeginHasItsEnd) {
    for (int round = 0; round < 2; ++round) {
        times(kDeep, masked_begins);
        EXPECT_EQ(take_names(), repeat("BEGIN_MASTER", kDeep));
        times(kDeep, masked_ends);
        EXPECT_EQ(take_names(), repeat("END_MASTER", kDeep));
    }
}

TEST_F(DeepPairs, NoEndWithoutItsBegin) {
    constexpr int kPart = kDeep / 2;
    times(kPart, masked_begins);
    request(OMP_REQ_PAUSE);
    times(kPart, masked_begins);
    request(OMP_REQ_RESUME);
    take_seen();
    times(kPart, masked_ends);
    EXPECT_EQ(take_names(), "");
    times(kPart, masked_ends);
    EXPECT_EQ(take_names(), repeat("END_MASTER", kPart));
}

TEST_F(DeepPairs, AnotherSessionKnowsNoneOfThem) {
    times(kDeep, masked_begins);
    request(OMP_REQ_STOP);
    request(OMP_REQ_START);
    record_events({OMP_EVENT_THR_BEGIN_MASTER, OMP_EVENT_THR_END_MASTER});
    take_seen();
    times(kDeep, masked_ends);
    EXPECT_EQ(take_names(), "");
    masked_begins();
    masked_ends();
    EXPECT_EQ(take_names(), "BEGIN_MASTER END_MASTER");
}

// gcc's single has no end of its own: it is over at the thread's next barrier, single, or end.
class OpenSingle : public testing::Test {
  protected:
    OpenSingle() { record_all_events(); }

    Scene scene_;
};

TEST_F(OpenSingle, EndsAtTheNextBarrier) {
    FakeRegion region(2, kFlagsGcc);
    region.begin_on_master();
    take_seen();
    single_begins();
    barrier_begins(Barrier::kImplementation);
    barrier_ends(Barrier::kImplementation);
    EXPECT_EQ(take_names(), "BEGIN_SINGLE END_SINGLE BEGIN_IBAR END_IBAR");
    region.end_on_master();
    EXPECT_EQ(take_names(), "BEGIN_IBAR END_IBAR JOIN");
}

TEST_F(OpenSingle, EndsAtTheNextSingle) {
    FakeRegion region(2, kFlagsGcc);
    region.begin_on_master();
    take_seen();
    single_begins();
    single_begins();
    region.end_on_master();
    EXPECT_EQ(take_names(),
              "BEGIN_SINGLE END_SINGLE BEGIN_SINGLE END_SINGLE BEGIN_IBAR END_IBAR JOIN");
}

TEST_F(OpenSingle, EndsWithItsRegion) {
    FakeRegion region(1, kFlagsGcc);
    region.begin_on_master();
    const std::uint64_t id = ocb::test::region();
    take_seen();
    single_begins();
    region.end_on_master();
    const std::vector<Seen> seen = take_seen();
    ASSERT_EQ(seen.size(), 3U);
    EXPECT_EQ(seen[1], (Seen{OMP_EVENT_THR_END_SINGLE, THR_WORK_STATE, id, 0}));
    EXPECT_EQ(seen[2].event, OMP_EVENT_JOIN);
}

TEST_F(OpenSingle, StaysOpenAroundARegionInside) {
    FakeRegion outer(2, kFlagsGcc), inner(1, kFlagsGcc);
    outer.begin_on_master();
    take_seen();
    single_begins();
    inner.begin_on_master();
    single_begins();
    inner.end_on_master();
    EXPECT_EQ(take_names(), "BEGIN_SINGLE FORK BEGIN_SINGLE END_SINGLE JOIN");
    outer.end_on_master();
    EXPECT_EQ(take_names(), "END_SINGLE BEGIN_IBAR END_IBAR JOIN");
}

TEST_F(OpenSingle, OfWhichOnlyTheBeginWasPaused) {
    FakeRegion region(2, kFlagsGcc);
    region.begin_on_master();
    take_seen();
    request(OMP_REQ_PAUSE);
    single_begins();
    request(OMP_REQ_RESUME);
    region.end_on_master();
    EXPECT_EQ(take_names(), "BEGIN_IBAR END_IBAR JOIN");
}

TEST_F(OpenSingle, EndWithoutBeginIsNothing) {
    FakeRegion region(2);
    region.begin_on_master();
    take_seen();
    single_ends();
    masked_ends();
    barrier_ends(Barrier::kExplicit);
    mutex_released(ompt5::ompt_mutex_ordered, kOrdered);
    EXPECT_EQ(take_names(), "");
    EXPECT_EQ(state(), THR_WORK_STATE);
    region.end_on_master();
}

// The worker's stay in the pool is a pair like any other.
TEST(StrictPairsOfIdle, BegunDuringPause) {
    const Scene scene;
    record_all_events();
    request(OMP_REQ_PAUSE);
    Worker worker;
    request(OMP_REQ_RESUME);
    FakeRegion first(2);
    begin_team(first, worker);
    EXPECT_EQ(worker.ask(take_names), "BEGIN_IDLE END_IDLE") << "it begins where it enters a team";
    end_team(first, worker);
    EXPECT_EQ(worker.ask(take_names), "BEGIN_IBAR END_IBAR BEGIN_IDLE");
    request(OMP_REQ_PAUSE);
    FakeRegion second(2);
    begin_team(second, worker);
    end_team(second, worker);
    request(OMP_REQ_RESUME);
    FakeRegion third(2);
    begin_team(third, worker);
    EXPECT_EQ(worker.ask(take_names), "");
    end_team(third, worker);
    take_seen();
}

TEST(StrictPairsOfIdle, AnotherSessionBetween) {
    const Scene scene;
    record_all_events();
    Worker worker;
    FakeRegion before(2);
    begin_team(before, worker);
    end_team(before, worker);
    EXPECT_EQ(worker.ask(take_names), "BEGIN_IDLE END_IDLE BEGIN_IBAR END_IBAR BEGIN_IDLE");
    request(OMP_REQ_STOP);
    request(OMP_REQ_START);
    record_all_events();
    FakeRegion region(2);
    begin_team(region, worker);
    EXPECT_EQ(worker.ask(take_names), "");
    end_team(region, worker);
    EXPECT_EQ(worker.ask(take_names), "BEGIN_IBAR END_IBAR BEGIN_IDLE");
    take_seen();
}

} // namespace
} // namespace ocb::test
