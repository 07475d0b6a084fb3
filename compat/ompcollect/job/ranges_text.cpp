// SPDX-License-Identifier: Apache-2.0
#include "ranges_text.h"

namespace ompcollect::report {

std::string ranges_text(const std::vector<int> &numbers, size_t most_parts) {
    std::string text;
    size_t parts = 0;
    for (size_t i = 0; i < numbers.size();) {
        size_t end = i + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) {
            ++end;
        }
        if (parts++ == most_parts) {
            return text + " and " + std::to_string(numbers.size() - i) + " more";
        }
        text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
        if (end - i > 1) {
            text += (end - i > 2 ? "-" : ", ") + std::to_string(numbers[end - 1]);
        }
        i = end;
    }
    return text;
}

} // namespace ompcollect::report
