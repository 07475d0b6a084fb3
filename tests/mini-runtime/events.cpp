// SPDX-License-Identifier: Apache-2.0
#include "events.h"

#include "tool.h"

namespace mini::event {
namespace {

Word *word_of(Team *team) {
    return team != nullptr ? &team->word : nullptr;
}

} // namespace

void thread_begins(Thread &thread) {
    thread.word = tool::new_word();
    tool::thread_begin(thread.kind, &thread.word);
}

void thread_ends(Thread &thread) {
    tool::thread_end(thread.kind, &thread.word);
}

void initial_task(Endpoint endpoint, Thread &thread) {
    Task &task = thread.initial_team->members[0].task;
    if (endpoint == Endpoint::kBegin)
        task.word = tool::new_word();
    tool::initial_task(endpoint, &thread.initial_team->word, &task.word);
}

void parallel_begins(const Parallel &parallel) {
    parallel.team.word = tool::new_word();
    tool::parallel_begin({&parallel.parent.word, &parallel.parent.frame, &parallel.team.word,
                          parallel.requested, parallel.is_invoked_by_program, parallel.function,
                          parallel.caller});
}

void parallel_ends(const Parallel &parallel) {
    tool::parallel_end(&parallel.team.word, &parallel.parent.word, parallel.is_invoked_by_program,
                       parallel.caller);
}

void implicit_task(Endpoint endpoint, Task &task) {
    if (endpoint == Endpoint::kBegin)
        task.word = tool::new_word();
    tool::implicit_task(endpoint, &task.team->word, &task.word,
                        static_cast<unsigned>(task.team->size),
                        static_cast<unsigned>(task.thread_num));
}

void idle(Endpoint endpoint, Thread &thread) {
    tool::idle(endpoint, &thread.word);
}

void sync(SyncKind kind, Endpoint endpoint, Task &task, const Entry &entry) {
    tool::sync(kind, endpoint, word_of(task.team), &task.word, entry.caller);
}

void sync_wait(SyncKind kind, Endpoint endpoint, Task &task, const Entry &entry) {
    tool::sync_wait(kind, endpoint, word_of(task.team), &task.word, entry.caller);
}

void reduction(Endpoint endpoint, Task &task, const Entry &entry) {
    tool::reduction(endpoint, word_of(task.team), &task.word, entry.caller);
}

void mutex_wanted(const MutexUse &use) {
    tool::mutex_wanted(use);
}

void mutex_waited_for(const MutexUse &use) {
    tool::mutex_waited_for(use);
}

void mutex_acquired(const MutexUse &use) {
    tool::mutex_acquired(use);
}

void mutex_released(const MutexUse &use) {
    tool::mutex_released(use);
}

void nest_lock_again(Endpoint endpoint, const MutexUse &use) {
    tool::nest_lock_again(endpoint, use);
}

void lock_initialised(const MutexUse &use) {
    tool::lock_initialised(use);
}

void lock_destroyed(const MutexUse &use) {
    tool::lock_destroyed(use);
}

void work(WorkKind kind, Endpoint endpoint, Task &task, std::uint64_t count, const Entry &entry) {
    tool::work(kind, endpoint, word_of(task.team), &task.word, count, entry.caller);
}

void masked(Endpoint endpoint, Task &task, const Entry &entry) {
    tool::masked(endpoint, word_of(task.team), &task.word, entry.caller);
}

void task_created(Task &parent, Task &task, const Entry &entry) {
    task.word = tool::new_word();
    tool::task_create(
        {&parent.word, &parent.frame, &task.word, task.is_undeferred, task.function, entry.caller});
}

void task_ends(Task &task) {
    tool::task_end(&task.word);
}

void task_switched(Task &prior, TaskStatus status, Task &next) {
    tool::task_switch(&prior.word, status, &next.word);
}

void flushed(Thread &thread, const Entry &entry) {
    tool::flush(&thread.word, entry.caller);
}

void cancelled(Task &task, int kind, const Entry &entry) {
    tool::cancel(&task.word, kind, entry.caller);
}

int control(std::uint64_t command, std::uint64_t modifier, void *argument, const Entry &entry) {
    return tool::control(command, modifier, argument, entry.caller);
}

} // namespace mini::event
