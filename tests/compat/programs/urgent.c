/* SPDX-License-Identifier: Apache-2.0
 *
 * urgent: a program with its own handling of SIGURG: handlers, masks, questions, sigwait. What it
 * prints must not depend on who watches.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "work.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t handled, masked;

static void on_urgent(int signal) {
    ++handled;
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    masked += sigismember(&set, SIGUSR1) * 10 + sigismember(&set, signal);
}

static void on_urgent_info(int signal, siginfo_t *info, void *context) {
    (void)context;
    handled += 100 + (info->si_signo == signal) + (info->si_pid == getpid());
}

static void say_action(const char *when) {
    struct sigaction now_set;
    sigaction(SIGURG, NULL, &now_set);
    printf("%s: %s, flags %#x, handled %d, masked %d\n", when,
           now_set.sa_handler == SIG_DFL                            ? "default"
           : now_set.sa_handler == SIG_IGN                          ? "ignored"
           : now_set.sa_handler == on_urgent                        ? "handler"
           : (void *)now_set.sa_sigaction == (void *)on_urgent_info ? "handler with info"
                                                                    : "somebody else's",
           (unsigned)now_set.sa_flags & ~0x04000000U, (int)handled, (int)masked);
    handled = 0;
    masked = 0;
}

/* A thread that begins with the signal blocked. */
static void *begin_blocked(void *unused) {
    sigset_t pending;
    region(30);
    work(60);
    sigpending(&pending);
    printf("inherited: %d\n", sigismember(&pending, SIGURG));
    return unused;
}

static void handlers(void) {
    say_action("before");
    region(30);
    say_action("sampled");
    raise(SIGURG);
    struct sigaction action = {0};
    action.sa_handler = on_urgent;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaction(SIGURG, &action, NULL);
    region(30);
    raise(SIGURG);
    raise(SIGURG);
    say_action("handler");
    action.sa_flags = SA_NODEFER | (int)SA_RESETHAND;
    sigaction(SIGURG, &action, NULL);
    raise(SIGURG);
    raise(SIGURG);
    say_action("once");
    action.sa_sigaction = on_urgent_info;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGURG, &action, NULL);
    region(30);
    raise(SIGURG);
    say_action("info");
    printf("signal: %d\n", (void *)signal(SIGURG, on_urgent) == (void *)on_urgent_info);
    raise(SIGURG);
    say_action("signal");
    signal(SIGURG, SIG_IGN);
    raise(SIGURG);
    say_action("ignored");
}

static void blocked(void) {
    sigset_t set;
    sigset_t pending;
    sigemptyset(&set);
    sigaddset(&set, SIGURG);
    signal(SIGURG, on_urgent);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    region(30);
    work(60);
    sigpending(&pending);
    printf("pending: %d\n", sigismember(&pending, SIGURG));
    pthread_t thread;
    pthread_create(&thread, NULL, begin_blocked, NULL);
    pthread_join(thread, NULL);
    raise(SIGURG);
    int got = 0;
    siginfo_t info = {0};
    got = sigwaitinfo(&set, &info);
    printf("sigwait: %d from %d\n", got == SIGURG, info.si_code == SI_TKILL);
    const int descriptor = signalfd(-1, &set, SFD_NONBLOCK);
    region(30);
    raise(SIGURG);
    struct signalfd_siginfo read_info;
    int reads = 0;
    while (read(descriptor, &read_info, sizeof read_info) == sizeof read_info) {
        ++reads;
    }
    printf("signalfd: %d\n", reads);
    close(descriptor);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    region(30);
    say_action("unblocked");
}

static void interrupts_a_call(void) {
    struct sigaction action = {0};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    action.sa_handler = on_urgent;
    action.sa_flags = 0;
    sigaction(SIGURG, &action, NULL);
    struct sigevent event = {0};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGURG;
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    /* Again and again: the first may come before the call. */
    const struct itimerspec soon = {{0, 20000000L}, {0, 20000000L}};
    timer_settime(timer, 0, &soon, NULL);
    char byte;
    int ends[2];
    if (pipe(ends) == 0) {
        const long result = read(ends[0], &byte, 1);
        printf("read: %ld %s\n", result, strerror(errno));
    }
    timer_delete(timer);
    printf("handled: %d\n", handled > 0);
}

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    handlers();
    blocked();
    interrupts_a_call();
    return 0;
}
