// SPDX-License-Identifier: Apache-2.0
//
// The bytes are nobody's friend: each number is fetched once, checked, and
// used as it was fetched, as the process that owns the file may change it meanwhile.
#include "profile_reader.h"

#include "profile_check.h"
#include "profile_file.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr unsigned kKinds = static_cast<unsigned>(RowKind::kCount);
constexpr unsigned kMostParts = 32;

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
};
static_assert(sizeof kRowSizes / sizeof kRowSizes[0] == kKinds);

constexpr uint64_t kMostTexts = 1 << 20;

constexpr char kNothingWritten[] = "its process ended before it had written anything";

double seconds(uint64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

template <class T> T fetch(const std::atomic<T> &number) {
    return number.load(std::memory_order_relaxed);
}
template <class T> T fetch(const T &number) {
    return __atomic_load_n(&number, __ATOMIC_RELAXED);
}

constexpr uint64_t mixed(uint64_t number) {
    number = (number ^ number >> 31) * 0x9e3779b97f4a7c15u;
    return number ^ number >> 29;
}

// The file as tables of rows.
class FileView {
  public:
    FileView(const void *bytes, size_t size)
        : bytes_(static_cast<const char *>(bytes)), size_(size) {}

    // Null, or why this is no profile.
    const char *open();

    [[nodiscard]] const FileHeader &header() const {
        return *reinterpret_cast<const FileHeader *>(bytes_);
    }
    [[nodiscard]] bool is_partial() const { return is_partial_; }

    // How many rows there is space for.
    [[nodiscard]] uint32_t row_count(RowKind kind) const {
        return static_cast<uint32_t>(tables_[static_cast<unsigned>(kind)].rows);
    }
    // Null where there is no such row, or it is not ready.
    template <class T> const T *row(RowKind kind, uint32_t number) const;

    // Null where there is no such slot of the ring.
    [[nodiscard]] const SampleRow *sample(uint64_t slot) const {
        const Table &table = tables_[static_cast<unsigned>(RowKind::kSample)];
        return slot < table.rows && table.part_count == 1
                   ? reinterpret_cast<const SampleRow *>(bytes_ + table.parts[0].offset) + slot
                   : nullptr;
    }

    // Null for none, and for what lies outside of the file.
    const char *text(TextRef text, LoadedProfile &to) const;

  private:
    struct Part {
        uint64_t first;
        uint64_t count;
        uint64_t offset;
    };
    struct Table {
        Part parts[kMostParts];
        unsigned part_count = 0;
        uint64_t rows = 0;
    };
    void add_extent(const Extent &extent);

    const char *bytes_;
    size_t size_;
    mutable uint64_t text_room_ = kMostTexts + 4 * uint64_t{size_}; // for copies of texts
    bool is_partial_ = false;
    Table tables_[kKinds] = {};
};

const char *FileView::open() {
    // Space is reserved before anything is written.
    constexpr char kNothing[sizeof kMagic] = {};
    if (size_ == 0 || (size_ >= kFirstExtent && memcmp(bytes_, kNothing, sizeof kMagic) == 0)) {
        return kNothingWritten;
    }
    if (size_ < kFirstExtent || memcmp(bytes_, kMagic, sizeof kMagic) != 0) {
        return "it is not a profile of ompcollect";
    }
    if (header().version != kFormatVersion || header().byte_order != kByteOrder ||
        header().header_size != sizeof(FileHeader)) {
        return "it is a profile of another version of ompcollect, or of another machine";
    }
    if (header().ready.load(std::memory_order_acquire) == 0) {
        return kNothingWritten;
    }
    const auto *directory = reinterpret_cast<const Extent *>(bytes_ + kDirectoryOffset);
    uint32_t count = header().extent_count.load(std::memory_order_acquire);
    if (count > kMostExtents) {
        is_partial_ = true;
        count = kMostExtents;
    }
    for (uint32_t i = 0; i < count; ++i) {
        add_extent(directory[i]);
    }
    return nullptr;
}

void FileView::add_extent(const Extent &extent) {
    const uint64_t offset = extent.offset.load(std::memory_order_acquire);
    const uint32_t kind = fetch(extent.kind);
    const uint32_t row_size = fetch(extent.row_size);
    const uint64_t rows = fetch(extent.row_count);
    if (kind >= kKinds || kRowSizes[kind] == 0) {
        return; // of a later version
    }
    Table &table = tables_[kind];
    const bool fits = offset >= kFirstExtent && offset % 64 == 0 && offset < size_ &&
                      row_size == kRowSizes[kind] && rows <= (size_ - offset) / row_size;
    if (!fits || table.part_count == kMostParts || table.rows + rows > kNodeOutside) {
        is_partial_ = true;
        return;
    }
    table.parts[table.part_count++] = {table.rows, rows, offset};
    table.rows += rows;
}

template <class T> const T *FileView::row(RowKind kind, uint32_t number) const {
    const Table &table = tables_[static_cast<unsigned>(kind)];
    for (unsigned i = 0; i < table.part_count; ++i) {
        const Part &part = table.parts[i];
        if (number >= part.first && number - part.first < part.count) {
            const auto *found = reinterpret_cast<const T *>(bytes_ + part.offset +
                                                            (number - part.first) * sizeof(T));
            return found->ready.load(std::memory_order_acquire) != 0 ? found : nullptr;
        }
    }
    return nullptr;
}

const char *FileView::text(TextRef text, LoadedProfile &to) const {
    const uint64_t offset = text_offset(text);
    const size_t length = text_length(text);
    if (length == 0 || offset < kFirstExtent || offset > size_ || length > size_ - offset) {
        return nullptr;
    }
    // Texts that many rows share are none of ours beyond some.
    if (length > text_room_) {
        return nullptr;
    }
    text_room_ -= length;
    auto *copy = static_cast<char *>(to.allocate(length + 1));
    if (copy) {
        memcpy(copy, bytes_ + offset, length);
    }
    return copy;
}

// A sum of cells of one key.
struct Cell {
    uint32_t node;
    uint32_t thread;
    uint32_t state;
    uint64_t on_ns;
    uint64_t off_ns;
    uint64_t samples;
};

int by_key(const void *left, const void *right) {
    const auto &a = *static_cast<const Cell *>(left);
    const auto &b = *static_cast<const Cell *>(right);
    if (a.node != b.node) {
        return a.node < b.node ? -1 : 1;
    }
    if (a.thread != b.thread) {
        return a.thread < b.thread ? -1 : 1;
    }
    return a.state < b.state ? -1 : a.state > b.state;
}

// A region before regions have their order.
struct Ranked {
    uint32_t node;
    uint32_t region; // where it came from
    double wall;
    uint64_t entries;
};

int by_time(const void *left, const void *right) {
    const auto &a = *static_cast<const Ranked *>(left);
    const auto &b = *static_cast<const Ranked *>(right);
    if (a.wall != b.wall) {
        return a.wall > b.wall ? -1 : 1;
    }
    if (a.entries != b.entries) {
        return a.entries > b.entries ? -1 : 1;
    }
    return a.node < b.node ? -1 : a.node > b.node;
}

int by_lock_time(const void *left, const void *right) {
    const auto &a = *static_cast<const LockRow *>(left);
    const auto &b = *static_cast<const LockRow *>(right);
    if (a.wall != b.wall) {
        return a.wall > b.wall ? -1 : 1;
    }
    return a.waits > b.waits ? -1 : a.waits < b.waits;
}

// A row of a holder, with the lock's index among those that are read.
struct Holder {
    uint32_t lock;
    uint32_t location;
    int path;
    uint64_t ns;
    uint64_t samples;
};

int by_holder(const void *left, const void *right) {
    const auto &a = *static_cast<const Holder *>(left);
    const auto &b = *static_cast<const Holder *>(right);
    if (a.lock != b.lock) {
        return a.lock < b.lock ? -1 : 1;
    }
    if (a.path != b.path) {
        return a.path < b.path ? -1 : 1;
    }
    return a.location < b.location ? -1 : a.location > b.location;
}

int by_holders_time(const void *left, const void *right) {
    const auto &a = *static_cast<const Holder *>(left);
    const auto &b = *static_cast<const Holder *>(right);
    if (a.lock != b.lock) {
        return a.lock < b.lock ? -1 : 1;
    }
    return a.ns != b.ns ? (a.ns > b.ns ? -1 : 1) : by_holder(left, right);
}

int by_number(const void *left, const void *right) {
    const auto a = *static_cast<const uint32_t *>(left);
    const auto b = *static_cast<const uint32_t *>(right);
    return a < b ? -1 : a > b;
}

int by_sample_time(const void *left, const void *right) {
    const auto &a = *static_cast<const TimedSample *>(left);
    const auto &b = *static_cast<const TimedSample *>(right);
    if (a.time != b.time) {
        return a.time < b.time ? -1 : 1;
    }
    return a.thread < b.thread ? -1 : a.thread > b.thread;
}

SampleFile checked(const SampleFile &file) {
    return file.thinnings <= kMostThinnings ? file : SampleFile{0, 0};
}

// A thread has one sample at a time.
void drop_doubles(RowArray<TimedSample> &samples) {
    size_t kept = 0;
    for (const TimedSample &sample : samples) {
        if (kept == 0 || by_sample_time(&samples[kept - 1], &sample) != 0) {
            samples[kept++] = sample;
        }
    }
    samples.count = kept;
}

// Where a module was.
struct Module {
    uint64_t begin;
    uint64_t end;
    uint64_t base;
    uint32_t number; // of its row
};

int by_begin(const void *left, const void *right) {
    const auto &a = *static_cast<const Module *>(left);
    const auto &b = *static_cast<const Module *>(right);
    if (a.begin != b.begin) {
        return a.begin < b.begin ? -1 : 1;
    }
    return a.number < b.number ? -1 : a.number > b.number;
}

// The file of samples beside a profile.
struct SampleRows {
    const SampleRow *rows;
    uint64_t count;
};

class Reader {
  public:
    Reader(const FileView &file, const SampleRows &samples, LoadedProfile &to)
        : file_(file), sample_rows_(samples), to_(to) {}
    bool read();

  private:
    void read_header();
    void read_process(const FileHeader &from);
    bool read_settings();
    bool read_threads();
    bool read_modules();
    bool read_nodes();
    uint32_t region_at(uint32_t number, uint32_t location, int parent);
    bool read_places();
    bool read_cells();
    size_t merge_cells(size_t count);
    bool keep_path_cells(size_t count);
    bool read_locks();
    bool read_holders(const RowArray<uint32_t> &lock_index);
    [[nodiscard]] int path_of_node(uint32_t node) const;
    bool read_samples();
    void add_sample(const SampleRow &row);
    bool order_regions();
    void count_bound_threads();

    Place place_at(uint32_t location);
    void place_by_address(uint64_t address, Place &place);
    const char *module_path(uint32_t module);
    const char *text_or_empty(TextRef text);
    StateTimes *times_of(const Cell &cell, int &region);
    void add_cell(const Cell &cell, const Cell *before);

    const FileView &file_;
    const SampleRows sample_rows_;
    LoadedProfile &to_;
    uint64_t begin_ns_ = 0;
    RowArray<uint32_t> thread_index_; // by row number, kNoRow: none
    RowArray<uint32_t> path_index_;   // by node number
    RowArray<uint32_t> region_hash_;  // by place and parent: region + 1, 0: none
    RowArray<uint32_t> region_node_;
    RowArray<const char *> paths_; // by module
    RowArray<Module> modules_;     // by address
    RowArray<Cell> cells_;
};

const char *Reader::text_or_empty(TextRef text) {
    const char *found = file_.text(text, to_);
    return found ? found : "";
}

void Reader::read_process(const FileHeader &from) {
    Profile &profile = to_.profile;
    profile.pid = from.pid;
    profile.parent_pid = from.parent_pid;
    profile.program = text_or_empty(from.program);
    profile.host = text_or_empty(from.host);
    profile.rank = file_.text(from.rank, to_);
    profile.rank_variable = file_.text(from.rank_variable, to_);
    profile.begin_unix_seconds = static_cast<int64_t>(from.begin_unix_ns / 1000000000u);
    profile.begin_nanoseconds = static_cast<unsigned>(from.begin_unix_ns % 1000000000u);
    profile.processors = from.processors;
    profile.processors_free = from.processors_free;
    profile.affinity = text_or_empty(from.affinity);
    profile.producer = text_or_empty(from.producer);
    profile.runtime_file = text_or_empty(from.runtime_file.load(std::memory_order_acquire));
    profile.runtime_version = text_or_empty(fetch(from.runtime_version));
    profile.ompt_generation = text_or_empty(fetch(from.generation));
    profile.omp_version = fetch(from.omp_version);
    profile.rate = from.rate ? from.rate : 1;
    profile.signal = static_cast<int>(from.signal);
    profile.start_code = from.start_code;
    const uint32_t stacks = from.stacks;
    profile.stacks =
        stacks <= static_cast<uint32_t>(Stacks::kFull) ? static_cast<Stacks>(stacks) : Stacks::kOff;
    const uint32_t off = from.off_processor;
    profile.off_processor = off <= static_cast<uint32_t>(OffProcessor::kBySignals)
                                ? static_cast<OffProcessor>(off)
                                : OffProcessor::kNotMeasured;
}

void Reader::read_header() {
    const FileHeader &from = file_.header();
    read_process(from);
    Profile &profile = to_.profile;
    uint32_t ending = from.ending.load(std::memory_order_acquire);
    begin_ns_ = from.begin_ns;
    uint64_t end_ns = fetch(from.heartbeat_ns);
    if (ending != 0 && ending <= static_cast<uint32_t>(Ending::kStopped)) {
        profile.ending = static_cast<Ending>(ending);
        profile.exit_code = fetch(from.exit_code);
        end_ns = fetch(from.end_ns);
    }
    profile.seconds = end_ns > begin_ns_ ? seconds(end_ns - begin_ns_) : 0;
    profile.cpu_seconds = seconds(fetch(from.cpu_ns));
    profile.others.count = fetch(from.other_threads);
    profile.others.cpu = seconds(fetch(from.other_cpu_ns));
    profile.most_threads = fetch(from.most_threads);
    profile.signal_taken = fetch(from.signal_taken) != 0;
    profile.late_samples = fetch(from.late_samples);
    profile.lost_samples = fetch(from.lost_samples);
    profile.threads_without_timer = fetch(from.threads_without_timer);
    profile.unplaced_lock_waits = fetch(from.unplaced_lock_waits);
    profile.unplaced_lock_time = seconds(fetch(from.unplaced_lock_ns));
    profile.forgotten_regions = fetch(from.forgotten_regions);
    profile.arguments_cut = fetch(from.arguments_cut) != 0;
    if (const int error = fetch(from.growth_error); error != 0) {
        profile.missing = to_.keep(strerror(error));
    }
    profile.is_partial = file_.is_partial();
    for (unsigned state = 0; state < kStateColumns; ++state) {
        const uint64_t on = fetch(from.unplaced_on_ns[state]);
        profile.unplaced.cpu[state] = seconds(on);
        profile.unplaced.wall[state] = seconds(on + fetch(from.unplaced_off_ns[state]));
    }
    for (unsigned event = 0; event < kEventNumbers; ++event) {
        profile.events[event].registered = from.registered[event];
    }
}

bool Reader::read_settings() {
    RowArray<const char *> texts[2];
    const uint32_t rows = file_.row_count(RowKind::kSetting);
    for (RowArray<const char *> &list : texts) {
        if (!to_.make(list, rows)) {
            return false;
        }
        list.count = 0;
    }
    for (uint32_t number = 0; number < rows; ++number) {
        const auto *row = file_.row<SettingRow>(RowKind::kSetting, number);
        const uint32_t kind = row ? fetch(row->kind) : 2;
        if (kind < 2) {
            texts[kind].rows[texts[kind].count++] = text_or_empty(fetch(row->text));
        }
    }
    to_.profile.arguments = {texts[0].rows, texts[0].count};
    to_.profile.environment = {texts[1].rows, texts[1].count};
    return true;
}

bool Reader::read_threads() {
    const uint32_t rows = file_.row_count(RowKind::kThread);
    if (!to_.make(thread_index_, rows) || !to_.make(to_.threads, rows)) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t number = 0; number < rows; ++number) {
        thread_index_[number] = kNoRow;
        const auto *row = file_.row<ThreadFileRow>(RowKind::kThread, number);
        if (!row) {
            continue;
        }
        ThreadRow &thread = to_.threads[count];
        thread.number = count;
        thread.tid = static_cast<long>(fetch(row->tid));
        thread.kind = fetch(row->kind) == static_cast<uint32_t>(ThreadKind::kInitial)
                          ? ThreadKind::kInitial
                          : ThreadKind::kOpenMP;
        thread.threads = fetch(row->threads);
        const uint64_t begin = fetch(row->begin_ns);
        const uint64_t end = fetch(row->end_ns);
        thread.begin = begin > begin_ns_ ? seconds(begin - begin_ns_) : 0;
        thread.has_ended = end != 0;
        thread.end = end > begin_ns_ ? seconds(end - begin_ns_) : to_.profile.seconds;
        thread.cpu_count = fetch(row->cpu_count);
        thread.first_cpu = fetch(row->first_cpu);
        to_.profile.walks += fetch(row->walks);
        to_.profile.cut_walks += fetch(row->cut_walks);
        to_.profile.fork_stacks += fetch(row->fork_stacks);
        to_.profile.fork_walks += fetch(row->fork_walks);
        for (unsigned event = 0; event < kEventNumbers; ++event) {
            thread.events[event] = fetch(row->events[event]);
            to_.profile.events[event].count += thread.events[event];
        }
        thread_index_[number] = count++;
    }
    to_.threads.count = count;
    return true;
}

