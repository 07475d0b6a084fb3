// SPDX-License-Identifier: Apache-2.0
#include "process_table.h"

#include <fstream>
#include <sstream>
#include <string>

namespace ompcollect {

uint64_t process_begin(pid_t pid) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::ostringstream text;
    text << in.rdbuf();
    // "PID (name) state ppid ..."; the name may hold anything. The begin is field 22.
    const std::string line = text.str();
    const size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) {
        return 0;
    }
    std::istringstream fields(line.substr(name_end + 1));
    std::string field;
    for (int number = 3; fields >> field; ++number) {
        if (number == 3 && (field == "Z" || field == "X")) {
            return 0;
        }
        if (number == 22) {
            return strtoull(field.c_str(), nullptr, 10);
        }
    }
    return 0;
}

} // namespace ompcollect
