// SPDX-License-Identifier: Apache-2.0
//
// Files are opened for a moment, as the profile is (store.cpp).
#include "sample_file.h"

#include "base/write_signals.h"
#include "profile_file.h"
#include "settings.h"
#include "store.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr uint64_t kRow = sizeof(PlainSample);
static_assert(kRow == sizeof(SampleRow));
constexpr size_t kPiece = 1024;        // samples
constexpr unsigned kPiecesAtOnce = 32; // of a thinning, which is not to keep the sampling thread

// Which of a thread's samples are kept: every so many-th from its first on.
class EveryNth {
  public:
    void restart() {
        if (is_used_) { // the table is 128 KiB that most runs of one session need not touch here
            memset(passed_, 0, sizeof passed_);
        }
        is_used_ = false;
    }
    // `step` is a power of two.
    bool takes(const PlainSample &sample, unsigned step) {
        is_used_ = true;
        return (passed_[sample.who % kThreads]++ & (step - 1)) == 0;
    }

  private:
    static constexpr unsigned kThreads = 1U << 16; // no more have rows of their own
    uint16_t passed_[kThreads];
    bool is_used_;
};
static_assert(kMostThinnings < 16);

struct Thinning {
    bool is_under_way;
    uint64_t read; // rows of the old file
    uint64_t rows; // of the new one
};

constinit EveryNth in_appending = {};
constinit EveryNth in_thinning = {};
constinit Thinning thinning = {};
constinit PlainSample piece[kPiece] = {};

SampleFile current_file() {
    return SampleFile::of(header().sample_file.load(std::memory_order_relaxed));
}

// Of the file of so many thinnings.
struct Name {
    char text[PATH_MAX + 16];

    explicit Name(unsigned thinnings) {
        snprintf(text, sizeof text, "%s%s", sample_file_stem(), kSampleSuffixes[thinnings % 2]);
    }
};

// -1: errno has the reason.
class OpenedFile {
  public:
    OpenedFile(const Name &name, int flags)
        : fd_(open(name.text, flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
    ~OpenedFile() {
        if (fd_ >= 0) {
            close(fd_);
        }
    }
    OpenedFile(const OpenedFile &) = delete;
    OpenedFile &operator=(const OpenedFile &) = delete;
    [[nodiscard]] int get() const { return fd_; }

  private:
    int fd_;
};

// While the second file comes about, both together are not larger than what is set.
uint64_t most_rows() {
    return std::min(uint64_t{current_settings.samples_mb} * 1000000 * 2 / 3,
                    ocb::file_size_limit()) /
           kRow;
}

// 0, or an errno.
int write_rows(int fd, const PlainSample *rows, size_t count, uint64_t place) {
    const auto guard = ocb::NoWriteSignals::for_file(); // the limit may have become lower
    const auto *bytes = reinterpret_cast<const char *>(rows);
    for (size_t written = 0; written < count * kRow;) {
        const ssize_t now = pwrite(fd, bytes + written, count * kRow - written,
                                   static_cast<off_t>(place * kRow + written));
        if (now < 0 && errno == EINTR) {
            continue;
        }
        if (now <= 0) {
            return now < 0 ? errno : EIO;
        }
        written += static_cast<size_t>(now);
    }
    return 0;
}

// How many there were; 0: none, or they cannot be read.
size_t read_rows(int fd, PlainSample *rows, size_t count, uint64_t place) {
    ssize_t got = 0;
    do {
        got = pread(fd, rows, count * kRow, static_cast<off_t>(place * kRow));
    } while (got < 0 && errno == EINTR);
    return got > 0 ? static_cast<size_t>(got) / kRow : 0;
}

// The next piece of the old file into the new one. 0, or an errno.
int thin_piece(int from, int to, uint64_t old_rows) {
    const uint64_t rest = old_rows - thinning.read;
    const size_t got = read_rows(from, piece, std::min<uint64_t>(rest, kPiece), thinning.read);
    if (got == 0) {
        return EIO;
    }
    const auto *const end = std::remove_if(
        piece, piece + got, [](const PlainSample &row) { return !in_thinning.takes(row, 2); });
    const auto kept = static_cast<size_t>(end - piece);
    if (const int error = write_rows(to, piece, kept, thinning.rows); error != 0) {
        return error;
    }
    thinning.read += got;
    thinning.rows += kept;
    return 0;
}

// From here on it is the new file that counts.
void change_files() {
    const SampleFile old = current_file();
    const SampleFile next = {thinning.rows, old.thinnings + 1};
    header().sample_file.store(next.word(), std::memory_order_release);
    unlink(Name(old.thinnings).text);
    thinning = {};
}

void begin_thinning() {
    in_thinning.restart();
    thinning = {true, 0, 0};
    unlink(Name(current_file().thinnings + 1).text);
}

int thin_pieces(unsigned most) {
    const SampleFile old = current_file();
    const OpenedFile from(Name(old.thinnings), O_RDONLY);
    const OpenedFile to(Name(old.thinnings + 1), O_WRONLY | O_CREAT);
    if (from.get() < 0 || to.get() < 0) {
        return errno;
    }
    for (unsigned i = 0; i < most && thinning.read < old.rows; ++i) {
        if (const int error = thin_piece(from.get(), to.get(), old.rows); error != 0) {
            unlink(Name(old.thinnings + 1).text);
            return error;
        }
    }
    if (thinning.read == old.rows) {
        change_files();
    }
    return 0;
}

// For so many rows more, if it is to be had.
int make_room(size_t count) {
    const uint64_t most = most_rows();
    if (!thinning.is_under_way && current_file().rows + count > most / 4 * 3 &&
        current_file().thinnings < kMostThinnings) {
        begin_thinning();
    }
    if (current_file().rows + count <= most) {
        return 0;
    }
    const int error = thinning.is_under_way ? thin_pieces(UINT_MAX) : EFBIG;
    return error == 0 && current_file().rows + count > most ? EFBIG : error;
}

} // namespace

void begin_sample_file() {
    in_appending.restart();
    thinning = {};
}

int append_samples(const PlainSample *samples, size_t count) {
    if (const int error = make_room(count); error != 0) {
        return error;
    }
    const SampleFile to = current_file();
    size_t kept = 0;
    for (size_t i = 0; i < count && kept < kPiece; ++i) {
        if (in_appending.takes(samples[i], 1U << to.thinnings)) {
            piece[kept++] = samples[i];
        }
    }
    if (kept == 0) {
        return 0;
    }
    const OpenedFile file(Name(to.thinnings), O_WRONLY | O_CREAT);
    const int error = file.get() >= 0 ? write_rows(file.get(), piece, kept, to.rows) : errno;
    if (error == 0) {
        const SampleFile now = {to.rows + kept, to.thinnings};
        header().sample_file.store(now.word(), std::memory_order_release);
    }
    return error;
}

int thin_sample_file() {
    return thinning.is_under_way ? thin_pieces(kPiecesAtOnce) : 0;
}

void remove_sample_file() {
    for (const unsigned thinnings : {0U, 1U}) {
        unlink(Name(thinnings).text);
    }
}

bool sample_file_is_thinned() {
    return thinning.is_under_way;
}

} // namespace ompcollect
