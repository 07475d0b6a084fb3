// SPDX-License-Identifier: Apache-2.0
#include "code_mapping.h"

#include <fstream>
#include <sstream>
#include <string>

namespace compliance {

bool is_code(std::uintptr_t address) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::istringstream fields(line);
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        std::string permissions;
        fields >> std::hex >> begin >> dash >> end >> permissions;
        if (address >= begin && address < end) {
            return permissions.size() > 2 && permissions[2] == 'x';
        }
    }
    return false;
}

} // namespace compliance