const char *Reader::module_path(uint32_t module) {
    if (module >= paths_.size()) {
        return nullptr;
    }
    if (!paths_[module]) {
        const auto *row = file_.row<ModuleRow>(RowKind::kModule, module);
        paths_[module] = row ? file_.text(fetch(row->path), to_) : nullptr;
    }
    return paths_[module];
}

Place Reader::place_at(uint32_t location) {
    Place place;
    if (const auto *row = file_.row<LocationRow>(RowKind::kLocation, location)) {
        const uint32_t module = fetch(row->module);
        place.offset = fetch(row->offset);
        place.module = module_path(module);
        if (module == kNoRow) {
            place_by_address(place.offset, place);
        }
    }
    return place;
}

// By begin, then in the order of loading.
bool Reader::read_modules() {
    const uint32_t rows = file_.row_count(RowKind::kModule);
    if (!to_.make(modules_, rows)) {
        return false;
    }
    size_t count = 0;
    for (uint32_t number = 0; number < rows; ++number) {
        if (const auto *row = file_.row<ModuleRow>(RowKind::kModule, number)) {
            modules_[count++] = {fetch(row->begin), fetch(row->end), fetch(row->base), number};
        }
    }
    modules_.count = count;
    qsort(modules_.rows, count, sizeof(Module), by_begin);
    return true;
}

