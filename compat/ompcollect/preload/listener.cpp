// SPDX-License-Identifier: Apache-2.0
#include "listener.h"

#include <atomic>

namespace ompcollect {
namespace {

constinit std::atomic<const ompcollect_listener *> announced_listener{nullptr};

} // namespace

void listen(const ompcollect_listener *listener) {
    announced_listener.store(listener, std::memory_order_release);
}

const ompcollect_listener *current_listener() {
    return announced_listener.load(std::memory_order_acquire);
}

} // namespace ompcollect
