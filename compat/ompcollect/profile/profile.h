// SPDX-License-Identifier: Apache-2.0
//
// A finished profile as plain data: what the default collector gathers at exit, what stands in a
// raw profile file, and what the report prints. Used inside foreign processes and in the launcher,
// so it needs neither libstdc++ nor malloc. All arrays and strings belong to whoever filled the
// structure in; nothing here is freed.
#ifndef OMPCOLLECT_PROFILE_H
#define OMPCOLLECT_PROFILE_H

#include <cstddef>
#include <cstdint>

namespace ompcollect {

// State numbers of the contract, and room for those that later producers add (up to 16 is known).
// Column 0 holds samples in which the producer gave no usable state.
inline constexpr unsigned kStateColumns = 17;
// Event numbers of the contract, 1..22; 0 is not used.
inline constexpr unsigned kEventNumbers = 23;

// Short names for table heads: "WORK", "IBAR", ...; "?" for column 0 and unnamed numbers.
const char *state_name(unsigned state);
// "FORK", "BEGIN_IDLE", ...
const char *event_name(unsigned event);
// "OK", "SEQUENCE_ERR", ...
const char *error_name(int code);

// True for the states that wait for a mutex: lock, critical, ordered, atomic.
bool is_mutex_wait(unsigned state);

using StateCounts = uint64_t[kStateColumns];

// A place in a mapped file. Symbol and source are filled in where they are known, else null.
struct Place {
    const char *module = nullptr; // path of the mapped file; null: not inside any
    uint64_t offset = 0;          // address as the file counts it (its ELF virtual address)
    const char *symbol = nullptr;
    const char *source = nullptr; // "file:line"
};

enum class ThreadKind : unsigned {
    kInitial, // the thread the process began with
    kCreated, // seen at its creation
    kFound,   // first seen at an event
    kEnded,   // several ended threads in one row
    kShared,  // threads for which there was no row of their own
};

struct ThreadRow {
    unsigned number; // in the order of first sight
    long tid;
    ThreadKind kind;
    uint64_t folded; // threads in this row, for kEnded and kShared
    StateCounts samples;
};

// One fork location under one parent.
struct RegionRow {
    uint64_t entries;
    int parent; // index into the regions, -1: none
    Place place;
    StateCounts samples;
};

struct LockRow {
    unsigned state; // the wait state: LKWT, CTWT, ODWT or ATWT
    uint64_t wait_id;
    uint64_t waits;   // BEGIN events
    uint64_t samples; // in the wait state
    Place object;     // where the wait id points, if into a module
    Place first_wait; // code that waited first
};

struct EventRow {
    int registered; // error code that REGISTER got; -1: not asked for
    uint64_t count;
};

struct Profile {
    long pid = 0;
    const char *program = "";
    unsigned rate = 0; // samples per second of each thread
    bool wall_clock = true;
    double seconds = 0;          // from START to STOP
    int start_code = 0;          // what START got; -1: there is no producer
    bool signal_taken = false;   // the program replaced the sampling signal's handler
    uint64_t late_samples = 0;   // of the samples: ticks delivered late, in one signal with others
    uint64_t lost_samples = 0;   // ticks that reached no row
    uint64_t untabled_locks = 0; // waits and samples for which the lock table had no room
    EventRow events[kEventNumbers] = {};
    const ThreadRow *threads = nullptr;
    size_t thread_count = 0;
    const RegionRow *regions = nullptr;
    size_t region_count = 0;
    StateCounts serial = {};         // outside any region, idle workers included
    StateCounts several = {};        // idle workers while several outermost regions ran
    StateCounts unknown_region = {}; // inside a region whose fork was not seen
    const LockRow *locks = nullptr;
    size_t lock_count = 0;
};

// A process has used OpenMP if it forked or was seen in a state that only OpenMP has.
bool used_openmp(const Profile &profile);

} // namespace ompcollect

#endif
