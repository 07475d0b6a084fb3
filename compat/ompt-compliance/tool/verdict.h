// SPDX-License-Identifier: Apache-2.0
//
// What a check says: sentences that do not hold, features that are missing, and facts that matter
// to the table of the Collector API. Written from both processes of a check, printed by the parent
// as lines that the driver reads: a mark, a space, the text.
#pragma once

namespace compliance {

// Exit codes of a check. The first three are those of the suite of 2015.
enum ExitCode : int {
    kCorrect = 0,
    kImplementedButIncorrect = 255,
    kNotImplemented = 254,
    kNotInThisGeneration = 253,
    kSuiteFailed = 252, // the suite itself: no such file and the like
};

constexpr char kMarkFailure = '!';
constexpr char kMarkMissing = '?';
constexpr char kMarkFact = '=';
constexpr char kMarkGeneration = '@';

// The same text twice is one line.
__attribute__((format(printf, 1, 2))) void fail(const char *format, ...);
__attribute__((format(printf, 1, 2))) void not_implemented(const char *format, ...);
__attribute__((format(printf, 1, 2))) void not_in_this_generation(const char *format, ...);
__attribute__((format(printf, 1, 2))) void fact(const char *format, ...);

// Prints the lines to stdout, returns the exit code.
int print_verdict();

} // namespace compliance
