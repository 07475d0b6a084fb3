/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for a bridge of another version, by its soname: one that has the Collector API and
 * nothing else, or, without OCB_TEST_HAS_API, not even that.
 */
#ifdef OCB_TEST_HAS_API
#include "omp_collector_api.h"

#include <string.h>

__attribute__((visibility("default"))) int __omp_collector_api(void *list) {
    const int error = OMP_ERRCODE_UNSUPPORTED;
    memcpy((char *)list + 8, &error, sizeof error);
    return 0;
}
#endif
__attribute__((visibility("default"))) int ocb_test_other_bridge = 1;
