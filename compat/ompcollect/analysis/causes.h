// SPDX-License-Identifier: Apache-2.0
//
// The one table of causes: why time is lost, and what a programmer can do about it.
#pragma once

namespace ompcollect::report {

enum class Cause : unsigned {
    kSerial,
    kSerialAsleep, // outside regions, in a system call
    kSmallTeam,    // a region without some of the run's threads
    kTinyRegions,
    kImbalance,
    kSlantedWork, // work grows or falls from thread to thread
    kWanderingImbalance,
    kSingle,
    kLoneThread, // one thread of the team does nearly all
    kAsleep,     // in a region's work, in a system call
    kCritical,
    kLockConvoy,
    kLocks,
    kOrdered,
    kAtomic,
    kReduction,
    kRuntimeWork,
    kNestedOversubscription,
    kOversubscription,
    kOneProcessor, // threads are bound to fewer processors than there are
    kCount
};

// The efficiency that a cause lowers.
enum class LossKind : unsigned { kSerial, kBalance, kScheduling };

const char *cause_key(Cause cause);   // "serial-part", for machines
const char *cause_title(Cause cause); // "serial part", for people
const char *cause_cure(Cause cause);  // what a programmer can do about it
LossKind cause_kind(Cause cause);

} // namespace ompcollect::report
