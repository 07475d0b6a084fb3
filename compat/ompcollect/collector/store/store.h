// SPDX-License-Identifier: Apache-2.0
//
// The live tables of the collector, which are the profile file (profile_file.h): mapped shared, one
// file per process, grown as rows are needed. Rows never move. Owns the file, its mapping and the
// header.
//
// Thread rule: add_row() and row() anywhere, also in signal handlers; everything else outside of
// them.
#pragma once

#include "profile_file.h"

#include <cstddef>
#include <cstdint>

namespace ompcollect {

// Makes the file in `directory` and the header. False: nothing can be kept at all; the reason has
// been printed.
bool open_store(const char *directory);
bool store_is_open();

// Only while the store is open.
FileHeader &header();

// The number of a new row of this kind, zero in all its bytes; kNoRow if there is no room now.
uint32_t add_row(RowKind kind);

// Null for kNoRow.
void *row(RowKind kind, uint32_t number);
template <class T> T *row_as(RowKind kind, uint32_t number) {
    return static_cast<T *>(row(kind, number));
}

// How many rows have been handed out; some may not be ready yet.
uint32_t row_count(RowKind kind);

// Sees to it that there is room ahead for each kind. Cheap when there is.
void grow_store();

// One more row, with growth if need be.
uint32_t add_row_growing(RowKind kind);

// The text in the file, at most 65535 bytes of it; 0 without room.
TextRef add_text(const char *text, size_t length);
TextRef add_text(const char *text);

// The profile file's path, and the same without its suffix: other files stand beside it.
const char *profile_path();
const char *sample_file_stem();

// In the child after fork(): the parent's tables are let go, untouched.
void leave_store();
// The file goes, and what has been written with it. The mappings stay.
void remove_store();

} // namespace ompcollect
