// SPDX-License-Identifier: Apache-2.0
// A write of ours must not end the program: into a pipe that nobody reads it raises SIGPIPE, beyond
// RLIMIT_FSIZE SIGXFSZ. For all libraries inside the traced process.
#pragma once

#include <csignal>
#include <cstdint>
#include <ctime>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ocb {

// Bytes that a file of the process may have; UINT64_MAX: any number.
inline std::uint64_t file_size_limit() {
    struct rlimit limit;
    const bool is_limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_limited ? limit.rlim_cur : UINT64_MAX;
}

// Keeps both signals from its thread, and takes back what a write of ours has raised. By system
// calls: libc's functions may be the program's own.
class NoWriteSignals {
  public:
    NoWriteSignals() : NoWriteSignals(true) {}
    ~NoWriteSignals() {
        if (!is_needed_) {
            return;
        }
        const timespec at_once{};
        while (raised_here_ != 0 && syscall(SYS_rt_sigtimedwait, &raised_here_, nullptr, &at_once,
                                            sizeof raised_here_) > 0) {
        }
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, sizeof before_);
    }
    NoWriteSignals(const NoWriteSignals &) = delete;
    NoWriteSignals &operator=(const NoWriteSignals &) = delete;

    // For a file of ours: a filter of system calls need not let those for signals pass where the
    // size of files has no limit.
    static NoWriteSignals for_file() { return NoWriteSignals(file_size_limit() != UINT64_MAX); }

  private:
    explicit NoWriteSignals(bool is_needed) : is_needed_(is_needed) {
        if (!is_needed_) {
            return;
        }
        std::uint64_t pending = 0;
        syscall(SYS_rt_sigpending, &pending, sizeof pending);
        raised_here_ = kBoth & ~pending;
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, &kBoth, &before_, sizeof kBoth);
    }

    // A set of signals to the kernel.
    static constexpr std::uint64_t kBoth = 1ULL << (SIGPIPE - 1) | 1ULL << (SIGXFSZ - 1);

    bool is_needed_;
    std::uint64_t before_ = 0, raised_here_ = 0;
};

} // namespace ocb
