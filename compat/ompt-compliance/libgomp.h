// SPDX-License-Identifier: Apache-2.0
//
// The runtime called "libgomp": GNU's, with libgomp-ompt in front of it, which has the OMPT.
#pragma once

#include <string>

namespace compliance {

inline constexpr const char *kLibgomp = "libgomp";

// What dlopen is to open for a runtime as --runtime names it. For libgomp it loads libgomp-ompt
// into this process, where it stands before what is opened later.
std::string library_of(const std::string &runtime);

} // namespace compliance
