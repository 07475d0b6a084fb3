// SPDX-License-Identifier: Apache-2.0
// The protocols of docs/MEMORY-ORDERS.md that lie in the bridge: threads side by side that have no
// other synchronisation than the protocol's own, as all flags of the test are relaxed. Under the
// thread sanitizer an acquire or a release that is missing is a data race. Four threads or more
// each, for the runs under an emulator (tests/machines).
#include "id_table.h"
#include "ompt5/callbacks.h"
#include "records/held_mutexes.h"
#include "records/own_regions.h"
#include "scene.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <sched.h>
#include <thread>
#include <vector>

namespace ocb::test {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

template <class Condition> void await(Condition holds) {
    for (int looks = 1; !holds(); ++looks) {
        if (looks % 1000 == 0) {
            sched_yield();
        }
    }
}

// ---- delivery and STOP -------------------------------------------------------------------------

struct Counted {
    int published = 0; // plain, as a collector's data is
    std::atomic<int> calls{0};
};
int published = 0;
thread_local Counted *own_count = nullptr;

void count_what_is_published(OMP_COLLECTORAPI_EVENT) {
    own_count->published += published;
    own_count->calls.fetch_add(1, kRelaxed);
}

// Forks and joins until it is stopped, and asks nobody.
class LonelyThread {
  public:
    LonelyThread() : thread_([this] { work(); }) {}
    ~LonelyThread() {
        is_over_.store(true, kRelaxed);
        thread_.join();
    }
    LonelyThread(const LonelyThread &) = delete;
    LonelyThread &operator=(const LonelyThread &) = delete;

    Counted counted;

  private:
    void work() {
        own_count = &counted;
        user_thread_begins();
        while (!is_over_.load(kRelaxed)) {
            FakeRegion region(1);
            region.begin_on_master();
            region.end_on_master();
        }
        user_thread_ends();
    }

    std::atomic<bool> is_over_{false};
    std::thread thread_;
};

// What is written before REGISTER is what the callback reads; what the callback writes is what is
// read behind STOP.
TEST(Litmus, DataOfACollectorAroundASession) {
    const Scene scene;
    std::array<LonelyThread, 3> threads;
    for (int round = 1; round <= 20; ++round) {
        published = 1;
        for (LonelyThread &thread : threads) {
            thread.counted.published = 0;
            thread.counted.calls.store(0, kRelaxed);
        }
        ASSERT_EQ(register_callback(OMP_EVENT_FORK, count_what_is_published), OMP_ERRCODE_OK);
        await([&] {
            return std::ranges::all_of(threads, [](const LonelyThread &thread) {
                return thread.counted.calls.load(kRelaxed) != 0;
            });
        });
        ASSERT_EQ(request(OMP_REQ_STOP), OMP_ERRCODE_OK);
        published = 0;
        for (const LonelyThread &thread : threads) {
            ASSERT_EQ(thread.counted.published, thread.counted.calls.load(kRelaxed));
        }
        ASSERT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
    }
}

// The list of records grows while STOP goes through it.
TEST(Litmus, RecordsThatComeWhileStopLooks) {
    const Scene scene;
    std::atomic<bool> is_over{false};
    std::thread stopper([&] {
        while (!is_over.load(kRelaxed)) {
            request(OMP_REQ_STOP);
            request(OMP_REQ_START);
        }
    });
    for (int generation = 0; generation < 8; ++generation) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4 + generation; ++i) {
            threads.emplace_back([] {
                user_thread_begins();
                user_thread_ends();
            });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
    }
    is_over.store(true, kRelaxed);
    stopper.join();
    EXPECT_NE(known_records(), nullptr);
}

// ---- records of regions ------------------------------------------------------------------------

// One thread makes late records of regions, another ends them: the record goes from one to the
// other and back, or to the other pair.
void make_and_end_late_regions(std::atomic<int> &wrong) {
    constexpr int kRounds = 100;
    RegionWord word{0}; // as a runtime keeps it, which orders nothing here
    std::thread late_maker([&] {
        for (int round = 0; round < kRounds; ++round) {
            if (region_at_first_sight(word) == nullptr) { // its region may have ended by now
                wrong.fetch_add(1, kRelaxed);
            }
            await([&] { return word.load(kRelaxed) == 0 || wrong.load(kRelaxed) != 0; });
        }
    });
    ThreadRecord master;
    for (int round = 0; round < kRounds; ++round) {
        await([&] { return word.load(kRelaxed) != 0 || wrong.load(kRelaxed) != 0; });
        RegionRecord *region = region_of(word.load(std::memory_order_acquire));
        if (region == nullptr || !region->is_late) {
            wrong.fetch_add(1, kRelaxed);
            break;
        }
        region->client_word += 1; // as a client tool writes it
        wrong.fetch_add(region->client_word == 1 ? 0 : 1, kRelaxed);
        end_region(master, *region);
        word.store(0, kRelaxed);
    }
    word.store(0, kRelaxed);
    late_maker.join();
}

TEST(Litmus, RecordOfALateRegion) {
    std::atomic<int> wrong{0};
    std::thread other_pair([&] { make_and_end_late_regions(wrong); });
    make_and_end_late_regions(wrong);
    other_pair.join();
    EXPECT_EQ(wrong.load(kRelaxed), 0);
}

