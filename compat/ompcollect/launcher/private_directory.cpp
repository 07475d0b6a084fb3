// SPDX-License-Identifier: Apache-2.0
//
// See private_directory.h.
#include "private_directory.h"

#include "failure.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace ompcollect {

bool unfit_for_preload(const std::string &path) {
    return path.find_first_of(" :$") != std::string::npos;
}

PrivateDirectory::PrivateDirectory() {
    const char *chosen = getenv("TMPDIR");
    for (const char *parent : {chosen, "/tmp", "/var/tmp"}) {
        if (!parent || *parent != '/' || unfit_for_preload(parent)) {
            continue;
        }
        std::string name = std::string(parent) + "/ompcollect-XXXXXX";
        if (mkdtemp(name.data())) {
            path_ = name;
            return;
        }
    }
    throw Failure("no directory for temporary files; set TMPDIR to one that can be written and has "
                  "neither space nor colon in its name");
}

PrivateDirectory::~PrivateDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

} // namespace ompcollect
