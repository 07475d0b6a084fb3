/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with entries of libgomp that libomp 14 does not have, for a program without any.
 */
#include <omp.h>

void *target_library(int *value);
void *target_library(int *value) {
#pragma omp target map(tofrom : value [0:1])
    ++*value;
    return omp_target_alloc(sizeof *value, omp_get_initial_device());
}
