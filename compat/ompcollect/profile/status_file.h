// SPDX-License-Identifier: Apache-2.0
//
// How the activation of the tool ended in a process: a file PID.asked in the folder of the
// profiles, with one word and the runtime's file behind it. The preloaded library writes it once an
// OpenMP runtime has asked for a tool. The launcher explains with it why a job has no profile.
#pragma once

namespace ompcollect {

inline constexpr char kAskedSuffix[] = ".asked";
inline constexpr char kAskedTaken[] = "taken";         // the collector has started
inline constexpr char kAskedRefused[] = "refused";     // the bridge said no, and why
inline constexpr char kAskedNoSession[] = "nosession"; // the collector said why it has not started

// And a process whose profile could not be begun: an empty file PID-NUMBER.failed-ERRNO, written by
// the collector.
inline constexpr char kFailedSuffix[] = ".failed-";

} // namespace ompcollect
