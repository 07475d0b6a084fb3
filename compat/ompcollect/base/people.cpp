// SPDX-License-Identifier: Apache-2.0
#include "people.h"

#include "printable.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <unistd.h>

namespace ompcollect::report {
namespace {

// The next character, or the next byte as an escape. Returns how many bytes of the text that were.
size_t append_shown(std::string &to, std::string_view text) {
    const size_t shown = shown_bytes(text.data(), text.size());
    if (shown != 0) {
        to += text.substr(0, shown);
        return shown;
    }
    char escape[kEscapeSize];
    write_escape(escape, text.front());
    to.append(escape, sizeof escape);
    return 1;
}

// How many bytes at the begin are visible ASCII. Most texts are that as a whole.
size_t plain_bytes(std::string_view text) {
    const auto *const other =
        std::find_if(text.begin(), text.end(), [](char byte) { return byte < ' ' || byte > '~'; });
    return static_cast<size_t>(other - text.begin());
}

// What may stand at the begin of a line's rest besides characters that are visible.
size_t own_bytes(std::string_view text, bool may_be_bold) {
    if (text.front() == '\n') {
        return 1;
    }
    for (const std::string_view own : {kBoldBegin, kBoldEnd}) {
        if (may_be_bold && text.starts_with(own)) {
            return own.size();
        }
    }
    return 0;
}

} // namespace

std::string printable(std::string_view text) {
    std::string to;
    to.reserve(text.size());
    while (!text.empty()) {
        const size_t plain = plain_bytes(text);
        to += text.substr(0, plain);
        text.remove_prefix(plain);
        if (!text.empty()) {
            text.remove_prefix(append_shown(to, text));
        }
    }
    return to;
}

bool is_printable(std::string_view text) {
    return plain_bytes(text) == text.size() || printable(text) == text;
}

std::string visible(std::string_view lines, bool may_be_bold) {
    std::string to;
    to.reserve(lines.size());
    while (!lines.empty()) {
        const size_t plain = plain_bytes(lines);
        const size_t kept = plain != 0 ? plain : own_bytes(lines, may_be_bold);
        to += lines.substr(0, kept);
        lines.remove_prefix(kept != 0 ? kept : append_shown(to, lines));
    }
    return to;
}

bool tell(int fd, std::string_view lines) {
    const std::string shown = visible(lines);
    for (size_t written = 0; written < shown.size();) {
        const ssize_t now = write(fd, shown.data() + written, shown.size() - written);
        if (now < 0 && errno == EINTR) {
            continue;
        }
        if (now <= 0) {
            return false;
        }
        written += static_cast<size_t>(now);
    }
    return true;
}

bool takes_escapes(int fd) {
    const char *name = getenv("TERM");
    return isatty(fd) == 1 && !(name && std::string_view(name) == "dumb");
}

void complain(std::string_view line) {
    tell(STDERR_FILENO, "ompcollect: " + printable(line) + "\n");
}

} // namespace ompcollect::report
