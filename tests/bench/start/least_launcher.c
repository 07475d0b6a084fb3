/* SPDX-License-Identifier: Apache-2.0
 * What no launcher can leave out: `least_launcher PROGRAM ARGUMENT...` makes a folder, runs the
 * program, reads what the collector has left there, prints as much as a report has, and removes
 * all. LEAST_PRELOAD is LD_PRELOAD for the program alone. */
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { kReport = 1000 };

static int run(char **arguments) {
    pid_t pid = 0;
    int status = 0;
    if (posix_spawnp(&pid, arguments[0], NULL, NULL, arguments, environ) != 0 ||
        waitpid(pid, &status, 0) != pid) {
        return 125;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

static void take(const char *folder) {
    static char text[1 << 20];
    DIR *files = opendir(folder);
    const struct dirent *entry = NULL;
    while (files && (entry = readdir(files))) {
        const int file = openat(dirfd(files), entry->d_name, O_RDONLY);
        if (entry->d_name[0] != '.' && read(file, text, sizeof text) >= 0) {
            unlinkat(dirfd(files), entry->d_name, 0);
        }
        close(file);
    }
    closedir(files);
}

int main(int count, char **arguments) {
    char folder[] = "/tmp/ocb-bench-XXXXXX";
    char report[kReport];
    const char *preload = getenv("LEAST_PRELOAD");
    int code = 0;
    if (count < 2 || !mkdtemp(folder)) {
        fprintf(stderr, "usage: least_launcher PROGRAM ARGUMENT...\n");
        return 2;
    }
    setenv("OMPCOLLECT_PROFILE_DIR", folder, 1);
    if (preload) {
        setenv("LD_PRELOAD", preload, 1);
    }
    code = run(arguments + 1);
    take(folder);
    memset(report, ' ', sizeof report);
    if (write(STDERR_FILENO, report, sizeof report) < 0 || rmdir(folder) != 0) {
        return 2;
    }
    return code;
}
