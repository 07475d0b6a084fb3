// SPDX-License-Identifier: Apache-2.0
#include "program_signal.h"

#include "base/lock.h"
#include "listener.h"
#include "program_action.h"
#include "real.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace ompcollect {
namespace {

using SigactionFunction = int (*)(int, const struct sigaction *, struct sigaction *);
using MaskFunction = int (*)(int, const sigset_t *, sigset_t *);
using SignalFunction = sighandler_t (*)(int, sighandler_t);

constinit Real<SigactionFunction> real_sigaction("sigaction");
constinit Real<MaskFunction> real_pthread_sigmask("pthread_sigmask");
constinit Real<MaskFunction> real_sigprocmask("sigprocmask");
constinit Real<SignalFunction> real_signal_function("signal");
constinit Real<SignalFunction> real_sysv_signal("__sysv_signal");
constinit Real<int (*)(int, int)> real_siginterrupt("siginterrupt");

constinit std::atomic<int> taken_signal{0}; // 0: none has been taken
constinit ompcollect_handler taken_handler = nullptr;
// Written under the lock, with all signals blocked, as a handler may ask too. Read without.
constinit ProgramAction program;
constinit ocb::Lock program_lock;
// The process whose memory this is. A child of vfork() or clone() has it too, and handlers of its
// own; one of _Fork() has a copy of it in any state. Neither takes the lock.
constinit std::atomic<pid_t> own_process{0};

bool is_own_process() {
    return own_process.load(std::memory_order_relaxed) == getpid();
}

class ProgramLock {
  public:
    ProgramLock() {
        sigset_t all;
        sigfillset(&all);
        real_pthread_sigmask.get()(SIG_SETMASK, &all, &before_);
        program_lock.lock();
    }
    ~ProgramLock() {
        program_lock.unlock();
        real_pthread_sigmask.get()(SIG_SETMASK, &before_, nullptr);
    }
    ProgramLock(const ProgramLock &) = delete;
    ProgramLock &operator=(const ProgramLock &) = delete;

