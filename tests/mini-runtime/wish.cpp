// SPDX-License-Identifier: Apache-2.0
#include "start_tool.h"

#include <cctype>
#include <cstdlib>
#include <string>
#include <strings.h>

namespace mini::tool {

Wish wish_of_user() {
    const char *value = std::getenv("OMP_TOOL");
    if (value == nullptr)
        return Wish::kEnabled;
    std::string text = value;
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.pop_back();
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
        text.erase(0, 1);
    if (strcasecmp(text.c_str(), "enabled") == 0)
        return Wish::kEnabled;
    return strcasecmp(text.c_str(), "disabled") == 0 ? Wish::kDisabled : Wish::kOther;
}

} // namespace mini::tool
