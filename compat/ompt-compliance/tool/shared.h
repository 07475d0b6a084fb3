// SPDX-License-Identifier: Apache-2.0
//
// A check is two processes: one runs a program on the runtime under test, with the tool of this
// suite attached, and writes down what happens; the other one, its parent, judges. So thread_end
// and shutdown are judged after the program has ended, and a runtime that crashes spoils no
// verdict. This is the memory between them, in the terms of no generation in particular.
#pragma once

#include <atomic>
#include <cstdint>

namespace compliance {

enum class Generation : int {
    kNone,     // no entry point of OMPT was called
    k5,        // ompt_start_tool, initializer with three arguments
    kTr6,      // ompt_start_tool, two arguments
    kTr4,      // ompt_start_tool, the second argument is the result itself: not served
    kTr2,      // ompt_tool, initializer with lookup first
    kTr2Last,  // ompt_tool, initializer with lookup last
    kTr2Draft, // ompt_tool, and ompt_get_parallel_info among the entry points
    k2014,     // ompt_initialize
};
const char *generation_name(Generation generation);
bool has_ids(Generation generation); // the runtime deals ids; else the tool fills data words

// Inquiry functions. In some generations two of them are one entry point.
enum class Entry : int { kParallelId, kTeamSize, kTaskId, kTaskFrame, kState, kIdleFrame, kCount };

// Events that the tool asks for.
enum class Event : int {
    kThreadBegin,
    kThreadEnd,
    kParallelBegin,
    kParallelEnd,
    kTaskBegin,
    kTaskEnd,
    // Also where the tool fills the task's word. A record of any of the four is one of this one:
    // `ends` and `initial` tell which it is. The others are events of the generations with ids.
    kImplicitTask,
    kImplicitTaskEnd,
    kInitialTask,
    kInitialTaskEnd,
    kControl,
    kShutdown, // an event of its own in the generations with ids, else the finalizer
    kPoint,    // no event: a point in the program, see workload.h
    kCount
};

// What ompt_set_callback said, whatever its numbers.
enum class Support : int { kNotAsked, kRefused, kNever, kSometimes, kAlways };

enum ThreadType : int { kThreadInitial = 1, kThreadWorker = 2, kThreadOther = 3 };

struct Frame {
    std::uint64_t exit;  // where the task's code was entered from the runtime
    std::uint64_t enter; // where the task's code has entered the runtime
};

// The answers of the inquiry functions at some moment; 0 where there is none.
struct Context {
    std::uint64_t thread;
    std::uint64_t parallel;
    std::uint64_t task;
    std::uint64_t frame_address;
    Frame frame;
};

struct Record {
    std::atomic<bool> complete;
    Event event;
    int os_thread;
    // By event: the new or ending region or task, the thread; control's command.
    std::uint64_t id;
    // The parent task; control's modifier.
    std::uint64_t parent;
    // What the parent_task_frame argument points to; control's third argument in frame_address.
    std::uint64_t frame_address;
    Frame frame;
    // Thread type, requested team size; of a point: which, and its two numbers; of an implicit
    // task: flags (-1: the generation has none), size and index.
    int number;
    int a;
    int b;
    // Of an implicit task. Its region is in `parent`, and in frame_address the region's word.
    bool ends;
    bool initial;
    Context context;
};

struct Registration {
    Generation generation;
    std::atomic<int> entry_calls;       // of ompt_start_tool and its likes
    std::atomic<int> initializer_calls; // of what they returned
    unsigned omp_version;               // passed to ompt_start_tool; else the version of OMPT
    bool has_runtime_version;
    bool right_tool_data; // the initializer's third argument is that of the result
    int initial_device;   // passed to the initializer, 5.x
};

constexpr unsigned kMaxRecords = 8192;
constexpr unsigned kMaxText = 16384;

struct Shared {
    Registration registration;
    bool has[static_cast<int>(Entry::kCount)];
    Support support[static_cast<int>(Event::kCount)];
    int raw_result[static_cast<int>(Event::kCount)];
    std::atomic<unsigned> record_count; // may exceed kMaxRecords
    Record records[kMaxRecords];
    // Lines of the verdict, see verdict.h.
    std::atomic<int> text_lock;
    unsigned text_used;
    int failures;
    int missing;
    int not_in_generation;
    char text[kMaxText];
};

// Mapped at first use, before any fork.
Shared &shared();

inline bool has(Entry entry) {
    return shared().has[static_cast<int>(entry)];
}
inline Support support(Event event) {
    return shared().support[static_cast<int>(event)];
}
inline bool is_reported(Event event) {
    return support(event) == Support::kAlways || support(event) == Support::kSometimes;
}

} // namespace compliance
