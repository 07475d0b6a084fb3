// SPDX-License-Identifier: Apache-2.0
//
// The rate of samples, in samples a second of each thread: its range and its default, for the
// collector's variable, the options of the commands and the check of a run.
#pragma once

namespace ompcollect {

inline constexpr unsigned kLowestRate = 1, kHighestRate = 10000;
inline constexpr unsigned kUsualRate = 97;       // in step with no clock of the system
inline constexpr char kRateRange[] = "1..10000"; // for people; a test compares it with the numbers

} // namespace ompcollect
