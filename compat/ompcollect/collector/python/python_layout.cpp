// SPDX-License-Identifier: Apache-2.0
#include "python_layout.h"

#include <cstring>

namespace ompcollect {
namespace {

constexpr char kCookie[] = {'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y'};

// Words of the table, by version.
struct TablePlaces {
    unsigned version;
    unsigned thread; // where the offsets in thread states begin, with their size
    unsigned frame;
    unsigned code;
    unsigned kind_bit; // not in the table
};
constexpr TablePlaces kPlaces[] = {
    {kPython313, 19, 28, 34, 2},
    {kPython314, 22, 31, 39, 16},
};

constexpr unsigned kVersionWord = 1;
constexpr unsigned kFreeThreadedWord = 2;
constexpr unsigned kRuntimeWord = 3;
constexpr unsigned kInterpreterWord = 6;
constexpr unsigned kVersionShift = 16;

bool is_below(size_t offset, size_t size, size_t alignment) {
    return offset + alignment <= size && offset % alignment == 0;
}

// Each offset lies within its structure, and structures have sizes as they may have.
bool is_plausible(const PythonLayout &layout, const uint64_t *sizes) {
    constexpr size_t kMostOfRuntime = size_t{1} << 24;
    constexpr size_t kWord = sizeof(void *);
    const size_t runtime = sizes[0];
    const size_t interpreter = sizes[1];
    const size_t thread = sizes[2];
    const size_t frame = sizes[3];
    const size_t code = sizes[4];
    return runtime <= kMostOfRuntime && interpreter <= kMostOfRuntime && thread <= kMostOfRuntime &&
           frame <= kMostFrameHead && code <= kMostCodeHead &&
           is_below(layout.interpreters, runtime, kWord) &&
           is_below(layout.next_interpreter, interpreter, kWord) &&
           is_below(layout.threads, interpreter, kWord) &&
           is_below(layout.next_thread, thread, kWord) &&
           is_below(layout.interpreter_of_thread, thread, kWord) &&
           is_below(layout.native_thread_id, thread, kWord) &&
           is_below(layout.current_frame, thread, kWord) && is_below(layout.code, frame, kWord) &&
           is_below(layout.previous, frame, kWord) && is_below(layout.instruction, frame, kWord) &&
           is_below(layout.owner, frame, 1) && is_below(layout.first_line, code, sizeof(int)) &&
           is_below(layout.file, code, kWord) && is_below(layout.name, code, kWord) &&
           is_below(layout.lines, code, kWord) && is_below(layout.instructions, code, kWord);
}

LayoutFound read_table(const TablePlaces &places, const DebugTable &table, PythonLayout &layout) {
    if (memcmp(table, kCookie, sizeof kCookie) != 0 ||
        table[kVersionWord] >> kVersionShift != places.version) {
        return LayoutFound::kImplausible;
    }
    if (table[kFreeThreadedWord] != 0) {
        return LayoutFound::kFreeThreaded;
    }
    const uint64_t *const runtime = table + kRuntimeWord;
    const uint64_t *const interpreter = table + kInterpreterWord;
    const uint64_t *const thread = table + places.thread;
    const uint64_t *const frame = table + places.frame;
    const uint64_t *const code = table + places.code;
    layout = kLayout312; // of texts
    layout.kind_bit = places.kind_bit;
    layout.c_frame = 0;
    layout.previous_c_frame = 0;
    layout.interpreters = runtime[2];
    layout.next_interpreter = interpreter[2];
    layout.threads = interpreter[3];
    layout.next_thread = thread[2];
    layout.interpreter_of_thread = thread[3];
    layout.current_frame = thread[4];
    layout.native_thread_id = thread[6];
    layout.previous = frame[1];
    layout.code = frame[2];
    layout.instruction = frame[3];
    layout.owner = frame[5];
    layout.file = code[1];
    layout.name = code[3];
    layout.lines = code[4];
    layout.first_line = code[5];
    layout.instructions = code[9];
    const uint64_t sizes[] = {runtime[0], interpreter[0], thread[0], frame[0], code[0]};
    return is_plausible(layout, sizes) ? LayoutFound::kYes : LayoutFound::kImplausible;
}

} // namespace

constexpr PythonLayout kLayout311 = {.interpreters = 40,
                                     .next_interpreter = 0,
                                     .threads = 16,
                                     .next_thread = 8,
                                     .interpreter_of_thread = 16,
                                     .native_thread_id = 160,
                                     .c_frame = 56,
                                     .current_frame = 8,
                                     .previous_c_frame = 16,
                                     .code = 32,
                                     .previous = 48,
                                     .instruction = 56,
                                     .owner = 69,
                                     .is_entry = 68,
                                     .first_line = 72,
                                     .file = 112,
                                     .name = 128,
                                     .lines = 136,
                                     .instructions = 184,
                                     .ascii_head = 48,
                                     .other_head = 72,
                                     .kind_bit = 2};

constexpr PythonLayout kLayout312 = {.interpreters = 40,
                                     .next_interpreter = 0,
                                     .threads = 72,
                                     .next_thread = 8,
                                     .interpreter_of_thread = 16,
                                     .native_thread_id = 144,
                                     .c_frame = 56,
                                     .current_frame = 0,
                                     .previous_c_frame = 8,
                                     .code = 0,
                                     .previous = 8,
                                     .instruction = 56,
                                     .owner = 70,
                                     .is_entry = 0,
                                     .first_line = 68,
                                     .file = 112,
                                     .name = 128,
                                     .lines = 136,
                                     .instructions = 192,
                                     .ascii_head = 40,
                                     .other_head = 56,
                                     .kind_bit = 2};

LayoutFound find_layout(unsigned version, const DebugTable &table, PythonLayout &layout) {
    if (version == kPython311 || version == kPython312) {
        layout = version == kPython311 ? kLayout311 : kLayout312;
        return LayoutFound::kYes;
    }
    for (const TablePlaces &places : kPlaces) {
        if (places.version == version) {
            return read_table(places, table, layout);
        }
    }
    return LayoutFound::kUnknownVersion;
}

} // namespace ompcollect
