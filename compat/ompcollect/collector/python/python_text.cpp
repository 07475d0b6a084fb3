// SPDX-License-Identifier: Apache-2.0
#include "python_text.h"

#include "row_index.h"
#include "store.h"

#include <algorithm>
#include <cstring>

namespace ompcollect {
namespace {

// A program that makes names without end is shown with as many of them.
constexpr uint32_t kMostTextRows = 1U << 18;
constexpr uint32_t kMostCodeRows = 1U << 17;
constexpr size_t kPiece = sizeof(PythonTextRow::bytes);

uint64_t hash_of_text(const char *text, size_t length) {
    uint64_t hash = length + 1;
    for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, text + at, std::min(length - at, sizeof word));
        hash = mixed(hash, word);
    }
    return hash != 0 ? hash : 1;
}

void fill_piece(PythonTextRow &row, const char *text, size_t length) {
    memcpy(row.bytes, text, std::min(length, kPiece));
}

struct TextTraits {
    struct Key {
        uint64_t hash;
        const char *text;
        size_t length;
        bool operator==(const Key &other) const { return hash == other.hash; }
    };
    using Row = PythonTextRow;
    static constexpr RowKind kKind = RowKind::kPythonText;
    static uint32_t hash(const Key &key) { return hash_of(key.hash, 0); }
    static Key key_of(const Row &row) { return {row.hash, nullptr, 0}; }
    // Without room for a piece the text ends before it.
    static void fill(Row &row, const Key &key) {
        row.hash = key.hash;
        row.next = kNoRow;
        fill_piece(row, key.text, key.length);
        Row *last = &row;
        for (size_t at = kPiece; at < key.length; at += kPiece) {
            const uint32_t number = add_row(kKind);
            if (number == kNoRow) {
                return;
            }
            Row *const piece = row_as<Row>(kKind, number);
            piece->next = kNoRow;
            fill_piece(*piece, key.text + at, key.length - at);
            piece->ready.store(1, std::memory_order_release);
            last->next = number;
            last = piece;
        }
    }
};

using CodeTraits = WordsTraits<PythonCodeRow, RowKind::kPythonCode, &PythonCodeRow::file,
                               &PythonCodeRow::name, &PythonCodeRow::first_line>;

constinit RowIndex<TextTraits> texts;
constinit RowIndex<CodeTraits> codes;

size_t put_utf8(uint32_t character, char *to, size_t room) {
    constexpr uint32_t kHighest = 0x10ffff;
    const bool is_surrogate = character >= 0xd800 && character < 0xe000;
    character = character > kHighest || is_surrogate ? 0xfffd : character;
    const size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    if (size > room) {
        return 0;
    }
    if (size == 1) {
        to[0] = static_cast<char>(character);
        return 1;
    }
    for (size_t i = size - 1; i > 0; --i, character >>= 6) {
        to[i] = static_cast<char>(0x80 | (character & 0x3f));
    }
    to[0] = static_cast<char>((0xf00 >> size & 0xff) | character);
    return size;
}

uint32_t character_at(const char *from, size_t width, size_t number) {
    uint32_t character = 0;
    memcpy(&character, from + number * width, width); // the low bytes come first
    return character;
}

} // namespace

TextShape text_shape(const PythonLayout &layout, uint64_t length, uint32_t state) {
    constexpr uint64_t kLongest = uint64_t{1} << 40;
    const unsigned kind = state >> layout.kind_bit & 7U;
    const bool is_compact = (state >> (layout.kind_bit + 3) & 1U) != 0;
    const bool is_ascii = (state >> (layout.kind_bit + 4) & 1U) != 0;
    const bool is_text = (kind == 1 || kind == 2 || kind == 4) && is_compact && length < kLongest;
    return {is_ascii ? layout.ascii_head : layout.other_head, is_text ? size_t{kind} : 0,
            static_cast<size_t>(length)};
}

size_t to_utf8(const char *from, size_t width, size_t length, char *to, size_t size) {
    size_t filled = 0;
    for (size_t i = 0; i < length; ++i) {
        const size_t more = put_utf8(character_at(from, width, i), to + filled, size - filled);
        if (more == 0) {
            break;
        }
        filled += more;
    }
    return filled;
}

uint32_t python_text_row(const char *text, size_t length) {
    const TextTraits::Key key = {hash_of_text(text, length), text, length};
    const uint32_t known = texts.find(key);
    return known != kNoRow || row_count(RowKind::kPythonText) >= kMostTextRows
               ? known
               : texts.find_or_add(key);
}

uint32_t python_code_row(uint32_t file, uint32_t name, uint32_t first_line) {
    const CodeTraits::Key key = {file, name, first_line};
    const uint32_t known = codes.find(key);
    return known != kNoRow || row_count(RowKind::kPythonCode) >= kMostCodeRows
               ? known
               : codes.find_or_add(key);
}

bool python_rows_are_full() {
    return row_count(RowKind::kPythonText) >= kMostTextRows ||
           row_count(RowKind::kPythonCode) >= kMostCodeRows;
}

void grow_python_rows() {
    texts.grow();
    codes.grow();
}

void restart_python_rows() {
    texts.clear();
    codes.clear();
}

} // namespace ompcollect
