// SPDX-License-Identifier: Apache-2.0
// A runtime that never comes back from its initialisation.
#include <unistd.h>

int omp_get_max_threads(void);
int omp_get_max_threads(void) {
    for (;;) {
        pause();
    }
}
