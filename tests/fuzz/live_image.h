// SPDX-License-Identifier: Apache-2.0
// The files of a process as the collector leaves them, made by hand: a row of each kind and more.
#pragma once

#include <cstddef>
#include <string>

namespace ocb::test {

struct LiveImage {
    std::string profile;
    std::string samples; // the file beside it
};

// `rows` of nodes, cells and samples; so many that 10^5 bytes are in use is a few thousand.
LiveImage live_image(std::size_t rows = 8);

} // namespace ocb::test
