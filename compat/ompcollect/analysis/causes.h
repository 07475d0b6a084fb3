// SPDX-License-Identifier: Apache-2.0
//
// The one table of causes: why time is lost, and what a programmer can do about it.
#pragma once

#include <string_view>

namespace ompcollect::report {

enum class Cause : unsigned {
    kSerial,
    kSerialAsleep, // outside regions, in a system call
    kSmallTeam,    // a region without some of the run's threads
    kTinyRegions,
    kRemadeTeams, // the runtime ends threads and makes others, again and again
    kImbalance,
    kGradedImbalance, // work grows or falls from thread to thread
    kVaryingImbalance,
    kSingle,
    kLoneThread,  // one thread of the team does nearly all
    kAsleep,      // in a region's work, in a system call
    kOwnThread,   // waits for a thread of the program, in a region or outside
    kForeignLock, // the same, for a lock that is not OpenMP's
    kCritical,
    kLockConvoy,
    kLocks,
    kOrdered,
    kAtomic,
    kReduction,
    kTaskWaits, // in taskwait, or at the end of a taskgroup
    kRuntimeWork,
    kNestedOversubscription,
    kOversubscription,
    kOneProcessor, // threads are bound to fewer processors than there are
    kSpinning,     // idle workers wait awake, and other threads of the program lack a processor
    kQuota,        // of the process's container or job
    kMpi,          // in calls of MPI, as far as one process can tell
    // What a job makes of that.
    kMpiImbalance,
    kMpiCommunication,
    kMpiStart,
    kMpiVarying, // waits for another rank each time
    kMpiFiles,
    kCount
};

// The efficiency that a cause lowers; in the order in which they are taken away.
enum class LossKind : unsigned { kMpi, kSerial, kBalance, kScheduling, kCount };

const char *cause_key(Cause cause);   // "serial-part", for machines
const char *cause_title(Cause cause); // "serial part", for people
const char *cause_cure(Cause cause);  // what a programmer can do about it
LossKind cause_kind(Cause cause);
// kCount: no cause has this key.
Cause cause_named(std::string_view key);

// Kinds of uneven work are one finding, named by the one that costs most: in short regions the
// kinds cannot be told apart.
Cause family_of(Cause cause);
// Threads lack processors because of the program itself: all else in their regions follows from it.
bool is_oversubscribed(Cause cause);
// True if the measured cost is a lower bound.
bool is_at_least(Cause cause);
// Its gain is an upper bound: on a shared machine, or as if each processor could work all the time.
bool is_at_most(Cause cause, bool is_shared);

} // namespace ompcollect::report
