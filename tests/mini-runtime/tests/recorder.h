// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace recorder {

// What a generation's inquiry functions answer, in common terms.
struct Inquiry {
    int (*get_state)(std::uint64_t *wait_id) = nullptr;
    std::uint64_t (*region)(int level) = nullptr; // 0: none
    int (*size)(int level) = nullptr;             // -1: none
    std::uint64_t (*task)(int level) = nullptr;
};
extern Inquiry inquiry;

[[gnu::format(printf, 1, 2)]] void write_line(const char *format, ...);

} // namespace recorder

// For programs: weak there, as there may be no recorder.
extern "C" void mini_record_note(const char *label);
