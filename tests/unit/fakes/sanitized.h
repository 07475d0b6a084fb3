// SPDX-License-Identifier: Apache-2.0
//
// Whether the library has a sanitizer in it. The test itself may have none
// (tests/checks/builds/sanitized_archive.sh).
#pragma once

// Each sanitizer's runtime has it.
// NOLINTNEXTLINE(readability-identifier-naming,bugprone-reserved-identifier)
extern "C" [[gnu::weak]] void __sanitizer_set_report_path(const char *);

namespace ocb::test {

inline bool is_sanitized() {
    return &__sanitizer_set_report_path != nullptr;
}

// How often a thing is done that must not get dearer, or take more memory, with the million: a
// sanitizer, under which each takes long, sees the same code in a tenth of it.
inline int million() {
    return is_sanitized() ? 100000 : 1000000;
}

} // namespace ocb::test
