// SPDX-License-Identifier: Apache-2.0
#include "runtime.h"

namespace ocb::gomp {

constinit Runtime runtimes[front::kMostRows]{};

const Runtime *first_runtime() {
    for (const Runtime &runtime : runtimes) {
        if (runtime.base != 0) {
            return &runtime;
        }
    }
    return nullptr;
}

} // namespace ocb::gomp
