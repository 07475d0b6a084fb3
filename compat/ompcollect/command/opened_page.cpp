// SPDX-License-Identifier: Apache-2.0
#include "opened_page.h"

#include "people.h"

#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ompcollect::report {
namespace {

namespace fs = std::filesystem;

constexpr char kOpener[] = "xdg-open";

// The child's process, in a session of its own, so that it outlives the terminal; -1: there is
// none.
pid_t begin_opener(const std::string &path) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&files) != 0) {
        return -1;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return -1;
    }
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    }
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    std::string words[] = {kOpener, path};
    char *const arguments[] = {words[0].data(), words[1].data(), nullptr};
    pid_t pid = -1;
    const int error = posix_spawnp(&pid, kOpener, &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error == 0 ? pid : -1;
}

// True if the opener has not failed by now. Some are done at once, others stay with their browser.
bool opens(pid_t pid) {
    constexpr int kLooks = 60;
    for (int i = 0; i < kLooks; ++i) {
        int status = 0;
        if (waitpid(pid, &status, WNOHANG) == pid) {
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        }
        const struct timespec pause = {0, 50'000'000};
        nanosleep(&pause, nullptr);
    }
    return true;
}

} // namespace

std::string page_name(const std::string &run) {
    fs::path name(run);
    if (!name.has_filename()) {
        name = name.parent_path(); // "folder/"
    }
    return name.stem().string() + ".html";
}

void open_page(const std::string &path) {
    std::error_code ignored;
    const fs::path whole = fs::absolute(path, ignored);
    const std::string shown = whole.empty() ? path : whole.string();
    const pid_t pid = begin_opener(shown);
    if (pid > 0 && opens(pid)) {
        complain("the page is " + shown + "; the browser has been asked to open it");
    } else {
        complain("the page is " + shown + "; there is no xdg-open that could open it here");
    }
}

} // namespace ompcollect::report
