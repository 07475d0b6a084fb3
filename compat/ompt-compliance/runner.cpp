// SPDX-License-Identifier: Apache-2.0
#include "runner.h"

#include "failure.h"
#include "verdict.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace compliance {
namespace {

struct StatusRow {
    Status status;
    const char *text;
    int code;
};
constexpr StatusRow kStatuses[] = {
    {Status::kCorrect, "correct", kCorrect},
    {Status::kIncorrect, "incorrect", kImplementedButIncorrect},
    {Status::kNotImplemented, "not implemented", kNotImplemented},
    {Status::kNotInGeneration, "not in this generation", kCorrect},
    {Status::kCrashed, "crashed", kImplementedButIncorrect},
    {Status::kHung, "hung", kImplementedButIncorrect},
    {Status::kSuiteFailed, "suite failed", kSuiteFailed},
};

const StatusRow &row_of(Status status) {
    return kStatuses[static_cast<int>(status)];
}

// The variables that would decide what the checks decide themselves.
constexpr const char *kNotPassedOn[] = {
    "OMP_TOOL",    "OMP_TOOL_LIBRARIES", "OMP_NUM_THREADS",  "OMP_NESTED", "OMP_MAX_ACTIVE_LEVELS",
    "OMP_DYNAMIC", "OMP_THREAD_LIMIT",   "OMP_CANCELLATION",
};

std::vector<std::string> clean_environment() {
    std::vector<std::string> variables;
    for (char **variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        const std::string name = text.substr(0, text.find('='));
        if (std::none_of(std::begin(kNotPassedOn), std::end(kNotPassedOn),
                         [&](const char *other) { return name == other; })) {
            variables.push_back(text);
        }
    }
    // libomp's advice on routines that later versions deprecate.
    variables.emplace_back("KMP_WARNINGS=0");
    return variables;
}

std::vector<char *> pointers_to(std::vector<std::string> &strings) {
    std::vector<char *> pointers;
    pointers.reserve(strings.size() + 1);
    for (std::string &string : strings) {
        pointers.push_back(string.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

std::string contents(int file) {
    std::string text;
    char buffer[4096];
    lseek(file, 0, SEEK_SET);
    for (ssize_t size = read(file, buffer, sizeof buffer); size > 0;
         size = read(file, buffer, sizeof buffer)) {
        text.append(buffer, static_cast<size_t>(size));
    }
    close(file);
    return text;
}

// Waits until the process has ended; false if that takes too long.
bool wait_bounded(pid_t child, int time_limit) {
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    if (handle < 0) {
        throw ompcollect::Failure(std::string("pidfd_open: ") + strerror(errno));
    }
    pollfd ended = {handle, POLLIN, 0};
    int ready = 0;
    do {
        ready = poll(&ended, 1, time_limit * 1000);
    } while (ready < 0 && errno == EINTR);
    close(handle);
    return ready > 0;
}

Result result_of(const std::string &name, const Output &output, int time_limit) {
    Result result;
    result.name = name;
    result.errors = output.err;
    result.seconds = output.seconds;
    std::istringstream lines(output.out);
    for (std::string line; std::getline(lines, line);) {
        if (line.size() < 2) {
            continue;
        }
        const std::string text = line.substr(2);
        switch (line[0]) {
        case kMarkFailure:
        case kMarkMissing:
            result.texts.push_back(text);
            break;
        case kMarkFact:
            result.facts.push_back(text);
            break;
        case kMarkGeneration:
            result.generation = text == "none" ? "" : text;
            break;
        default:
            break;
        }
    }
    if (output.hung) {
        result.status = Status::kHung;
        result.detail = "for " + std::to_string(time_limit) + " s";
    } else if (WIFSIGNALED(output.wait_status)) {
        result.status = Status::kCrashed;
        result.detail = std::string("by ") + strsignal(WTERMSIG(output.wait_status));
    } else {
        switch (WEXITSTATUS(output.wait_status)) {
        case kCorrect:
            result.status = Status::kCorrect;
            break;
        case kImplementedButIncorrect:
            result.status = Status::kIncorrect;
            break;
        case kNotImplemented:
            result.status = Status::kNotImplemented;
            break;
        case kNotInThisGeneration:
            result.status = Status::kNotInGeneration;
            break;
        default:
            result.status = Status::kSuiteFailed;
            break;
        }
    }
    return result;
}

} // namespace

const char *status_text(Status status) {
    return row_of(status).text;
}

int exit_code(Status status) {
    return row_of(status).code;
}

Output run_self(const std::vector<std::string> &arguments, int time_limit) {
    std::vector<std::string> words = {"ompt-compliance"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = clean_environment();
    const int out = memfd_create("stdout", MFD_CLOEXEC);
    const int err = memfd_create("stderr", MFD_CLOEXEC);

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // A group of its own, to end with all that it has started.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);

    Output output;
    pid_t child = 0;
    const auto begin = std::chrono::steady_clock::now();
    const int error = posix_spawn(&child, "/proc/self/exe", &files, &attributes,
                                  pointers_to(words).data(), pointers_to(variables).data());
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        throw ompcollect::Failure(std::string("a check cannot be started: ") + strerror(error));
    }
    if (!wait_bounded(child, time_limit)) {
        output.hung = true;
    }
    kill(-child, SIGKILL);
    waitpid(child, &output.wait_status, 0);
    output.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    output.out = contents(out);
    output.err = contents(err);
    return output;
}

std::vector<Result> run_checks(const std::vector<CheckName> &checks, const Options &options) {
    std::vector<Result> results(checks.size());
    const auto run_one = [&](size_t i) {
        const Output output = run_self({"--runtime", options.runtime, "--compiler",
                                        options.compiler, "--run-check", checks[i].name},
                                       options.time_limit);
        results[i] = result_of(checks[i].name, output, options.time_limit);
    };
    const unsigned jobs = options.jobs != 0 ? static_cast<unsigned>(options.jobs)
                                            : std::max(1U, std::thread::hardware_concurrency());
    std::atomic<size_t> next{0};
    std::vector<std::thread> workers;
    for (unsigned job = 0; job < jobs; ++job) {
        workers.emplace_back([&] {
            for (size_t i = next++; i < checks.size(); i = next++) {
                if (!checks[i].samples) {
                    run_one(i);
                }
            }
        });
    }
    for (std::thread &worker : workers) {
        worker.join();
    }
    for (size_t i = 0; i < checks.size(); ++i) {
        if (checks[i].samples) {
            run_one(i);
        }
    }
    return results;
}

} // namespace compliance
