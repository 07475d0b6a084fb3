// SPDX-License-Identifier: Apache-2.0
#include "child_process.h"

#include "failure.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// Signals by which people and batch systems speak to a program.
constexpr int kForwarded[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                              SIGUSR2, SIGALRM, SIGCONT, SIGTSTP};
// Of these, the ones that ask a process to end.
constexpr int kEnding[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

bool was_closed[STDERR_FILENO + 1] = {};

bool is_ignored(int signal) {
    struct sigaction now = {};
    return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

// What is ignored stays ignored (nohup), in the launcher and by inheritance in the program.
sigset_t awaited_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (const int signal : kForwarded) {
        if (!is_ignored(signal)) {
            sigaddset(&set, signal);
        }
    }
    return set;
}

// The state of signals as the launcher found it, for the child.
struct SignalState {
    sigset_t mask;
    bool children_ignored; // SIGCHLD: then the kernel keeps no word of how they end
    bool pipes_ignored;    // SIGPIPE

    // Blocks what is awaited. A reader of the profile that is gone is an error like others.
    explicit SignalState(const sigset_t &awaited)
        : children_ignored(is_ignored(SIGCHLD)), pipes_ignored(is_ignored(SIGPIPE)) {
        set_action(SIGCHLD, SIG_DFL);
        set_action(SIGPIPE, SIG_IGN);
        sigprocmask(SIG_BLOCK, &awaited, &mask);
    }
    void restore() const {
        set_action(SIGCHLD, children_ignored ? SIG_IGN : SIG_DFL);
        set_action(SIGPIPE, pipes_ignored ? SIG_IGN : SIG_DFL);
        sigprocmask(SIG_SETMASK, &mask, nullptr);
    }
    static void set_action(int signal, void (*handler)(int)) {
        struct sigaction action = {};
        action.sa_handler = handler;
        sigaction(signal, &action, nullptr);
    }
};

// Async-signal-safe, as all that a child in its parent's memory does.
bool is_elf(const char *path) {
    char mark[4] = {};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is = fd >= 0 && read(fd, mark, sizeof mark) == sizeof mark &&
                    memcmp(mark, "\177ELF", sizeof mark) == 0;
    close(fd);
    return is;
}

// What is wrong and what to do, where exec has failed.
const char *cure_of(int error) {
    return error == ENOEXEC ? "; it is for another machine, and no emulator for it is set up here "
                              "(binfmt_misc): "
                              "build it for this one"
                            : "; check the program";
}

// What the program is begun with. It is made before the child is: that one lives in the launcher's
// memory until exec.
class Beginning {
  public:
    Beginning(const std::string &path, const std::vector<std::string> &command,
              const Variables &variables)
        : path_(path), settings_(settings_of(variables)) {
        for (const std::string &word : command) {
            arguments_.push_back(const_cast<char *>(word.c_str()));
        }
        arguments_.push_back(nullptr);
        for (std::string &setting : settings_) {
            environment_.push_back(setting.data());
        }
        environment_.push_back(nullptr);
    }
    // In the child. Handlers fall back to the default by exec.
    [[noreturn]] void become_program(const SignalState &signals, volatile int &error) const {
        signals.restore();
        for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
            if (was_closed[fd]) {
                close(fd);
            }
        }
        execve(path_.c_str(), arguments_.data(), environment_.data());
        error = errno;
        // As execvp does: a text without #! is given to the shell. The parent sees this memory.
        if (error == ENOEXEC && !is_elf(path_.c_str())) {
            error = 0;
            execvpe(path_.c_str(), arguments_.data(), environment_.data());
            error = errno;
        }
        _exit(kExitNotExecutable);
    }

  private:
    // The launcher's own, but for those that are in `variables`.
    static std::vector<std::string> settings_of(const Variables &variables) {
        std::vector<std::string> settings;
        for (char **own = environ; own && *own; ++own) {
            const std::string_view setting = *own;
            const bool is_other =
                std::none_of(variables.begin(), variables.end(), [&](const auto &each) {
                    return setting.substr(0, setting.find('=')) == each.first;
                });
            if (is_other) {
                settings.emplace_back(setting);
            }
        }
        for (const auto &[name, value] : variables) {
            settings.emplace_back(name).append("=").append(value);
        }
        return settings;
    }

    std::string path_;
    std::vector<std::string> settings_;
    std::vector<char *> arguments_, environment_;
};

