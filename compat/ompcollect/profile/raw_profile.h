// SPDX-License-Identifier: Apache-2.0
//
// The raw profile: one text file per process, written by the default collector and read by the
// launcher, which knows what the process could not: source lines and names of static functions.
// One record per line, fields separated by tabs, the first field says which. Strings stand last in
// a line and contain neither tab nor newline (both are written as spaces). Numbers are decimal,
// offsets and wait ids hexadecimal. A file without the final "end" is incomplete.
//
//   ompcollect-profile 1
//   process   pid  program
//   run       rate  wall|cpu  seconds  start-code  signal-taken(0|1)
//   totals    late  lost  untabled-locks
//   event     number  register-code  count
//   thread    number  tid  kind  folded  <17 counts, by state number>
//   region    entries  parent(-1)  <17 counts>  offset  module  symbol
//   serial    <17 counts>
//   several   <17 counts>
//   unknown   <17 counts>
//   lock      state  wait-id  waits  samples  offset  module  symbol  offset  module  symbol
//   end
//
// Regions are numbered from 0 in the order of their lines. An unknown module or symbol is empty.
#ifndef OMPCOLLECT_RAW_PROFILE_H
#define OMPCOLLECT_RAW_PROFILE_H

#include "profile.h"
#include "text_output.h"

namespace ompcollect {

inline constexpr char kRawProfileHead[] = "ompcollect-profile\t1";
inline constexpr char kRawProfileSuffix[] = ".profile";

void write_raw_profile(const Profile &profile, TextOutput &out);

} // namespace ompcollect

#endif
