// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "base/standard_error.h"
#include "preload_link.h"
#include "printable.h"

#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ompcollect {

constinit Settings current_settings;

namespace {

constexpr unsigned kMostMegabytes = 1000000;

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

constinit ocb::StandardError standard_error;

} // namespace

void complain(const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    char shown[560];
    printable_into(shown, sizeof shown, line);
    // One write: lines of several processes stay whole.
    char text[600];
    const int length = snprintf(text, sizeof text, "[ompcollect] %s\n", shown);
    write_to_stderr(text, static_cast<size_t>(length));
}

void record_stderr() {
    if (const auto *preload = preload_services()) {
        standard_error.note({preload->stderr_device, preload->stderr_number});
    } else {
        standard_error.note();
    }
}

bool write_to_stderr(const char *text, size_t size) {
    return standard_error.write(text, size);
}

void read_settings() {
    current_settings.rate = number_from("OMPCOLLECT_RATE", kLowestRate, kHighestRate, kUsualRate);
    current_settings.signal = static_cast<int>(number_from(
        "OMPCOLLECT_SIGNAL", 1, static_cast<unsigned>(SIGRTMAX), static_cast<unsigned>(SIGURG)));
    current_settings.samples_mb =
        number_from("OMPCOLLECT_SAMPLES_MB", 1, kMostMegabytes, current_settings.samples_mb);
    const char *clock = getenv("OMPCOLLECT_CLOCK");
    if (clock && *clock) {
        current_settings.wall_clock = strcmp(clock, "cpu") != 0;
        if (current_settings.wall_clock && strcmp(clock, "wall") != 0) {
            complain("OMPCOLLECT_CLOCK=%s is neither wall nor cpu; using wall", clock);
        }
    }
    read_stacks();
    const char *native = getenv("OMPCOLLECT_NATIVE");
    current_settings.native = native && *native;
    const char *directory = getenv("OMPCOLLECT_PROFILE_DIR");
    current_settings.profile_dir = directory && *directory ? directory : nullptr;
}

} // namespace ompcollect
