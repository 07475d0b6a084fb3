// SPDX-License-Identifier: Apache-2.0
// Explicit tasks of clang's code. Left out: taskloop, detach, and dependences as such - a task with
// dependences runs at once, which is always in order.
#include "kmpc.h"

#include <cstdlib>
#include <cstring>

using namespace mini;

namespace {

// The beginning of what the compiler's code knows of a task.
struct kmp_task_t {
    void *shareds;
    std::int32_t (*routine)(std::int32_t global_thread, void *task);
    std::int32_t part_id;
};

// What comes before it in memory is ours.
struct Header {
    Task *task;
    void *padding; // keeps 16 bytes of alignment
};

void run_routine(Thread &thread, Task &task) {
    kmp_task_t *own = static_cast<kmp_task_t *>(task.argument);
    leave_runtime(task, __builtin_frame_address(0));
    own->routine(thread.id, own);
    std::free(reinterpret_cast<Header *>(own) - 1);
}

Task *&task_of(kmp_task_t *task) {
    return (reinterpret_cast<Header *>(task) - 1)->task;
}

constexpr std::size_t rounded(std::size_t size) {
    return (size + 15) / 16 * 16;
}

} // namespace

extern "C" {

kmp_task_t *__kmpc_omp_task_alloc(ident_t *, std::int32_t, std::int32_t, std::size_t size,
                                  std::size_t size_of_shareds,
                                  std::int32_t (*routine)(std::int32_t, void *)) {
    const std::size_t bytes = sizeof(Header) + rounded(size) + size_of_shareds;
    Header *header = static_cast<Header *>(std::calloc(1, bytes));
    kmp_task_t *task = reinterpret_cast<kmp_task_t *>(header + 1);
    task->shareds = size_of_shareds > 0 ? reinterpret_cast<char *>(task) + rounded(size) : nullptr;
    task->routine = routine;
    header->task = new_task(current(), run_routine, task);
    header->task->function = reinterpret_cast<const void *>(routine);
    return task;
}

std::int32_t __kmpc_omp_task(ident_t *, std::int32_t, kmp_task_t *task) {
    submit(current(), task_of(task), true, MINI_ENTRY);
    return 0;
}

std::int32_t __kmpc_omp_task_with_deps(ident_t *, std::int32_t, kmp_task_t *task, std::int32_t,
                                       void *, std::int32_t, void *) {
    submit(current(), task_of(task), false, MINI_ENTRY);
    return 0;
}

void __kmpc_omp_wait_deps(ident_t *, std::int32_t, std::int32_t, void *, std::int32_t, void *) {}

void __kmpc_omp_task_begin_if0(ident_t *, std::int32_t, kmp_task_t *task) {
    undeferred_begin(current(), task_of(task), MINI_ENTRY);
}

void __kmpc_omp_task_complete_if0(ident_t *, std::int32_t, kmp_task_t *task) {
    undeferred_end(current(), MINI_ENTRY);
    std::free(reinterpret_cast<Header *>(task) - 1);
}

std::int32_t __kmpc_omp_taskwait(ident_t *, std::int32_t) {
    taskwait(MINI_ENTRY);
    return 0;
}

std::int32_t __kmpc_omp_taskyield(ident_t *, std::int32_t, int) {
    run_one_task(current(), Which::kDescendants);
    return 0;
}

void __kmpc_taskgroup(ident_t *, std::int32_t) {
    taskgroup_begin(MINI_ENTRY);
}

void __kmpc_end_taskgroup(ident_t *, std::int32_t) {
    taskgroup_end(MINI_ENTRY);
}

} // extern "C"
