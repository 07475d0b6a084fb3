// SPDX-License-Identifier: Apache-2.0
#include "own_folder.h"

#include "printable.h"
#include "settings.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constinit char folder[PATH_MAX] = {};

// Null, or why the folder is not to be used: what lies there may have been put there by others.
const char *refusal() {
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return strerror(errno);
    }
    struct stat found;
    if (lstat(folder, &found) != 0) {
        return strerror(errno);
    }
    if (!S_ISDIR(found.st_mode)) {
        return "it is not a folder";
    }
    return found.st_uid == geteuid() && (found.st_mode & 0077) == 0
               ? nullptr
               : "others may write to it or read it";
}

} // namespace

const char *own_folder() {
    const char *chosen = getenv("TMPDIR");
    const char *parent = chosen && *chosen == '/' ? chosen : "/tmp";
    const int length = snprintf(folder, sizeof folder, "%s/ompcollect-%lu", parent,
                                static_cast<unsigned long>(geteuid()));
    const char *why = length < static_cast<int>(sizeof folder) ? refusal() : strerror(ENAMETOOLONG);
    if (why) {
        complain("no profile of this process (pid %ld): %.300s: %s; set TMPDIR to another folder",
                 static_cast<long>(getpid()), folder, why);
    }
    return why ? nullptr : folder;
}

void name_own_profile(const char *path) {
    char line[PATH_MAX + 80];
    snprintf(line, sizeof line, "profile of pid %ld: ompcollect report %s",
             static_cast<long>(getpid()), path);
    char shown[sizeof line + 40];
    printable_into(shown, sizeof shown, line);
    char text[sizeof shown + 20];
    const int length = snprintf(text, sizeof text, "[ompcollect] %s\n", shown);
    write_to_stderr(text, static_cast<size_t>(length));
}

} // namespace ompcollect
