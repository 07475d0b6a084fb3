// SPDX-License-Identifier: Apache-2.0
// BEGIN_x and END_x come in pairs, and FORK and JOIN, whatever a program does and whatever is asked
// meanwhile, at random.
#include "scene.h"

#include <array>
#include <random>
#include <vector>

namespace ocb::test {
namespace {

constexpr std::uint64_t kLockAtRandom = 0x57B1, kOrderedAtRandom = 0x57B4;

// Any order of constructs, nested at random, under any order of control requests.
class RandomProgram {
  public:
    explicit RandomProgram(unsigned seed) : random_(seed) {}

    std::vector<Seen> seen;
    std::vector<std::size_t> sessions_begin_at;

    void take() {
        for (const Seen &one : take_seen()) {
            seen.push_back(one);
        }
    }

    void run(int depth) {
        constexpr std::size_t kSteps = 4;
        for (std::size_t step = 0; step < kSteps; ++step) {
            interfere();
            switch (pick(7)) {
            case 0:
                around(
                    depth, [] { barrier_begins(Barrier::kExplicit); },
                    [] { barrier_ends(Barrier::kExplicit); }, true);
                break;
            case 1:
                around(
                    depth, [] { barrier_begins(Barrier::kWorkshare); },
                    [] { barrier_ends(Barrier::kWorkshare); }, true);
                break;
            case 2:
                around(depth, masked_begins, masked_ends, false);
                break;
            case 3:
                single_begins();
                interfere();
                if (pick(2) == 0) {
                    single_ends();
                }
                break;
            case 4:
                take_mutex(ompt5::ompt_mutex_ordered, kOrderedAtRandom);
                interfere();
                mutex_released(ompt5::ompt_mutex_ordered, kOrderedAtRandom);
                break;
            case 5:
                test_lock(kLockAtRandom, false);
                break;
            default:
                if (depth > 0) {
                    FakeRegion region(1 + static_cast<unsigned>(pick(2)));
                    region.begin_on_master();
                    run(depth - 1);
                    region.end_on_master();
                }
                break;
            }
        }
    }

  private:
    std::size_t pick(std::size_t count) { return random_() % count; }

    // What lies in a barrier lies in a task that the thread executes there.
    void around(int depth, void (*begin)(), void (*end)(), bool in_task) {
        begin();
        interfere();
        if (depth > 0) {
            FakeTask task;
            if (in_task) {
                task_starts(task);
            }
            take_mutex(ompt5::ompt_mutex_lock, kLockAtRandom);
            if (!in_task) {
                run(depth - 1);
            }
            mutex_released(ompt5::ompt_mutex_lock, kLockAtRandom);
            if (in_task) {
                task_completes(task);
            }
        }
        interfere();
        end();
    }

    void interfere() {
        take();
        switch (pick(12)) {
        case 0:
            request(OMP_REQ_PAUSE);
            break;
        case 1:
        case 2:
            request(OMP_REQ_RESUME);
            break;
        case 3:
            request(OMP_REQ_STOP);
            request(OMP_REQ_START);
            sessions_begin_at.push_back(seen.size());
            record_all_events();
            break;
        default:
            break;
        }
    }

    std::mt19937 random_;
};

TEST(StrictPairsAtRandom, NoEndWithoutItsBegin) {
    constexpr unsigned kPrograms = 200;
    constexpr int kDepth = 3;
    for (unsigned seed = 1; seed <= kPrograms; ++seed) {
        SCOPED_TRACE(seed);
        const Scene scene(seed % 2 == 0 ? Flavour::kLibomp14 : Flavour::kLibomp19);
        UserThread other; // so that a failed test of the lock looks like a wait
        other.run([] { take_mutex(ompt5::ompt_mutex_lock, kLockAtRandom); });
        record_all_events();
        RandomProgram program(seed);
        FakeRegion region(2);
        region.begin_on_master();
        program.run(kDepth);
        region.end_on_master();
        program.take();
        other.run([] { mutex_released(ompt5::ompt_mutex_lock, kLockAtRandom); });
        std::array<std::vector<Seen>, kLastEvent + 1> open;
        std::size_t index = 0, session = 0;
        for (const Seen &seen : program.seen) {
            while (session < program.sessions_begin_at.size() &&
                   index >= program.sessions_begin_at[session]) {
                for (auto &stack : open) {
                    stack.clear();
                }
                ++session;
            }
            ++index;
            if (seen.event % 2 != 0) { // FORK and all BEGINs
                open[static_cast<std::size_t>(seen.event)].push_back(seen);
                continue;
            }
            // PAUSE may have hidden the ENDs of some.
            auto &begun = open[static_cast<std::size_t>(seen.event - 1)];
            while (!begun.empty() &&
                   (begun.back().region != seen.region || begun.back().wait_id != seen.wait_id)) {
                begun.pop_back();
            }
            ASSERT_FALSE(begun.empty())
                << testing::PrintToString(seen) << " in " << testing::PrintToString(program.seen);
            begun.pop_back();
        }
        EXPECT_FALSE(program.seen.empty());
    }
}

} // namespace
} // namespace ocb::test
