// SPDX-License-Identifier: Apache-2.0
//
// Reads the raw profiles that processes leave (profile/raw_profile.h says what they look like).
#ifndef OMPCOLLECT_RAW_READER_H
#define OMPCOLLECT_RAW_READER_H

#include "profile.h"

#include <deque>
#include <istream>
#include <memory>
#include <string>
#include <vector>

namespace ompcollect {

// A profile together with the memory that it points to. Rows may be changed in place.
class LoadedProfile {
  public:
    LoadedProfile() = default;
    LoadedProfile(const LoadedProfile &) = delete;
    LoadedProfile &operator=(const LoadedProfile &) = delete;

    // A copy of the text that lives as long as the profile; null for an empty one.
    const char *keep(const std::string &text);

    Profile profile;
    std::vector<ThreadRow> threads;
    std::vector<RegionRow> regions;
    std::vector<LockRow> locks;

  private:
    std::deque<std::string> strings_;
};

// Throws Failure for a text that is not a complete raw profile.
std::unique_ptr<LoadedProfile> read_raw_profile(std::istream &in, const std::string &name);

} // namespace ompcollect

#endif
