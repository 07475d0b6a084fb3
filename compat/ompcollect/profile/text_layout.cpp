// SPDX-License-Identifier: Apache-2.0
#include "text_layout.h"

#include "printable.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace ompcollect {
namespace {

constexpr char kEllipsis[] = "...";
constexpr size_t kEllipsisWidth = 3;

bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

size_t columns_of(const char *text) {
    size_t columns = 0;
    for (; *text; ++text) {
        columns += continues_character(*text) ? 0 : 1;
    }
    return columns;
}

// The name's end without the argument list that closes it; templates' brackets may hold further
// ones. "operator()" keeps its own.
size_t end_without_arguments(const char *name) {
    constexpr char kCall[] = "operator()";
    const char *call = strstr(name, kCall);
    const size_t from = call ? static_cast<size_t>(call - name) + strlen(kCall) : 0;
    int depth = 0;
    for (size_t i = from; name[i]; ++i) {
        depth += name[i] == '<' ? 1 : 0;
        depth -= name[i] == '>' && depth > 0 ? 1 : 0;
        if (name[i] == '(' && depth == 0 && i > 0 && strncmp(name + i, "(anonymous", 10) != 0) {
            return i;
        }
    }
    return strlen(name);
}

// What stands in angle brackets becomes nothing; "operator<" and the like are left alone.
void append_without_brackets(Text &to, const char *name, size_t end) {
    const bool keep =
        strstr(name, "operator<") || strstr(name, "operator>") || strstr(name, "operator-");
    int depth = 0;
    for (size_t i = 0; i < end; ++i) {
        const bool opens = !keep && name[i] == '<';
        if (opens && depth++ == 0) {
            to.append("<>");
        }
        if (depth == 0) {
            to.append(name + i, 1);
        }
        if (!keep && name[i] == '>' && depth > 0) {
            --depth;
        }
    }
}

// Where the name itself begins: a function template's name stands behind the type that it returns.
size_t begin_without_type(const char *name, size_t end) {
    if (strstr(name, "operator")) {
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

} // namespace

size_t Text::columns() const {
    return columns_of(bytes_);
}

Text &Text::append(const char *bytes, size_t count) {
    const size_t room = kCapacity - 1 - size_;
    const size_t taken = count < room ? count : room;
    memcpy(bytes_ + size_, bytes, taken);
    size_ += taken;
    bytes_[size_] = 0;
    return *this;
}

Text &Text::append(const char *text) {
    return append(text, strlen(text));
}

Text &Text::appendf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(bytes_ + size_, kCapacity - size_, format, arguments);
    va_end(arguments);
    if (length > 0) {
        const size_t room = kCapacity - 1 - size_;
        size_ += static_cast<size_t>(length) < room ? static_cast<size_t>(length) : room;
    }
    return *this;
}

void Text::clear() {
    size_ = 0;
    bytes_[0] = 0;
}

void append_printable(Text &to, const char *text) {
    to.size_ += printable_into(to.bytes_ + to.size_, Text::kCapacity - to.size_, text);
}

void append_shortened(Text &to, const char *text, size_t columns) {
    const size_t width = columns_of(text);
    if (width <= columns) {
        to.append(text);
        return;
    }
    const size_t kept = columns > kEllipsisWidth ? columns - kEllipsisWidth : 0;
    const size_t head = kept / 2;
    const size_t tail_begin = width - (kept - head);
    size_t column = 0;
    bool gap = false;
    for (; *text; ++text) {
        const bool starts = !continues_character(*text);
        column += starts ? 1 : 0; // from 1
        if (column <= head || column > tail_begin) {
            to.append(text, 1);
        } else if (!gap) {
            to.append(kEllipsis, kEllipsisWidth < columns ? kEllipsisWidth : columns);
            gap = true;
        }
    }
}

void append_shortened_name(Text &to, const char *name, size_t columns) {
    if (columns_of(name) <= columns) {
        to.append(name);
        return;
    }
    size_t end = end_without_arguments(name);
    if (name[end]) {
        const size_t begin = begin_without_type(name, end);
        name += begin;
        end -= begin;
    }
    Text shorter;
    shorter.append(name, end);
    if (shorter.columns() > columns) {
        shorter.clear();
        append_without_brackets(shorter, name, end);
    }
    append_shortened(to, shorter.c_str(), columns);
}

WrappedLines::~WrappedLines() {
    if (line_.size() != 0) {
        end_line();
    }
}

void WrappedLines::piece(const char *text) {
    Text shown;
    append_printable(shown, text);
    Text fit;
    append_shortened(fit, shown.c_str(), width_ > indent_ ? width_ - indent_ : 1);
    if (line_.size() != 0 && indent_ + line_.columns() + 1 + fit.columns() > width_) {
        end_line();
    }
    line_.append(line_.size() != 0 ? " " : "").append(fit.c_str());
}

void WrappedLines::sentence(const char *text) {
    while (*text) {
        const size_t length = strcspn(text, " ");
        Text word;
        word.append(text, length);
        piece(word.c_str());
        text += length + (text[length] ? 1 : 0);
    }
}

void WrappedLines::end_line() {
    out_.print("%*s%s\n", static_cast<int>(indent_), "", line_.c_str());
    line_.clear();
}

const char *file_name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

} // namespace ompcollect
