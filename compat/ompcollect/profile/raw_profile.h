// SPDX-License-Identifier: Apache-2.0
//
// The raw profile: one text file per process, written by the default collector and read by the
// launcher, which knows what the process could not: source lines and names of static functions.
// One record per line, fields separated by tabs, the first field says which. Strings stand last in
// a line and contain neither tab nor newline (both are written as spaces). Numbers are decimal,
// offsets and wait ids hexadecimal. A file without the final "end" is incomplete.
//
//   ompcollect-profile 1
//   process   pid  program
//   run       rate  wall|cpu  seconds  start-code  signal-taken(0|1)
//   totals    late  lost  untabled-locks
//   event     number  register-code  count
//   thread    number  tid  kind  folded  <17 counts, by state number>
//   region    entries  parent(-1)  <17 counts>  offset  module  symbol
//   serial    <17 counts>
//   several   <17 counts>
//   unknown   <17 counts>
//   lock      state  wait-id  waits  samples  offset  module  symbol  offset  module  symbol
//   end
//
// Regions are numbered from 0 in the order of their lines. An unknown module or symbol is empty.
#ifndef OMPCOLLECT_RAW_PROFILE_H
#define OMPCOLLECT_RAW_PROFILE_H

#include "profile.h"
#include "text_output.h"

namespace ompcollect {

inline constexpr char kRawProfileHead[] = "ompcollect-profile\t1";
inline constexpr char kRawProfileSuffix[] = ".profile";

// Counts as they were taken.
using StateCounts = uint64_t[kStateColumns];

enum class RawThreadKind : unsigned {
    kInitial, // the thread the process began with
    kCreated, // seen at its creation
    kFound,   // first seen at an event
    kEnded,   // several ended threads in one row
    kShared,  // threads for which there was no row of their own
};

struct RawThread {
    unsigned number; // in the order of first sight
    long tid;
    RawThreadKind kind;
    uint64_t folded; // threads in this row, for kEnded and kShared
    StateCounts samples;
};

// One fork location under one parent.
struct RawRegion {
    uint64_t entries;
    int parent; // index into the regions, -1: none
    Place place;
    StateCounts samples;
};

struct RawLock {
    unsigned state; // the wait state: LKWT, CTWT, ODWT or ATWT
    uint64_t wait_id;
    uint64_t waits;   // BEGIN events
    uint64_t samples; // in the wait state
    Place object;     // where the wait id points, if into a module
    Place first_wait; // code that waited first
};

struct RawEvent {
    int registered; // error code that REGISTER got; -1: not asked for
    uint64_t count;
};

struct RawProfile {
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
    RawEvent events[kEventNumbers] = {};
    const RawThread *threads = nullptr;
    size_t thread_count = 0;
    const RawRegion *regions = nullptr;
    size_t region_count = 0;
    StateCounts serial = {};         // outside any region, idle workers included
    StateCounts several = {};        // idle workers while several outermost regions ran
    StateCounts unknown_region = {}; // inside a region whose fork was not seen
    const RawLock *locks = nullptr;
    size_t lock_count = 0;
};

void write_raw_profile(const RawProfile &profile, TextOutput &out);

class LoadedProfile;
// In seconds, with memory of the target's own; false where there is none.
bool convert(const RawProfile &raw, LoadedProfile &to);

} // namespace ompcollect

#endif
