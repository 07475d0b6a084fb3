// SPDX-License-Identifier: Apache-2.0
// A folder below /tmp for files that a target reads by their names; it goes with its owner.
#pragma once

#include "input.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>

namespace ocb::test {

class ScratchFolder {
  public:
    ScratchFolder() { require(mkdtemp(name_) != nullptr, "there is a folder"); }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(name_, ignored);
    }
    ScratchFolder(const ScratchFolder &) = delete;
    ScratchFolder &operator=(const ScratchFolder &) = delete;

    [[nodiscard]] std::string put(const std::string &name, std::string_view bytes) const {
        std::string path = name_ + ("/" + name);
        const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        require(fd >= 0 &&
                    write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
                "the file is written");
        close(fd);
        return path;
    }

  private:
    char name_[32] = "/tmp/ocb-fuzz-XXXXXX";
};

} // namespace ocb::test
