// SPDX-License-Identifier: Apache-2.0
//
// What is known of Python's structures: the offsets by version beside its headers, the table for
// debuggers, lines of code objects, texts.
#include "line_of_code.h"
#include "python_layout.h"
#include "python_text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

extern "C" const size_t *python_offsets(void); // python_offsets.c; null: no headers of 3.11

namespace ompcollect {
namespace {

// 3.13.0's own, with the sizes of its structures; the words that are not looked at are 0.
struct MadeTable {
    DebugTable words = {};
    explicit MadeTable(unsigned version) {
        memcpy(words, "xdebugpy", 8);
        words[1] = uint64_t{version} << 16 | 0x00f0;
        const bool is_314 = version == kPython314;
        put(3, {283320, 608, 632});
        put(6, {230000, 7248, 7264, 7344});
        put(is_314 ? 22 : 19, {336, 0, 8, 16, 72, 152, 160});
        put(is_314 ? 31 : 28, {88, 8, 0, 56, 72, 70});
        put(is_314 ? 39 : 34, {208, 112, 120, 128, 136, 68, 52, 96, 104, 200});
    }
    void put(unsigned at, const std::vector<uint64_t> &values) {
        for (const uint64_t value : values) {
            words[at++] = value;
        }
    }
    LayoutFound find(PythonLayout &layout) const {
        return find_layout(static_cast<unsigned>(words[1] >> 16), words, layout);
    }
};

TEST(PythonLayout, IsThatOfTheHeaders) {
    const size_t *const offsets = python_offsets();
    if (!offsets) {
        GTEST_SKIP() << "no headers of Python 3.11";
    }
    const PythonLayout &own = kLayout311;
    const size_t ours[] = {own.interpreters,
                           own.next_interpreter,
                           own.threads,
                           own.next_thread,
                           own.interpreter_of_thread,
                           own.native_thread_id,
                           own.c_frame,
                           own.current_frame,
                           own.previous_c_frame,
                           own.code,
                           own.previous,
                           own.instruction,
                           own.owner,
                           own.is_entry,
                           own.first_line,
                           own.file,
                           own.name,
                           own.lines,
                           own.instructions,
                           own.ascii_head,
                           own.other_head,
                           kTypeOfObject,
                           kLengthOfObject,
                           kStateOfText,
                           kBytesOfBytes};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; ++i) {
        EXPECT_EQ(ours[i], offsets[i]) << "number " << i << " in python_offsets.c";
    }
}

TEST(PythonLayout, ComesFromTheTableForDebuggers) {
    for (const unsigned version : {kPython313, kPython314}) {
        PythonLayout layout = {};
        ASSERT_EQ(MadeTable(version).find(layout), LayoutFound::kYes) << version;
        EXPECT_EQ(layout.interpreters, 632);
        EXPECT_EQ(layout.next_interpreter, 7264);
        EXPECT_EQ(layout.threads, 7344);
        EXPECT_EQ(layout.native_thread_id, 160);
        EXPECT_EQ(layout.c_frame, 0);
        EXPECT_EQ(layout.current_frame, 72);
        EXPECT_EQ(layout.instruction, 56);
        EXPECT_EQ(layout.owner, 70);
        EXPECT_EQ(layout.name, 128);
        EXPECT_EQ(layout.first_line, 68);
        EXPECT_EQ(layout.instructions, 200);
        EXPECT_EQ(layout.kind_bit, version == kPython313 ? 2 : 16);
    }
}

TEST(PythonLayout, OfALyingTableIsNone) {
    PythonLayout layout = {};
    MadeTable other_cookie(kPython313);
    other_cookie.words[0] ^= 1;
    EXPECT_EQ(other_cookie.find(layout), LayoutFound::kImplausible);
    MadeTable free_threaded(kPython313);
    free_threaded.words[2] = 1;
    EXPECT_EQ(free_threaded.find(layout), LayoutFound::kFreeThreaded);
    // Each offset that is used, out of its structure and at an odd place.
    for (const unsigned word : {5, 8, 9, 21, 22, 23, 25, 29, 30, 31, 33, 35, 37, 38, 39, 43}) {
        MadeTable far(kPython313);
        far.words[word] = uint64_t{1} << 40;
        EXPECT_EQ(far.find(layout), LayoutFound::kImplausible) << word;
        MadeTable odd(kPython313);
        odd.words[word] += 3;
        EXPECT_TRUE(word == 33 || odd.find(layout) == LayoutFound::kImplausible) << word;
    }
    MadeTable large(kPython313);
    large.words[28] = 100000;
    EXPECT_EQ(large.find(layout), LayoutFound::kImplausible);
    DebugTable nothing = {};
    EXPECT_EQ(find_layout(kPython313, nothing, layout), LayoutFound::kImplausible);
}

TEST(PythonLayout, OfAnotherVersionIsUnknown) {
    PythonLayout layout = {};
    for (const unsigned version : {0U, 0x030aU, 0x030fU, 0x0400U}) {
        EXPECT_EQ(find_layout(version, MadeTable(kPython313).words, layout),
                  LayoutFound::kUnknownVersion);
    }
}

int line_in(const std::vector<int> &table, long unit, int first) {
    size_t at = 0;
    return line_of_unit(unit, first, [&] { return at < table.size() ? table[at++] : -1; });
}

TEST(PythonLines, AreThoseOfTheTable) {
    const std::vector<int> table = {
        0x80 | 15 << 3 | 0, // unit 0 has no line
        0x80 | 0 << 3 | 1,
        0x00, // units 1, 2: the first line
        0x80 | 11 << 3 | 0,
        0,
        0, // unit 3: a line further
        0x80 | 13 << 3 | 7,
        5 << 1 | 1, // units 4 to 11: five lines back
        0x80 | 14 << 3 | 0,
        0x40 | 0x08,
        0x03, // unit 12: a hundred lines further
        0,
        0,
        0, //
        0x80 | 10 << 3 | 0,
        1,
        1, // unit 13: the same line
    };
    const int expected[] = {10, 10, 10, 11, 6, 6, 6, 6, 6, 6, 6, 6, 106, 106, 0};
    for (long unit = 0; unit < 15; ++unit) {
        EXPECT_EQ(line_in(table, unit, 10), expected[unit]) << unit;
    }
}

// Nothing else than an end, whatever the bytes are.
TEST(PythonLines, OfDamagedTablesAreNone) {
    EXPECT_EQ(line_in({}, 0, 1), 0);
    EXPECT_EQ(line_in({0x12, 0x80}, 0, 1), 0);
    EXPECT_EQ(line_in({0x80 | 14 << 3}, 5, 1), 0);
    std::vector<int> endless(100000, 0xff);
    EXPECT_EQ(line_in(endless, 1L << 40, 1), 0);
    uint32_t seed = 1;
    for (int turn = 0; turn < 2000; ++turn) {
        std::vector<int> bytes;
        for (int i = 0; i < 40; ++i) {
            seed = seed * 1664525 + 1013904223;
            bytes.push_back(static_cast<int>(seed >> 24));
        }
        line_in(bytes, static_cast<long>(seed % 100), 1);
    }
}

std::string utf8(const std::u32string &text, size_t room = 100) {
    std::string to(room, '?');
    to.resize(
        to_utf8(reinterpret_cast<const char *>(text.data()), 4, text.size(), to.data(), room));
    return to;
}

TEST(PythonTexts, AreUtf8) {
    EXPECT_EQ(utf8(U"a\u00e9\u8a08\U0001f40d"), "a\u00e9\u8a08\U0001f40d");
    EXPECT_EQ(utf8(std::u32string(1, char32_t{0xd800}) + char32_t{0x7fffffff}), "\ufffd\ufffd");
    EXPECT_EQ(utf8(U"\u8a08\u8a08", 5), "\u8a08"); // no part of a character
    std::string latin = "\xe9";
    char to[4];
    EXPECT_EQ(to_utf8(latin.data(), 1, 1, to, sizeof to), 2U);
}

TEST(PythonTexts, HaveTheShapeOfTheirState) {
    constexpr uint32_t kCompactAscii = 1 << 2 | 1 << 5 | 1 << 6;
    const TextShape ascii = text_shape(kLayout311, 7, kCompactAscii);
    EXPECT_EQ(ascii.head, 48U);
    EXPECT_EQ(ascii.bytes(), 7U);
    const TextShape wide = text_shape(kLayout312, 7, 2 << 2 | 1 << 5);
    EXPECT_EQ(wide.head, 56U);
    EXPECT_EQ(wide.bytes(), 14U);
    EXPECT_EQ(text_shape(kLayout311, 7, 3 << 2 | 1 << 5).width, 0U);   // no such kind
    EXPECT_EQ(text_shape(kLayout311, 7, 1 << 2).width, 0U);            // not compact
    EXPECT_EQ(text_shape(kLayout311, ~0ULL, kCompactAscii).width, 0U); // too long
}

} // namespace
} // namespace ompcollect
