// SPDX-License-Identifier: Apache-2.0
#include "tracee.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ocb_test {
namespace {

volatile sig_atomic_t time_is_over = 0;
void on_alarm(int) {
    time_is_over = 1;
}

[[noreturn]] void become(const Command &command, const std::string &out, const std::string &err,
                         int go) {
    char byte = 0;
    while (read(go, &byte, 1) < 0 && errno == EINTR) {
    }
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
    std::vector<char *> arguments;
    std::vector<std::string> settings;
    std::vector<char *> environment;
    for (const std::string &word : command.arguments) {
        arguments.push_back(const_cast<char *>(word.c_str()));
    }
    settings.push_back(std::string("PATH=") + getenv("PATH"));
    for (const auto &[name, value] : command.environment) {
        settings.push_back(name + "=" + value);
    }
    for (std::string &setting : settings) {
        environment.push_back(setting.data());
    }
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    execve(arguments[0], arguments.data(), environment.data());
    _exit(127);
}

} // namespace

std::string text_of(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

pid_t process_of(pid_t thread) {
    std::istringstream status(text_of("/proc/" + std::to_string(thread) + "/status"));
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("Tgid:")) {
            return std::stoi(line.substr(5));
        }
    }
    return thread;
}

Tracee::Tracee(const Command &command, long options) {
    int go[2];
    if (pipe2(go, O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    const std::string out = folder_.file("out");
    const std::string err = folder_.file("err");
    first_ = fork();
    if (first_ == 0) {
        close(go[1]);
        setpgid(0, 0);
        become(command, out, err, go[0]);
    }
    close(go[0]);
    const long seized =
        ptrace(PTRACE_SEIZE, first_, nullptr,
               reinterpret_cast<void *>(options | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD |
                                        PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE));
    if (seized != 0) {
        kill(first_, SIGKILL);
        throw std::runtime_error(std::string("ptrace is not permitted: ") + strerror(errno));
    }
    struct sigaction action = {};
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, nullptr);
    time_is_over = 0;
    alarm(static_cast<unsigned>(command.time_limit_s));
    ptrace(PTRACE_INTERRUPT, first_, nullptr, nullptr);
    close(go[1]);
}

Tracee::~Tracee() {
    alarm(0);
    kill(-first_, SIGKILL);
    while (waitpid(-first_, nullptr, __WALL) > 0) {
    }
}

bool Tracee::next(pid_t &thread, int &status) {
    for (;;) {
        thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == EINTR) {
            if (time_is_over != 0) {
                timed_out_ = true;
                kill(-first_, SIGKILL);
            }
            continue;
        }
        if (thread == first_ && (WIFEXITED(status) || WIFSIGNALED(status))) {
            status_ = status;
        }
        return thread > 0;
    }
}

Outcome Tracee::outcome() {
    Outcome outcome;
    outcome.timed_out = timed_out_;
    outcome.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
    outcome.signal = WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
    outcome.out = text_of(folder_.file("out"));
    outcome.err = text_of(folder_.file("err"));
    return outcome;
}

bool is_at_call(int status) {
    return WIFSTOPPED(status) && WSTOPSIG(status) == (SIGTRAP | 0x80);
}

int signal_of(int status) {
    const bool is_event = status >> 16 != 0;
    return is_event || WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
}

user_regs_struct registers_of(pid_t thread) {
    user_regs_struct registers = {};
    ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
    return registers;
}

long number_of_entry(pid_t thread) {
    __ptrace_syscall_info info = {};
    ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), thread, sizeof info, &info);
    return info.op == PTRACE_SYSCALL_INFO_ENTRY ? static_cast<long>(info.entry.nr) : -1;
}

} // namespace ocb_test
