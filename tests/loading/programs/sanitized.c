/* SPDX-License-Identifier: Apache-2.0
 * Built with the thread sanitizer: one region. */
int main(void) {
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    ++threads;
    return threads == 2 ? 0 : 1;
}
