// SPDX-License-Identifier: Apache-2.0
//
// See settings.h.
#include "settings.h"

#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace ompcollect {

constinit Settings g_settings;

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

} // namespace

void complain(const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "[ompcollect] %s\n", line);
}

void read_settings() {
    g_settings.rate = number_from("OMPCOLLECT_RATE", 1, kHighestRate, g_settings.rate);
    g_settings.signal = static_cast<int>(number_from(
        "OMPCOLLECT_SIGNAL", 1, static_cast<unsigned>(SIGRTMAX), static_cast<unsigned>(SIGPROF)));
    const char *clock = getenv("OMPCOLLECT_CLOCK");
    if (clock && *clock) {
        g_settings.wall_clock = strcmp(clock, "cpu") != 0;
        if (g_settings.wall_clock && strcmp(clock, "wall") != 0) {
            complain("OMPCOLLECT_CLOCK=%s is neither wall nor cpu; using wall", clock);
        }
    }
    const char *directory = getenv("OMPCOLLECT_PROFILE_DIR");
    g_settings.profile_dir = directory && *directory ? directory : nullptr;
    const char *launcher = getenv("OMPCOLLECT_LAUNCHER");
    g_settings.launched = launcher && strtol(launcher, nullptr, 10) == getppid();
}

} // namespace ompcollect
