// SPDX-License-Identifier: Apache-2.0
//
// Reads the raw profiles that processes leave (profile/raw_profile.h says what they look like).
#ifndef OMPCOLLECT_RAW_READER_H
#define OMPCOLLECT_RAW_READER_H

#include "profile_reader.h"

#include <istream>
#include <memory>
#include <string>

namespace ompcollect {

// Throws Failure for a text that is not a complete raw profile.
std::unique_ptr<LoadedProfile> read_raw_profile(std::istream &in, const std::string &name);

} // namespace ompcollect

#endif
