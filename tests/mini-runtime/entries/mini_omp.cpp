// SPDX-License-Identifier: Apache-2.0
#include "mini_omp.h"

#include "core.h"
#include "events.h"
#include "kmpc.h"

extern "C" {
void omp_init_lock(void **lock);
void omp_destroy_lock(void **lock);
void omp_set_lock(void **lock);
void omp_unset_lock(void **lock);
int omp_test_lock(void **lock);
void omp_init_nest_lock(void **lock);
void omp_destroy_nest_lock(void **lock);
void omp_set_nest_lock(void **lock);
void omp_unset_nest_lock(void **lock);
int omp_test_nest_lock(void **lock);
}

namespace mini {
namespace {

struct Block {
    raw::Block block, destroy;
    void *argument;
};

void run_block(void *argument, int) {
    const Block &block = *static_cast<Block *>(argument);
    leave_runtime(*current().task, __builtin_frame_address(0));
    block.block(block.argument);
}

void run_task(Thread &, Task &task) {
    const Block *block = static_cast<Block *>(task.argument);
    leave_runtime(task, __builtin_frame_address(0));
    block->block(block->argument);
    block->destroy(block->argument);
    delete block;
}

void deal_out(std::uint64_t count, const LoopSettings &how, bool is_static, raw::Iteration body,
              void *argument, const Entry &entry) {
    LoopPlan plan;
    plan.count = count;
    plan.chunk = how.chunk;
    plan.is_static = is_static;
    plan.is_ordered = how.is_ordered;
    loop_begin(plan, entry);
    for (std::uint64_t begin = 0, end = 0; loop_next(&begin, &end, entry);) {
        for (std::uint64_t i = begin; i < end; ++i) {
            body(argument, i);
            loop_iteration_done();
        }
    }
    if (!how.is_nowait) {
        barrier(SyncKind::kBarrierWorkshare, entry);
    }
}

} // namespace

namespace raw {

void parallel(int threads, raw::Block block, void *argument) {
    const Entry entry = MINI_ENTRY;
    mini::Block wrapped{block, nullptr, argument};
    Region region;
    region.threads_wanted = threads;
    region.function = reinterpret_cast<const void *>(block);
    region.body = run_block;
    region.argument = &wrapped;
    run_region(region, entry);
}

void serialized(raw::Block block, void *argument) {
    const Entry entry = MINI_ENTRY;
    begin_serialized(current(), entry);
    block(argument);
    end_serialized(current(), entry);
}

void for_static(std::uint64_t count, const LoopSettings &how, Iteration body, void *argument) {
    deal_out(count, how, true, body, argument, MINI_ENTRY);
}

void for_dynamic(std::uint64_t count, const LoopSettings &how, Iteration body, void *argument) {
    deal_out(count, how, false, body, argument, MINI_ENTRY);
}

void task(bool is_deferred, raw::Block block, raw::Block destroy, void *argument) {
    const Entry entry = MINI_ENTRY;
    Thread &thread = current();
    Task *made = new_task(thread, run_task, new mini::Block{block, destroy, argument});
    made->function = reinterpret_cast<const void *>(block);
    submit(thread, made, is_deferred, entry);
}

bool single_begin() {
    return mini::single_begin(MINI_ENTRY);
}

void single_end() {
    mini::single_end(MINI_ENTRY);
}

bool masked_begin() {
    return mini::masked_begin(0, MINI_ENTRY);
}

void masked_end() {
    mini::masked_end(MINI_ENTRY);
}

void critical_begin(void *name) {
    acquire(kmpc::mutex_of(name), MutexKind::kCritical, kmpc::id_of(name), 0, MINI_ENTRY);
}

void critical_end(void *name) {
    release(kmpc::mutex_of(name), MutexKind::kCritical, kmpc::id_of(name), MINI_ENTRY);
}

void ordered_begin() {
    mini::ordered_begin(MINI_ENTRY);
}

void ordered_end() {
    mini::ordered_end(MINI_ENTRY);
}

void atomic_begin() {
    acquire(atomic_mutex, MutexKind::kAtomic, kmpc::id_of(&atomic_mutex), 0, MINI_ENTRY);
}

void atomic_end() {
    release(atomic_mutex, MutexKind::kAtomic, kmpc::id_of(&atomic_mutex), MINI_ENTRY);
}

void taskgroup_begin() {
    mini::taskgroup_begin(MINI_ENTRY);
}

void taskgroup_end() {
    mini::taskgroup_end(MINI_ENTRY);
}

int reduce_begin(void *own, void (*combine)(void *, void *)) {
    return mini::reduce_begin(own, combine, false, MINI_ENTRY);
}

void reduce_end() {
    mini::reduce_end(MINI_ENTRY);
}

} // namespace raw

void barrier() {
    barrier(SyncKind::kBarrierExplicit, MINI_ENTRY);
}

void taskwait() {
    taskwait(MINI_ENTRY);
}

Lock::Lock() {
    omp_init_lock(&place_);
}
Lock::~Lock() {
    omp_destroy_lock(&place_);
}
void Lock::set() {
    omp_set_lock(&place_);
}
void Lock::unset() {
    omp_unset_lock(&place_);
}
bool Lock::test() {
    return omp_test_lock(&place_) != 0;
}

NestLock::NestLock() {
    omp_init_nest_lock(&place_);
}
NestLock::~NestLock() {
    omp_destroy_nest_lock(&place_);
}
void NestLock::set() {
    omp_set_nest_lock(&place_);
}
void NestLock::unset() {
    omp_unset_nest_lock(&place_);
}
int NestLock::test() {
    return omp_test_nest_lock(&place_);
}

int thread_num() {
    return current().task->thread_num;
}
int num_threads() {
    return current().task->team->size;
}
int level() {
    return current().task->team->level;
}
void set_num_threads(int count) {
    current().task->threads_wanted = count;
}
void set_max_active_levels(int levels) {
    current(); // which reads the environment first
    settings.max_active_levels.store(levels);
}
int control_tool(int command, int modifier, void *argument) {
    current();
    return event::control(static_cast<std::uint64_t>(command), static_cast<std::uint64_t>(modifier),
                          argument, MINI_ENTRY);
}

} // namespace mini
