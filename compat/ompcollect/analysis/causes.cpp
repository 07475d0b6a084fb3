// SPDX-License-Identifier: Apache-2.0
#include "causes.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace ompcollect::report {
namespace {

struct CauseRow {
    Cause cause;
    LossKind kind;
    const char *key;
    const char *title;
    const char *cure;
};

constexpr CauseRow kCauses[] = {
    {Cause::kSerial, LossKind::kSerial, "serial-part", "serial part",
     "make this part parallel too, or shorter; more threads do not help it"},
    {Cause::kSerialAsleep, LossKind::kSerial, "serial-asleep", "asleep outside regions",
     "do other work meanwhile, read ahead or write behind; more threads do not help it"},
    {Cause::kSmallTeam, LossKind::kBalance, "small-team", "regions without all threads",
     "let all threads take part: look at num_threads, if clauses and nested regions"},
    {Cause::kTinyRegions, LossKind::kScheduling, "tiny-regions", "regions that are too small",
     "put one parallel region around the loop that enters it, merge neighbouring regions, or add "
     "an if clause for small sizes"},
    {Cause::kRemadeTeams, LossKind::kScheduling, "remade-teams", "threads are made again and again",
     "give all regions one size (num_threads), and fork none inside another one: libgomp ends "
     "threads when a team gets smaller, and makes those of inner teams anew"},
    {Cause::kImbalance, LossKind::kBalance, "imbalance", "uneven work",
     "share the work out more evenly: smaller pieces, schedule(dynamic) where it is static"},
    {Cause::kGradedImbalance, LossKind::kBalance, "graded-imbalance",
     "work that grows with the thread",
     "iterations are of uneven length under a static schedule: try schedule(dynamic), "
     "schedule(guided) or schedule(static,1)"},
    {Cause::kVaryingImbalance, LossKind::kBalance, "varying-imbalance",
     "uneven work, another thread each time",
     "fewer barriers (nowait, merged loops), or smaller pieces where iterations differ"},
    {Cause::kSingle, LossKind::kBalance, "single-in-loop", "single or master in a loop",
     "take the single (or master) part and its barrier out of the loop, use nowait, or let all "
     "threads do it"},
    {Cause::kLoneThread, LossKind::kBalance, "lone-thread", "one thread does it all",
     "if this single (or master) part creates tasks, they are too small for others to get any: "
     "bigger tasks (grainsize, if, a cut-off by depth); else let all threads share its work"},
    {Cause::kAsleep, LossKind::kBalance, "asleep", "asleep in a region",
     "let the other threads go on meanwhile (nowait, a task for the waiting), or wait outside of "
     "the region"},
    {Cause::kOwnThread, LossKind::kSerial, "own-thread", "waits for own thread",
     "let the other thread begin earlier and this one go on meanwhile, or give its work to the "
     "team"},
    {Cause::kForeignLock, LossKind::kScheduling, "foreign-lock", "queues for a lock outside OpenMP",
     "hold it for less time, or give each thread its own: state of random numbers, buffers that "
     "are written at once, pools of memory, parts of the data"},
    {Cause::kCritical, LossKind::kScheduling, "contended-critical", "queues for a critical region",
     "use a reduction, an atomic or a copy per thread; do less inside, name critical regions "
     "apart that have nothing in common"},
    {Cause::kLockConvoy, LossKind::kScheduling, "lock-convoy", "a queue for one lock",
     "all queue for one lock: hold it for less time, give each part of the data its own lock, or a "
     "copy per thread"},
    {Cause::kLocks, LossKind::kScheduling, "contended-locks", "queues for locks",
     "hold locks for less time, or use more of them"},
    {Cause::kOrdered, LossKind::kScheduling, "false-ordered", "waiting for the turn (ordered)",
     "leave ordered out if the order does not matter, keep only the part inside that needs it, or "
     "use schedule(static,1)"},
    {Cause::kAtomic, LossKind::kScheduling, "contended-atomic", "queues for atomics",
     "use a reduction or a copy per thread"},
    {Cause::kReduction, LossKind::kScheduling, "slow-reduction", "slow reductions",
     "combine less often, reduce into smaller objects, or combine in parallel"},
    {Cause::kTaskWaits, LossKind::kBalance, "task-waits", "waiting for tasks",
     "begin long tasks first, split them, or wait for more of them at once, so that there is "
     "another one for who waits; where tasks take microseconds only, make them bigger"},
    {Cause::kRuntimeWork, LossKind::kScheduling, "runtime-work", "the runtime's own work",
     "tasks or chunks are too small for the runtime: bigger tasks (grainsize, if, final, a cut-off "
     "by depth), bigger chunks in schedule"},
    {Cause::kNestedOversubscription, LossKind::kScheduling, "nested-oversubscription",
     "too many threads, by nested teams",
     "set OMP_MAX_ACTIVE_LEVELS=1, or give inner and outer teams sizes whose product is the number "
     "of processors"},
    {Cause::kOversubscription, LossKind::kScheduling, "oversubscription", "too many threads",
     "use no more threads than processors (OMP_NUM_THREADS), or let the program use more of them "
     "(taskset, the job's limits)"},
    {Cause::kOneProcessor, LossKind::kScheduling, "one-processor",
     "threads bound to the same processors",
     "let each thread have a processor of its own: look at sched_setaffinity in the program, "
     "OMP_PROC_BIND, OMP_PLACES, taskset and cpusets"},
    {Cause::kSpinning, LossKind::kScheduling, "spinning-workers", "idle workers that wait awake",
     "let idle threads sleep, as the program's other threads want their processors: "
     "OMP_WAIT_POLICY=passive; or for shorter, by GOMP_SPINCOUNT (gcc) or KMP_BLOCKTIME (clang)"},
    {Cause::kQuota, LossKind::kScheduling, "processor-quota", "the container's processor quota",
     "give the container or job more processors (cpu.max, cfs_quota_us, its CPU limit), or use no "
     "more threads than it has processors"},
    {Cause::kMpi, LossKind::kMpi, "mpi", "in MPI",
     "the report of the whole job names the rank that comes last; else fewer and larger messages, "
     "or calls that do not block while threads compute"},
    {Cause::kMpiImbalance, LossKind::kMpi, "mpi-imbalance", "one rank comes last",
     "give that rank less of the work"},
    {Cause::kMpiCommunication, LossKind::kMpi, "mpi-communication", "messages of all ranks",
     "fewer and larger messages, or calls that do not block while the rank computes"},
    {Cause::kMpiStart, LossKind::kMpi, "mpi-start", "the start of MPI",
     "it is paid once: measure a longer run, or let MPI look for fewer networks"},
    {Cause::kMpiVarying, LossKind::kMpi, "mpi-varying-imbalance",
     "ranks wait for another one each time",
     "share each step's work out more evenly, or wait for others less often: calls that do not "
     "block, more steps between two that synchronise"},
    {Cause::kMpiFiles, LossKind::kMpi, "mpi-files", "files of MPI",
     "write and read less often and in larger pieces, by collective calls (MPI_File_..._all) with "
     "few writers (cb_nodes, stripes of the file system), or beside the work (MPI_File_i...)"},
};
static_assert(std::size(kCauses) == static_cast<size_t>(Cause::kCount));

const CauseRow &row_of(Cause cause) {
    return kCauses[static_cast<size_t>(cause)];
}

} // namespace

