// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target of the reader of live tables and of the samples beside them. An input's first byte
// chooses a report, or files in the place of memory. The rest is a list of changes to a profile
// that is whole (image.h).
#include "failure.h"
#include "formats.h"
#include "image.h"
#include "live_reader.h"
#include "named_run.h"
#include "printable_run.h"
#include "profile_file.h"
#include "run_check.h"

#include "omp_collector_api.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace {

using namespace ompcollect; // NOLINT(google-build-using-namespace)

constexpr std::size_t kRows = 8;     // of each kind
constexpr std::size_t kSamples = 16; // in the file of samples

// The file in the making.
class Image {
  public:
    Image() : bytes_(kFirstExtent, '\0') {}

    template <class Row> Row *add(RowKind kind, std::size_t rows = kRows) {
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

void add_header(Image &image) {
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
    header.sample_file = SampleFile{kSamples, 0}.word();
    header.samples_moved = kSamples;
    header.samples_taken = kSamples + kRows;
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

void add_places(Image &image) {
    auto *settings = image.add<SettingRow>(RowKind::kSetting, 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        settings[i].ready = 1;
        settings[i].kind = i % 2;
        settings[i].text = image.header().program;
    }
    auto *modules = image.add<ModuleRow>(RowKind::kModule, 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        modules[i].ready = 1;
        modules[i].base = 0x1000 * i;
        modules[i].begin = 0x1000 * i;
        modules[i].end = 0x1000 * (i + 1);
        modules[i].path = image.header().program;
    }
    auto *locations = image.add<LocationRow>(RowKind::kLocation);
    for (std::uint32_t i = 0; i < kRows; ++i) {
        locations[i].ready = 1;
        locations[i].module = i % 3 == 2 ? kNoRow : i % 4;
        locations[i].offset = 0x800 + 0x200 * i;
    }
}

void add_times(Image &image) {
    auto *nodes = image.add<NodeRow>(RowKind::kNode);
    auto *cells = image.add<CellFileRow>(RowKind::kCell, 3 * kRows);
    for (std::uint32_t i = 0; i < kRows; ++i) {
        nodes[i].ready = 1;
        nodes[i].location = i;
        nodes[i].parent = i % 5 == 0 ? kNoRow : i - 1;
        nodes[i].kind = i % 3;
    }
    constexpr std::uint32_t kNodes[] = {kNodeOutside, kNodeSeveral, kNodeUnknown};
    for (std::uint32_t i = 0; i < 3 * kRows; ++i) {
        cells[i].ready = 1;
        cells[i].thread = i % 4;
        cells[i].node = i < 2 * kRows ? i % kRows : kNodes[i % 3];
        cells[i].state = i % 7 == 6 ? kEntriesState : i % 12;
        cells[i].on_ns = 100000000 * i;
        cells[i].on_samples = 10;
    }
}

void add_locks(Image &image) {
    auto *locks = image.add<LockFileRow>(RowKind::kLock, 4);
    auto *holders = image.add<HolderFileRow>(RowKind::kHolder, kRows);
    for (std::uint32_t i = 0; i < 4; ++i) {
        locks[i].ready = 1;
        locks[i].state = THR_LKWT_STATE + i % 2;
        locks[i].first_wait = i;
        locks[i].object = i % 2 == 0 ? kNoRow : i;
        locks[i].waits = 3;
        locks[i].on_ns = 1000000000;
        locks[i].samples = 20;
    }
    for (std::uint32_t i = 0; i < kRows; ++i) {
        holders[i].ready = 1;
        holders[i].lock = i % 4;
        holders[i].node = i;
        holders[i].location = i;
        holders[i].ns = 500000000;
        holders[i].samples = 10;
    }
}

void fill(SampleRow *rows, std::size_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        rows[i].time = 100000000 * (i + 1);
        rows[i].node = i % 9 == 8 ? kNodeOutside : i % kRows;
        rows[i].who = sample_who(i % 4, i % 12);
    }
}

// The profile, and behind it the file of samples.
struct Base {
    std::string bytes;
    std::size_t profile_size;

    Base() {
        Image image;
        add_header(image);
        add_threads(image);
        add_places(image);
        add_times(image);
        add_locks(image);
        fill(image.add<SampleRow>(RowKind::kSample, kSamples + kRows), kSamples + kRows);
        bytes = image.take();
        profile_size = (bytes.size() + 63) / 64 * 64;
        bytes.resize(profile_size + kSamples * sizeof(SampleRow));
        fill(reinterpret_cast<SampleRow *>(&bytes[profile_size]), kSamples);
    }
};

void make_report(report::Process read, std::size_t which) {
    constexpr const char *kNames[] = {"text", "csv", "callgrind"};
    static SourceLines lines;
    report::Run run = {{std::move(read)}};
    report::Process &process = run.processes.front();
    if (which < std::size(kNames)) {
        name_process(process, lines);
        report::check_process(process); // whoever reads the saved run would refuse it
    }
    report::make_printable(process);
    std::ostringstream out;
    // Without names it is a run, too.
    report::format_named(which < std::size(kNames) ? kNames[which] : "text").write(run, {}, out);
}

constexpr std::size_t kReports = 4;
constexpr std::size_t kAsFiles = 4; // behind the reports

// Copies that end where they end, for the address sanitizer; rows want 64 bytes.
void read_memory(std::string_view profile, std::string_view samples, std::size_t which) {
    auto *bytes = static_cast<char *>(::operator new(profile.size(), std::align_val_t(64)));
    auto *rows = static_cast<char *>(::operator new(samples.size(), std::align_val_t(64)));
    profile.copy(bytes, profile.size());
    samples.copy(rows, samples.size());
    try {
        make_report(report::read_live({bytes, profile.size()}, {rows, samples.size()}), which);
    } catch (const std::runtime_error &) { // refused
    }
    ::operator delete(bytes, std::align_val_t(64));
    ::operator delete(rows, std::align_val_t(64));
}

// The folder is removed at exit.
class Folder {
  public:
    Folder() { ocb::test::require(mkdtemp(name_) != nullptr, "there is a folder"); }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(name_, ignored);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;

    [[nodiscard]] std::string put(const std::string &name, std::string_view bytes) const {
        std::string path = name_ + ("/" + name);
        const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        ocb::test::require(fd >= 0 && write(fd, bytes.data(), bytes.size()) ==
                                          static_cast<ssize_t>(bytes.size()),
                           "the file is written");
        close(fd);
        return path;
    }

  private:
    char name_[32] = "/tmp/ocb-fuzz-XXXXXX";
};

void read_files(std::string_view profile, std::string_view samples) {
    static const Folder kFolder;
    static_cast<void>(kFolder.put("p.sampleA", samples));
    const std::string path = kFolder.put("p.ompc", profile);
    try {
        make_report(report::read_live_file(path), 1);
    } catch (const std::runtime_error &) { // refused
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const Base kBase;
    ocb::test::Input input(data, size);
    const std::size_t which = input.byte() % (kReports + 1);
    std::string changed = kBase.bytes;
    ocb::test::change_image(input, changed);
    const std::string_view whole = changed;
    const std::size_t profile_size = std::min(changed.size(), kBase.profile_size);
    if (which == kAsFiles) {
        read_files(whole.substr(0, profile_size), whole.substr(profile_size));
    } else {
        read_memory(whole.substr(0, profile_size), whole.substr(profile_size), which);
    }
    return 0;
}
