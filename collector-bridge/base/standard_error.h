// SPDX-License-Identifier: Apache-2.0
// Lines on the stderr that the process began with. If the program closes descriptor 2 and opens
// another file there, that file gets no line. A line that cannot be written raises no signal. For
// all libraries inside the traced process; each has an instance of its own. Not for signal
// handlers.
#pragma once

#include "write_signals.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ocb {

// The file behind a descriptor, as it stands. All 0: none.
struct FileIdentity {
    std::uint64_t device = 0, number = 0;

    // By the system call: libc's function is one of glibc 2.33, and the structures are the same.
    [[nodiscard]] static FileIdentity of(int descriptor) {
        struct stat file {};
        if (syscall(SYS_fstat, descriptor, &file) != 0) {
            return {};
        }
        return {file.st_dev + 1, file.st_ino};
    }
    [[nodiscard]] bool is_open() const { return device != 0; }
    bool operator==(const FileIdentity &other) const = default;
};

class StandardError {
  public:
    constexpr StandardError() = default;

    // From here on: what descriptor 2 is now, or was when somebody else looked.
    void note() { note(FileIdentity::of(STDERR_FILENO)); }
    void note(const FileIdentity &file) {
        device_.store(file.device, std::memory_order_relaxed);
        number_.store(file.number, std::memory_order_relaxed);
        is_noted_.store(true, std::memory_order_release);
    }

    // False: it could not be written. There is nowhere else to go. Keeps errno.
    bool write(const char *text, std::size_t size) {
        const int saved_errno = errno;
        if (!is_noted_.load(std::memory_order_acquire)) {
            note();
        }
        const bool is_written = is_the_same() && write_all(text, size);
        errno = saved_errno;
        return is_written;
    }

  private:
    [[nodiscard]] bool is_the_same() const {
        const FileIdentity noted{device_.load(std::memory_order_relaxed),
                                 number_.load(std::memory_order_relaxed)};
        return noted.is_open() && noted == FileIdentity::of(STDERR_FILENO);
    }

    static bool write_all(const char *text, std::size_t size) {
        const NoWriteSignals guard;
        while (size > 0) {
            const ssize_t now = ::write(STDERR_FILENO, text, size);
            if (now <= 0 && errno != EINTR) {
                return false;
            }
            if (now > 0) {
                text += now;
                size -= static_cast<std::size_t>(now);
            }
        }
        return true;
    }

    std::atomic<std::uint64_t> device_{0}, number_{0};
    std::atomic<bool> is_noted_{false};
};

} // namespace ocb
