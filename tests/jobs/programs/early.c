/* SPDX-License-Identifier: Apache-2.0
 *
 * A library whose constructor runs a parallel region, before constructors of what is preloaded;
 * and, with PROGRAM, a program that needs it and does nothing.
 */
#ifdef PROGRAM
void early(void);
int main(void) {
    early();
    return 0;
}
#else
void early(void);
__attribute__((constructor)) void early(void) {
#pragma omp parallel num_threads(2)
    {}
}
#endif
