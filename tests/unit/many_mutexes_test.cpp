// SPDX-License-Identifier: Apache-2.0
// More mutexes than the table of held ones has room for: a wait is seen all the same, or the rest
// works without it.
#include "fresh_process.h"
#include "omp_collector_bridge.h"
#include "recorded_team.h"
#include "records/held_mutexes.h"
#include "sanitized.h"

#include <vector>

namespace ocb::test {
namespace {

using ompt5::ompt_mutex_lock;

// Far more mutexes than the table of held ones has room for: those in use stay in it.
TEST(Mutex, ManyMutexes) {
    constexpr std::uint64_t kFirst = 0x10000000, kHeld = 0x9000, kNew = 0x9001, kStep = 8;
    constexpr int kMutexes = 100'000;
    const Scene scene;
    Team team;
    team.worker.run([] { take_mutex(ompt_mutex_lock, kHeld); });
    for (int i = 0; i < kMutexes; ++i) {
        const std::uint64_t mutex = kFirst + kStep * static_cast<std::uint64_t>(i);
        take_mutex(ompt_mutex_lock, mutex);
        mutex_released(ompt_mutex_lock, mutex);
    }
    EXPECT_EQ(take_names(), "");
    team.worker.run([] { take_mutex(ompt_mutex_lock, kNew); });
    for (const std::uint64_t mutex : {kHeld, kNew}) {
        mutex_acquire(ompt_mutex_lock, mutex);
        EXPECT_EQ(ask_state().wait_id, mutex);
        team.worker.run([mutex] { mutex_released(ompt_mutex_lock, mutex); });
        mutex_acquired(ompt_mutex_lock, mutex);
        mutex_released(ompt_mutex_lock, mutex);
        EXPECT_EQ(take_names(), "BEGIN_LKWT END_LKWT");
    }
}

// Between a thread's look at its last place and its entry there the place goes to another mutex:
// the thread is in it no more, as the other mutex's waits would be for that thread.
TEST(Mutex, APlaceThatAnotherHasTakenIsLeftAgain) {
    constexpr WaitId kMine{0x9101}, kAnothers{0x9102};
    static ThreadRecord record;
    std::atomic<bool> &slots_change = held_mutexes::acquisitions.slots_change;
    const bool before = slots_change.exchange(true);
    MutexSlot slot;
    slot.wait_id.store(kAnothers);
    EXPECT_FALSE(want_mutex(slot, kMine, record, true));
    EXPECT_TRUE(slot.is_free());
    hold_mutex(slot, kMine, record);
    EXPECT_TRUE(slot.is_free());
    slot.wait_id.store(kMine);
    EXPECT_FALSE(want_mutex(slot, kMine, record, true));
    hold_mutex(slot, kMine, record);
    EXPECT_EQ(slot.holder.load(), &record);
    slots_change.store(before);
}

// A release that somebody asked for and that was never reported: it is none of the mutex that gets
// the place.
TEST(Mutex, AskedReleaseEndsWithItsPlace) {
    constexpr std::uint64_t kFirst = 0x30000000, kAsked = 0x9002, kStep = 8;
    constexpr int kMutexes = 100'000;
    const Scene scene;
    Team team;
    record_events({OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED});
    take_mutex(ompt_mutex_lock, kAsked);
    EXPECT_EQ(omp_collector_bridge_watch_mutex(kAsked), 1);
    team.worker.run([] {
        take_mutex(ompt_mutex_lock, kAsked);
        mutex_released(ompt_mutex_lock, kAsked);
    });
    take_seen();
    for (int i = 0; i < kMutexes; ++i) {
        const std::uint64_t mutex = kFirst + kStep * static_cast<std::uint64_t>(i);
        take_mutex(ompt_mutex_lock, mutex);
        mutex_released(ompt_mutex_lock, mutex);
    }
    EXPECT_EQ(take_seen(), (std::vector<Seen>{}));
}

// So many held at once that some find no room: these show no wait, the rest works.
TEST(Mutex, MoreMutexesHeldThanThereIsRoomFor) {
    constexpr std::uint64_t kFirst = 0x20000000, kStep = 64;
    constexpr int kMutexes = 20'000;
    const auto mutex = [](int i) { return kFirst + kStep * static_cast<std::uint64_t>(i); };
    const Scene scene;
    Team team;
    team.worker.run([&] {
        for (int i = 0; i < kMutexes; ++i) {
            take_mutex(ompt_mutex_lock, mutex(i));
        }
    });
    mutex_acquire(ompt_mutex_lock, mutex(0));
    EXPECT_EQ(take_names(), "BEGIN_LKWT");
    team.worker.run([&] {
        for (int i = 0; i < kMutexes; ++i) {
            mutex_released(ompt_mutex_lock, mutex(i));
        }
    });
    mutex_acquired(ompt_mutex_lock, mutex(0));
    EXPECT_EQ(take_names(), "END_LKWT");
    mutex_released(ompt_mutex_lock, mutex(0));
    EXPECT_EQ(team.worker.ask(take_names), "");
}

// However many mutexes there are, a wait is seen: held at once they need more than the first table,
// alive they use the slots of others.
constexpr std::uint64_t kManyFrom = 0x70000000, kDistance = 64;

// A wait that the next acquisition finds without an end is given up.
int waits_seen_of(std::uint64_t first, int count, int step) {
    int seen = 0;
    for (int i = 0; i < count; i += step) {
        const std::uint64_t mutex = first + static_cast<std::uint64_t>(i) * kDistance;
        mutex_acquire(ompt_mutex_lock, mutex);
        const StateAnswer waiting = ask_state();
        seen += waiting.state == THR_LKWT_STATE && waiting.wait_id == mutex ? 1 : 0;
    }
    return seen;
}

TEST(Mutex, AHundredThousandHeldAtOnceAreSeen) {
    constexpr int kHeld = 100000, kStep = 100;
    const Scene scene;
    UserThread holder;
    holder.run([] {
        for (int i = 0; i < kHeld; ++i) {
            take_mutex(ompt_mutex_lock, kManyFrom + static_cast<std::uint64_t>(i) * kDistance);
        }
    });
    EXPECT_EQ(waits_seen_of(kManyFrom, kHeld, kStep), kHeld / kStep);
    holder.run([] {
        for (int i = 0; i < kHeld; ++i) {
            mutex_released(ompt_mutex_lock, kManyFrom + static_cast<std::uint64_t>(i) * kDistance);
        }
    });
    for (int i = 0; i < kHeld; i += kStep) {
        mutex_acquire(ompt_mutex_lock, kManyFrom + static_cast<std::uint64_t>(i) * kDistance);
        EXPECT_EQ(state(), THR_SERIAL_STATE);
        mutex_acquired(ompt_mutex_lock, kManyFrom + static_cast<std::uint64_t>(i) * kDistance);
        mutex_released(ompt_mutex_lock, kManyFrom + static_cast<std::uint64_t>(i) * kDistance);
    }
}

TEST(Mutex, AMillionAliveLeaveRoomForThoseHeld) {
    const int alive = million();
    constexpr int kHeld = 1000;
    constexpr std::uint64_t kFrom = kManyFrom + 0x10000000;
    const Scene scene;
    for (int i = 0; i < alive; ++i) {
        const std::uint64_t mutex = kFrom + static_cast<std::uint64_t>(i) * kDistance;
        take_mutex(ompt_mutex_lock, mutex);
        mutex_released(ompt_mutex_lock, mutex);
    }
    UserThread holder;
    holder.run([] {
        for (int i = 0; i < kHeld; ++i) {
            take_mutex(ompt_mutex_lock, kFrom + static_cast<std::uint64_t>(i) * kDistance);
        }
    });
    EXPECT_EQ(waits_seen_of(kFrom, kHeld, 1), kHeld);
    holder.run([] {
        for (int i = 0; i < kHeld; ++i) {
            mutex_released(ompt_mutex_lock, kFrom + static_cast<std::uint64_t>(i) * kDistance);
        }
    });
}

} // namespace
} // namespace ocb::test
