// SPDX-License-Identifier: Apache-2.0
//
// The options, "--name", that a text has.
#pragma once

#include <cctype>
#include <set>
#include <string>

namespace ocb_test {

inline std::set<std::string> options_in(const std::string &text) {
    std::set<std::string> options;
    std::string word;
    for (const char c : text + " ") {
        if (isalnum(static_cast<unsigned char>(c)) || c == '-') {
            word += c;
            continue;
        }
        if (word.size() > 2 && word.starts_with("--") && word != "---") {
            options.insert(word);
        }
        word.clear();
    }
    return options;
}

} // namespace ocb_test