// Ids of two threads come and go while two more look for one that stays.
TEST(Litmus, TableOfIds) {
    static ompt::IdTable<2> table;
    constexpr std::uint64_t kMost = 1000;
    std::atomic<int> at_work{2}, wrong{0};
    ASSERT_NE(table.insert(1, 7), nullptr);
    const auto read = [&] {
        for (std::uint64_t id = 2; at_work.load(kRelaxed) != 0; id = id % kMost + 1) {
            const ompt::IdNode *node = table.find(1);
            if (node == nullptr || node->owner.load(kRelaxed) != 7) {
                wrong.fetch_add(1, kRelaxed);
            }
            table.find(id);
        }
    };
    const auto write = [&](std::uint64_t first) {
        for (std::uint64_t id = first; id < kMost; id += 2) {
            ompt::IdNode *node = table.insert(id, id);
            if (node == nullptr) {
                wrong.fetch_add(1, kRelaxed);
            } else if (id % 4 < 2) {
                table.erase(*node);
            }
        }
        at_work.fetch_sub(1, kRelaxed);
    };
    std::thread readers[] = {std::thread(read), std::thread(read)};
    std::thread writer(write, 2);
    write(3);
    writer.join();
    for (std::thread &reader : readers) {
        reader.join();
    }
    EXPECT_EQ(wrong.load(kRelaxed), 0);
}

// ---- held mutexes ------------------------------------------------------------------------------

// Names of mutexes that belong into the same eight places of the table (held_mutexes.cpp), seven of
// which are held: so all want the one that is left.
class OnePlace {
  public:
    OnePlace() {
        held_mutexes::acquisitions.slots_change.store(true, kRelaxed);
        for (MutexSlot *&other : held_) {
            other = held_mutexes::find_or_assign(new_name());
            other->holder.store(&keeper_, kRelaxed);
        }
        slot = held_mutexes::find_or_assign(new_name());
    }
    ~OnePlace() {
        for (MutexSlot *other : held_) {
            forget_mutex(*other);
        }
        forget_mutex(*slot);
        held_mutexes::acquisitions.slots_change.store(before_, kRelaxed);
    }
    OnePlace(const OnePlace &) = delete;
    OnePlace &operator=(const OnePlace &) = delete;

    WaitId new_name() {
        constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL, kFirstPlace = 1234ULL << 50;
        std::uint64_t inverse = kGolden;
        for (int i = 0; i < 5; ++i) {
            inverse *= 2 - kGolden * inverse;
        }
        return WaitId{inverse * (kFirstPlace + names_.fetch_add(1, kRelaxed))};
    }

    MutexSlot *slot;

  private:
    const bool before_ = held_mutexes::acquisitions.slots_change.load(kRelaxed);
    std::atomic<std::uint64_t> names_{1};
    ThreadRecord keeper_;
    MutexSlot *held_[7];
};

// Whoever gets a place for another mutex sees all that was done before the last one entered
// himself.
TEST(Litmus, PlaceThatGoesFromMutexToMutex) {
    constexpr int kThreads = 4, kTurns = 200;
    OnePlace place;
    int left_behind = 0; // plain
    std::atomic<int> turn{0}, wrong{0};
    const auto take_turns = [&](int number) {
        ThreadRecord record;
        const WaitId name = place.new_name();
        for (int mine = number; mine < kTurns; mine += kThreads) {
            await([&] { return turn.load(kRelaxed) == mine; });
            MutexSlot *slot = held_mutexes::find_or_assign(name);
            wrong.fetch_add(slot == place.slot && left_behind == mine ? 0 : 1, kRelaxed);
            left_behind = mine + 1;
            if (number % 2 == 0) { // else an attempt that succeeds
                wrong.fetch_add(want_mutex(*place.slot, name, record, true) ? 1 : 0, kRelaxed);
            }
            hold_mutex(*place.slot, name, record);
            wrong.fetch_add(place.slot->holder.load(kRelaxed) == &record ? 0 : 1, kRelaxed);
            static_cast<void>(release_mutex(*place.slot, record));
            turn.store(mine + 1, kRelaxed);
        }
    };
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number) {
        threads.emplace_back(take_turns, number);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong.load(kRelaxed), 0);
}

// One thread enters itself in its mutex's place while three need the place for others: it is in it,
// or one of them has it.
TEST(Litmus, MutexesThatPassEachOther) {
    constexpr int kTakers = 3, kRounds = 500;
    OnePlace place;
    ThreadRecord record;
    const WaitId name = place.new_name();
    std::atomic<int> arrived{0};
    auto meet = [&, meetings = 0]() mutable { // not what is tested: it orders all
        arrived.fetch_add(1);
        ++meetings;
        await([&] { return arrived.load() >= meetings * (kTakers + 1); });
    };
    std::vector<std::thread> takers;
    for (int i = 0; i < kTakers; ++i) {
        takers.emplace_back([&, meet]() mutable {
            for (int round = 0; round < kRounds; ++round) {
                const WaitId other = place.new_name();
                meet();
                static_cast<void>(held_mutexes::find_or_assign(other));
                meet();
            }
        });
    }
    int two_in_one = 0, displaced = 0;
    for (int round = 0; round < kRounds; ++round) {
        displaced += held_mutexes::find_or_assign(name) == place.slot ? 0 : 1;
        meet();
        if (round % 2 == 0) {
            static_cast<void>(want_mutex(*place.slot, name, record, true));
        } else {
            hold_mutex(*place.slot, name, record);
        }
        meet();
        two_in_one += !place.slot->is_free() && !place.slot->is_of(name) ? 1 : 0;
        forget_mutex(*place.slot);
    }
    for (std::thread &taker : takers) {
        taker.join();
    }
    EXPECT_EQ(displaced, 0);
    EXPECT_EQ(two_in_one, 0);
}

} // namespace
} // namespace ocb::test
