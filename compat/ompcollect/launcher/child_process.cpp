// SPDX-License-Identifier: Apache-2.0
//
// See child_process.h.
#include "child_process.h"

#include "failure.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// Signals by which people and batch systems speak to a program.
constexpr int kForwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};

std::atomic<pid_t> g_child{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void forward(int signal, siginfo_t *info, void *) {
    const int saved_errno = errno;
    const pid_t child = g_child.load();
    // SI_KERNEL: a key at the terminal, which signals the whole foreground group.
    if (child > 0 && info->si_code != SI_KERNEL) {
        kill(child, signal);
    }
    errno = saved_errno;
}

sigset_t forwarded_set() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kForwarded) {
        sigaddset(&set, signal);
    }
    return set;
}

// What is ignored stays ignored (nohup), in the launcher and by inheritance in the program.
void install_forwarding() {
    for (const int signal : kForwarded) {
        struct sigaction now = {};
        sigaction(signal, nullptr, &now);
        if (now.sa_handler == SIG_IGN) {
            continue;
        }
        struct sigaction action = {};
        action.sa_sigaction = forward;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigfillset(&action.sa_mask);
        sigaction(signal, &action, nullptr);
    }
}

// In the child. Handlers fall back to the default by exec.
[[noreturn]] void become_program(const std::string &path, const std::vector<std::string> &command,
                                 const Variables &variables, const sigset_t &mask, int failure_fd) {
    for (const auto &[name, value] : variables) {
        setenv(name.c_str(), value.c_str(), 1);
    }
    std::vector<char *> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string &word : command) {
        arguments.push_back(const_cast<char *>(word.c_str()));
    }
    arguments.push_back(nullptr);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    // As execvp does: a text without #! is given to the shell.
    execvp(path.c_str(), arguments.data());
    const int error = errno;
    while (write(failure_fd, &error, sizeof error) < 0 && errno == EINTR) {
    }
    _exit(kExitNotExecutable);
}

// The errno of a failed exec, 0 once the program runs.
int exec_error(int fd) {
    int error = 0;
    ssize_t got;
    do {
        got = read(fd, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == sizeof error ? error : 0;
}

int wait_for(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            throw Failure(std::string("the program was lost: ") + strerror(errno));
        }
    }
    return status;
}

} // namespace

ChildResult run_child(const std::string &path, const std::vector<std::string> &command,
                      const Variables &variables) {
    int failure[2];
    if (pipe2(failure, O_CLOEXEC) != 0) {
        throw Failure(std::string("no pipe: ") + strerror(errno));
    }
    // Signals wait until there is a child to send them to.
    const sigset_t forwarded = forwarded_set();
    sigset_t mask;
    sigprocmask(SIG_BLOCK, &forwarded, &mask);
    const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    const pid_t pid = fork();
    if (pid < 0) {
        throw Failure(std::string("no new process: ") + strerror(errno));
    }
    if (pid == 0) {
        become_program(file, command, variables, mask, failure[1]);
    }
    g_child.store(pid);
    install_forwarding();
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    close(failure[1]);
    const int error = exec_error(failure[0]);
    close(failure[0]);
    const int status = wait_for(pid);
    g_child.store(0);
    if (error != 0) {
        throw Failure(path + ": " + strerror(error) + "; check the program",
                      error == ENOENT ? kExitNotFound : kExitNotExecutable);
    }
    return {pid, status};
}

int end_like(const ChildResult &result) {
    if (!WIFSIGNALED(result.status)) {
        return WEXITSTATUS(result.status);
    }
    const int signal = WTERMSIG(result.status);
    // The program has written its core, if any; ours would take its place.
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    kill(getpid(), signal);
    return 128 + signal; // the signal cannot kill us; what a shell would say
}

} // namespace ompcollect
