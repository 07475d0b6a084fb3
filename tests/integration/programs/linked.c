/* SPDX-License-Identifier: Apache-2.0
 *
 * linked - a program that was linked with the bridge and with its collector; nothing is preloaded.
 */
#include "marks.h"

int main(void) {
#pragma omp parallel num_threads(2)
    mark("body");
    mark("after");
    return 0;
}
