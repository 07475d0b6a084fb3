// SPDX-License-Identifier: Apache-2.0
#include "text_layout.h"

#include "people.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace ompcollect::report {
namespace {

constexpr std::string_view kEllipsis = "...";

bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// The name's end without the argument list that closes it; templates' brackets may hold further
// ones. "operator()" keeps its own.
size_t end_without_arguments(std::string_view name) {
    constexpr std::string_view kCall = "operator()";
    const size_t call = name.find(kCall);
    int depth = 0;
    for (size_t i = call == name.npos ? 0 : call + kCall.size(); i < name.size(); ++i) {
        depth += name[i] == '<' ? 1 : 0;
        depth -= name[i] == '>' && depth > 0 ? 1 : 0;
        if (name[i] == '(' && depth == 0 && i > 0 && !name.substr(i).starts_with("(anonymous")) {
            return i;
        }
    }
    return name.size();
}

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

// What stands in angle brackets becomes nothing; `keep` for "operator<" and the like.
std::string without_brackets(std::string_view name, bool keep) {
    std::string to;
    int depth = 0;
    for (const char c : name) {
        const bool opens = !keep && c == '<';
        if (opens && depth++ == 0) {
            to += "<>";
        }
        if (depth == 0) {
            to += c;
        }
        if (!keep && c == '>' && depth > 0) {
            --depth;
        }
    }
    return to;
}

// Where the name itself begins: a function template's name stands behind the type that it returns.
size_t begin_without_type(std::string_view name, size_t end) {
    if (has(name, "operator")) {
        return 0;
    }
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i < end; ++i) {
        depth += name[i] == '<' || name[i] == '(' ? 1 : 0;
        depth -= name[i] == '>' || name[i] == ')' ? 1 : 0;
        if (name[i] == ' ' && depth == 0) {
            begin = i + 1;
        }
    }
    return begin;
}

// With "..." behind it, for which whole words make room.
std::string shortened_end(std::string line, size_t columns) {
    while (!line.empty() && columns_of(line) + 1 + kEllipsis.size() > columns) {
        const size_t space = line.rfind(' ');
        line.resize(space == line.npos ? 0 : space);
    }
    return line + (line.empty() ? "" : " ") + std::string(kEllipsis);
}

} // namespace

size_t columns_of(std::string_view text) {
    return text.size() -
           static_cast<size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

size_t line_count(std::string_view text) {
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string shortened(std::string_view text, size_t columns) {
    const size_t width = columns_of(text);
    if (width <= columns) {
        return std::string(text);
    }
    const size_t kept = columns > kEllipsis.size() ? columns - kEllipsis.size() : 0;
    const size_t head = kept / 2;
    const size_t tail_begin = width - (kept - head);
    std::string to;
    size_t column = 0;
    bool gap = false;
    for (const char c : text) {
        column += continues_character(c) ? 0 : 1; // from 1
        if (column <= head || column > tail_begin) {
            to += c;
        } else if (!gap) {
            to += kEllipsis.substr(0, columns);
            gap = true;
        }
    }
    return to;
}

std::string shortened_name(const std::string &name, size_t columns) {
    if (columns_of(name) <= columns) {
        return name;
    }
    std::string_view shorter = name;
    const size_t end = end_without_arguments(shorter);
    if (end < name.size()) {
        const size_t begin = begin_without_type(name, end);
        shorter = shorter.substr(begin, end - begin);
    }
    if (columns_of(shorter) <= columns) {
        return std::string(shorter);
    }
    const bool keep = has(name, "operator<") || has(name, "operator>") || has(name, "operator-");
    return shortened(without_brackets(shorter, keep), columns);
}

// The line and most of the file stay: a reader opens them.
std::string shortened_place(const std::string &name, const std::string &source, size_t columns) {
    const size_t colon = std::min(source.rfind(':'), source.size());
    const std::string line = source.substr(colon);
    const auto source_in = [&](size_t room) {
        const size_t for_file = room - std::min(room, columns_of(line));
        return for_file != 0 ? shortened(source.substr(0, colon), for_file) + line
                             : shortened(source, room);
    };
    if (name.empty() || name == source) {
        return source_in(columns);
    }
    constexpr size_t kFewest = 12; // a name of few letters tells nothing
    const size_t for_name = std::min(columns_of(name), kFewest) + 1;
    const size_t room = std::max(columns - std::min(columns, for_name), columns * 2 / 3);
    const std::string place = source_in(std::min(columns_of(source), room));
    const size_t used = place.empty() ? 0 : columns_of(place) + 1;
    return used >= columns ? place
                           : shortened_name(name, columns - used) + (used == 0 ? "" : " ") + place;
}

std::string hanging_lines(const std::string &head, const std::string &words, size_t width,
                          size_t most) {
    const size_t indent = columns_of(head);
    const size_t room = width > indent ? width - indent : 1;
    std::istringstream in(words);
    std::vector<std::string> lines(1);
    for (std::string word; in >> word;) {
        const std::string fit = shortened(word, room);
        if (!lines.back().empty() && columns_of(lines.back()) + 1 + columns_of(fit) > room) {
            lines.emplace_back();
        }
        lines.back() += (lines.back().empty() ? "" : " ") + fit;
    }
    if (most != 0 && lines.size() > most) {
        lines.resize(most);
        lines.back() = shortened_end(lines.back(), room);
    }
    std::string out;
    for (size_t i = 0; i < lines.size(); ++i) {
        out += (i == 0 ? head : std::string(indent, ' ')) + lines[i] + "\n";
    }
    return out;
}

WrappedLines::~WrappedLines() {
    if (!line_.empty()) {
        end_line();
    }
}

void WrappedLines::piece(std::string_view text) {
    const std::string fit = shortened(printable(text), width_ > indent_ ? width_ - indent_ : 1);
    if (!line_.empty() && indent_ + columns_of(line_) + 1 + columns_of(fit) > width_) {
        end_line();
    }
    line_ += (line_.empty() ? "" : " ") + fit;
}

void WrappedLines::sentence(std::string_view text) {
    while (!text.empty()) {
        const size_t length = std::min(text.find(' '), text.size());
        piece(text.substr(0, length));
        text.remove_prefix(std::min(length + 1, text.size()));
    }
}

void WrappedLines::end_line() {
    out_ += std::string(indent_, ' ') + line_ + '\n';
    line_.clear();
}

} // namespace ompcollect::report
