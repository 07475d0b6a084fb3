/* SPDX-License-Identifier: Apache-2.0
 *
 * A preloaded library whose clock is years ago, as under faketime. With OCB_TEST_HIDES_LIBC it also
 * hides libc's own clock from those who look for it, so that theirs is years ago too.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
    const long result = syscall(SYS_clock_gettime, clock, time);
    time->tv_sec -= 900000000;
    return (int)result;
}

void *dlopen(const char *name, int flags) {
    void *next = dlsym(RTLD_NEXT, "dlopen");
    void *(*open_next)(const char *, int) = NULL;
    memcpy(&open_next, &next, sizeof next);
    const int is_hidden = name && strcmp(name, "libc.so.6") == 0 && getenv("OCB_TEST_HIDES_LIBC");
    return is_hidden ? NULL : open_next(name, flags);
}
