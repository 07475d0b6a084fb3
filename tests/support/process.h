// SPDX-License-Identifier: Apache-2.0
//
// process.h - runs a program as a child process with an environment of its own, a time limit, and
// its output caught. A TemporaryFolder owns the files below it and removes them at its end.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ocb_test {

struct Command {
    std::vector<std::string> arguments; // the first is the program, a path
    // The whole environment of the child, but for PATH, which is kept, and for a HOME where none is
    // given.
    std::map<std::string, std::string> environment;
    // What takes longer hangs. For a machine with much other work, as it counts waiting, too.
    int time_limit_s = 600;
};

struct Outcome {
    int exit_code = -1; // where it ended by itself
    int signal = 0;     // that ended it
    bool timed_out = false;
    std::string out;
    std::string err;

    // Ended by itself with exit code 0.
    [[nodiscard]] bool succeeded() const { return exit_code == 0 && signal == 0 && !timed_out; }
    // For messages of failed tests.
    [[nodiscard]] std::string describe() const;
};

Outcome run(const Command &command);

class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    [[nodiscard]] std::string file(const std::string &name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

// The lines of a text that begin with `prefix`.
std::vector<std::string> lines_with_prefix(const std::string &text, const std::string &prefix);

// How often the part stands in the text.
inline size_t count(const std::string &text, const std::string &part) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) {
        ++found;
    }
    return found;
}

} // namespace ocb_test
