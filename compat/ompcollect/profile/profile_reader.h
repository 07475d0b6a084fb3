// SPDX-License-Identifier: Apache-2.0
//
// From a profile file (profile_file.h) to a profile in memory. The file may belong to a process
// that still runs and writes, or to one that was killed in the middle of anything; it may be cut or
// damaged. Every number in it is checked before it is used. Needs neither libstdc++ nor exceptions.
#pragma once

#include "profile.h"

#include <cstddef>

namespace ompcollect {

template <class T> struct RowArray {
    T *rows = nullptr;
    size_t count = 0;

    T *begin() { return rows; }
    T *end() { return rows + count; }
    [[nodiscard]] const T *begin() const { return rows; }
    [[nodiscard]] const T *end() const { return rows + count; }
    [[nodiscard]] size_t size() const { return count; }
    [[nodiscard]] bool empty() const { return count == 0; }
    T &operator[](size_t index) { return rows[index]; }
    const T &operator[](size_t index) const { return rows[index]; }
};

// A profile together with the memory that it points to. Rows may be changed in place, e.g. to add
// names to places.
class LoadedProfile {
  public:
    LoadedProfile() = default;
    ~LoadedProfile();
    LoadedProfile(const LoadedProfile &) = delete;
    LoadedProfile &operator=(const LoadedProfile &) = delete;

    Profile profile;
    RowArray<ThreadRow> threads;
    RowArray<RegionRow> regions;
    RowArray<CellRow> cells;
    RowArray<LockRow> locks;
    RowArray<HolderRow> holders;
    RowArray<PathRow> paths;
    RowArray<PathPlace> places;
    RowArray<PathCell> path_cells;
    RowArray<TimedSample> samples;

    // A copy of the text that lives as long as the profile; null for a null or empty one.
    const char *keep(const char *text);

    // Zeroed memory that lives as long as the profile; null where there is none.
    void *allocate(size_t size);
    template <class T> bool make(RowArray<T> &array, size_t count);

  private:
    struct Block {
        Block *next;
    };
    Block *blocks_ = nullptr;
};

template <class T> bool LoadedProfile::make(RowArray<T> &array, size_t count) {
    array.rows = static_cast<T *>(allocate(count * sizeof(T)));
    array.count = array.rows ? count : 0;
    for (T &row : array) {
        row = T{};
    }
    return array.count == count;
}

// Null if it was read, else why not, in words ("not a profile of this version").
const char *read_profile(const void *bytes, size_t size, LoadedProfile &to);
// With the file of samples beside it.
const char *read_profile(const void *bytes, size_t size, const void *samples, size_t samples_size,
                         LoadedProfile &to);
// The same for a file.
const char *read_profile_file(const char *path, LoadedProfile &to);

} // namespace ompcollect
