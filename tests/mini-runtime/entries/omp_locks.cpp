// SPDX-License-Identifier: Apache-2.0
// omp_*_lock, omp_*_nest_lock and the atomics that need a lock. The program's variable holds a
// pointer, as wide as clang's omp.h has it; its address is the wait id.
#include "kmpc.h"

#include "events.h"

using namespace mini;
using namespace mini::kmpc;

namespace {

struct NestLock {
    Mutex mutex;
    const Task *owner = nullptr; // seen by itself only
    int count = 0;
};

Mutex &lock_in(void **lock) {
    return *static_cast<Mutex *>(*lock);
}

NestLock &nest_lock_in(void **lock) {
    return *static_cast<NestLock *>(*lock);
}

bool is_own(const NestLock &lock) {
    return __atomic_load_n(&lock.owner, __ATOMIC_RELAXED) == current().task;
}

void take(NestLock &lock) {
    __atomic_store_n(&lock.owner, static_cast<const Task *>(current().task), __ATOMIC_RELAXED);
    lock.count = 1;
}

void take_again(NestLock &lock, void **name, const Entry &entry) {
    ++lock.count;
    event::nest_lock_again(event::Endpoint::kBegin,
                           {MutexKind::kNestLock, id_of(name), 0, entry.caller});
}

event::MutexUse use_of(MutexKind kind, void **lock, unsigned hint, const Entry &entry) {
    return {kind, id_of(lock), hint, entry.caller};
}

std::uint64_t atomic_id() {
    return id_of(&atomic_mutex);
}

} // namespace

extern "C" {

void omp_init_lock_with_hint(void **lock, unsigned hint) {
    current();
    *lock = new Mutex;
    event::lock_initialised(use_of(MutexKind::kLock, lock, hint, MINI_ENTRY));
}

void omp_init_lock(void **lock) {
    current();
    *lock = new Mutex;
    event::lock_initialised(use_of(MutexKind::kLock, lock, 0, MINI_ENTRY));
}

void omp_destroy_lock(void **lock) {
    event::lock_destroyed(use_of(MutexKind::kLock, lock, 0, MINI_ENTRY));
    delete &lock_in(lock);
    *lock = nullptr;
}

void omp_set_lock(void **lock) {
    acquire(lock_in(lock), MutexKind::kLock, id_of(lock), 0, MINI_ENTRY);
}

void omp_unset_lock(void **lock) {
    release(lock_in(lock), MutexKind::kLock, id_of(lock), MINI_ENTRY);
}

int omp_test_lock(void **lock) {
    return try_acquire(lock_in(lock), MutexKind::kLock, id_of(lock), MINI_ENTRY);
}

void omp_init_nest_lock_with_hint(void **lock, unsigned hint) {
    current();
    *lock = new NestLock;
    event::lock_initialised(use_of(MutexKind::kNestLock, lock, hint, MINI_ENTRY));
}

void omp_init_nest_lock(void **lock) {
    current();
    *lock = new NestLock;
    event::lock_initialised(use_of(MutexKind::kNestLock, lock, 0, MINI_ENTRY));
}

void omp_destroy_nest_lock(void **lock) {
    event::lock_destroyed(use_of(MutexKind::kNestLock, lock, 0, MINI_ENTRY));
    delete &nest_lock_in(lock);
    *lock = nullptr;
}

void omp_set_nest_lock(void **name) {
    const Entry entry = MINI_ENTRY;
    NestLock &lock = nest_lock_in(name);
    if (is_own(lock)) {
        take_again(lock, name, entry);
        return;
    }
    acquire(lock.mutex, MutexKind::kNestLock, id_of(name), 0, entry);
    take(lock);
}

void omp_unset_nest_lock(void **name) {
    const Entry entry = MINI_ENTRY;
    NestLock &lock = nest_lock_in(name);
    if (--lock.count > 0) {
        event::nest_lock_again(event::Endpoint::kEnd,
                               {MutexKind::kNestLock, id_of(name), 0, entry.caller});
        return;
    }
    __atomic_store_n(&lock.owner, nullptr, __ATOMIC_RELAXED);
    release(lock.mutex, MutexKind::kNestLock, id_of(name), entry);
}

int omp_test_nest_lock(void **name) {
    const Entry entry = MINI_ENTRY;
    NestLock &lock = nest_lock_in(name);
    if (is_own(lock)) {
        take_again(lock, name, entry);
        return lock.count;
    }
    if (!try_acquire(lock.mutex, MutexKind::kNestLock, id_of(name), entry)) {
        return 0;
    }
    take(lock);
    return 1;
}

void __kmpc_atomic_start() {
    acquire(atomic_mutex, MutexKind::kAtomic, atomic_id(), 0, MINI_ENTRY);
}

void __kmpc_atomic_end() {
    release(atomic_mutex, MutexKind::kAtomic, atomic_id(), MINI_ENTRY);
}

void GOMP_atomic_start() {
    acquire(atomic_mutex, MutexKind::kAtomic, atomic_id(), 0, MINI_ENTRY);
}

void GOMP_atomic_end() {
    release(atomic_mutex, MutexKind::kAtomic, atomic_id(), MINI_ENTRY);
}

#define MINI_FLOAT10(name, operation)                                                              \
    void __kmpc_atomic_float10_##name(ident_t *, int, long double *target, long double value) {    \
        const Entry entry = MINI_ENTRY;                                                            \
        acquire(atomic_mutex, MutexKind::kAtomic, atomic_id(), 0, entry);                          \
        *target = *target operation value;                                                         \
        release(atomic_mutex, MutexKind::kAtomic, atomic_id(), entry);                             \
    }

MINI_FLOAT10(add, +)
MINI_FLOAT10(sub, -)
MINI_FLOAT10(mul, *)
MINI_FLOAT10(div, /)

} // extern "C"