// Seen in a signal handler before its module was known: it may be by now. What was loaded last
// counts. Modules lie in each other's place at most as often as they were loaded anew: so a few.
void Reader::place_by_address(uint64_t address, Place &place) {
    constexpr size_t kTries = 64;
    size_t behind = 0; // the first that begins behind the address
    for (size_t step = modules_.count; step != 0; step /= 2) {
        while (behind + step <= modules_.count && modules_[behind + step - 1].begin <= address) {
            behind += step;
        }
    }
    uint32_t newest = kNoRow;
    for (size_t tries = 0; tries < kTries && tries < behind; ++tries) {
        const Module &at = modules_[behind - 1 - tries];
        if (address < at.end && (newest == kNoRow || at.number > newest)) {
            newest = at.number;
            place.module = module_path(at.number);
            place.offset = address - at.base;
        }
    }
}

// The row of a region: one for all call paths that lead to the same fork under the same region.
uint32_t Reader::region_at(uint32_t number, uint32_t location, int parent) {
    const Place place = place_at(location);
    const size_t mask = region_hash_.size() - 1;
    // What a file cannot foresee: else it could have all of its rows in one chain.
    uint64_t hash = place.offset ^ reinterpret_cast<uintptr_t>(region_hash_.rows);
    hash = mixed(mixed(hash) ^ reinterpret_cast<uintptr_t>(place.module)) +
           static_cast<uint64_t>(parent);
    size_t at = mixed(hash);
    for (; region_hash_[at & mask] != 0; ++at) {
        const RegionRow &known = to_.regions[region_hash_[at & mask] - 1];
        if (known.parent == parent && known.place.offset == place.offset &&
            known.place.module == place.module) {
            return region_hash_[at & mask] - 1;
        }
    }
    const auto region = static_cast<uint32_t>(to_.regions.count++);
    region_hash_[at & mask] = region + 1;
    to_.regions[region].place = place;
    to_.regions[region].parent = parent;
    region_node_[region] = number;
    return region;
}

