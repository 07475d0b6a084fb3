// SPDX-License-Identifier: Apache-2.0
// What each generation of OMPT provides: registration, and one function per event in terms that fit
// all of them. One generation is linked into each build of the library.
#pragma once

#include "events.h"

namespace mini::tool {

using event::Endpoint;
using event::MutexUse;
using event::TaskStatus;

// Which defects the build can have.
extern const unsigned kHaving;

// Life. `find` comes before the runtime is up, `initialize` right after.
void find();
void initialize();
void report_end();           // of the runtime
void finalize();             // after that nothing is told
bool begins_anew_in_child(); // of a fork: is the tool to be asked again?

// For a new thread, region or task: an id where the runtime deals ids, 0 where the word is the
// tool's.
Word new_word();

void thread_begin(ThreadKind kind, Word *thread);
void thread_end(ThreadKind kind, Word *thread);

struct ParallelBegin {
    Word *parent;
    Frame *parent_frame;
    Word *region;
    unsigned requested;
    bool is_invoked_by_program;
    const void *function, *caller;
};
void parallel_begin(const ParallelBegin &told);
void parallel_end(Word *region, Word *parent, bool is_invoked_by_program, const void *caller);

void initial_task(Endpoint endpoint, Word *region, Word *task);
void implicit_task(Endpoint endpoint, Word *region, Word *task, unsigned size, unsigned num);
void idle(Endpoint endpoint, Word *thread);

void sync(SyncKind kind, Endpoint endpoint, Word *region, Word *task, const void *caller);
void sync_wait(SyncKind kind, Endpoint endpoint, Word *region, Word *task, const void *caller);
void reduction(Endpoint endpoint, Word *region, Word *task, const void *caller);

void mutex_wanted(const MutexUse &use);
void mutex_waited_for(const MutexUse &use);
void mutex_acquired(const MutexUse &use);
void mutex_released(const MutexUse &use);
void nest_lock_again(Endpoint endpoint, const MutexUse &use);
void lock_initialised(const MutexUse &use);
void lock_destroyed(const MutexUse &use);

void work(WorkKind kind, Endpoint endpoint, Word *region, Word *task, std::uint64_t count,
          const void *caller);
void masked(Endpoint endpoint, Word *region, Word *task, const void *caller);

struct TaskCreate {
    Word *parent;
    Frame *parent_frame;
    Word *task;
    bool is_undeferred;
    const void *function, *caller;
};
void task_create(const TaskCreate &told);
void task_switch(Word *prior, TaskStatus status, Word *next);
void task_end(Word *task);
void flush(Word *thread, const void *caller);
void cancel(Word *task, int kind, const void *caller);
int control(std::uint64_t command, std::uint64_t modifier, void *argument, const void *caller);

} // namespace mini::tool
