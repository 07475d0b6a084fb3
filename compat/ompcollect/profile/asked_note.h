// SPDX-License-Identifier: Apache-2.0
//
// What a process leaves once an OpenMP runtime has asked it for a tool: a file PID.asked in the
// folder of the profiles, with one word and the runtime's file behind it. It is written by the
// preloaded library and read by the launcher, which explains with it why a job has no profile.
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
