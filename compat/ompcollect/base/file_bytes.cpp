// SPDX-License-Identifier: Apache-2.0
#include "file_bytes.h"

#include <fstream>
#include <sstream>
#include <utility>

namespace ompcollect::report {

std::string bytes_of(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    return std::move(bytes).str();
}

} // namespace ompcollect::report
