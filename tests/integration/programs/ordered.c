/* SPDX-License-Identifier: Apache-2.0
 *
 * ordered - a loop of two iterations on two threads. The first stays in its ordered region until
 * the second is known to wait for it too (its own wait for its turn counts as one).
 */
#include "marks.h"
#include "omp_collector_api.h"
#include "workers_leave.h"
#include <stdatomic.h>

static atomic_int inside;

int main(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 2; ++i) {
            while (i == 1 && !atomic_load(&inside)) {
                ;
            }
#pragma omp ordered
            {
                if (i == 0) {
                    atomic_store(&inside, 1);
                    await_event(OMP_EVENT_THR_BEGIN_ODWT, 2);
                }
                mark("ordered");
            }
        }
        mark("after loop");
    }
    let_workers_leave();
    return 0;
}
