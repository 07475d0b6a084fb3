// SPDX-License-Identifier: Apache-2.0
//
// Exit codes of ompcollect's own, and the exception that carries one to main(). Every other code is
// the program's. The numbers are those of env(1) and timeout(1).
#pragma once

#include <stdexcept>
#include <string>

namespace ompcollect {

inline constexpr int kExitLauncher = 125; // wrong options, or something that is needed is missing
inline constexpr int kExitUsage = 2; // of scale, diff and merge: bad input, and nothing was done
inline constexpr int kExitNotExecutable = 126; // the program is there, but cannot be run
inline constexpr int kExitNotFound = 127;      // no such program

// The message is one line: the cause, then the cure.
class Failure : public std::runtime_error {
  public:
    explicit Failure(const std::string &message, int exit_code = kExitLauncher)
        : std::runtime_error(message), exit_code_(exit_code) {}
    [[nodiscard]] int exit_code() const { return exit_code_; }

  private:
    int exit_code_;
};

// For bad input of the commands that compare runs.
[[noreturn]] inline void refuse_input(const std::string &why) {
    throw Failure(why, kExitUsage);
}

} // namespace ompcollect
