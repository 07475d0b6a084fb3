// SPDX-License-Identifier: Apache-2.0
#include "wrapped_text.h"

#include <sstream>

namespace ompcollect {

std::string wrapped(const std::string &sentence, size_t indent, size_t width) {
    std::istringstream words(sentence);
    std::string text;
    std::string line(indent, ' ');
    for (std::string word; words >> word;) {
        const bool first = line.size() == indent;
        if (!first && line.size() + 1 + word.size() > width) {
            text.append(line).append("\n");
            line.assign(indent, ' ');
        } else if (!first) {
            line.append(" ");
        }
        line.append(word);
    }
    return text.append(line).append("\n");
}

} // namespace ompcollect
