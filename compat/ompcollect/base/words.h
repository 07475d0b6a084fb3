// SPDX-License-Identifier: Apache-2.0
//
// Numbers as a person reads them, and text for the files that reports write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ompcollect::report {

std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

// "0.83 s", "12 us", "1.4 ms".
std::string duration(double seconds);
// "42 %", "0.4 %".
std::string percent(double share);
// "25,000".
std::string grouped(uint64_t number);

// The last part of a path.
std::string base_name(const std::string &path);

// The words with `between` between them.
std::string joined(const std::vector<std::string> &words, const char *between);

// "module+0x12", of a module's path.
std::string place_in_module(const std::string &module, uint64_t offset);

// A field of a CSV file, in quotes where it needs them.
std::string csv_field(const std::string &text);

// As text of an HTML or XML document.
std::string markup(const std::string &text);

} // namespace ompcollect::report
