/* SPDX-License-Identifier: Apache-2.0
 * serial - knows nothing of OpenMP. */
#include <stdio.h>

int main(void) {
    printf("serial\n");
    return 0;
}
