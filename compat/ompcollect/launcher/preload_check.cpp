// SPDX-License-Identifier: Apache-2.0
//
// LD_TRACE_LOADED_OBJECTS makes ld.so list what it would load and run nothing.
#include "preload_check.h"

#include "failure.h"
#include "library_search.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// What the launcher's own file prints to both outputs with this preloaded.
std::string trace_with(const std::string &preload, const Variables &variables) {
    const std::string self = own_file();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return {};
    }
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        for (const auto &[name, value] : variables) {
            setenv(name.c_str(), value.c_str(), 1);
        }
        setenv("LD_PRELOAD", preload.c_str(), 1);
        execl(self.c_str(), self.c_str(), nullptr);
        _exit(kExitNotFound);
    }
    close(ends[1]);
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) != 0;) {
        if (got > 0) {
            text.append(part.data(), static_cast<size_t>(got));
        } else if (errno != EINTR) {
            break;
        }
    }
    close(ends[0]);
    while (pid > 0 && waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return text;
}

} // namespace

std::string preload_complaint(const std::string &preload, const Variables &variables) {
    std::istringstream lines(trace_with(preload, variables));
    for (std::string line; std::getline(lines, line);) {
        if (line.find("cannot be preloaded") != std::string::npos ||
            line.find("=> not found") != std::string::npos) {
            return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
        }
    }
    return {};
}

} // namespace ompcollect
