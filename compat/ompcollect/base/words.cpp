// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace ompcollect::report {

std::string format(const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    const int size = vsnprintf(nullptr, 0, pattern, arguments);
    va_end(arguments);
    std::string text(size > 0 ? static_cast<size_t>(size) : 0, '\0');
    va_start(arguments, pattern);
    vsnprintf(text.data(), text.size() + 1, pattern, arguments);
    va_end(arguments);
    return text;
}

std::string duration(double seconds) {
    const double size = std::fabs(seconds);
    if (size >= 100 || size == 0) {
        return format("%.0f s", seconds);
    }
    if (size >= 0.1) {
        return format("%.2f s", seconds);
    }
    if (size >= 1e-3) {
        return format("%.1f ms", seconds * 1e3);
    }
    return format("%.1f us", seconds * 1e6);
}

std::string percent(double share) {
    return format(share * 100 >= 9.95 ? "%.0f %%" : "%.1f %%", share * 100);
}

std::string grouped(uint64_t number) {
    std::string digits = std::to_string(number);
    for (size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string base_name(const std::string &path) {
    return path.substr(path.rfind('/') + 1);
}

std::string joined(const std::vector<std::string> &words, const char *between) {
    std::string to;
    for (const std::string &word : words) {
        to += (to.empty() ? "" : between) + word;
    }
    return to;
}

std::string place_in_module(const std::string &module, uint64_t offset) {
    return base_name(module) + format("+0x%llx", static_cast<unsigned long long>(offset));
}

std::string csv_field(const std::string &text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) {
        return text;
    }
    std::string to = "\"";
    for (const char c : text) {
        to += c == '"' ? "\"\"" : std::string(1, c);
    }
    return to + "\"";
}

std::string markup(const std::string &text) {
    std::string to;
    for (const char c : text) {
        switch (c) {
        case '&':
            to += "&amp;";
            break;
        case '<':
            to += "&lt;";
            break;
        case '>':
            to += "&gt;";
            break;
        case '"':
            to += "&quot;";
            break;
        default:
            to += c;
        }
    }
    return to;
}

} // namespace ompcollect::report
