// SPDX-License-Identifier: Apache-2.0
#include "thread_slots.h"

#include "base/lock.h"
#include "clocks.h"
#include "run_clock.h"
#include "store.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// How many slots of ended threads are kept before one is used again.
constexpr unsigned kEndedSlots = 1024;
// Threads with a row of their own, 36 MB of them; later ones share the row of an ended thread.
constexpr uint32_t kMostRows = 65536;

constinit std::atomic<ThreadSlot *> slot_list{nullptr};
constinit ocb::Lock ended_list; // the list of ended slots
constinit ThreadSlot *ended_first = nullptr;
constinit ThreadSlot *ended_last = nullptr;
constinit unsigned ended_count = 0;
constinit std::atomic<uint32_t> running_count{0};

__attribute__((tls_model("initial-exec"))) thread_local bool t_ended = false;
// The slot from before fork(), with the regions whose master the child's thread is.
__attribute__((tls_model("initial-exec"))) thread_local ThreadSlot *t_before_fork = nullptr;

ThreadSlot *take_ended() {
    const ocb::LockGuard lock(ended_list);
    ThreadSlot *slot = ended_count >= kEndedSlots ? ended_first : nullptr;
    if (slot) {
        ended_first = slot->next_ended;
        --ended_count;
    }
    return slot;
}

void add_ended(ThreadSlot &slot) {
    const ocb::LockGuard lock(ended_list);
    slot.next_ended = nullptr;
    (ended_count++ == 0 ? ended_first : ended_last->next_ended) = &slot;
    ended_last = &slot;
}

// A slot that has been another thread's.
void give_own_row(ThreadSlot &slot) {
    if (row_count(RowKind::kThread) >= kMostRows) {
        return;
    }
    const uint32_t number = add_row_growing(RowKind::kThread);
    if (number != kNoRow) {
        slot.number = number;
        slot.row = row_as<ThreadFileRow>(RowKind::kThread, number);
        memset(slot.forks, 0, sizeof slot.forks); // their cells are the other thread's
    }
}

ThreadSlot *make_slot() {
    const uint32_t number = add_row_growing(RowKind::kThread);
    if (number == kNoRow) {
        return nullptr;
    }
    constexpr size_t kChunk = 16;
    static constinit std::atomic<ThreadSlot *> spare{nullptr};
    static constinit std::atomic<size_t> spares{0};
    ThreadSlot *slot = nullptr;
    {
        const ocb::LockGuard lock(ended_list);
        if (spares.load(std::memory_order_relaxed) == 0) {
            void *memory = mmap(nullptr, kChunk * sizeof(ThreadSlot), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory == MAP_FAILED) {
                return nullptr;
            }
            spare.store(static_cast<ThreadSlot *>(memory), std::memory_order_relaxed);
            spares.store(kChunk, std::memory_order_relaxed);
        }
        slot = spare.load(std::memory_order_relaxed);
        spare.store(slot + 1, std::memory_order_relaxed);
        spares.store(spares.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    }
    slot->number = number;
    slot->row = row_as<ThreadFileRow>(RowKind::kThread, number);
    slot->running = slot->first_regions;
    slot->fine_file.store(-1, std::memory_order_relaxed);
    slot->running_capacity = ThreadSlot::kFirstRegions;
    slot->next = slot_list.load(std::memory_order_relaxed);
    while (!slot_list.compare_exchange_weak(slot->next, slot, std::memory_order_release)) {
    }
    return slot;
}

// Clears what the slot's last thread left.
void forget_last_thread(ThreadSlot &slot) {
    slot.rest_state = 0;
    slot.sleep_ran_ns = 0;
    slot.counted_ran_ns = 0;
    slot.slept = {};
    slot.running_count = 0;
    slot.unproductive_ticks = 0;
    slot.postponed = 0;
    slot.voluntary_switches = slot.involuntary_switches = 0;
    slot.owed_ns = 0;
    slot.pending_ns = 0;
    slot.looked_pending_ns = 0;
    slot.wait_seen_ns = 0;
    slot.pending_wait_ns = 0;
    slot.known_off_ns = 0;
}

void begin(ThreadSlot &slot) {
    forget_last_thread(slot);
    slot.tid = static_cast<int>(syscall(SYS_gettid));
    slot.clock = thread_clock(slot.tid);
    slot.handle.store(nullptr, std::memory_order_relaxed);
    slot.fork = nullptr;
    slot.by_wall.store(false, std::memory_order_relaxed);
    slot.in_fork.store(false, std::memory_order_relaxed);
    slot.is_kept.store(true, std::memory_order_relaxed);
    slot.fork_ns.store(0, std::memory_order_relaxed);
    slot.last_state.store(0, std::memory_order_relaxed);
    slot.last_in_task.store(false, std::memory_order_relaxed);
    slot.sampled_state.store(0, std::memory_order_relaxed);
    slot.last_ran_ns.store(0, std::memory_order_relaxed);
    slot.innermost.store(kNodeOutside, std::memory_order_relaxed);
    slot.outermost.store(kNodeOutside, std::memory_order_relaxed);
    slot.seen_ns = run_ns();
    slot.seen_cpu_ns = clock_ns(slot.clock);
    slot.charged_on_ns.store(slot.seen_cpu_ns, std::memory_order_relaxed);

    ThreadFileRow &row = *slot.row;
    row.kind =
        static_cast<uint32_t>(slot.tid == getpid() ? ThreadKind::kInitial : ThreadKind::kOpenMP);
    row.tid = slot.tid;
    record_processors(slot);
    row.threads.fetch_add(1, std::memory_order_relaxed);
    row.end_ns.store(0, std::memory_order_relaxed);
    for (unsigned i = 0; i < kThreadCounts; ++i) {
        slot.counts_before[i] = row.counts[i].load(std::memory_order_relaxed);
    }
    slot.cpu_before = row.cpu_ns.load(std::memory_order_relaxed);
    slot.waited_before = row.waited_ns.load(std::memory_order_relaxed);
    if (row.begin_ns.load(std::memory_order_relaxed) == 0) {
        row.begin_ns.store(slot.seen_ns, std::memory_order_relaxed);
    }
    row.ready.store(1, std::memory_order_release);

    const uint32_t running = running_count.fetch_add(1, std::memory_order_relaxed) + 1;
    std::atomic<uint32_t> &most = header().most_threads;
    for (uint32_t seen = most.load(std::memory_order_relaxed);
         seen < running && !most.compare_exchange_weak(seen, running, std::memory_order_relaxed);) {
    }
    slot.runs.store(true, std::memory_order_release);
}

} // namespace

