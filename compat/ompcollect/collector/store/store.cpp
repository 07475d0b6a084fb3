// SPDX-License-Identifier: Apache-2.0
//
// Space is allocated before it is mapped: a hole on a full disk would be SIGBUS in
// whoever writes to it. RLIMIT_FSIZE is asked before, as it would be SIGXFSZ. What a small program
// needs is allocated at once: the kernel takes a millisecond longer to remove a file of ten pieces.
#include "store.h"

#include "base/write_signals.h"
#include "settings.h"
#include "status_file.h"
#include "wake_up.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr unsigned kMostParts = 26; // of one kind; each is twice as long as the one before
constexpr size_t kPage = 4096;

struct KindSize {
    uint32_t row_size;
    uint32_t first_rows; // a power of two; for texts: bytes
};

// In the order of RowKind. Sizes of the first extents make small programs small files.
constexpr KindSize kSizes[] = {
    {0, 0},                            // kNone
    {1, 16384},                        // kText
    {sizeof(ModuleRow), 128},          // kModule
    {sizeof(ThreadFileRow), 64},       // kThread
    {sizeof(LocationRow), 256},        // kLocation
    {sizeof(NodeRow), 256},            // kNode
    {sizeof(CellFileRow), 1024},       // kCell
    {sizeof(LockFileRow), 64},         // kLock
    {sizeof(SettingRow), 256},         // kSetting
    {sizeof(SampleRow), kRingSamples}, // kSample: a ring, which never grows
    {sizeof(HolderFileRow), 64},       // kHolder
    {sizeof(PythonTextRow), 64},       // kPythonText
    {sizeof(PythonCodeRow), 64},       // kPythonCode
};
constexpr unsigned kKinds = static_cast<unsigned>(RowKind::kCount);
static_assert(sizeof kSizes / sizeof kSizes[0] == kKinds);

struct Table {
    std::atomic<char *> parts[kMostParts];
    std::atomic<unsigned> part_count;
    std::atomic<uint64_t> capacity;
    std::atomic<uint64_t> used;
};

constinit Table tables[kKinds] = {};
constinit FileHeader *file_header = nullptr;
constinit Extent *extent_directory = nullptr;
constinit char file_path[PATH_MAX] = {};
constinit char path_stem[PATH_MAX] = {}; // without the suffix
constinit dev_t file_device = 0;
constinit ino_t file_inode = 0;
constinit uint64_t file_size = 0;    // what is in use
constinit uint64_t mapped_ahead = 0; // from the beginning, at file_header
constinit std::atomic<bool> growing{false};
constinit std::atomic<bool> is_open{false};

Table &table_of(RowKind kind) {
    return tables[static_cast<unsigned>(kind)];
}

const KindSize &size_of(RowKind kind) {
    return kSizes[static_cast<unsigned>(kind)];
}

// The part that row `number` lies in, and its place there.
unsigned part_of(uint64_t number, uint32_t first_rows, uint64_t &place) {
    const uint64_t multiple = number / first_rows + 1;
    const unsigned part = 63 - static_cast<unsigned>(__builtin_clzll(multiple));
    place = number - first_rows * ((uint64_t{1} << part) - 1);
    return part;
}

// The file, opened for a moment: a descriptor that stays might be closed by the program, and its
// number be another file's then. -1: it is not to be had any more.
class OpenFile {
  public:
    OpenFile() : fd_(open(file_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)) {
        struct stat found;
        if (fd_ >= 0 && (fstat(fd_, &found) != 0 || found.st_dev != file_device ||
                         found.st_ino != file_inode)) {
            give_back();
            fd_ = -1;
            errno = ESTALE;
        }
    }
    ~OpenFile() { give_back(); }
    OpenFile(const OpenFile &) = delete;
    OpenFile &operator=(const OpenFile &) = delete;
    [[nodiscard]] int get() const { return fd_; }

  private:
    void give_back() const {
        if (fd_ >= 0) {
            close(fd_);
        }
    }
    int fd_;
};

// Of a part, in whole pages.
uint64_t bytes_of(const KindSize &size, unsigned part) {
    const uint64_t bytes = (uint64_t{size.first_rows} << part) * size.row_size;
    return (bytes + kPage - 1) / kPage * kPage;
}

