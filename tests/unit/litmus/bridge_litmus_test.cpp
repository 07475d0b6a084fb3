// SPDX-License-Identifier: Apache-2.0
// The protocols of docs/MEMORY-ORDERS.md that lie in the bridge: threads side by side that have no
// other synchronisation than the protocol's own, as all flags of the test are relaxed. Under the
// thread sanitizer an acquire or a release that is missing is a data race. Held mutexes have no
// plain data, so there is nothing that it could see.
#include "id_table.h"
#include "ompt5/callbacks.h"
#include "records/own_regions.h"
#include "scene.h"

#include <atomic>
#include <sched.h>
#include <thread>
#include <vector>

namespace ocb::test {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

template <class Condition> void await(Condition holds) {
    while (!holds()) {
        sched_yield();
    }
}

// ---- delivery and STOP -------------------------------------------------------------------------

int published = 0; // plain, as a collector's data is
int counted = 0;
std::atomic<int> calls_seen{0};

void count_what_is_published(OMP_COLLECTORAPI_EVENT) {
    counted += published;
    calls_seen.fetch_add(1, kRelaxed);
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

  private:
    void work() {
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
    const LonelyThread thread;
    for (int round = 1; round <= 50; ++round) {
        published = 1;
        counted = 0;
        calls_seen.store(0, kRelaxed);
        ASSERT_EQ(register_callback(OMP_EVENT_FORK, count_what_is_published), OMP_ERRCODE_OK);
        await([] { return calls_seen.load(kRelaxed) != 0; });
        ASSERT_EQ(request(OMP_REQ_STOP), OMP_ERRCODE_OK);
        published = 0;
        ASSERT_EQ(counted, calls_seen.load(kRelaxed));
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

// One thread adopts regions, another ends them: the record goes from one to the other and back.
TEST(Litmus, AdoptedRecordOfARegion) {
    constexpr int kRounds = 200;
    RegionWord word{0}; // as a runtime keeps it, which orders nothing here
    std::atomic<int> wrong{0};
    std::thread adopter([&] {
        for (int round = 0; round < kRounds; ++round) {
            if (region_at_first_sight(word) == nullptr) { // its region may have ended by now
                wrong.fetch_add(1, kRelaxed);
            }
            await([&] { return word.load(kRelaxed) == 0; });
        }
    });
    ThreadRecord master;
    for (int round = 0; round < kRounds; ++round) {
        await([&] { return word.load(kRelaxed) != 0; });
        RegionRecord *region = region_of(word.load(std::memory_order_acquire));
        ASSERT_NE(region, nullptr);
        ASSERT_TRUE(region->is_adopted);
        region->client_word += 1; // as a client tool writes it
        ASSERT_EQ(region->client_word, 1U);
        end_region(master, *region);
        word.store(0, kRelaxed);
    }
    adopter.join();
    EXPECT_EQ(wrong.load(kRelaxed), 0);
}

// Ids come and go while another thread looks for one that stays.
TEST(Litmus, TableOfIds) {
    static ompt::IdTable<2> table;
    constexpr std::uint64_t kMost = 2000;
    std::atomic<bool> is_over{false};
    std::atomic<int> wrong{0};
    ASSERT_NE(table.insert(1, 7), nullptr);
    std::thread reader([&] {
        for (std::uint64_t id = 2; !is_over.load(kRelaxed); id = id % kMost + 1) {
            const ompt::IdNode *node = table.find(1);
            if (node == nullptr || node->owner.load(kRelaxed) != 7) {
                wrong.fetch_add(1, kRelaxed);
            }
            table.find(id);
        }
    });
    for (std::uint64_t id = 2; id < kMost; ++id) {
        ompt::IdNode *node = table.insert(id, id);
        ASSERT_NE(node, nullptr);
        if (id % 2 == 0) {
            table.erase(*node);
        }
    }
    is_over.store(true, kRelaxed);
    reader.join();
    EXPECT_EQ(wrong.load(kRelaxed), 0);
}

} // namespace
} // namespace ocb::test
