/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the program itself combines a reduction: between __kmpc_reduce, which returns how, and
 * __kmpc_end_reduce. The atomic method has no end where nobody waits for the others: it is over in
 * less than a microsecond, and so no longer is claimed.
 */
#include "marks.h"

#include <time.h>

enum {
    kNothing, /* another thread does it */
    kAtomic = 2,
};

static const uint64_t kUntilTold = ~(uint64_t)0;

static uint64_t soon(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec + 1000;
}

void ocb_front_reduce(omp_collector_bridge_front *front, int method) {
    front->combines_until = method == kNothing ? 0 : kUntilTold;
}

void ocb_front_reduce_nowait(omp_collector_bridge_front *front, int method) {
    front->combines_until = method == kNothing ? 0 : method == kAtomic ? soon() : kUntilTold;
}
