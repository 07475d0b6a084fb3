/* SPDX-License-Identifier: Apache-2.0
 *
 * lost_stderr FILE - closes its stderr, opens a file of its own, which becomes descriptor 2, and
 * uses OpenMP. lost_stderr unread: begins anew with a pipe that nobody reads as its stderr, and
 * uses OpenMP. Says at the end that it is still there.
 */
#include "marks.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static __attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(2)
    mark("body");
}

static int begin_anew(char **argv) {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0 || dup2(pipe_ends[1], 2) != 2 || close(pipe_ends[0]) != 0) {
        return 1;
    }
    argv[1] = "again";
    execv("/proc/self/exe", argv);
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 1;
    }
    if (strcmp(argv[1], "unread") == 0) {
        return begin_anew(argv);
    }
    if (strcmp(argv[1], "again") != 0) {
        close(2);
        if (open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600) != 2) {
            return 1;
        }
    }
    region();
    puts("still there");
    return 0;
}
