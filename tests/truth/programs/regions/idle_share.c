/* SPDX-License-Identifier: Apache-2.0
 * 30 % serial time and 10 % imbalance: in each round of ten phases the master works seven, the
 * other thread six, then three are serial. */
#include "../truth.h"

int main(void) {
    for (int round = 0; round < 10; ++round) {
#pragma omp parallel num_threads(2)
        stay(omp_get_thread_num() == 0 ? 0.7 : 0.6);
        stay(0.3);
    }
    return 0;
}