bool Reader::read_nodes() {
    const uint32_t rows = file_.row_count(RowKind::kNode);
    uint32_t places = 1;
    while (places < 2 * rows) {
        places *= 2;
    }
    if (!to_.make(path_index_, rows) || !to_.make(region_node_, rows) ||
        !to_.make(region_hash_, places) || !to_.make(to_.regions, rows) ||
        !to_.make(to_.paths, rows) || !to_.make(paths_, file_.row_count(RowKind::kModule))) {
        return false;
    }
    to_.regions.count = 0;
    uint32_t count = 0;
    for (uint32_t number = 0; number < rows; ++number) {
        path_index_[number] = kNoRow;
        const auto *row = file_.row<NodeRow>(RowKind::kNode, number);
        const uint32_t kind = row ? fetch(row->kind) : kNoRow;
        if (kind > static_cast<uint32_t>(NodeKind::kCut)) {
            continue;
        }
        PathRow &path = to_.paths[count];
        path.kind = static_cast<PathKind>(kind);
        const uint32_t location = fetch(row->location);
        path.place =
            location < file_.row_count(RowKind::kLocation) ? static_cast<int>(location) : -1;
        // A parent is there before its children: so the tree has no circles.
        const uint32_t parent = fetch(row->parent);
        const uint32_t above = parent < number ? path_index_[parent] : kNoRow;
        path.parent = above != kNoRow ? static_cast<int>(above) : -1;
        path.region = above != kNoRow ? to_.paths[above].region : -1;
        if (path.kind == PathKind::kRegion) {
            path.region = static_cast<int>(region_at(number, location, path.region));
        }
        path_index_[number] = count++;
    }
    to_.paths.count = count;
    return true;
}

