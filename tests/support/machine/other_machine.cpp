// SPDX-License-Identifier: Apache-2.0
//
// other_machine.cpp - see other_machine.h. OCB_TEST_BUILD, OCB_TEST_BUILDS (the folder of all) and
// OCB_TEST_LIBOMP_FOLDER come from CMake; fetch_root.sh fetches what lies in machines/.
#include "other_machine.h"

#include <cstdlib>

namespace ocb_test {

namespace {

std::string folder_of_machine() {
    return std::string(OCB_TEST_BUILDS) + "/machines/" + other_machine();
}

// Where the compiler's libraries lie for a machine of which Debian has no packages.
std::string root() {
    const char *other = std::getenv("OCB_TEST_MACHINE_ROOT");
    return other != nullptr ? other : folder_of_machine() + "/root";
}

} // namespace

std::string other_machine() {
    const char *name = std::getenv("OCB_TEST_MACHINE");
    return name != nullptr ? name : "";
}

std::string on_machine(const std::string &path) {
    if (other_machine().empty()) {
        return path;
    }
    const std::string libomp = OCB_TEST_LIBOMP_FOLDER;
    if (path.rfind(libomp + "/", 0) == 0) {
        return folder_of_machine() + "/libomp" + path.substr(libomp.size());
    }
    const std::string build = OCB_TEST_BUILD;
    if (path.rfind(build + "/", 0) == 0) {
        return std::string(OCB_TEST_BUILDS) + "/" + other_machine() + path.substr(build.size());
    }
    return path;
}

std::vector<std::string> command_of(const std::string &program) {
    if (other_machine().empty()) {
        return {program};
    }
    return {"/usr/bin/qemu-" + other_machine() + "-static", "-L", root(), program};
}

} // namespace ocb_test