// The same as by vfork(), on a stack of its own: some filters refuse the one, some the other.
pid_t clone_as_vfork(const Beginning &beginning, const SignalState &signals, volatile int &error) {
    struct Child {
        const Beginning &beginning;
        const SignalState &signals;
        volatile int &error;
    };
    alignas(64) static char stack[size_t{256} * 1024];
    Child child = {beginning, signals, error};
    return clone(
        [](void *of) -> int {
            const Child &own = *static_cast<Child *>(of);
            own.beginning.become_program(own.signals, own.error);
        },
        stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
}

struct timespec in_seconds(double seconds) {
    struct timespec time;
    time.tv_sec = static_cast<time_t>(seconds);
    time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
    return time;
}

double now() {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Returns the mask of before.
sigset_t unblock(int signal) {
    sigset_t set;
    sigset_t before;
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_UNBLOCK, &set, &before);
    return before;
}

bool is_stopped(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const size_t state = text.rfind(") ") + 2; // behind the name, which may have brackets
    return state < text.size() && (text[state] == 'T' || text[state] == 't');
}

// Continues the launcher where the program alone is continued, as by `kill -CONT`, or is ended. A
// stopped process hears of neither.
pid_t start_waker(pid_t program) {
    constexpr unsigned kBetweenLooks = 20000; // microseconds
    const pid_t launcher = getpid();
    const pid_t waker = fork();
    if (waker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        do {
            usleep(kBetweenLooks);
        } while (is_stopped(program) && getppid() == launcher);
        if (getppid() == launcher) {
            kill(launcher, SIGCONT);
        }
        _exit(0);
    }
    return waker;
}

// As the program has: whoever waits for the launcher, a shell with its jobs, sees it stopped. What
// continues the launcher is passed on.
void stop_by(int signal, pid_t program) {
    const pid_t waker = start_waker(program);
    kill(getpid(), signal);
    const sigset_t before = unblock(signal); // stops here
    sigprocmask(SIG_SETMASK, &before, nullptr);
    if (waker > 0) {
        kill(waker, SIGKILL);
        waitpid(waker, nullptr, 0);
    }
    sigset_t continued;
    sigemptyset(&continued);
    sigaddset(&continued, SIGCONT);
    const struct timespec none = {};
    siginfo_t info = {};
    if (sigtimedwait(&continued, &info, &none) == SIGCONT && info.si_pid != waker) {
        kill(program, SIGCONT);
    }
}

bool has_ended(pid_t pid, int &status, int options) {
    const pid_t got = waitpid(pid, &status, options | WUNTRACED);
    if (got < 0 && errno != EINTR) {
        throw Failure(std::string("the program was lost: ") + strerror(errno));
    }
    if (got == pid && WIFSTOPPED(status)) {
        stop_by(WSTOPSIG(status), pid);
        return false;
    }
    return got == pid;
}

// Not behind a filter that refuses masks of signals.
bool keeps_end_of_child() {
    sigset_t blocked;
    sigemptyset(&blocked);
    return sigprocmask(SIG_BLOCK, nullptr, &blocked) == 0 && sigismember(&blocked, SIGCHLD) == 1;
}

// Waits for the child and does what signals and the clock ask for, one after the other.
int attend(pid_t pid, const sigset_t &awaited, const Meanwhile &meanwhile) {
    int status = 0;
    double next_report = meanwhile.interval > 0 ? now() + meanwhile.interval : 0;
    int options = keeps_end_of_child() ? WNOHANG : 0;
    while (!has_ended(pid, status, options)) {
        siginfo_t info = {};
        const struct timespec rest = in_seconds(std::max(0.0, next_report - now()));
        const int signal =
            next_report > 0 ? sigtimedwait(&awaited, &info, &rest) : sigwaitinfo(&awaited, &info);
        if (signal == SIGCHLD) {
            // The last thread of the program may have a processor no more, with its own entries of
            // /proc half taken down. waitpid would wait for them without giving its processor up,
            // 2 ms of a short run.
            sched_yield();
        } else if (signal == SIGUSR2 && meanwhile.report) {
            meanwhile.report();
        } else if (signal > 0 && info.si_code != SI_KERNEL) {
            // SI_KERNEL: a key at the terminal, which signals the whole foreground group.
            kill(pid, signal);
        } else if (signal < 0 && errno == EAGAIN) {
            meanwhile.report();
            next_report = std::max(now(), next_report + meanwhile.interval);
        } else if (signal < 0 && errno != EINTR) {
            options = 0; // no signal can be awaited here, but the end can
        }
    }
    // A key that ended the program was for the program.
    const struct timespec none = {};
    while (sigtimedwait(&awaited, nullptr, &none) > 0) {
    }
    unblock(SIGTSTP); // from here on it is the launcher's
    return status;
}

void (*last_act_of_child)() = nullptr;

void end_by(int signal) {
    last_act_of_child();
    SignalState::set_action(signal, SIG_DFL);
    raise(signal); // delivered when this handler returns
}

} // namespace

ChildResult run_child(const std::string &path, const std::vector<std::string> &command,
                      const Variables &variables, const Meanwhile &meanwhile) {
    // Signals wait until there is a child to send them to.
    const sigset_t awaited = awaited_signals();
    const SignalState signals(awaited);
    const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    const Beginning beginning(file, command, variables);
    volatile int error = 0; // of exec
    // No copy of the launcher's memory, which exec would throw away at once.
    pid_t pid = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (pid == 0) {
        beginning.become_program(signals, error); // NOLINT(clang-analyzer-unix.Vfork)
    }
    if (pid < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS)) { // a filter's
        pid = clone_as_vfork(beginning, signals, error);
    }
    if (pid < 0) {
        throw Failure(std::string("no new process: ") + strerror(errno));
    }
    if (error == 0 && meanwhile.begun) {
        meanwhile.begun();
    }
    const int status = attend(pid, awaited, meanwhile);
    if (error != 0) {
        throw Failure(path + ": " + strerror(error) + cure_of(error),
                      error == ENOENT ? kExitNotFound : kExitNotExecutable);
    }
    return {pid, status};
}

std::string end_in_words(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
    }
    return "exit code " + std::to_string(WEXITSTATUS(status));
}

void fill_standard_descriptors() {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            was_closed[fd] = open("/dev/null", O_RDWR) == fd; // the lowest free number
        }
    }
}

void end_on_signals(void (*last_act)()) {
    last_act_of_child = last_act;
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kEnding) {
        if (!is_ignored(signal)) {
            SignalState::set_action(signal, end_by);
            sigaddset(&set, signal);
        }
    }
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
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
    unblock(signal);
    kill(getpid(), signal);
    return 128 + signal; // the signal cannot kill us; what a shell would say
}

} // namespace ompcollect