// The file's first bytes. A file system keeps room for what is written, as for what is allocated.
// But the pages are there when they are first touched, and where the file is removed soon after it
// never has blocks of the disk: a third of what posix_fallocate() and both of that take.
int write_zeros(int fd, uint64_t size) {
    static constinit char zeros[8 * kPage] = {};
    for (uint64_t at = 0; at < size;) {
        const size_t piece = std::min<size_t>(sizeof zeros, size - at);
        const ssize_t written = pwrite(fd, zeros, piece, static_cast<off_t>(at));
        if (written == 0 || (written < 0 && errno != EINTR)) {
            return written == 0 ? ENOSPC : errno;
        }
        at += static_cast<uint64_t>(std::max<ssize_t>(written, 0));
    }
    return 0;
}

// 0, or the errno of why the file cannot be that long.
int reserve(int fd, uint64_t size) {
    if (size > ocb::file_size_limit()) {
        return EFBIG;
    }
    const auto guard = ocb::NoWriteSignals::for_file();
    if (file_size == 0) {
        return write_zeros(fd, size);
    }
    int error = 0;
    do {
        error = posix_fallocate(fd, static_cast<off_t>(file_size),
                                static_cast<off_t>(size - file_size));
    } while (error == EINTR);
    return error;
}

char *map(int fd, uint64_t offset, size_t size, int &error) {
    void *memory =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
    if (memory == MAP_FAILED) {
        error = errno;
        return nullptr;
    }
    return static_cast<char *>(memory);
}

// So many bytes more of the file; null with the errno.
char *add_to_file(uint64_t bytes, int &error) {
    if (file_size + bytes <= mapped_ahead) {
        error = 0;
        return reinterpret_cast<char *>(file_header) + file_size;
    }
    const OpenFile file;
    if (file.get() < 0) {
        error = errno;
        return nullptr;
    }
    error = reserve(file.get(), file_size + bytes);
    return error == 0 ? map(file.get(), file_size, bytes, error) : nullptr;
}

// Under the lock.
int add_extent(RowKind kind) {
    Table &table = table_of(kind);
    const KindSize &size = size_of(kind);
    const unsigned part = table.part_count.load(std::memory_order_relaxed);
    const uint32_t entry = file_header->extent_count.load(std::memory_order_relaxed);
    if (part == kMostParts || entry == kMostExtents) {
        return ENOSPC;
    }
    const uint64_t rows = uint64_t{size.first_rows} << part;
    const uint64_t bytes = bytes_of(size, part);
    int error = 0;
    char *memory = add_to_file(bytes, error);
    if (!memory) {
        return error;
    }
    Extent &extent = extent_directory[entry];
    extent.kind = static_cast<uint32_t>(kind);
    extent.row_size = size.row_size;
    extent.row_count = rows;
    extent.offset.store(file_size, std::memory_order_release);
    file_header->extent_count.store(entry + 1, std::memory_order_release);
    file_size += bytes;
    table.parts[part].store(memory, std::memory_order_release);
    table.part_count.store(part + 1, std::memory_order_release);
    table.capacity.fetch_add(rows, std::memory_order_release);
    return 0;
}

// With more than these a table is short of rows: less than a quarter of them is free.
uint64_t most_used(const Table &table) {
    const uint64_t capacity = table.capacity.load(std::memory_order_relaxed);
    return capacity - capacity / 4;
}

bool is_short(RowKind kind) {
    const Table &table = table_of(kind);
    return table.used.load(std::memory_order_relaxed) > most_used(table);
}

bool lock_growth() {
    constexpr int kPatience = 1000; // the holder allocates disk space
    for (int i = 0; i < kPatience; ++i) {
        if (!growing.exchange(true, std::memory_order_acquire)) {
            return true;
        }
        sched_yield();
    }
    return false;
}

void unlock_growth() {
    growing.store(false, std::memory_order_release);
}

void grow_kind(RowKind kind) {
    if (file_header->growth_error.load(std::memory_order_relaxed) != 0) {
        return; // reported once, not tried again at each event
    }
    if (const int error = add_extent(kind); error != 0) {
        file_header->growth_error.store(error, std::memory_order_relaxed);
    }
}

