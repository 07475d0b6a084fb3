// SPDX-License-Identifier: Apache-2.0
//
// log.h - reads what the fake collector wrote: per thread, in order, the events, marks and requests
// with the answers given in each, and the samples. A Log owns all its data; it holds no reference
// to the file it came from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ocb_test {

// What STATE, CURRENT_PRID and PARENT_PRID answered in one batch, and TASK_ID and TASK_PID where
// the collector asked for them.
struct Answers {
    int result = -1; // of the call: 0, or -1
    int state_ec = 0;
    int state = 0;
    std::uint64_t wait_id = 0;
    int region_ec = 0;
    std::uint64_t region = 0;
    int parent_ec = 0;
    std::uint64_t parent = 0;
    int task = kNotAsked;
    int parent_task = kNotAsked;

    static constexpr int kNotAsked = -2;
};

enum class RecordKind { kEvent, kMark, kRequest };

struct Record {
    RecordKind kind = RecordKind::kEvent;
    int number = 0; // the event, or the request
    int ec = 0;     // of a request; the fake collector's -2: nobody exports the Collector API
    std::uint64_t sequence = 0;
    std::uint64_t time = 0; // ns, CLOCK_MONOTONIC
    std::uint64_t used = 0; // of a mark: ns that the thread had run by then
    Answers answers;
    std::string label; // of a mark; of REGISTER and UNREGISTER: the event
};

struct Sample {
    std::uint64_t time = 0;
    std::uint64_t used = 0;
    Answers answers;
};

struct ThreadLog {
    int index = 0; // in order of appearance; 0 is the initial thread
    int tid = 0;
    unsigned dropped = 0;
    std::vector<Record> records;
    std::vector<Sample> samples;
};

struct Log {
    bool complete = false; // the collector came to its end and lost nothing
    int pid = 0;
    std::vector<ThreadLog> threads;
    std::vector<Record> late;           // what came when the process was past its exit handlers
    std::vector<std::string> libraries; // the runtimes' files that were mapped
};

// An unreadable or unfinished file gives a log that is not complete.
Log read_log(const std::string &path);

// Names by number, without prefixes: "BEGIN_IBAR", "IBAR", "SEQUENCE_ERR", "PAUSE". A number that
// the contract does not know becomes "event 99" and the like.
std::string event_name(int event);
std::string state_name(int state);
std::string error_name(int ec);
std::string request_name(int request);

// How regions are called in a sequence; a region without a name is called by its number, "r7".
using RegionNames = std::map<std::uint64_t, std::string>;

// Calls the regions r1, r2, ... in the order in which any thread was first told of them. Ids tell
// regions apart, their order says nothing: threads may count on their own.
RegionNames name_regions(const Log &log);

// One record as one readable word group:
// - "FORK OVHD r1 in 0": an event, the state, CURRENT_PRID, and PARENT_PRID where it answered;
// - "BEGIN_IBAR IBAR r1": the same in a thread for which PARENT_PRID answered THREAD_ERR;
// - "body: WORK r1 in 0": a mark;
// - "body: SEQUENCE_ERR": a mark outside a session;
// - "PAUSE OK": a request.
// Any other answer shows up as text that no expectation contains.
std::string to_text(const Record &record, const RegionNames &names = {});

using Sequence = std::vector<std::string>;

Sequence sequence_of(const ThreadLog &thread, const RegionNames &names = {});

// The threads besides the initial one that have records, in order of appearance.
std::vector<const ThreadLog *> other_threads(const Log &log);

// The first thread with a mark of that label; null if there is none.
const ThreadLog *thread_with_mark(const Log &log, const std::string &label);

// The records of one event, in order.
std::vector<Record> events_of(const ThreadLog &thread, int event);

} // namespace ocb_test