bool Reader::read_places() {
    const uint32_t rows = file_.row_count(RowKind::kLocation);
    if (!to_.make(to_.places, rows)) {
        return false;
    }
    for (const PathRow &path : to_.paths) {
        if (path.place >= 0) {
            Place &place = to_.places[static_cast<size_t>(path.place)].place;
            place = place_at(static_cast<uint32_t>(path.place));
        }
    }
    return true;
}

StateTimes *Reader::times_of(const Cell &cell, int &region) {
    switch (cell.node) {
    case kNodeOutside:
        region = kOutsideRegions;
        return &to_.profile.serial;
    case kNodeSeveral:
        region = kSeveralRegions;
        return &to_.profile.several;
    default:
        break;
    }
    if (cell.node < to_.regions.size()) {
        region = static_cast<int>(cell.node);
        return &to_.regions[cell.node].times;
    }
    region = kUnknownRegion;
    return &to_.profile.unknown_region;
}

void Reader::add_cell(const Cell &cell, const Cell *before) {
    int region = 0;
    StateTimes *times = times_of(cell, region);
    if (region >= 0 && (!before || before->node != cell.node || before->thread != cell.thread)) {
        ++to_.regions[static_cast<size_t>(region)].threads;
    }
    if (cell.state == kEntriesState) {
        if (region >= 0) {
            to_.regions[static_cast<size_t>(region)].entries += cell.samples;
        }
        return;
    }
    const unsigned state = cell.state < kStateColumns ? cell.state : 0;
    const double cpu = seconds(cell.on_ns);
    const double wall = seconds(cell.on_ns) + seconds(cell.off_ns);
    times->cpu[state] += cpu;
    times->wall[state] += wall;
    if (region >= 0) {
        to_.regions[static_cast<size_t>(region)].samples += cell.samples;
    }
    ThreadRow &thread = to_.threads[cell.thread];
    thread.times.cpu[state] += cpu;
    thread.times.wall[state] += wall;
    thread.samples += cell.samples;
    to_.cells[to_.cells.count++] = {cell.thread, region, state, wall, cpu, cell.samples};
}

// Rows of one key come to be one.
size_t Reader::merge_cells(size_t count) {
    qsort(cells_.rows, count, sizeof(Cell), by_key);
    size_t merged = 0;
    for (size_t i = 0; i < count; ++i) {
        if (merged != 0 && by_key(&cells_[merged - 1], &cells_[i]) == 0) {
            cells_[merged - 1].on_ns += cells_[i].on_ns;
            cells_[merged - 1].off_ns += cells_[i].off_ns;
            cells_[merged - 1].samples += cells_[i].samples;
        } else {
            cells_[merged++] = cells_[i];
        }
    }
    return merged;
}

