// SPDX-License-Identifier: Apache-2.0
//
// The file of a saved run: a sequence of FlatBuffers by the schema in run.fbs, each with its size
// before it, and a check sum at the end. docs/FORMATS.md says what it promises.
#pragma once

#include "run.h"

#include <iosfwd>
#include <string>

namespace ompcollect::report {

// Raised only where an older reader would misunderstand a file; a new field is no reason.
inline constexpr unsigned kBinaryVersion = 2;
// Of the three kinds of messages; the first is the file's.
inline constexpr char kHeaderIdentifier[] = "OMPC";
inline constexpr char kProcessIdentifier[] = "OMPP";
inline constexpr char kEndIdentifier[] = "OMPE";

// Throws Failure where a process has more rows than a message can hold (2 GB).
void write_binary(const Run &run, std::ostream &out);

// Looks at the first bytes and leaves the position where it was.
bool is_binary_run(std::istream &in);

// A fuzz target has inputs whose sum is wrong.
enum class CheckSum : unsigned { kMustBeRight, kIgnore };

// Throws Failure that says what is wrong with the file. Memory: that of the run, as the pages of a
// process's message are given back while its rows are read.
Run read_binary(std::istream &in, const std::string &name,
                CheckSum check_sum = CheckSum::kMustBeRight);

} // namespace ompcollect::report
