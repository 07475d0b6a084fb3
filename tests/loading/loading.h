// SPDX-License-Identifier: Apache-2.0
// Where the programs of these tests lie, and the old names.
#pragma once

#include <map>
#include <string>

namespace ocb_test {

inline const std::string kOwn = OCB_TEST_PROGRAM_FOLDER;
inline const std::string kOfStartTests = OCB_TEST_START_PROGRAMS;
// The program itself sends START.
inline const std::map<std::string, std::string> kStartedByProgram = {{"OCB_TEST_START", "program"}};

inline constexpr const char *kOpenmp = "libopenmp.so";
inline constexpr const char *kTauGomp = "libTAU-gomp.so";
inline const std::string kLibraries = OCB_TEST_LIBRARY_FOLDER;

} // namespace ocb_test