// Cells by call path, of which those by region are sums.
bool Reader::keep_path_cells(size_t count) {
    if (!to_.make(to_.path_cells, count)) {
        return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        Cell &cell = cells_[i];
        const bool has_path = cell.node < to_.paths.size();
        const int path = has_path                    ? static_cast<int>(cell.node)
                         : cell.node == kNodeOutside ? kOutsideRegions
                         : cell.node == kNodeSeveral ? kSeveralRegions
                                                     : kUnknownRegion;
        if (has_path) {
            PathRow &row = to_.paths[cell.node];
            row.entries += cell.state == kEntriesState ? cell.samples : 0;
            cell.node = row.region >= 0 ? static_cast<uint32_t>(row.region) : kNodeOutside;
        }
        if (cell.state != kEntriesState) {
            const double on = seconds(cell.on_ns);
            to_.path_cells[kept++] = {cell.thread,
                                      path,
                                      cell.state < kStateColumns ? cell.state : 0,
                                      on + seconds(cell.off_ns),
                                      on,
                                      cell.samples};
        }
    }
    to_.path_cells.count = kept;
    return true;
}

bool Reader::read_cells() {
    const uint32_t rows = file_.row_count(RowKind::kCell);
    if (!to_.make(cells_, rows) || !to_.make(to_.cells, rows)) {
        return false;
    }
    size_t count = 0;
    for (uint32_t number = 0; number < rows; ++number) {
        const auto *row = file_.row<CellFileRow>(RowKind::kCell, number);
        const uint32_t thread = row ? fetch(row->thread) : kNoRow;
        if (thread >= thread_index_.size() || thread_index_[thread] == kNoRow) {
            continue;
        }
        const uint32_t node = fetch(row->node);
        const uint32_t path = node < path_index_.size() && path_index_[node] != kNoRow
                                  ? path_index_[node]
                              : node == kNodeOutside || node == kNodeSeveral ? node
                                                                             : kNodeUnknown;
        cells_[count++] = {path,
                           thread_index_[thread],
                           fetch(row->state),
                           fetch(row->on_ns),
                           fetch(row->off_ns),
                           fetch(row->on_samples) + fetch(row->off_samples)};
    }
    count = merge_cells(count);
    if (!keep_path_cells(count)) {
        return false;
    }
    count = merge_cells(count);
    to_.cells.count = 0;
    for (size_t i = 0; i < count; ++i) {
        add_cell(cells_[i], i != 0 ? &cells_[i - 1] : nullptr);
    }
    return true;
}

bool Reader::read_locks() {
    const uint32_t rows = file_.row_count(RowKind::kLock);
    RowArray<uint32_t> lock_index; // by row number, kNoRow: none
    if (!to_.make(to_.locks, rows) || !to_.make(lock_index, rows)) {
        return false;
    }
    size_t count = 0;
    for (uint32_t number = 0; number < rows; ++number) {
        lock_index[number] = kNoRow;
        const auto *row = file_.row<LockFileRow>(RowKind::kLock, number);
        if (!row) {
            continue;
        }
        LockRow lock;
        lock.state = fetch(row->state);
        lock.wait_id = fetch(row->wait_id);
        lock.waits = fetch(row->waits);
        lock.samples = fetch(row->samples);
        lock.cpu = seconds(fetch(row->on_ns));
        lock.wall = lock.cpu + seconds(fetch(row->off_ns));
        lock.object = place_at(fetch(row->object));
        lock.first_wait = place_at(fetch(row->first_wait));
        if (is_mutex_wait(lock.state) && (lock.waits != 0 || lock.wall > 0)) {
            lock_index[number] = static_cast<uint32_t>(count);
            to_.locks[count++] = lock;
        }
    }
    to_.locks.count = count;
    if (!read_holders(lock_index)) {
        return false;
    }
    qsort(to_.locks.rows, count, sizeof(LockRow), by_lock_time);
    return true;
}

bool Reader::read_holders(const RowArray<uint32_t> &lock_index) {
    to_.profile.knows_holders = file_.header().knows_holders != 0;
    const uint32_t rows = file_.row_count(RowKind::kHolder);
    RowArray<Holder> found;
    if (!to_.make(found, rows)) {
        return false;
    }
    size_t count = 0;
    for (uint32_t number = 0; number < rows; ++number) {
        const auto *row = file_.row<HolderFileRow>(RowKind::kHolder, number);
        if (!row) {
            continue;
        }
        const uint32_t lock = fetch(row->lock);
        if (lock < lock_index.size() && lock_index[lock] != kNoRow) {
            found[count++] = {lock_index[lock], fetch(row->location),
                              path_of_node(fetch(row->node)), fetch(row->ns), fetch(row->samples)};
        }
    }
    qsort(found.rows, count, sizeof(Holder), by_holder);
    size_t merged = 0;
    for (size_t i = 0; i < count; ++i) {
        if (merged != 0 && by_holder(&found[merged - 1], &found[i]) == 0) {
            found[merged - 1].ns += found[i].ns;
            found[merged - 1].samples += found[i].samples;
        } else {
            found[merged++] = found[i];
        }
    }
    qsort(found.rows, merged, sizeof(Holder), by_holders_time);
    if (!to_.make(to_.holders, merged)) {
        return false;
    }
    for (size_t i = 0; i < merged; ++i) {
        const Holder &from = found[i];
        to_.holders[i] = {place_at(from.location), from.path, seconds(from.ns), from.samples};
        LockRow &lock = to_.locks[from.lock];
        lock.holders = lock.holder_count == 0 ? &to_.holders[i] : lock.holders;
        ++lock.holder_count;
    }
    return true;
}

