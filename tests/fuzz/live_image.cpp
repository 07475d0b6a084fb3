// SPDX-License-Identifier: Apache-2.0
#include "live_image.h"

#include "profile_file.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ocb::test {
namespace {

constexpr std::uint64_t kTenthOfASecond = 100000000; // in ns

using namespace ompcollect; // NOLINT(google-build-using-namespace)

// The file in the making.
class Image {
  public:
    // Rows that were given stay where they are.
    explicit Image(std::size_t rows) {
        constexpr std::size_t kOfARow = 2048; // of all tables together, and more
        bytes_.reserve(kFirstExtent + (rows + kOfARow) * kOfARow);
        bytes_.resize(kFirstExtent);
    }

    template <class Row> Row *add(RowKind kind, std::size_t rows) {
        bytes_.resize((bytes_.size() + 63) / 64 * 64);
        const std::size_t at = bytes_.size();
        bytes_.resize(at + rows * sizeof(Row));
        auto *extent = reinterpret_cast<Extent *>(&bytes_[kDirectoryOffset]) + extents_++;
        extent->offset = at;
        extent->kind = static_cast<std::uint32_t>(kind);
        extent->row_size = sizeof(Row);
        extent->row_count = rows;
        return reinterpret_cast<Row *>(&bytes_[at]);
    }
    TextRef text(const std::string &text) {
        const std::size_t at = bytes_.size();
        bytes_ += text;
        return text_ref(at, text.size());
    }
    FileHeader &header() { return *reinterpret_cast<FileHeader *>(bytes_.data()); }
    std::string take() {
        header().extent_count = extents_;
        return std::move(bytes_);
    }

  private:
    std::string bytes_;
    std::uint32_t extents_ = 0;
};

void add_header(Image &image, std::size_t rows) {
    const TextRef program = image.text("/bin/program");
    const TextRef words = image.text("host 0-3");
    FileHeader &header = image.header();
    memcpy(header.magic, kMagic, sizeof kMagic);
    header.version = kFormatVersion;
    header.byte_order = kByteOrder;
    header.header_size = sizeof(FileHeader);
    header.directory_entries = kMostExtents;
    header.ready = 1;
    header.pid = 42;
    header.begin_unix_ns = 1700000000000000000;
    header.begin_ns = 1000000000;
    header.end_ns = 9000000000;
    header.heartbeat_ns = header.end_ns;
    header.cpu_ns = 8000000000;
    header.rate = 97;
    header.off_processor = 1;
    header.processors = 4;
    header.processors_free = 4;
    header.stacks = 2;
    header.knows_holders = 1;
    header.program = program;
    header.host = words;
    header.rank = words;
    header.affinity = words;
    header.producer = words;
    header.runtime_file = program;
    header.runtime_version = words;
    header.most_threads = 4;
    header.ending = static_cast<std::uint32_t>(Ending::kExit);
    header.sample_file = SampleFile{2 * rows, 0}.word();
    header.samples_moved = 2 * rows;
    header.samples_taken = 3 * rows;
}

void add_threads(Image &image) {
    auto *rows = image.add<ThreadFileRow>(RowKind::kThread, 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        rows[i].ready = 1;
        rows[i].kind = i == 0 ? 0 : 1;
        rows[i].tid = 42 + i;
        rows[i].threads = 1;
        rows[i].begin_ns = 1000000000;
        rows[i].fewest_processors[0] = 1;
        rows[i].walks = 5;
        rows[i].events[OMP_EVENT_FORK] = 3;
    }
}

void add_places(Image &image, std::size_t rows) {
    auto *settings = image.add<SettingRow>(RowKind::kSetting, 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        settings[i].ready = 1;
        settings[i].kind = i % 2;
        settings[i].text = image.header().program;
    }
    constexpr std::uint64_t kPage = 0x1000;
    auto *modules = image.add<ModuleRow>(RowKind::kModule, 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        modules[i].ready = 1;
        modules[i].base = kPage * i;
        modules[i].begin = kPage * i;
        modules[i].end = kPage * (i + 1);
        modules[i].path = image.header().program;
    }
    auto *locations = image.add<LocationRow>(RowKind::kLocation, rows);
    for (std::uint32_t i = 0; i < rows; ++i) {
        locations[i].ready = 1;
        locations[i].module = i % 3 == 2 ? kNoRow : i % 4;
        locations[i].offset = 0x800 + 0x200 * i;
    }
}

void add_times(Image &image, std::size_t rows) {
    auto *nodes = image.add<NodeRow>(RowKind::kNode, rows);
    auto *cells = image.add<CellFileRow>(RowKind::kCell, 3 * rows);
    for (std::uint32_t i = 0; i < rows; ++i) {
        nodes[i].ready = 1;
        nodes[i].location = i;
        nodes[i].parent = i % 5 == 0 ? kNoRow : i - 1;
        nodes[i].kind = i % 3;
    }
    constexpr std::uint32_t kNodes[] = {kNodeOutside, kNodeSeveral, kNodeUnknown};
    for (std::uint32_t i = 0; i < 3 * rows; ++i) {
        cells[i].ready = 1;
        cells[i].thread = i % 4;
        cells[i].node = i < 2 * rows ? i % static_cast<std::uint32_t>(rows) : kNodes[i % 3];
        cells[i].state = i % 14 == 13 ? kSingleState : i % 7 == 6 ? kEntriesState : i % 12;
        cells[i].on_ns = kTenthOfASecond * i;
        cells[i].on_samples = 10;
    }
}

void add_locks(Image &image, std::size_t rows) {
    auto *locks = image.add<LockFileRow>(RowKind::kLock, 4);
    auto *holders = image.add<HolderFileRow>(RowKind::kHolder, rows);
    for (std::uint32_t i = 0; i < 4; ++i) {
        locks[i].ready = 1;
        locks[i].state = THR_LKWT_STATE + i % 2;
        locks[i].first_wait = i;
        locks[i].object = i % 2 == 0 ? kNoRow : i;
        locks[i].waits = 3;
        locks[i].on_ns = 1000000000;
        locks[i].samples = 20;
    }
    for (std::uint32_t i = 0; i < rows; ++i) {
        holders[i].ready = 1;
        holders[i].lock = i % 4;
        holders[i].node = i;
        holders[i].location = i;
        holders[i].ns = 500000000;
        holders[i].samples = 10;
    }
}

void fill(SampleRow *to, std::size_t count, std::size_t nodes) {
    for (std::uint32_t i = 0; i < count; ++i) {
        to[i].time = kTenthOfASecond * (i + 1);
        to[i].node = i % 9 == 8 ? kNodeOutside : i % static_cast<std::uint32_t>(nodes);
        to[i].who = sample_who(i % 4, i % 12);
    }
}

} // namespace

LiveImage live_image(std::size_t rows) {
    Image image(rows);
    add_header(image, rows);
    add_threads(image);
    add_places(image, rows);
    add_times(image, rows);
    add_locks(image, rows);
    fill(image.add<SampleRow>(RowKind::kSample, 3 * rows), 3 * rows, rows);
    LiveImage made;
    made.profile = image.take();
    made.samples.resize(2 * rows * sizeof(SampleRow));
    fill(reinterpret_cast<SampleRow *>(made.samples.data()), 2 * rows, rows);
    return made;
}

} // namespace ocb::test
