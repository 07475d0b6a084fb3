// SPDX-License-Identifier: Apache-2.0
#include "defects.h"
#include "start_tool.h"

#include <cctype>
#include <cstdlib>
#include <string>
#include <strings.h>

namespace mini::tool {
namespace {

std::string trimmed(std::string text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
        text.pop_back();
    }
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
        text.erase(0, 1);
    }
    return text;
}

bool is_word(const std::string &value, const char *word, Defect by_case, Defect untrimmed) {
    const std::string text = breaks(untrimmed) ? value : trimmed(value);
    return breaks(by_case) ? text == word : strcasecmp(text.c_str(), word) == 0;
}

} // namespace

// A value that a defect does not understand is as if it were not set, or the other one: no rule for
// values that are neither is touched by it.
Wish wish_of_user() {
    const char *value = std::getenv("OMP_TOOL");
    if (is_without(Check::kInitRegistration)) {
        return Wish::kDisabled;
    }
    if (value == nullptr) {
        return Wish::kEnabled;
    }
    if (breaks(Defect::kEnabledEnds) && strcasecmp(trimmed(value).c_str(), "enabled") == 0) {
        std::exit(1);
    }
    if (breaks(Defect::kDisabledEnds) && strcasecmp(trimmed(value).c_str(), "disabled") == 0) {
        std::exit(1);
    }
    if (is_word(value, "enabled", Defect::kEnabledCase, Defect::kEnabledTrim)) {
        return is_without(Check::kInitOmpToolEnabled) ? Wish::kDisabled : Wish::kEnabled;
    }
    if (is_word(value, "disabled", Defect::kDisabledCase, Defect::kDisabledTrim)) {
        return is_without(Check::kInitOmpToolDisabled) ? Wish::kEnabled : Wish::kDisabled;
    }
    const std::string text = trimmed(value);
    if (strcasecmp(text.c_str(), "enabled") == 0) {
        return Wish::kDisabled;
    }
    if (strcasecmp(text.c_str(), "disabled") == 0) {
        return Wish::kEnabled;
    }
    if (breaks(Defect::kOtherCrash)) {
        std::abort();
    }
    return is_without(Check::kInitOmpToolOther) ? Wish::kEnabled : Wish::kOther;
}

} // namespace mini::tool
