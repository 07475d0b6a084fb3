// SPDX-License-Identifier: Apache-2.0
#include "runtime.h"

#include "marks.h"

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

bool calls_are_marked() {
    return ocb_front_marks_here() != 0;
}

} // namespace ocb::gomp
