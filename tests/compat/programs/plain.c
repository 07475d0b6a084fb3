/* SPDX-License-Identifier: Apache-2.0
 *
 * A program without OpenMP; also linked statically.
 */
#include <stdio.h>

int main(void) {
    puts("plain");
    return 3;
}
