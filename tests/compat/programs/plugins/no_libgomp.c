/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plugin is linked with that shall need a libgomp of another name.
 */
void GOMP_parallel(void) {}
void omp_get_wtime(void) {}
