// SPDX-License-Identifier: Apache-2.0
#include "environment.h"

#include "failure.h"
#include "people.h"
#include "private_directory.h"
#include "words.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace ompcollect {
namespace {

// A link that keeps the library's file name, as far as ld.so takes it. Two libraries of one name
// get links of two.
std::string link_to(const std::string &library, const std::string &directory) {
    std::string name = library.substr(library.rfind('/') + 1);
    for (char &c : name) {
        c = unfit_for_preload(std::string(1, c)) ? '_' : c;
    }
    std::string link = directory + "/" + name;
    for (int number = 2; symlink(library.c_str(), link.c_str()) != 0; ++number) {
        std::error_code ignored;
        if (errno == EEXIST && std::filesystem::read_symlink(link, ignored) == library) {
            break;
        }
        if (errno != EEXIST) {
            std::string message = "no link to ";
            message.append(library).append(" in ").append(directory).append(": ");
            message.append(strerror(errno));
            message.append("; set TMPDIR to a directory that can hold links");
            throw Failure(message);
        }
        link = directory;
        link.append("/").append(std::to_string(number)).append("-").append(name);
    }
    return link;
}

// For bytes that a screen is not to get: bash, ksh and zsh read them back.
std::string dollar_quoted(const std::string &text) {
    std::string quoted = "$'";
    for (const char c : text) {
        const bool is_plain = c != '\'' && c != '\\' && c >= ' ' && c < 0x7f;
        char number[8];
        snprintf(number, sizeof number, "\\%03o",
                 static_cast<unsigned>(static_cast<unsigned char>(c)));
        quoted += is_plain ? std::string(1, c) : number;
    }
    return quoted + "'";
}

} // namespace

std::string preload_value(const std::string &already_set, const std::vector<std::string> &libraries,
                          const std::string &link_directory) {
    std::string value = already_set;
    for (const std::string &library : libraries) {
        if (!value.empty()) {
            value += ':';
        }
        const bool link = unfit_for_preload(library) && !link_directory.empty();
        value += link ? link_to(library, link_directory) : library;
    }
    return value;
}

std::string shell_quoted(const std::string &text) {
    constexpr char kPlain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-./:=,+@%";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
        return text;
    }
    const std::string shown = report::printable(text);
    if (shown != text) {
        return dollar_quoted(text);
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

} // namespace ompcollect
