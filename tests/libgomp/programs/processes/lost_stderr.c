/* SPDX-License-Identifier: Apache-2.0
 * lost_stderr FILE - opens FILE as descriptor 2 before its first region.
 * lost_stderr unread - becomes itself again, with a pipe that nobody reads as descriptor 2. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int members = 0, ends[2];
    if (argc < 2) {
        return 1;
    }
    if (strcmp(argv[1], "unread") == 0) {
        char *again[] = {argv[0], "again", NULL};
        if (pipe(ends) != 0 || dup2(ends[1], 2) != 2 || close(ends[0]) != 0 ||
            close(ends[1]) != 0) {
            return 1;
        }
        execv(argv[0], again);
        return 1;
    }
    if (strcmp(argv[1], "again") != 0) {
        close(2);
        if (open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600) != 2) {
            return 1;
        }
    }
#pragma omp parallel num_threads(2) reduction(+ : members)
    members += 1;
    printf("still there %d\n", members);
    return 0;
}
