// SPDX-License-Identifier: Apache-2.0
// What a provider of OMPT 5.1 needs beside the declarations that a tool needs (ompt5.h).
#pragma once

#include "spec/ompt5.h"

namespace ocb::gomp {

using namespace ocb::ompt5;

constexpr int kFrameIsCfa = 0x10; // ompt_frame_runtime | ompt_frame_cfa
constexpr int kFrameIsFramePointer = 0x20;
constexpr int kTaskUntied = 0x10000000;
constexpr int kTaskFinal = 0x20000000;
constexpr int kTaskMergeable = 0x40000000;
constexpr int kTaskTaskwait = 0x10;
constexpr int kInvokedByProgram = 0x1;
constexpr int kInvokedByRuntime = 0x2;
constexpr int kParallelTeam = static_cast<int>(0x80000000U);

constexpr auto kWorkTaskloop = static_cast<ompt_work_t>(7);
constexpr auto kWorkScope = static_cast<ompt_work_t>(8);
// Of OMPT 5.2, where the instance is a chunk.
constexpr auto kDispatchLoopChunk = static_cast<ompt_dispatch_t>(3);
constexpr auto kDispatchDistributeChunk = static_cast<ompt_dispatch_t>(5);

enum CancelFlag : int {
    kCancelParallel = 0x01,
    kCancelSections = 0x02,
    kCancelLoop = 0x04,
    kCancelTaskgroup = 0x08,
    kCancelActivated = 0x10,
    kCancelDetected = 0x20,
};

enum DependenceType : int {
    kDependenceIn = 1,
    kDependenceInout = 3,
    kDependenceMutexinoutset = 4,
    kDependenceInoutset = 7,
};
struct Dependence {
    ompt_data_t variable;
    DependenceType type;
};

struct Chunk {
    std::uint64_t start;
    std::uint64_t iterations;
};

using DispatchCallback = void (*)(ompt_data_t *parallel_data, ompt_data_t *task_data,
                                  ompt_dispatch_t kind, ompt_data_t instance);
using CancelCallback = void (*)(ompt_data_t *task_data, int flags, const void *codeptr_ra);
using DependencesCallback = void (*)(ompt_data_t *task_data, const Dependence *deps, int ndeps);

} // namespace ocb::gomp
