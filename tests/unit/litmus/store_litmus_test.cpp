// SPDX-License-Identifier: Apache-2.0
// The protocols of docs/MEMORY-ORDERS.md that lie in the built-in collector: tables of rows, slots
// of threads, the live file as far as its own process writes it. Threads side by side without any
// other synchronisation, for the thread sanitizer: all flags of the test are relaxed. The files of
// the collector are compiled into this program (CMakeLists.txt), as the collector itself is built
// without sanitizers. Readers do what model/live_tables.h does, in the process that writes.
#include "cells.h"
#include "clocks.h"
#include "region_ids.h"
#include "row_index.h"
#include "sample_file.h"
#include "sample_log.h"
#include "settings.h"
#include "store.h"
#include "thread_slots.h"

#include <array>
#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>
#include <vector>

// What the store needs of the rest of the collector.
namespace ompcollect {
Settings current_settings;
uint64_t run_ns() {
    return now_ns();
}
void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}
} // namespace ompcollect

namespace ompcollect {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// One store for each test, as a process has one.
class StoreLitmus : public testing::Test {
  protected:
    StoreLitmus() {
        char folder[] = "/tmp/store-litmus-XXXXXX";
        folder_ = mkdtemp(folder);
        leave_store();
        restart_cells();
        restart_slots();
        EXPECT_TRUE(open_store(folder_.c_str()));
        open_sample_log();
        grow_cells();
    }
    ~StoreLitmus() override {
        restart_sample_log();
        std::filesystem::remove_all(folder_);
    }

    // Each in a thread of its own, at the same time as `reads` again and again.
    template <class Write, class Read> void run(unsigned writers, Write writes, Read reads) {
        std::atomic<unsigned> at_work{writers};
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < writers; ++i) {
            threads.emplace_back([&, i] {
                writes(i);
                at_work.fetch_sub(1, kRelaxed);
            });
        }
        while (at_work.load(kRelaxed) != 0) {
            reads();
            sched_yield();
        }
        reads();
        for (std::thread &thread : threads) {
            thread.join();
        }
    }

  private:
    std::string folder_;
};

constexpr uint32_t kNodes = 5000; // more than the first table and the first extents have

// Three threads that look for the same rows, and one that reads those which are ready.
TEST_F(StoreLitmus, RowsOfCells) {
    unsigned wrong = 0;
    run(
        3,
        [](unsigned) {
            for (uint32_t node = 0; node < kNodes; ++node) {
                if (CellFileRow *cell = pseudo_cell(1, node, kEntriesState)) {
                    cell->on_samples.fetch_add(1, kRelaxed);
                }
            }
        },
        [&] {
            for (uint32_t number = 0; number < row_count(RowKind::kCell); ++number) {
                const auto *cell = row_as<CellFileRow>(RowKind::kCell, number);
                if (cell && cell->ready.load(std::memory_order_acquire) != 0) {
                    wrong += cell->thread != 1 || cell->node >= kNodes ? 1 : 0;
                }
            }
        });
    EXPECT_EQ(wrong, 0U);
    EXPECT_GE(row_count(RowKind::kCell), kNodes);
}

// The directory of extents grows while somebody reads it.
TEST_F(StoreLitmus, DirectoryOfExtents) {
    uint64_t rows = 0;
    run(
        3,
        [](unsigned) {
            for (uint32_t i = 0; i < 2000; ++i) {
                add_row_growing(RowKind::kSetting);
            }
        },
        [&] {
            const void *place = reinterpret_cast<const char *>(&header()) + kDirectoryOffset;
            const auto *directory = static_cast<const Extent *>(place);
            const uint32_t count = header().extent_count.load(std::memory_order_acquire);
            rows = 0;
            for (uint32_t i = 0; i < count; ++i) {
                if (directory[i].offset.load(std::memory_order_acquire) != 0 &&
                    directory[i].kind == static_cast<uint32_t>(RowKind::kSetting)) {
                    rows += directory[i].row_count;
                }
            }
        });
    EXPECT_GE(rows, 6000U);
    EXPECT_EQ(row_count(RowKind::kSetting), 6000U);
}

// Threads come, are looked at as the sampling thread does, and end.
TEST_F(StoreLitmus, SlotsOfThreads) {
    unsigned wrong = 0, seen = 0;
    run(
        4,
        [](unsigned) {
            for (int i = 0; i < 20; ++i) {
                std::thread([] {
                    ThreadSlot *slot = attach_thread();
                    slot->is_kept.store(false, std::memory_order_release); // as greet_thread() does
                    sched_yield();
                    detach_thread();
                }).join();
            }
        },
        [&] {
            for (ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
                seen += slot->row != nullptr ? 1 : 0;
                look_if_it_runs(*slot, [&](ThreadSlot &kept) {
                    wrong += kept.seen_ns == 0 ? 1 : 0;
                    return true;
                });
            }
        });
    EXPECT_EQ(wrong, 0U);
    EXPECT_NE(seen, 0U);
}

// Ids of regions that threads fork side by side, each of them inside of one that goes on.
TEST_F(StoreLitmus, IdsOfRegions) {
    constexpr uint64_t kThreads = 3;
    constexpr uint64_t kRegions = 2000;
    restart_region_ids();
    unsigned wrong = 0, outer_seen = 0, inner_seen = 0;
    const auto look = [&](uint64_t id, unsigned &seen) {
        const uint32_t node = node_of_region_id(id);
        seen += node != kNodeUnknown ? 1 : 0;
        wrong += node != kNodeUnknown && node != id / kThreads ? 1 : 0;
    };
    run(
        kThreads,
        [](unsigned writer) {
            ThreadSlot *slot = attach_thread();
            slot->is_kept.store(false, std::memory_order_release);
            for (uint64_t i = 1; i <= kRegions; ++i) {
                const uint64_t id = i * kThreads + writer;
                const auto node = static_cast<uint32_t>(i);
                if (i == 1) { // as enter_region() does
                    slot->running[0].id = id;
                    slot->running[0].node = node;
                    slot->running_count = 1;
                }
                remember_region_id(*slot, id, node);
            }
        },
        [&] {
            look(kThreads, outer_seen);
            for (uint64_t id = kThreads; id <= kRegions * kThreads; id += 97) {
                look(id, inner_seen);
            }
        });
    look(kThreads, outer_seen);
    look(kRegions * kThreads, inner_seen);
    EXPECT_EQ(wrong, 0U);
    EXPECT_NE(outer_seen, 0U);
    EXPECT_NE(inner_seen, 0U);
    EXPECT_EQ(node_of_region_id(2 * kThreads), kNodeUnknown) << "it has ended long ago";
}

// The ring of samples: handlers fill it, one thread moves them to the file beside the profile.
TEST_F(StoreLitmus, RingOfSamples) {
    constexpr uint32_t kSamples = 20000;
    run(
        3,
        [](unsigned writer) {
            for (uint32_t i = 0; i < kSamples; ++i) {
                log_sample(writer, i, 1);
            }
        },
        [] { flush_sample_log(false); });
    flush_sample_log(true);
    EXPECT_EQ(header().sample_error.load(kRelaxed), 0);
    EXPECT_EQ(header().samples_taken.load(kRelaxed) + header().samples_missed.load(kRelaxed),
              3 * kSamples);
    EXPECT_EQ(header().samples_moved.load(kRelaxed), header().samples_taken.load(kRelaxed));
}

} // namespace
} // namespace ompcollect
