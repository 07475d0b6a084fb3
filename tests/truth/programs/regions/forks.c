/* SPDX-License-Identifier: Apache-2.0
 * Five regions, then a fork: seven more in the child, three in the parent. */
#include "../truth.h"

#include <sys/wait.h>

static void regions(int count) {
    for (int i = 0; i < count; ++i) {
#pragma omp parallel num_threads(2)
        {
            const double end = now_ms() + phase_ms() / 3;
            volatile double now = 0;
            while (now < end) {
                now = now_ms();
            }
#pragma omp critical
            now = 0;
        }
    }
}

int main(void) {
    regions(5);
    const pid_t child = fork();
    regions(child == 0 ? 7 : 3);
    if (child == 0) {
        return 0;
    }
    int status = 1;
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}
