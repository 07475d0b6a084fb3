// SPDX-License-Identifier: Apache-2.0
//
// tracee.h - a program under ptrace: begins, stops, goes on, ends.
#pragma once

#include "process.h"

#include <string>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>

namespace ocb_test {

// The program, stopped before it begins; its output goes to files.
class Tracee {
  public:
    Tracee(const Command &command, long options);
    ~Tracee();
    Tracee(const Tracee &) = delete;
    Tracee &operator=(const Tracee &) = delete;

    [[nodiscard]] pid_t first() const { return first_; }
    // The next stop or end of a thread; false: there is none left.
    bool next(pid_t &thread, int &status);
    // Lets a stopped thread go on, to its next system call.
    void go_on(pid_t thread, int signal = 0) const {
        ptrace(PTRACE_SYSCALL, thread, nullptr, reinterpret_cast<void *>(signal));
    }
    Outcome outcome();

  private:
    TemporaryFolder folder_;
    pid_t first_ = -1;
    int status_ = 0;
    bool timed_out_ = false;
};

bool is_at_call(int status);
// The signal to hand on where the stop is for one, and for nothing of ptrace's own.
int signal_of(int status);
user_regs_struct registers_of(pid_t thread);
// -1: the thread leaves a call.
long number_of_entry(pid_t thread);

std::string text_of(const std::string &path);
pid_t process_of(pid_t thread);

} // namespace ocb_test
