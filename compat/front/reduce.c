/* SPDX-License-Identifier: Apache-2.0
 *
 * The program itself combines a reduction between __kmpc_reduce, which returns the method, and
 * __kmpc_end_reduce. With the atomic method and without a barrier there is no end call. It takes
 * less than a microsecond, so the mark lasts no longer.
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