  private:
    sigset_t before_;
};

bool is_taken(int signal) {
    return signal != 0 && signal == taken_signal.load(std::memory_order_acquire);
}

bool is_handler(const struct sigaction &action) {
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

bool is_ignored_by_default(int signal) {
    return signal == SIGURG || signal == SIGCHLD || signal == SIGWINCH || signal == SIGCONT;
}

// Ours, with the program's word on whether its system calls are interrupted.
int install() {
    const struct sigaction wanted = program.get();
    struct sigaction ours = {};
    ours.sa_sigaction = taken_handler;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (!is_handler(wanted) || (wanted.sa_flags & SA_RESTART) != 0) {
        ours.sa_flags |= SA_RESTART;
    }
    sigfillset(&ours.sa_mask);
    return real_sigaction.get()(taken_signal.load(std::memory_order_relaxed), &ours, nullptr);
}

// Where the kernel shows our handler, the program's own action.
struct sigaction as_program_sees(const struct sigaction &of_kernel) {
    return of_kernel.sa_sigaction == taken_handler ? program.get() : of_kernel;
}

int program_sigaction(int signal, const struct sigaction *wanted, struct sigaction *before) {
    if (!is_own_process()) {
        struct sigaction old;
        const int result = real_sigaction.get()(signal, wanted, &old);
        if (result == 0 && before) {
            *before = as_program_sees(old);
        }
        return result;
    }
    const ProgramLock lock;
    const struct sigaction old = program.get();
    if (wanted) {
        program.set(*wanted);
        install();
    }
    if (before) {
        *before = old;
    }
    return 0;
}

sighandler_t program_signal(int signal, sighandler_t handler, int flags) {
    struct sigaction wanted = {};
    wanted.sa_handler = handler;
    wanted.sa_flags = flags;
    sigemptyset(&wanted.sa_mask);
    if ((flags & SA_NODEFER) == 0) {
        sigaddset(&wanted.sa_mask, signal);
    }
    struct sigaction before;
    return program_sigaction(signal, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

// The default, where it is not to be ignored: what the kernel would have done.
void die_of(int signal) {
    struct sigaction by_default = {};
    by_default.sa_handler = SIG_DFL;
    real_sigaction.get()(signal, &by_default, nullptr);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
    real_pthread_sigmask.get()(SIG_UNBLOCK, &set, nullptr);
}

void call(const struct sigaction &action, int signal, siginfo_t *info, void *context) {
    // The mask that the kernel would have set for the program's handler.
    sigset_t mask = static_cast<ucontext_t *>(context)->uc_sigmask;
    sigset_t before;
    sigorset(&mask, &mask, &action.sa_mask);
    if ((action.sa_flags & SA_NODEFER) == 0) {
        sigaddset(&mask, signal);
    }
    real_pthread_sigmask.get()(SIG_SETMASK, &mask, &before);
    if ((action.sa_flags & SA_SIGINFO) != 0) {
        action.sa_sigaction(signal, info, context);
    } else {
        action.sa_handler(signal);
    }
    real_pthread_sigmask.get()(SIG_SETMASK, &before, nullptr);
}

// A handler that is for one signal alone is taken away before it runs.
struct sigaction take_action(int signal) {
    struct sigaction action = program.get();
    if (!is_handler(action) || (action.sa_flags & static_cast<int>(SA_RESETHAND)) == 0) {
        return action;
    }
    if (!is_own_process()) {
        struct sigaction once = action;
        once.sa_handler = SIG_DFL;
        real_sigaction.get()(signal, &once, nullptr);
        return action;
    }
    const ProgramLock lock;
    action = program.get();
    if (is_handler(action) && (action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
        struct sigaction once = action;
        once.sa_handler = SIG_DFL;
        program.set(once);
    }
    return action;
}

template <class Function>
int change_mask(Function real, int how, const sigset_t *set, sigset_t *before) {
    const int signal = taken_signal.load(std::memory_order_acquire);
    if (signal == 0 || !set) {
        return real(how, set, before);
    }
    const bool named = sigismember(set, signal) == 1;
    const ompcollect_listener *listener = current_listener();
    // Before: so that none of ours is pending once the signal is blocked.
    if (listener && named && (how == SIG_BLOCK || how == SIG_SETMASK)) {
        listener->signal_is_blocked();
    }
    const int result = real(how, set, before);
    if (listener && named == (how == SIG_UNBLOCK) && how != SIG_BLOCK) {
        const int saved_errno = errno;
        listener->signal_is_unblocked();
        errno = saved_errno;
    }
    return result;
}

} // namespace

int take_signal(int signal, ompcollect_handler handler) {
    struct sigaction before;
    if (!real_sigaction.get() || !real_pthread_sigmask.get() ||
        real_sigaction.get()(signal, nullptr, &before) != 0) {
        return errno;
    }
    if (is_taken(signal)) { // in a child after fork()
        return 0;
    }
    const ProgramLock lock;
    own_process.store(getpid(), std::memory_order_relaxed);
    program.set(before);
    taken_handler = handler;
    taken_signal.store(signal, std::memory_order_release);
    const int result = install();
    if (result != 0) {
        taken_signal.store(0, std::memory_order_relaxed);
    }
    return result != 0 ? errno : 0;
}

void pass_on(int signal, siginfo_t *info, void *context) {
    const struct sigaction action = take_action(signal);
    if (is_handler(action)) {
        call(action, signal, info, context);
    } else if (action.sa_handler == SIG_DFL && !is_ignored_by_default(signal)) {
        die_of(signal);
    }
}

void ignore_for_exec() {
    const int signal = taken_signal.load(std::memory_order_acquire);
    const struct sigaction wanted = program.get();
    if (signal != 0 && wanted.sa_handler == SIG_IGN) {
        real_sigaction.get()(signal, &wanted, nullptr);
    }
}

void heed_after_failed_exec() {
    if (taken_signal.load(std::memory_order_acquire) == 0) {
        return;
    }
    if (!is_own_process()) {
        install();
        return;
    }
    const ProgramLock lock;
    install();
}

void find_signal_functions() {
    real_sigaction.get();
    real_pthread_sigmask.get();
    real_sigprocmask.get();
    real_signal_function.get();
    real_sysv_signal.get();
    real_siginterrupt.get();
}

// Another thread may have been at it: what it had begun is not in force, but in the kernel perhaps.
void restart_signals_after_fork() {
    if (taken_signal.load(std::memory_order_acquire) == 0) {
        return;
    }
    program_lock.reset_after_fork();
    own_process.store(getpid(), std::memory_order_relaxed);
    install();
}

} // namespace ompcollect

using namespace ompcollect;

OMPCOLLECT_INTERPOSED int sigaction(int signal, const struct sigaction *wanted,
                                    struct sigaction *before) {
    return is_taken(signal) ? program_sigaction(signal, wanted, before)
                            : real_sigaction.get()(signal, wanted, before);
}

OMPCOLLECT_INTERPOSED sighandler_t signal(int number, sighandler_t handler) {
    return is_taken(number) ? program_signal(number, handler, SA_RESTART)
                            : real_signal_function.get()(number, handler);
}

OMPCOLLECT_INTERPOSED sighandler_t bsd_signal(int number, sighandler_t handler) {
    return signal(number, handler);
}

OMPCOLLECT_INTERPOSED sighandler_t __sysv_signal(int number, sighandler_t handler) {
    return is_taken(number)
               ? program_signal(number, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER)
               : real_sysv_signal.get()(number, handler);
}

OMPCOLLECT_INTERPOSED sighandler_t sysv_signal(int number, sighandler_t handler) {
    return __sysv_signal(number, handler);
}

OMPCOLLECT_INTERPOSED int siginterrupt(int number, int interrupts) {
    if (!is_taken(number)) {
        return real_siginterrupt.get()(number, interrupts);
    }
    struct sigaction action = {};
    program_sigaction(number, nullptr, &action);
    action.sa_flags =
        interrupts ? action.sa_flags & ~static_cast<int>(SA_RESTART) : action.sa_flags | SA_RESTART;
    return program_sigaction(number, &action, nullptr);
}

OMPCOLLECT_INTERPOSED int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
    return change_mask(real_pthread_sigmask.get(), how, set, before);
}

OMPCOLLECT_INTERPOSED int sigprocmask(int how, const sigset_t *set, sigset_t *before) {
    return change_mask(real_sigprocmask.get(), how, set, before);
}
