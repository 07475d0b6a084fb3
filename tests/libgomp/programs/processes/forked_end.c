/* SPDX-License-Identifier: Apache-2.0
 * forked_end - forks while three workers wait idle, and the child ends. It has not got them. The
 * parent writes no record: what is recorded is the child's. */
#include <omp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status = 1;
#pragma omp parallel num_threads(4)
#pragma omp critical
    ;
    const pid_t child = fork();
    if (child == 0) {
        exit(0);
    }
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
