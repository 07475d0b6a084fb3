// SPDX-License-Identifier: Apache-2.0
// A runtime that crashes when it is initialised.
#include <signal.h>

int omp_get_max_threads(void);
int omp_get_max_threads(void) {
    raise(SIGSEGV);
    return 1;
}
