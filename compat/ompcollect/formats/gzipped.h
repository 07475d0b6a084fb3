// SPDX-License-Identifier: Apache-2.0
//
// Compressed bytes, by zlib.
#pragma once

#include <string>

namespace ompcollect::report {

std::string gzipped(const std::string &bytes);
// What a browser's DecompressionStream("deflate-raw") takes.
std::string deflated(const std::string &bytes);

} // namespace ompcollect::report