const char *cause_key(Cause cause) {
    return row_of(cause).key;
}

const char *cause_title(Cause cause) {
    return row_of(cause).title;
}

const char *cause_cure(Cause cause) {
    return row_of(cause).cure;
}

LossKind cause_kind(Cause cause) {
    return row_of(cause).kind;
}

Cause cause_named(std::string_view key) {
    const auto *const row = std::find_if(std::begin(kCauses), std::end(kCauses),
                                         [&](const CauseRow &each) { return key == each.key; });
    return row == std::end(kCauses) ? Cause::kCount : row->cause;
}

Cause family_of(Cause cause) {
    const bool is_uneven = cause == Cause::kGradedImbalance || cause == Cause::kVaryingImbalance;
    return is_uneven ? Cause::kImbalance : cause;
}

bool is_oversubscribed(Cause cause) {
    return cause == Cause::kOversubscription || cause == Cause::kNestedOversubscription ||
           cause == Cause::kOneProcessor || cause == Cause::kSpinning || cause == Cause::kQuota;
}

bool is_at_least(Cause cause) {
    return cause == Cause::kQuota || cause == Cause::kForeignLock;
}

bool is_at_most(Cause cause, bool is_shared) {
    return !is_at_least(cause) && (is_shared || is_oversubscribed(cause));
}

} // namespace ompcollect::report
