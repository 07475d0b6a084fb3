// SPDX-License-Identifier: Apache-2.0
// Rules that this runtime breaks on request, one at a time, so that a test suite for runtimes can
// be seen to notice. MINI_OMP_BREAK names the rule (`list` prints all that this build can break),
// MINI_OMP_WITHOUT the check whose subject is left out.
#pragma once

namespace mini {

// Which builds have the rule.
enum Having : unsigned {
    kWithIds = 1,   // 2014, TR2, the draft
    kWithWords = 2, // TR6 and OpenMP 5
    kOnlyIn5 = 4,
    kWithIdleFrame = 8, // TR2, 2014
    kAll = kWithIds | kWithWords,
};

// Name in the source, check and rule, builds that have it, what is wrong then.
#define MINI_DEFECTS(X)                                                                            \
    X(kEntryTwice, "init-registration.entry-twice", kAll,                                          \
      "the tool's entry point is called twice")                                                    \
    X(kInitializerTwice, "init-registration.initializer-twice", kAll,                              \
      "the initializer is called twice")                                                           \
    X(kNoVersion, "init-registration.no-version", kAll, "the runtime's version is a null string")  \
    X(kVersionZero, "init-registration.version-zero", kAll, "the interface's version is 0")        \
    X(kToolData, "init-registration.tool-data", kOnlyIn5,                                          \
      "the initializer gets another tool_data than the tool's")                                    \
    X(kInitialDevice, "init-registration.initial-device", kOnlyIn5,                                \
      "the initializer gets another device than omp_get_initial_device tells")                     \
    X(kLookupUnknown, "init-lookup.unknown-name", kAll, "an unknown name has an address")          \
    X(kLookupMissing, "init-lookup.missing-name", kAll,                                            \
      "a function that there must be cannot be looked up")                                         \
    X(kSetCode, "init-set-callback.code", kWithWords,                                              \
      "implicit_task is accepted with a number that is no answer")                                 \
    X(kSetAgain, "init-set-callback.again", kAll, "a second registration is refused")              \
    X(kGetCallback, "init-set-callback.get", kAll, "ompt_get_callback gives another callback")     \
    X(kTakenBack, "init-set-callback.taken-back", kAll, "a callback cannot be taken back")         \
    X(kUnknownEvent, "init-set-callback.unknown-event", kAll, "every event number is accepted")    \
    X(kEnabledCase, "init-omp-tool-enabled.case", kAll, "only lower case enables")                 \
    X(kEnabledTrim, "init-omp-tool-enabled.trim", kAll, "white space around enabled counts")       \
    X(kEnabledEnds, "init-omp-tool-enabled.ends", kAll, "the value ends the program")              \
    X(kDisabledCase, "init-omp-tool-disabled.case", kAll, "only lower case disables")              \
    X(kDisabledTrim, "init-omp-tool-disabled.trim", kAll, "white space around disabled counts")    \
    X(kDisabledEnds, "init-omp-tool-disabled.ends", kAll, "the value ends the program")            \
    X(kOtherGoesOn, "init-omp-tool-other.goes-on", kWithIds,                                       \
      "an illegal OMP_TOOL does not end the program, no tool is used")                             \
    X(kOtherSilent, "init-omp-tool-other.silent", kWithIds,                                        \
      "an illegal OMP_TOOL ends the program without a word")                                       \
    X(kOtherCrash, "init-omp-tool-other.crash", kAll, "an illegal OMP_TOOL aborts the program")    \
    X(kControlCommand, "control.command", kAll, "the command is another one")                      \
    X(kControlModifier, "control.modifier", kAll, "the modifier is another one")                   \
    X(kControlArgument, "control.argument", kWithWords, "the third argument is another one")       \
    X(kControlAnswer, "control.answer", kWithWords,                                                \
      "the tool's answer does not reach the program")                                              \
    X(kControlMissing, "control.missing", kAll, "no command reaches the tool")                     \
    X(kShutdownMissing, "runtime-shutdown.missing", kAll, "the tool is not told")                  \
    X(kShutdownTwice, "runtime-shutdown.twice", kAll, "the tool is told twice")                    \
    X(kShutdownEarly, "runtime-shutdown.early", kAll, "the tool is told after the first region")   \
    X(kParallelBeginParentId, "parallel-begin.parent-id", kAll, "the parent task is another one")  \
    X(kParallelBeginParentFrame, "parallel-begin.parent-frame", kAll,                              \
      "the parent task's frame is another one")                                                    \
    X(kParallelBeginDuplicateId, "parallel-begin.duplicate-id", kAll,                              \
      "every second region has the id of the one before")                                          \
    X(kParallelBeginMissingNested, "parallel-begin.missing-nested", kAll,                          \
      "regions inside regions are not told of")                                                    \
    X(kParallelBeginMissingOne, "parallel-begin.missing-one", kAll,                                \
      "regions of one thread are not told of")                                                     \
    X(kParallelBeginContext, "parallel-begin.context", kAll,                                       \
      "the callback runs in the context of the new task")                                          \
    X(kParallelEndParentId, "parallel-end.parent-id", kAll, "the parent task is another one")      \
    X(kParallelEndUnknownId, "parallel-end.unknown-id", kAll, "the id is not that of the begin")   \
    X(kParallelEndMissing, "parallel-end.missing", kAll, "the end of a region of one is not told") \
    X(kParallelEndTwice, "parallel-end.twice", kAll, "each end is told twice")                     \
    X(kParallelEndContext, "parallel-end.context", kAll,                                           \
      "the callback runs in the context of the task that has ended")                               \
    X(kTaskBeginParentId, "task-begin.parent-id", kAll, "the parent task is another one")          \
    X(kTaskBeginParentFrame, "task-begin.parent-frame", kAll,                                      \
      "the parent task's frame is another one")                                                    \
    X(kTaskBeginDuplicateId, "task-begin.duplicate-id", kAll,                                      \
      "every second task has the id of the one before")                                            \
    X(kTaskBeginMissing, "task-begin.missing", kAll, "undeferred tasks are not told of")           \
    X(kTaskBeginContext, "task-begin.context", kAll,                                               \
      "the callback runs in the context of the new task")                                          \
    X(kTaskEndUnknownId, "task-end.unknown-id", kAll, "the id is not that of the begin")           \
    X(kTaskEndMissing, "task-end.missing", kAll, "the end of an undeferred task is not told")      \
    X(kTaskEndTwice, "task-end.twice", kAll, "each end is told twice")                             \
    X(kThreadBeginMissing, "thread-begin.missing", kAll, "the first worker is not told of")        \
    X(kThreadBeginTwice, "thread-begin.twice", kAll, "each thread is told of twice")               \
    X(kThreadBeginType, "thread-begin.type", kAll, "workers are told of as initial threads")       \
    X(kThreadBeginInitial, "thread-begin.initial-type", kAll,                                      \
      "the initial thread is told of as a worker")                                                 \
    X(kThreadBeginDuplicateId, "thread-begin.duplicate-id", kAll,                                  \
      "a worker has the id of the thread before it")                                               \
    X(kThreadEndMissing, "thread-end.missing", kAll, "the first worker's end is not told")         \
    X(kThreadEndUnknownId, "thread-end.unknown-id", kAll, "the id is not that of the begin")       \
    X(kThreadEndType, "thread-end.type", kWithIds, "workers end as initial threads")               \
    X(kImplicitTaskMissing, "implicit-task.missing", kAll, "those of workers are not told of")     \
    X(kImplicitTaskRegion, "implicit-task.region", kAll,                                           \
      "the region of a worker's is another one")                                                   \
    X(kImplicitTaskDuplicateId, "implicit-task.duplicate-id", kAll,                                \
      "every second one has the id of the one before")                                             \
    X(kImplicitTaskSize, "implicit-task.size", kWithWords,                                         \
      "the team is told to have one thread more")                                                  \
    X(kImplicitTaskIndexRange, "implicit-task.index-range", kWithWords,                            \
      "indices begin behind the last one")                                                         \
    X(kImplicitTaskIndexTwice, "implicit-task.index-twice", kWithWords, "all have index 0")        \
    X(kImplicitTaskIndexOther, "implicit-task.index-other", kWithWords,                            \
      "indices count from the last thread down")                                                   \
    X(kImplicitTaskFlags, "implicit-task.flags", kOnlyIn5, "they are told as explicit tasks")      \
    X(kImplicitTaskEndMissing, "implicit-task.end-missing", kAll,                                  \
      "the ends of workers' are not told")                                                         \
    X(kImplicitTaskEndTwice, "implicit-task.end-twice", kAll, "each end is told twice")            \
    X(kImplicitTaskEndUnknownId, "implicit-task.end-unknown-id", kAll,                             \
      "the id is not that of the begin")                                                           \
    X(kImplicitTaskEndLate, "implicit-task.end-late", kAll,                                        \
      "the master's end is told after that of the region")                                         \
    X(kImplicitTaskEndIndex, "implicit-task.end-index", kWithWords, "all end with index 0")        \
    X(kImplicitTaskEndRegion, "implicit-task.end-region", kWithIds | kOnlyIn5,                     \
      "the end names another region, or (5.x) one at all")                                         \
    X(kImplicitTaskEndSize, "implicit-task.end-size", kOnlyIn5, "the end tells the size")          \
    X(kImplicitTaskInitialMissing, "implicit-task.initial-missing", kWithIds | kOnlyIn5,           \
      "initial tasks are not told of")                                                             \
    X(kImplicitTaskInitialEnd, "implicit-task.initial-end", kWithIds | kOnlyIn5,                   \
      "the end of initial tasks is not told")                                                      \
    X(kImplicitTaskInitialSize, "implicit-task.initial-size", kOnlyIn5,                            \
      "initial tasks begin with size 0")                                                           \
    X(kImplicitTaskInitialIndex, "implicit-task.initial-index", kOnlyIn5,                          \
      "initial tasks have index 0")                                                                \
    X(kImplicitTaskInitialFlags, "implicit-task.initial-flags", kOnlyIn5,                          \
      "initial tasks are told as implicit ones")                                                   \
    X(kImplicitTaskInitialRegion, "implicit-task.initial-region", kOnlyIn5,                        \
      "initial tasks begin without a region")                                                      \
    X(kIdleFrameInitial, "idle-frame.initial-thread", kWithIdleFrame,                              \
      "the initial thread has an idle frame")                                                      \
    X(kIdleFrameChanges, "idle-frame.changes", kWithIdleFrame,                                     \
      "a nested region moves the idle frame")                                                      \
    X(kIdleFrameMissing, "idle-frame.missing", kWithIdleFrame, "workers have no idle frame")       \
    X(kParallelIdOutside, "parallel-id.outside", kAll, "outside a region there is an id")          \
    X(kParallelIdLevel, "parallel-id.level", kAll, "outer levels have the id of level 0")          \
    X(kParallelIdThread, "parallel-id.threads", kAll, "the threads of a team see different ids")   \
    X(kParallelIdBeyond, "parallel-id.beyond", kAll, "beyond the outermost region there is an id") \
    X(kTaskIdBeyond, "task-id.beyond", kAll, "beyond the initial task there is an id")             \
    X(kTaskIdLevel, "task-id.level", kAll, "outer levels of an implicit task have its id")         \
    X(kTaskIdExplicit, "task-id.explicit", kAll, "outer levels of an explicit task have its id")   \
    X(kTeamSizeOff, "team-size.nested-off", kAll, "a nested team of one has its parent's size")    \
    X(kTeamSizeOn, "team-size.nested-on", kAll, "a nested team of more has its parent's size")     \
    X(kTeamSizeCurrent, "team-size.current", kAll, "each team is told to have one thread more")    \
    X(kTeamSizeBeyond, "team-size.beyond", kAll, "beyond the outermost region there is a size")    \
    X(kTaskFrameExit, "task-frame.exit", kAll, "implicit tasks have no exit address")              \
    X(kTaskFrameReenter, "task-frame.reenter", kAll, "no task has a reenter address")              \
    X(kTaskFrameInitialExit, "task-frame.initial-exit", kAll,                                      \
      "initial tasks have an exit address")                                                        \
    X(kTaskFrameOrder, "task-frame.order", kAll, "a task reenters further in than it was left")    \
    X(kTaskFrameThreads, "task-frame.other-threads", kAll,                                         \
      "a worker sees the frame of the master's implicit task")                                     \
    X(kTaskFrameBeyond, "task-frame.beyond", kAll, "beyond the initial task there is a frame")     \
    X(kStateSerial, "state-serial.overhead", kAll, "told as overhead")                             \
    X(kStateSerialAfter, "state-serial.after-region", kAll,                                        \
      "told as parallel from the first region on")                                                 \
    X(kStateParallel, "state-parallel.overhead", kAll, "told as overhead")                         \
    X(kStateReduction, "state-reduction.overhead", kAll, "told as overhead")                       \
    X(kStateBarrierExplicit, "state-barrier-explicit.overhead", kAll, "told as overhead")          \
    X(kStateBarrierImplicit, "state-barrier-implicit.overhead", kAll, "told as overhead")          \
    X(kStateTaskwait, "state-taskwait.overhead", kAll, "told as overhead")                         \
    X(kStateTaskgroup, "state-taskgroup.overhead", kAll, "told as overhead")                       \
    X(kStateTaskgroupOrder, "state-taskgroup.order", kAll, "told as taskwait at first")            \
    X(kStateLock, "state-lock.overhead", kAll, "told as overhead")                                 \
    X(kStateNestLock, "state-nest-lock.overhead", kAll, "told as overhead")                        \
    X(kStateCritical, "state-critical.overhead", kAll, "told as overhead")                         \
    X(kStateAtomic, "state-atomic.overhead", kAll, "told as overhead")                             \
    X(kStateOrdered, "state-ordered.overhead", kAll, "told as overhead")                           \
    X(kStateSerialBroken, "state-serial.broken", kAll, "every second time told as overhead")       \
    X(kStateParallelBroken, "state-parallel.broken", kAll, "every second time told as overhead")   \
    X(kStateReductionBroken, "state-reduction.broken", kAll, "every second time told as work")     \
    X(kStateBarrierExplicitBroken, "state-barrier-explicit.broken", kAll,                          \
      "every second time told as work")                                                            \
    X(kStateBarrierImplicitBroken, "state-barrier-implicit.broken", kAll,                          \
      "every second time told as work")                                                            \
    X(kStateTaskwaitBroken, "state-taskwait.broken", kAll, "every second time told as work")       \
    X(kStateTaskgroupBroken, "state-taskgroup.broken", kAll, "every second time told as work")     \
    X(kStateLockBroken, "state-lock.broken", kAll, "every second time told as work")               \
    X(kStateNestLockBroken, "state-nest-lock.broken", kAll, "every second time told as work")      \
    X(kStateCriticalBroken, "state-critical.broken", kAll, "every second time told as work")       \
    X(kStateAtomicBroken, "state-atomic.broken", kAll, "every second time told as work")           \
    X(kStateOrderedBroken, "state-ordered.broken", kAll, "every second time told as work")

enum class Defect {
    kNone,
#define MINI_DEFECT(symbol, name, having, sentence) symbol,
    MINI_DEFECTS(MINI_DEFECT)
#undef MINI_DEFECT
};

// The subject of each check, in the suite's order.
#define MINI_CHECKS(X)                                                                             \
    X(kInitRegistration, "init-registration")                                                      \
    X(kInitLookup, "init-lookup")                                                                  \
    X(kInitSetCallback, "init-set-callback")                                                       \
    X(kInitOmpToolEnabled, "init-omp-tool-enabled")                                                \
    X(kInitOmpToolDisabled, "init-omp-tool-disabled")                                              \
    X(kInitOmpToolOther, "init-omp-tool-other")                                                    \
    X(kControl, "control")                                                                         \
    X(kRuntimeShutdown, "runtime-shutdown")                                                        \
    X(kParallelBegin, "parallel-begin")                                                            \
    X(kParallelEnd, "parallel-end")                                                                \
    X(kTaskBegin, "task-begin")                                                                    \
    X(kTaskEnd, "task-end")                                                                        \
    X(kThreadBegin, "thread-begin")                                                                \
    X(kThreadEnd, "thread-end")                                                                    \
    X(kImplicitTask, "implicit-task")                                                              \
    X(kIdleFrame, "idle-frame")                                                                    \
    X(kParallelId, "parallel-id")                                                                  \
    X(kTaskId, "task-id")                                                                          \
    X(kTeamSize, "team-size")                                                                      \
    X(kTaskFrame, "task-frame")                                                                    \
    X(kStateSerial, "state-serial")                                                                \
    X(kStateParallel, "state-parallel")                                                            \
    X(kStateReduction, "state-reduction")                                                          \
    X(kStateBarrierExplicit, "state-barrier-explicit")                                             \
    X(kStateBarrierImplicit, "state-barrier-implicit")                                             \
    X(kStateTaskwait, "state-taskwait")                                                            \
    X(kStateTaskgroup, "state-taskgroup")                                                          \
    X(kStateLock, "state-lock")                                                                    \
    X(kStateNestLock, "state-nest-lock")                                                           \
    X(kStateCritical, "state-critical")                                                            \
    X(kStateAtomic, "state-atomic")                                                                \
    X(kStateOrdered, "state-ordered")

enum class Check {
    kNone,
#define MINI_CHECK(symbol, name) symbol,
    MINI_CHECKS(MINI_CHECK)
#undef MINI_CHECK
};

extern Defect chosen_defect;
extern Check left_out;

inline bool breaks(Defect defect) {
    return chosen_defect == defect;
}

inline bool is_without(Check check) {
    return left_out == check;
}

} // namespace mini
