/* SPDX-License-Identifier: Apache-2.0
 *
 * start_in_main - makes the runtime initialise itself, and with it any tool that OMP_TOOL_LIBRARIES
 * names, starts a session, and runs a region.
 */
#include "marks.h"
#include <omp.h>

int main(void) {
    if (omp_get_max_threads() < 1) {
        return 1;
    }
    start_session();
#pragma omp parallel num_threads(2)
    mark("body");
    mark("after");
    return 0;
}
