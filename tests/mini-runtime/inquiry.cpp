// SPDX-License-Identifier: Apache-2.0
#include "inquiry.h"

namespace mini::inquiry {

Thread *thread() {
    return current_if_any();
}

State state(std::uint64_t *wait_id) {
    const Thread *self = thread();
    if (wait_id != nullptr)
        *wait_id = self != nullptr ? self->wait_id.load(std::memory_order_relaxed) : 0;
    return self != nullptr ? self->state.load(std::memory_order_relaxed) : State::kUndefined;
}

Team *team(int ancestor_level) {
    const Thread *self = thread();
    if (self == nullptr || self->task == nullptr || ancestor_level < 0)
        return nullptr;
    Team *found = self->task->team;
    for (; found != nullptr && ancestor_level > 0; --ancestor_level)
        found = found->parent;
    return found;
}

Task *task(int ancestor_level) {
    const Thread *self = thread();
    if (self == nullptr || ancestor_level < 0)
        return nullptr;
    Task *found = self->task;
    for (; found != nullptr && ancestor_level > 0; --ancestor_level)
        found = found->parent;
    return found;
}

void *idle_frame() {
    const Thread *self = thread();
    return self != nullptr ? self->idle_frame : nullptr;
}

} // namespace mini::inquiry