int Reader::path_of_node(uint32_t node) const {
    const bool has_path = node < path_index_.size() && path_index_[node] != kNoRow;
    return has_path               ? static_cast<int>(path_index_[node])
           : node == kNodeOutside ? kOutsideRegions
           : node == kNodeSeveral ? kSeveralRegions
                                  : kUnknownRegion;
}

void Reader::add_sample(const SampleRow &row) {
    const uint64_t time = fetch(row.time);
    const uint32_t who = fetch(row.who);
    const uint32_t thread = who & ((1U << kThreadBits) - 1);
    const unsigned state = who >> kThreadBits;
    if (time == 0 || thread >= thread_index_.size() || thread_index_[thread] == kNoRow) {
        return;
    }
    to_.samples[to_.samples.count++] = {seconds(time), thread_index_[thread],
                                        path_of_node(fetch(row.node)),
                                        state < kStateColumns ? state : 0};
}

// Those in the file, then those that were still in the ring. Some may have been in both.
bool Reader::read_samples() {
    constexpr uint64_t kMost = 4000000;
    const FileHeader &from = file_.header();
    const SampleFile file = checked(SampleFile::of(fetch(from.sample_file)));
    const uint64_t there = file.rows < sample_rows_.count ? file.rows : sample_rows_.count;
    const uint64_t step = there / kMost + 1;
    if (!to_.make(to_.samples, there / step + 1 + kRingSamples)) {
        return false;
    }
    to_.samples.count = 0;
    for (uint64_t i = 0; i < there; i += step) {
        add_sample(sample_rows_.rows[i]);
    }
    const uint64_t moved = fetch(from.samples_moved);
    uint64_t taken = fetch(from.samples_taken);
    taken = taken - moved < kRingSamples ? taken : moved + kRingSamples;
    for (uint64_t i = moved; i < taken; i += step << file.thinnings) {
        if (const SampleRow *row = file_.sample(i % kRingSamples)) {
            add_sample(*row);
        }
    }
    qsort(to_.samples.rows, to_.samples.count, sizeof(TimedSample), by_sample_time);
    drop_doubles(to_.samples);
    to_.profile.samples_missed = fetch(from.samples_missed) + (file.rows - there);
    if (const int error = fetch(from.sample_error); error != 0) {
        to_.profile.samples_end_early = to_.keep(strerror(error));
    }
    to_.profile.sample_step = static_cast<unsigned>(step << file.thinnings);
    return true;
}

bool Reader::order_regions() {
    const auto count = static_cast<uint32_t>(to_.regions.size());
    RowArray<Ranked> ranked;
    RowArray<RegionRow> ordered;
    RowArray<int> place_of;
    if (!to_.make(ranked, count) || !to_.make(ordered, count) || !to_.make(place_of, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const RegionRow &region = to_.regions[i];
        ranked[i] = {region_node_[i], i, total_wall(region.times), region.entries};
    }
    qsort(ranked.rows, count, sizeof(Ranked), by_time);
    for (uint32_t i = 0; i < count; ++i) {
        place_of[ranked[i].region] = static_cast<int>(i);
        ordered[i] = to_.regions[ranked[i].region];
    }
    for (RegionRow &region : ordered) {
        region.parent = region.parent >= 0 ? place_of[static_cast<size_t>(region.parent)] : -1;
    }
    for (CellRow &cell : to_.cells) {
        cell.region = cell.region >= 0 ? place_of[static_cast<size_t>(cell.region)] : cell.region;
    }
    for (PathRow &path : to_.paths) {
        path.region = path.region >= 0 ? place_of[static_cast<size_t>(path.region)] : -1;
    }
    to_.regions = ordered;
    return true;
}

// The most threads that were bound to the same one processor and ran until the end.
void Reader::count_bound_threads() {
    RowArray<uint32_t> bound;
    if (!to_.make(bound, to_.threads.size())) {
        return;
    }
    size_t count = 0;
    for (const ThreadRow &thread : to_.threads) {
        if (thread.cpu_count == 1 && !thread.has_ended) {
            bound[count++] = thread.first_cpu;
        }
    }
    qsort(bound.rows, count, sizeof(uint32_t), by_number);
    unsigned same = 0;
    for (size_t i = 0; i < count; ++i) {
        same = i != 0 && bound[i] == bound[i - 1] ? same + 1 : 1;
        to_.profile.threads_on_one_cpu =
            same > to_.profile.threads_on_one_cpu ? same : to_.profile.threads_on_one_cpu;
    }
}

bool Reader::read() {
    read_header();
    if (!read_settings() || !read_threads() || !read_modules() || !read_nodes() || !read_cells() ||
        !read_places() || !order_regions() || !read_locks() || !read_samples()) {
        return false;
    }
    count_bound_threads();
    Profile &profile = to_.profile;
    profile.threads = to_.threads.rows;
    profile.thread_count = to_.threads.count;
    profile.regions = to_.regions.rows;
    profile.region_count = to_.regions.count;
    profile.cells = to_.cells.rows;
    profile.cell_count = to_.cells.count;
    profile.locks = to_.locks.rows;
    profile.lock_count = to_.locks.count;
    profile.paths = to_.paths.rows;
    profile.path_count = to_.paths.count;
    profile.places = to_.places.rows;
    profile.place_count = to_.places.count;
    profile.path_cells = to_.path_cells.rows;
    profile.path_cell_count = to_.path_cells.count;
    profile.samples = to_.samples.rows;
    profile.sample_count = to_.samples.count;
    return true;
}

} // namespace

