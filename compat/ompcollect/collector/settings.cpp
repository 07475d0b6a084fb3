// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <unistd.h>

namespace ompcollect {

constinit Settings current_settings;

namespace {

constexpr unsigned kHighestRate = 10000;

// The number in a variable, or the fallback where it is absent or not within the limits.
unsigned number_from(const char *variable, unsigned lowest, unsigned highest, unsigned fallback) {
    const char *text = getenv(variable);
    if (!text || !*text) {
        return fallback;
    }
    char *end = nullptr;
    const unsigned long number = strtoul(text, &end, 10);
    if (*end || number < lowest || number > highest) {
        complain("%s=%s is not a number from %u to %u; using %u", variable, text, lowest, highest,
                 fallback);
        return fallback;
    }
    return static_cast<unsigned>(number);
}

void read_stacks() {
    constexpr const char *kNames[] = {"off", "forks", "full"}; // in the order of Stacks
    const char *text = getenv("OMPCOLLECT_STACKS");
    if (!text || !*text) {
        return;
    }
    for (unsigned i = 0; i < sizeof kNames / sizeof kNames[0]; ++i) {
        if (strcmp(text, kNames[i]) == 0) {
            current_settings.stacks = static_cast<Stacks>(i);
            return;
        }
    }
    complain("OMPCOLLECT_STACKS=%s is none of full, forks and off; using full", text);
}

// A SIGPIPE that our own write raises is taken back.
class SigpipeGuard {
  public:
    SigpipeGuard() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~SigpipeGuard() {
        if (!was_pending_) {
            const timespec at_once = {};
            (void)sigtimedwait(&pipe_, nullptr, &at_once);
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    SigpipeGuard(const SigpipeGuard &) = delete;
    SigpipeGuard &operator=(const SigpipeGuard &) = delete;

  private:
    sigset_t pipe_;
    sigset_t before_;
    bool was_pending_;
};

} // namespace

void complain(const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    // One write: lines of several processes stay whole. MSG_NOSIGNAL is for sockets only, so a pipe
    // without a reader is left alone by blocking SIGPIPE for the moment.
    char text[600];
    const int length = snprintf(text, sizeof text, "[ompcollect] %s\n", line);
    const SigpipeGuard guard;
    if (write(STDERR_FILENO, text, static_cast<size_t>(length)) < 0) {
        return;
    }
}

void read_settings() {
    current_settings.rate = number_from("OMPCOLLECT_RATE", 1, kHighestRate, current_settings.rate);
    current_settings.signal = static_cast<int>(number_from(
        "OMPCOLLECT_SIGNAL", 1, static_cast<unsigned>(SIGRTMAX), static_cast<unsigned>(SIGURG)));
    const char *clock = getenv("OMPCOLLECT_CLOCK");
    if (clock && *clock) {
        current_settings.wall_clock = strcmp(clock, "cpu") != 0;
        if (current_settings.wall_clock && strcmp(clock, "wall") != 0) {
            complain("OMPCOLLECT_CLOCK=%s is neither wall nor cpu; using wall", clock);
        }
    }
    read_stacks();
    const char *directory = getenv("OMPCOLLECT_PROFILE_DIR");
    current_settings.profile_dir = directory && *directory ? directory : nullptr;
}

} // namespace ompcollect
