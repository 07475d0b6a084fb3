// SPDX-License-Identifier: Apache-2.0
// The tests' tool: takes part in every generation and writes what it is told into the file that
// MINI_RECORD names, one line each: thread (0 is the first that is seen), event, details. Programs
// may have it note what the inquiry functions answer, also from a signal handler.
#include "recorder.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace recorder {

constinit Inquiry inquiry;

namespace {

std::atomic<int> threads{0};
thread_local int own_thread = -1;

int log_file() {
    static const int kFile = [] {
        const char *path = std::getenv("MINI_RECORD");
        return path != nullptr ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    }();
    return kFile;
}

} // namespace

void write_line(const char *format, ...) {
    if (own_thread < 0) {
        own_thread = threads.fetch_add(1);
    }
    char line[256];
    int length = std::snprintf(line, sizeof line, "%d ", own_thread);
    va_list arguments;
    va_start(arguments, format);
    length += std::vsnprintf(line + length, sizeof line - 1 - static_cast<unsigned>(length), format,
                             arguments);
    va_end(arguments);
    line[length++] = '\n';
    if (write(log_file(), line, static_cast<std::size_t>(length)) != length) {
        std::abort();
    }
}

} // namespace recorder

// Nothing but state, wait id and the current region: also in a signal handler.
extern "C" void mini_record_note(const char *label) {
    const recorder::Inquiry &inquiry = recorder::inquiry;
    if (inquiry.get_state == nullptr) {
        return;
    }
    std::uint64_t wait_id = 0;
    const int state = inquiry.get_state(&wait_id);
    recorder::write_line("note %s state %#x wait %s region %d size %d task %d outer %d", label,
                         static_cast<unsigned>(state), wait_id != 0 ? "some" : "none",
                         inquiry.region(0) != 0, inquiry.size(0), inquiry.task(0) != 0,
                         inquiry.task(1) != 0);
}
