/* SPDX-License-Identifier: Apache-2.0
 *
 * workers_leave.h - for the end of a test program in C. Owns nothing.
 */
#ifndef OCB_TEST_WORKERS_LEAVE_H
#define OCB_TEST_WORKERS_LEAVE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whether a thread of this process rests, and the nanoseconds that it has run. -1: it has ended. */
static inline int look_at_thread(const char *id, long long *ran) {
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", id);
    FILE *file = fopen(path, "r");
    const int has_time = file != NULL && fscanf(file, "%lld", ran) == 1;
    if (file != NULL) {
        fclose(file);
    }
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", id);
    file = fopen(path, "r");
    const int has_state = file != NULL && fgets(text, sizeof text, file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    const char *behind_name = has_state ? strrchr(text, ')') : NULL;
    return !has_time || behind_name == NULL ? -1 : behind_name[2] != 'R';
}

/* For the end of a program: a runtime may let its workers leave their last region behind the
 * master. Returns when each other thread rests or has run for two milliseconds more, at most 512
 * threads, or after 20 s: on a machine with other work that takes as long as it takes. */
static inline void let_workers_leave(void) {
    enum { kMost = 512 };
    long id[kMost];
    long long ran_at_first[kMost];
    int count = 0;
    usleep(20000);
    for (int tries = 0, waits = 1; waits && tries < 4000; ++tries) {
        DIR *folder = opendir("/proc/self/task");
        waits = 0;
        struct dirent *entry = NULL;
        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            long long ran = 0;
            const long thread = atol(entry->d_name);
            if (thread == 0 || thread == (long)syscall(SYS_gettid) ||
                look_at_thread(entry->d_name, &ran) != 0) {
                continue;
            }
            int i = 0;
            while (i < count && id[i] != thread) {
                ++i;
            }
            if (i == count && count < kMost) {
                id[i] = thread;
                ran_at_first[i] = ran;
                ++count;
            }
            waits |= i < count && ran < ran_at_first[i] + 2000000;
        }
        if (folder != NULL) {
            closedir(folder);
        }
        if (waits) {
            usleep(5000);
        }
    }
}

#endif /* OCB_TEST_WORKERS_LEAVE_H */
