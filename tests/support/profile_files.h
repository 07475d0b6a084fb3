// SPDX-License-Identifier: Apache-2.0
//
// The profiles that programs without the launcher leave in a folder.
#pragma once

#include "profile_file.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace ocb_test {

// In the order of their names.
inline std::vector<std::filesystem::path> profile_files(const std::string &folder) {
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ompcollect::kProfileSuffix) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace ocb_test
