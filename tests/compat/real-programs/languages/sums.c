/* SPDX-License-Identifier: Apache-2.0
 * A region for those who call it from another language: by cgo, and by JNI. */
long sum_of_squares(int count) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (int i = 0; i < count; ++i) {
        sum += (long)i * i;
    }
    return sum;
}

long Java_Sums_sumOfSquares(void *environment, void *class, int count) {
    (void)environment;
    (void)class;
    return sum_of_squares(count);
}
