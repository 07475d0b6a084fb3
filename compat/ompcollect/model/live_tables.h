// SPDX-License-Identifier: Apache-2.0
//
// A profile file as tables of rows (profile_file.h). The file may belong to a process that still
// runs and writes, or to one that was killed in the middle of anything; it may be cut or damaged.
// Numbers are fetched once: what is checked is what is used.
#pragma once

#include "profile_file.h"
#include "run.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ompcollect::report {

template <class T> T fetch(const std::atomic<T> &number) {
    return number.load(std::memory_order_relaxed);
}
template <class T> T fetch(const T &number) {
    return __atomic_load_n(&number, __ATOMIC_RELAXED);
}
template <class T, size_t N> std::vector<T> fetch_all(const std::atomic<T> (&numbers)[N]) {
    std::vector<T> all;
    for (const std::atomic<T> &number : numbers) {
        all.push_back(fetch(number));
    }
    return all;
}

// The file may be of a later version.
template <class Enum> Enum known(uint32_t number, Enum last) {
    return number <= static_cast<uint32_t>(last) ? static_cast<Enum>(number) : Enum{};
}

inline double seconds(uint64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

class LiveTables {
  public:
    // The bytes begin at a multiple of 64 and outlive this. Throws std::runtime_error with the
    // reason why they are no profile.
    explicit LiveTables(std::string_view bytes);

    [[nodiscard]] const FileHeader &header() const {
        return *reinterpret_cast<const FileHeader *>(bytes_.data());
    }
    // The file's directory names what is not there.
    [[nodiscard]] bool is_partial() const { return is_partial_; }

    // How many rows there is space for.
    [[nodiscard]] uint32_t row_count(RowKind kind) const {
        return static_cast<uint32_t>(tables_[static_cast<unsigned>(kind)].rows);
    }
    // Calls `take` with the number and the row of each that is ready.
    template <class Row, class Take> void for_each(RowKind kind, Take take) const;
    // Null where there is no such row, or it is not ready.
    template <class Row> [[nodiscard]] const Row *row(RowKind kind, uint32_t number) const;
    // Null where there is no such slot of the ring.
    [[nodiscard]] const SampleRow *sample(uint64_t slot) const;

    // Empty for none, for what lies outside of the file, and once the texts of a file that has them
    // overlap come to some times its size.
    [[nodiscard]] std::string text(TextRef text) const;

  private:
    static constexpr unsigned kKinds = static_cast<unsigned>(RowKind::kCount);
    struct Part {
        uint64_t first;
        uint64_t count;
        uint64_t offset;
    };
    struct Table {
        std::vector<Part> parts;
        uint64_t rows = 0;
    };
    void add_extent(const Extent &extent);

    std::string_view bytes_;
    mutable uint64_t text_room_;
    bool is_partial_ = false;
    Table tables_[kKinds];
};

template <class Row> const Row *LiveTables::row(RowKind kind, uint32_t number) const {
    for (const Part &part : tables_[static_cast<unsigned>(kind)].parts) {
        if (number >= part.first && number - part.first < part.count) {
            const auto *rows = reinterpret_cast<const Row *>(bytes_.data() + part.offset);
            const Row *found = rows + (number - part.first);
            return found->ready.load(std::memory_order_acquire) != 0 ? found : nullptr;
        }
    }
    return nullptr;
}

template <class Row, class Take> void LiveTables::for_each(RowKind kind, Take take) const {
    for (uint32_t number = 0; number < row_count(kind); ++number) {
        if (const Row *found = row<Row>(kind, number)) {
            take(number, *found);
        }
    }
}

// The names of a line of Python, for its node.
void read_python_line(const LiveTables &file, uint64_t place, Node &to);
// Why the frames of a Python interpreter have not been read, or some of them: a sentence without
// its end. Empty: there is no such interpreter.
std::string why_python_is_missing(const FileHeader &from);

// What the launcher of a job has told, NAME=VALUE, as the collector has it.
void add_job_fact(const std::string &text, Process &to);

// What the machine gave to the process, and what its clock did.
void read_machine(const FileHeader &from, Process &to);
// What its threads waited for a processor was for others as far as those ran on its processors.
void split_waits(Process &process);

} // namespace ompcollect::report