constinit thread_local ThreadSlot *own_slot __attribute__((tls_model("initial-exec"))) = nullptr;

ThreadSlot *attach_thread() {
    if (own_slot || t_ended) {
        return own_slot;
    }
    ThreadSlot *slot = take_ended();
    if (slot) {
        give_own_row(*slot);
    } else {
        slot = make_slot();
    }
    if (!slot) {
        return nullptr;
    }
    begin(*slot);
    if (t_before_fork) {
        slot->running = t_before_fork->running;
        slot->running_count = t_before_fork->running_count;
        slot->running_capacity = t_before_fork->running_capacity;
        t_before_fork = nullptr;
    }
    own_slot = slot;
    return slot;
}

void record_processors(ThreadSlot &slot) {
    // Not a cpu_set_t: machines may have more processors than that holds.
    unsigned long mask[256] = {};
    if (syscall(SYS_sched_getaffinity, int{slot.tid}, sizeof mask, mask) <= 0) {
        return;
    }
    int now = 0;
    int fewest = 0;
    bool stands = true;
    for (unsigned i = 0; i < kProcessorWords; ++i) {
        stands =
            slot.row->last_processors[i].exchange(mask[i], std::memory_order_relaxed) == mask[i] &&
            stands;
        now += __builtin_popcountl(mask[i]);
        fewest +=
            __builtin_popcountl(slot.row->fewest_processors[i].load(std::memory_order_relaxed));
    }
    // While libomp starts, it binds itself to each processor in turn. So only a set that two looks
    // saw counts.
    if (stands && (fewest == 0 || now < fewest)) {
        for (unsigned i = 0; i < kProcessorWords; ++i) {
            slot.row->fewest_processors[i].store(mask[i], std::memory_order_relaxed);
        }
    }
}

void record_run_time(ThreadSlot &slot, uint64_t ns) {
    slot.row->cpu_ns.store(slot.cpu_before + ns, std::memory_order_relaxed);
}

void record_waited(ThreadSlot &slot, uint64_t ns) {
    slot.row->waited_ns.store(slot.waited_before + ns, std::memory_order_relaxed);
    slot.row->has_waited.store(1, std::memory_order_relaxed);
}

void record_counts(ThreadSlot &slot, const char *status) {
    for (unsigned i = 0; i < kThreadCounts; ++i) {
        const char *line = kThreadCountTable[i].line;
        if (const char *found = strstr(status, line)) {
            const uint64_t count = strtoull(found + strlen(line), nullptr, 10);
            slot.row->counts[i].store(slot.counts_before[i] + count, std::memory_order_relaxed);
        }
    }
}

void record_own_counts(ThreadSlot &slot) {
    rusage used = {};
    if (getrusage(RUSAGE_THREAD, &used) != 0) {
        return;
    }
    unsigned i = 0;
#define OMPCOLLECT_RECORD(name, about, heading, line, member)                                      \
    slot.row->counts[i].store(slot.counts_before[i] + static_cast<uint64_t>(used.member),          \
                              std::memory_order_relaxed);                                          \
    ++i;
    OMPCOLLECT_THREAD_COUNTS(OMPCOLLECT_RECORD)
#undef OMPCOLLECT_RECORD
}

void detach_thread() {
    ThreadSlot *slot = own_slot;
    own_slot = nullptr;
    t_ended = true;
    if (slot) {
        reap_thread(*slot);
    }
}

void reap_thread(ThreadSlot &slot) {
    if (slot.runs.exchange(false, std::memory_order_acq_rel)) {
        running_count.fetch_sub(1, std::memory_order_relaxed);
        slot.row->end_ns.store(run_ns(), std::memory_order_relaxed);
        slot.outermost.store(kNodeOutside, std::memory_order_relaxed);
        add_ended(slot);
    }
}

ThreadSlot *first_slot() {
    return slot_list.load(std::memory_order_acquire);
}

void restart_slots() {
    t_before_fork = own_slot;
    own_slot = nullptr;
    slot_list.store(nullptr, std::memory_order_relaxed);
    ended_list.reset_after_fork();
    ended_first = nullptr;
    ended_last = nullptr;
    ended_count = 0;
    running_count.store(0, std::memory_order_relaxed);
}

} // namespace ompcollect
