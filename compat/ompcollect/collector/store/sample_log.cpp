// SPDX-License-Identifier: Apache-2.0
//
// The ring's slot n is sample n, n + kRingSamples and so on. A sample is there when its time is not
// 0. Order at flushing: write to the file, mark it in the header, empty the slots, give them free.
// So a reader finds each sample in the file or in the ring, or in both, whenever the process dies.
#include "sample_log.h"

#include "clocks.h"
#include "profile_file.h"
#include "run_clock.h"
#include "sample_file.h"
#include "store.h"
#include "wake_up.h"

#include <atomic>

namespace ompcollect {
namespace {

constexpr uint64_t kBatch = 1024;
constexpr uint64_t kMostWaiting = kRingSamples / 4; // not yet in the file

constinit std::atomic<SampleRow *> ring{nullptr};
constinit std::atomic<uint64_t> freed{0}; // slots below have been emptied
constinit std::atomic<bool> flushing{false};
constinit PlainSample batch[kBatch] = {}; // of who flushes

SampleRow &slot_of(SampleRow *rows, uint64_t number) {
    return rows[number % kRingSamples];
}

// False: nothing is left to do, or nothing can be done.
bool flush_batch(SampleRow *rows) {
    FileHeader &to = header();
    const uint64_t first = to.samples_moved.load(std::memory_order_relaxed);
    const uint64_t end = to.samples_taken.load(std::memory_order_acquire);
    uint64_t count = 0;
    while (count < kBatch && first + count < end) {
        const SampleRow &row = slot_of(rows, first + count);
        const uint64_t time = row.time.load(std::memory_order_acquire);
        if (time == 0) {
            break; // its thread is still at it
        }
        batch[count++] = {time, row.node, row.who};
    }
    const int error = count != 0 ? append_samples(batch, count) : 0;
    if (error != 0) {
        to.sample_error.store(error, std::memory_order_relaxed);
        return false;
    }
    to.samples_moved.store(first + count, std::memory_order_release);
    for (uint64_t i = 0; i < count; ++i) {
        slot_of(rows, first + i).time.store(0, std::memory_order_relaxed);
    }
    freed.store(first + count, std::memory_order_release);
    return count == kBatch;
}

} // namespace

void open_sample_log() {
    freed.store(0, std::memory_order_relaxed);
    begin_sample_file();
    ring.store(row_as<SampleRow>(RowKind::kSample, 0), std::memory_order_release); // or null
}

void log_sample(uint32_t thread, uint32_t node, unsigned state, uint64_t ago) {
    SampleRow *rows = ring.load(std::memory_order_acquire);
    if (!rows) {
        return;
    }
    FileHeader &to = header();
    uint64_t number = to.samples_taken.load(std::memory_order_relaxed);
    do {
        if (number - freed.load(std::memory_order_acquire) >= kRingSamples) {
            to.samples_missed.fetch_add(1, std::memory_order_relaxed);
            return;
        }
    } while (
        !to.samples_taken.compare_exchange_weak(number, number + 1, std::memory_order_relaxed));
    SampleRow &row = slot_of(rows, number);
    row.node = node;
    row.who = sample_who(thread, state);
    const uint64_t then = run_ns() - ago;
    row.time.store(then > to.begin_ns ? then - to.begin_ns : 1, std::memory_order_release);
    if (number - freed.load(std::memory_order_relaxed) == kMostWaiting) {
        wake_sampling_thread();
    }
}

void flush_sample_log(bool everything) {
    SampleRow *rows = ring.load(std::memory_order_acquire);
    if (!rows || header().sample_error.load(std::memory_order_relaxed) != 0) {
        return;
    }
    const uint64_t waiting = header().samples_taken.load(std::memory_order_relaxed) -
                             header().samples_moved.load(std::memory_order_relaxed);
    if ((!everything && waiting < kMostWaiting && !sample_file_is_thinned()) ||
        flushing.exchange(true, std::memory_order_acquire)) {
        return;
    }
    while (flush_batch(rows)) {
    }
    if (const int error = thin_sample_file(); error != 0) {
        header().sample_error.store(error, std::memory_order_relaxed);
    }
    flushing.store(false, std::memory_order_release);
}

void restart_sample_log() {
    ring.store(nullptr, std::memory_order_relaxed);
    flushing.store(false, std::memory_order_relaxed);
}

} // namespace ompcollect
