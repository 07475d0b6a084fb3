/* SPDX-License-Identifier: Apache-2.0
 *
 * Built by gcc on libgomp. region.c is in a library that clang has built on libomp.
 */
void observed_region(void);
void other_region(void);

int main(void) {
    for (int i = 0; i < 5; ++i) {
        observed_region();
        other_region();
    }
    return 0;
}
