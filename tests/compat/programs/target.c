/* SPDX-License-Identifier: Apache-2.0
 *
 * A target region on the host: gcc compiles it to GOMP_target_ext, which libomp does not have.
 */
#include <stdio.h>

int main(void) {
    int counted = 0;
#pragma omp target map(tofrom : counted)
    counted += 1;
    printf("%d\n", counted);
    return 0;
}
