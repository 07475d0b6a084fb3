// SPDX-License-Identifier: Apache-2.0
// Mutexes of all kinds: told of before the first try, and as waited for only when they are held.
#include "core.h"
#include "events.h"

namespace mini {

Mutex atomic_mutex;

namespace {

State waiting_state(MutexKind kind) {
    switch (kind) {
    case MutexKind::kLock:
        return State::kLock;
    case MutexKind::kNestLock:
        return State::kNestLock;
    case MutexKind::kCritical:
        return State::kCritical;
    case MutexKind::kAtomic:
        return State::kAtomic;
    case MutexKind::kOrdered:
        return State::kOrdered;
    }
    return State::kOverhead;
}

} // namespace

void acquire(Mutex &mutex, MutexKind kind, std::uint64_t wait_id, unsigned hint,
             const Entry &entry) {
    const event::MutexUse use{kind, wait_id, hint, entry.caller};
    Thread &thread = current();
    event::mutex_wanted(use);
    if (!mutex.try_lock()) {
        const InState waiting(thread, waiting_state(kind), wait_id);
        event::mutex_waited_for(use);
        for (Patience patience; !mutex.try_lock();) {
            patience.wait();
        }
    }
    event::mutex_acquired(use);
}

bool try_acquire(Mutex &mutex, MutexKind kind, std::uint64_t wait_id, const Entry &entry) {
    const event::MutexUse use{kind, wait_id, 0, entry.caller, true};
    current();
    event::mutex_wanted(use);
    if (!mutex.try_lock()) {
        return false;
    }
    event::mutex_acquired(use);
    return true;
}

void release(Mutex &mutex, MutexKind kind, std::uint64_t wait_id, const Entry &entry) {
    mutex.unlock();
    event::mutex_released({kind, wait_id, 0, entry.caller});
}

} // namespace mini
