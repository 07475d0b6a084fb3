/* SPDX-License-Identifier: Apache-2.0
 *
 * collector_part - another library of the collector, which asks for the symbol as soon as it is
 * loaded, before or after anybody's constructors, and says whether it was there.
 */
#include "omp_collector_api.h"
#include <dlfcn.h>
#include <stdio.h>

__attribute__((constructor)) static void start_session(void) {
    OMP_COLLECTOR_API_FUNCTION api = NULL;
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    int list[8] = {OMP_COLLECTOR_HEADER_SIZE + 12, OMP_REQ_STATE, -1, -1, 0, 0, 0, 0};
    const int result = api ? api(list) : -2;
    /* Before the collector's START: refused, in order, and nothing else happens. Behind it: an
     * answer. Which of both comes is the dynamic linker's to decide. */
    if (result != 0 || (list[2] != OMP_ERRCODE_SEQUENCE_ERR && list[2] != OMP_ERRCODE_OK)) {
        printf("part: %d %d\n", result, list[2]);
    }
}