// A file of its own per process; the number separates processes that had the same pid.
int create_file(const char *directory) {
    char folder[PATH_MAX];
    if (!realpath(directory, folder)) {
        if (*directory != '/') {
            return -1;
        }
        snprintf(folder, sizeof folder, "%s",
                 directory); // links cannot be read, or it is not there
    }
    for (unsigned number = 0; number < 1000; ++number) {
        const int stem = snprintf(path_stem, sizeof path_stem, "%s/%ld-%u", folder,
                                  static_cast<long>(getpid()), number);
        const int length = snprintf(file_path, sizeof file_path, "%s%s", path_stem, kProfileSuffix);
        if (std::max(stem, length) >= static_cast<int>(sizeof file_path)) {
            errno = ENAMETOOLONG;
            break;
        }
        const int fd = open(file_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

// Header and the first extents, in one piece; null with an errno.
char *map_first_extents(int fd, uint64_t bytes, int &error) {
    mapped_ahead = 0;
    error = reserve(fd, bytes);
    char *memory = error == 0 ? map(fd, 0, bytes, error) : nullptr;
    mapped_ahead = memory ? bytes : 0;
    return memory;
}

// Header and the first extent of each kind, or an errno.
int begin_file(int fd) {
    file_size = 0;
    uint64_t all = kFirstExtent;
    for (const KindSize &size : kSizes) {
        all += bytes_of(size, 0);
    }
    int error = 0;
    char *memory = map_first_extents(fd, all, error);
    if (!memory) { // some of it may be had
        memory = map_first_extents(fd, kFirstExtent, error);
    }
    if (!memory) {
        return error;
    }
    file_size = kFirstExtent;
    file_header = reinterpret_cast<FileHeader *>(memory);
    extent_directory = reinterpret_cast<Extent *>(memory + kDirectoryOffset);
    memcpy(file_header->magic, kMagic, sizeof kMagic);
    file_header->version = kFormatVersion;
    file_header->byte_order = kByteOrder;
    file_header->header_size = sizeof(FileHeader);
    file_header->directory_entries = kMostExtents;
    for (unsigned kind = 1; kind < kKinds && error == 0; ++kind) {
        if (kSizes[kind].first_rows != 0) {
            error = add_extent(static_cast<RowKind>(kind));
            // The time line is the first thing to do without.
            error = kind == static_cast<unsigned>(RowKind::kSample) ? 0 : error;
        }
    }
    return error;
}

// Only the beginning is written to by name; the rest is reached through the mappings.
void forget() {
    for (unsigned kind = 0; kind < kKinds; ++kind) {
        Table &table = tables[kind];
        for (unsigned part = 0; part < table.part_count.load(std::memory_order_relaxed); ++part) {
            munmap(table.parts[part].load(std::memory_order_relaxed), bytes_of(kSizes[kind], part));
            table.parts[part].store(nullptr, std::memory_order_relaxed);
        }
        table.part_count.store(0, std::memory_order_relaxed);
        table.capacity.store(0, std::memory_order_relaxed);
        table.used.store(0, std::memory_order_relaxed);
    }
    if (file_header) {
        munmap(file_header, kFirstExtent);
    }
    file_header = nullptr;
    extent_directory = nullptr;
    growing.store(false, std::memory_order_relaxed);
}

bool begin_with(int fd) {
    struct stat file;
    if (fd < 0 || fstat(fd, &file) != 0) {
        return false;
    }
    file_device = file.st_dev;
    file_inode = file.st_ino;
    const int error = begin_file(fd);
    close(fd);
    if (error != 0) {
        forget();
        errno = error;
    }
    return error == 0;
}

// What is left of a profile that could not be begun is the reason, for the launcher: a name takes
// no room. False: there is nowhere to report it.
bool leave_reason(int error) {
    if (!current_settings.profile_dir) {
        unlink(file_path); // there is no launcher
        return false;
    }
    char name[PATH_MAX + 32];
    snprintf(name, sizeof name, "%s%s%d", path_stem, kFailedSuffix, error);
    return truncate(file_path, 0) == 0 && rename(file_path, name) == 0;
}

} // namespace

bool open_store(const char *directory) {
    const int fd = create_file(directory);
    if (begin_with(fd)) {
        is_open.store(true, std::memory_order_release);
        return true;
    }
    const int error = errno;
    if (fd < 0 || !leave_reason(error)) {
        complain("no profile of this process (pid %ld): %s: %s", static_cast<long>(getpid()),
                 directory, strerror(error));
    }
    return false;
}

bool store_is_open() {
    return is_open.load(std::memory_order_acquire);
}

FileHeader &header() {
    return *file_header;
}

uint32_t add_row(RowKind kind) {
    Table &table = table_of(kind);
    uint64_t number = table.used.load(std::memory_order_relaxed);
    do {
        if (number >= table.capacity.load(std::memory_order_acquire) || number >= kNodeOutside) {
            return kNoRow;
        }
    } while (!table.used.compare_exchange_weak(number, number + 1, std::memory_order_relaxed));
    if (number == most_used(table)) {
        wake_sampling_thread();
    }
    return static_cast<uint32_t>(number);
}

void *row(RowKind kind, uint32_t number) {
    const KindSize &size = size_of(kind);
    uint64_t place = 0;
    const unsigned part = part_of(number, size.first_rows, place);
    char *memory =
        part < kMostParts ? table_of(kind).parts[part].load(std::memory_order_acquire) : nullptr;
    return memory ? memory + place * size.row_size : nullptr;
}

uint32_t row_count(RowKind kind) {
    return static_cast<uint32_t>(table_of(kind).used.load(std::memory_order_acquire));
}

void grow_store() {
    for (unsigned kind = 1; kind < kKinds; ++kind) {
        if (kSizes[kind].first_rows != 0 && is_short(static_cast<RowKind>(kind)) && lock_growth()) {
            if (is_short(static_cast<RowKind>(kind))) {
                grow_kind(static_cast<RowKind>(kind));
            }
            unlock_growth();
        }
    }
}

uint32_t add_row_growing(RowKind kind) {
    uint32_t number = add_row(kind);
    if (number == kNoRow || is_short(kind)) {
        grow_store();
        if (number == kNoRow) {
            number = add_row(kind);
        }
    }
    return number;
}

TextRef add_text(const char *text, size_t length) {
    constexpr size_t kLongest = 0xffff;
    length = length > kLongest ? kLongest : length;
    if (length == 0 || !lock_growth()) {
        return 0;
    }
    Table &table = table_of(RowKind::kText);
    const uint32_t first = size_of(RowKind::kText).first_rows;
    TextRef result = 0;
    for (int tries = 0; tries < 4 && result == 0; ++tries) {
        const uint64_t begin = table.used.load(std::memory_order_relaxed);
        uint64_t place = 0;
        const unsigned part = part_of(begin, first, place);
        const uint64_t part_end = uint64_t{first} * ((uint64_t{2} << part) - 1);
        if (part < table.part_count.load(std::memory_order_relaxed) && begin + length <= part_end) {
            char *memory = table.parts[part].load(std::memory_order_relaxed);
            memcpy(memory + place, text, length);
            table.used.store(begin + length, std::memory_order_relaxed);
            // Extents of texts are found by their number among their kind.
            unsigned seen = 0;
            for (unsigned i = 0; i < file_header->extent_count.load(std::memory_order_relaxed);
                 ++i) {
                if (extent_directory[i].kind == static_cast<uint32_t>(RowKind::kText) &&
                    seen++ == part) {
                    const uint64_t base =
                        extent_directory[i].offset.load(std::memory_order_relaxed);
                    result = text_ref(base + place, length);
                }
            }
        } else {
            if (part < table.part_count.load(std::memory_order_relaxed)) {
                table.used.store(part_end, std::memory_order_relaxed); // the rest is too short
            }
            grow_kind(RowKind::kText);
        }
    }
    unlock_growth();
    return result;
}

TextRef add_text(const char *text) {
    return text ? add_text(text, strlen(text)) : 0;
}

const char *sample_file_stem() {
    return path_stem;
}

const char *profile_path() {
    return file_path;
}

void remove_store() {
    unlink(file_path);
}

void leave_store() {
    if (is_open.exchange(false, std::memory_order_relaxed)) {
        forget();
    }
}

} // namespace ompcollect