LoadedProfile::~LoadedProfile() {
    while (blocks_) {
        Block *next = blocks_->next;
        free(blocks_);
        blocks_ = next;
    }
}

void *LoadedProfile::allocate(size_t size) {
    constexpr size_t kHead = 16; // keeps what follows aligned
    static_assert(sizeof(Block) <= kHead);
    auto *block = static_cast<Block *>(calloc(1, kHead + size));
    if (!block) {
        return nullptr;
    }
    block->next = blocks_;
    blocks_ = block;
    return reinterpret_cast<char *>(block) + kHead;
}

const char *LoadedProfile::keep(const char *text) {
    if (!text || !*text) {
        return nullptr;
    }
    const size_t size = strlen(text) + 1;
    auto *copy = static_cast<char *>(allocate(size));
    return copy ? static_cast<char *>(memcpy(copy, text, size)) : nullptr;
}

namespace {

const char *read_with(const void *bytes, size_t size, const SampleRows &samples,
                      LoadedProfile &to) {
    FileView file(bytes, size);
    if (const char *why = file.open()) {
        return why;
    }
    if (!Reader(file, samples, to).read()) {
        return "there is not enough memory to read it";
    }
    RangeCheck check;
    check_profile(to.profile, check);
    if (check.holds()) {
        return nullptr;
    }
    char words[256];
    check.describe(words, sizeof words);
    const char *why = to.keep(words);
    return why ? why : "a number in it is out of range";
}

// The bytes of a file, as far as they could be read. A copy, as a file that gets shorter under a
// mapping would be SIGBUS.
struct FileBytes {
    char *bytes = nullptr;
    size_t size = 0;
    int error = 0; // errno of why there are none

    explicit FileBytes(const char *path);
    ~FileBytes() { free(bytes); }
    FileBytes(const FileBytes &) = delete;
    FileBytes &operator=(const FileBytes &) = delete;
};

FileBytes::FileBytes(const char *path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat file;
    if (fd < 0 || fstat(fd, &file) != 0) {
        error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    const auto whole = S_ISREG(file.st_mode) ? static_cast<size_t>(file.st_size) : 0;
    constexpr size_t kAligned = 64;
    bytes = static_cast<char *>(aligned_alloc(kAligned, (whole / kAligned + 1) * kAligned));
    error = bytes ? 0 : ENOMEM;
    for (ssize_t got = 0; bytes && size < whole;) {
        got = read(fd, bytes + size, whole - size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        size += static_cast<size_t>(got);
    }
    close(fd);
}

// The name of a file of samples; false: the profile's name is none of ours.
bool sample_name(const char *path, const char *suffix, char *name, size_t size) {
    const size_t length = strlen(path);
    const size_t own = strlen(kProfileSuffix);
    if (length < own || strcmp(path + length - own, kProfileSuffix) != 0) {
        return false;
    }
    const int stem = static_cast<int>(length - own);
    return snprintf(name, size, "%.*s%s", stem, path, suffix) < static_cast<int>(size);
}

// Which one it is the profile says.
SampleFile samples_of(const FileBytes &profile) {
    if (profile.size < kFirstExtent) {
        return {0, 0};
    }
    const auto *header = reinterpret_cast<const FileHeader *>(profile.bytes);
    return checked(SampleFile::of(fetch(header->sample_file)));
}

} // namespace

const char *read_profile(const void *bytes, size_t size, LoadedProfile &to) {
    return read_with(bytes, size, {nullptr, 0}, to);
}

const char *read_profile(const void *bytes, size_t size, const void *samples, size_t samples_size,
                         LoadedProfile &to) {
    return read_with(bytes, size,
                     {static_cast<const SampleRow *>(samples), samples_size / sizeof(SampleRow)},
                     to);
}

// The samples are read after the profile: what it counts is in their file by then. The process may
// have begun with the next file meanwhile.
const char *read_profile_file(const char *path, LoadedProfile &to) {
    for (int tries = 3;; --tries) {
        const FileBytes profile(path);
        if (profile.error != 0) {
            return to.keep(strerror(profile.error));
        }
        const SampleFile file = samples_of(profile);
        char name[PATH_MAX];
        if (!sample_name(path, file.suffix(), name, sizeof name)) {
            return read_profile(profile.bytes, profile.size, to);
        }
        const FileBytes samples(name);
        const SampleRows rows = {reinterpret_cast<const SampleRow *>(samples.bytes),
                                 samples.size / sizeof(SampleRow)};
        if (rows.count >= file.rows || tries == 0) {
            return read_with(profile.bytes, profile.size, rows, to);
        }
    }
}

} // namespace ompcollect
