// SPDX-License-Identifier: Apache-2.0
// What the fake collector keeps of each thread: events, marks and requests in one array, samples in
// another, as a sample may interrupt an append. Each is written by its thread alone, and read when
// the file is written.
#pragma once

#include "omp_collector_client.h"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <sys/types.h>

namespace ocb_fake {

constexpr int kNoProvider = -2; // in place of a result: nobody exports the Collector API
constexpr int kNotAsked = -2;   // in place of a task

struct Answers {
    int result = kNoProvider;
    int state_ec = 0;
    int state = 0;
    std::uint64_t wait_id = 0;
    int region_ec = 0;
    std::uint64_t region = 0;
    int parent_ec = 0;
    std::uint64_t parent = 0;
    int task = kNotAsked;
    int parent_task = kNotAsked;
};

struct Record {
    char kind; // e: event, m: mark, r: request
    int number;
    int ec;
    std::uint64_t sequence;
    std::uint64_t time;
    std::uint64_t used; // of a mark
    Answers answers;
    char label[64];
};

struct Sample {
    std::uint64_t time;
    std::uint64_t used;
    Answers answers;
};

struct ThreadLog {
    pid_t tid;
    timer_t timer;
    bool has_timer;
    std::atomic<unsigned> record_count;
    std::atomic<unsigned> sample_count;
    std::atomic<unsigned> dropped;
    Record *records;
    Sample *samples;
};

constexpr int kMaxThreads = 1024;

// The threads that have appeared, in that order.
extern std::atomic<ThreadLog *> thread_table[kMaxThreads];
extern std::atomic<int> thread_count;
extern std::atomic<OMP_COLLECTOR_API_FUNCTION> api_function;

// Settings: read before anything else happens.
extern unsigned table_capacity;
extern bool asks_tasks;

// The log of the calling thread, and null before it has one: for signal handlers.
ThreadLog *own_log_so_far();
// Makes it. Not for signal handlers.
ThreadLog *own_log();

std::uint64_t now();
// How long the thread has run by now.
std::uint64_t used();

// In a signal handler only with `with_parent` false.
Answers ask(bool with_parent);
void keep(ThreadLog *log, const Record &record);
void append_sample(ThreadLog *log);

} // namespace ocb_fake
