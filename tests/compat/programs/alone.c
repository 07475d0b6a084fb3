/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of one thread that enters name spaces, which the kernel permits to such a process
 * alone. Prints what it was answered, and on stderr how many threads there are at the end.
 * Exit code 77: it is not permitted here.
 */
#define _GNU_SOURCE
#include "work.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int threads(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        count += task->d_name[0] != '.';
    }
    closedir(tasks);
    return count;
}

static int is_permitted(void) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(unshare(CLONE_NEWUSER) == 0 ? 0 : 77);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Refused in memory that is the parent's. Returns the parent's threads. */
static int refused_in_child(void) {
    const pid_t child = vfork();
    if (child == 0) {
        unshare(1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return threads();
}

static void print(const char *what, int result) {
    printf("%s %d, errno %d\n", what, result, errno);
}

int main(void) {
    if (!is_permitted()) {
        return 77;
    }
    const int own = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
#pragma omp parallel num_threads(1)
    work(50);
    fprintf(stderr, "behind a child's refusal %d\n", refused_in_child());
    errno = 5;
    print("unshare", unshare(CLONE_NEWUSER | CLONE_NEWNS));
    errno = 5;
    print("unshare nothing that there is", unshare(1));
    const int next = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    errno = 5;
    print("setns", setns(next, CLONE_NEWNS));
    errno = 5;
    print("setns of the first one", setns(own, CLONE_NEWNS));
#pragma omp parallel num_threads(1)
    work(50);
    fprintf(stderr, "threads %d\n", threads());
    return 0;
}
