// SPDX-License-Identifier: Apache-2.0
#include "live_tables.h"

#include "reader_places.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <stdexcept>

namespace ompcollect::report {
namespace {

// Extents of one kind double in size.
constexpr size_t kMostParts = 32;

// In the order of RowKind; 0: not read here.
constexpr uint32_t kRowSizes[] = {
    0,
    1,
    sizeof(ModuleRow),
    sizeof(ThreadFileRow),
    sizeof(LocationRow),
    sizeof(NodeRow),
    sizeof(CellFileRow),
    sizeof(LockFileRow),
    sizeof(SettingRow),
    sizeof(SampleRow),
    sizeof(HolderFileRow),
    sizeof(PythonTextRow),
    sizeof(PythonCodeRow),
};
static_assert(sizeof kRowSizes / sizeof kRowSizes[0] == static_cast<unsigned>(RowKind::kCount));

constexpr uint64_t kMostTexts = 1 << 20;

constexpr char kNothingWritten[] = "its process ended before it had written anything";

} // namespace

LiveTables::LiveTables(std::string_view bytes)
    : bytes_(bytes), text_room_(kMostTexts + 4 * uint64_t{bytes.size()}) {
    // Space is reserved before anything is written.
    constexpr char kNothing[sizeof kMagic] = {};
    const auto begins_with = [&](const char(&what)[sizeof kMagic]) {
        return bytes.size() >= kFirstExtent && memcmp(bytes.data(), what, sizeof what) == 0;
    };
    if (bytes.empty() || begins_with(kNothing)) {
        throw std::runtime_error(kNothingWritten);
    }
    if (!begins_with(kMagic)) {
        throw std::runtime_error("it is not a profile of ompcollect");
    }
    if (header().version != kFormatVersion || header().byte_order != kByteOrder ||
        header().header_size != sizeof(FileHeader)) {
        throw std::runtime_error(
            "it is a profile of another version of ompcollect, or of another machine");
    }
    if (header().ready.load(std::memory_order_acquire) == 0) {
        throw std::runtime_error(kNothingWritten);
    }
    const auto *directory = reinterpret_cast<const Extent *>(bytes_.data() + kDirectoryOffset);
    uint32_t count = header().extent_count.load(std::memory_order_acquire);
    if (count > kMostExtents) {
        is_partial_ = true;
        count = kMostExtents;
    }
    for (uint32_t i = 0; i < count; ++i) {
        add_extent(directory[i]);
    }
}

void LiveTables::add_extent(const Extent &extent) {
    const uint64_t offset = extent.offset.load(std::memory_order_acquire);
    const uint32_t kind = fetch(extent.kind);
    const uint32_t row_size = fetch(extent.row_size);
    const uint64_t rows = fetch(extent.row_count);
    if (kind >= kKinds || kRowSizes[kind] == 0) {
        return; // of a later version
    }
    Table &table = tables_[kind];
    const bool fits = offset >= kFirstExtent && offset % 64 == 0 && offset < bytes_.size() &&
                      row_size == kRowSizes[kind] && rows <= (bytes_.size() - offset) / row_size;
    if (!fits || table.parts.size() == kMostParts || table.rows + rows > kNodeOutside) {
        is_partial_ = true;
        return;
    }
    table.parts.push_back({table.rows, rows, offset});
    table.rows += rows;
}

const SampleRow *LiveTables::sample(uint64_t slot) const {
    const Table &table = tables_[static_cast<unsigned>(RowKind::kSample)];
    return slot < table.rows && table.parts.size() == 1
               ? reinterpret_cast<const SampleRow *>(bytes_.data() + table.parts[0].offset) + slot
               : nullptr;
}

std::string LiveTables::text(TextRef text) const {
    const uint64_t offset = text_offset(text);
    const size_t length = text_length(text);
    if (length == 0 || offset < kFirstExtent || offset > bytes_.size() ||
        length > bytes_.size() - offset || length > text_room_) {
        return {};
    }
    text_room_ -= length;
    const std::string_view found = bytes_.substr(offset, length);
    return std::string(found.substr(0, found.find('\0')));
}

namespace {

std::string python_text(const LiveTables &file, uint32_t first) {
    constexpr unsigned kMostPieces = 64;
    std::string text;
    for (unsigned i = 0; i < kMostPieces; ++i) {
        const auto *row = file.row<PythonTextRow>(RowKind::kPythonText, first);
        if (!row) {
            break;
        }
        char bytes[sizeof row->bytes];
        memcpy(bytes, row->bytes, sizeof bytes);
        text.append(bytes, strnlen(bytes, sizeof bytes));
        first = fetch(row->next);
    }
    return text;
}

std::string python_name(uint32_t version) {
    return version == 0
               ? "Python before 3.11"
               : "Python " + std::to_string(version >> 8) + "." + std::to_string(version & 0xff);
}

} // namespace

void read_python_line(const LiveTables &file, uint64_t place, Node &to) {
    const auto *row = file.row<PythonCodeRow>(RowKind::kPythonCode, code_of_python_place(place));
    if (row) {
        name_python_line(to, python_text(file, fetch(row->name)),
                         python_text(file, fetch(row->file)), line_of_python_place(place));
    }
}

std::string why_python_is_missing(const FileHeader &from) {
    const std::string python = python_name(fetch(from.python_version));
    switch (known(fetch(from.python), PythonRead::kImplausible)) {
    case PythonRead::kNone:
        return {};
    case PythonRead::kUnknownVersion:
        return "no lines of Python: " + python + " is not known, 3.11 to 3.14 are";
    case PythonRead::kFreeThreaded:
        return "no lines of Python: it is built without its lock, which is not supported";
    case PythonRead::kSeveral:
        return "no lines of Python from where the program had several interpreters on";
    case PythonRead::kYes:
        if (fetch(from.python_names) != 0) {
            return "not all lines of Python: there was no room for more names";
        }
        if (fetch(from.python_stacks) != 0 || fetch(from.python_dropped) == 0) {
            return {};
        }
        break;
    case PythonRead::kImplausible:
        break;
    }
    return "no lines of Python: the memory of " + python + " is not as its version has it";
}

void add_job_fact(const std::string &text, Process &to) {
    const size_t equal = text.find('=');
    const std::string name = text.substr(0, equal);
    const std::string value = equal == std::string::npos ? std::string() : text.substr(equal + 1);
    if (name == "launcher") {
        to.launcher = value;
    } else if (name == "job") {
        to.job = value;
    } else if (name == "ranks") {
        std::from_chars(value.data(), value.data() + value.size(), to.ranks);
    }
}

void read_machine(const FileHeader &from, Process &to) {
    if (fetch(from.has_others) != 0) {
        to.others_cpu_seconds = seconds(fetch(from.others_cpu_ns));
    }
    if (fetch(from.region_looks) != 0) {
        to.in_regions_seconds = seconds(fetch(from.in_regions_ns));
    }
    to.quota = static_cast<double>(fetch(from.quota_milli)) / 1000;
    to.quota_periods = fetch(from.quota_periods);
    to.throttled_periods = fetch(from.throttled_periods);
    to.throttled_seconds = seconds(fetch(from.throttled_ns));
    to.stood_still_seconds = seconds(fetch(from.stood_still_ns));
    to.set_back_seconds = seconds(fetch(from.set_back_ns));
}

void split_waits(Process &process) {
    double waited = process.other_waited_seconds;
    bool is_counted = false;
    for (const Thread &thread : process.threads) {
        waited += is_known(thread.waited_seconds) ? thread.waited_seconds : 0;
        is_counted = is_counted || is_known(thread.waited_seconds);
    }
    if (is_counted && is_known(process.others_cpu_seconds)) {
        process.waited_for_others = std::min(waited, process.others_cpu_seconds);
        process.waited_for_own = waited - process.waited_for_others;
    }
}

} // namespace ompcollect::report
