// SPDX-License-Identifier: Apache-2.0
//
// The files of a process that may still write them, as bytes. Copies, as a file that gets shorter
// under a mapping would be SIGBUS.
#include "live_reader.h"

#include "profile_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <new>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace ompcollect::report {
namespace {

struct Descriptor {
    int fd;
    explicit Descriptor(const std::string &path) : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~Descriptor() {
        if (fd >= 0) {
            close(fd);
        }
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
};

class FileBytes {
  public:
    // As far as the file can be read. `error` says why there is nothing.
    explicit FileBytes(const std::string &path);
    [[nodiscard]] std::string_view all() const { return {bytes_.get(), size_}; }
    [[nodiscard]] int why_none() const { return error_; }

  private:
    static constexpr size_t kAligned = 64;
    struct Freed {
        void operator()(char *bytes) const { free(bytes); }
    };
    std::unique_ptr<char, Freed> bytes_;
    size_t size_ = 0;
    int error_ = 0;
};

FileBytes::FileBytes(const std::string &path) {
    const Descriptor file(path);
    struct stat facts = {};
    if (file.fd < 0 || fstat(file.fd, &facts) != 0) {
        error_ = errno;
        return;
    }
    const auto whole = S_ISREG(facts.st_mode) ? static_cast<size_t>(facts.st_size) : 0;
    bytes_.reset(static_cast<char *>(aligned_alloc(kAligned, (whole / kAligned + 1) * kAligned)));
    if (!bytes_) {
        throw std::bad_alloc();
    }
    while (size_ < whole) {
        const ssize_t got = ::read(file.fd, bytes_.get() + size_, whole - size_);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        size_ += static_cast<size_t>(got);
    }
}

// Which file of samples it is, the profile says.
SampleFile samples_of(std::string_view profile) {
    if (profile.size() < kFirstExtent) {
        return {0, 0};
    }
    const auto *header = reinterpret_cast<const FileHeader *>(profile.data());
    return SampleFile::checked(header->sample_file.load(std::memory_order_relaxed));
}

Process read_files(const std::string &path) {
    // The samples are read after the profile: what it counts is in their file by then. The process
    // may have begun with the next file meanwhile.
    for (int tries = 3;; --tries) {
        const FileBytes profile(path);
        if (profile.why_none() != 0) {
            throw std::runtime_error(strerror(profile.why_none()));
        }
        if (!path.ends_with(kProfileSuffix)) { // the name is none of ours
            return read_live(profile.all(), {});
        }
        const SampleFile file = samples_of(profile.all());
        const size_t stem = path.size() - strlen(kProfileSuffix);
        const FileBytes samples(path.substr(0, stem) + file.suffix());
        if (samples.all().size() / sizeof(SampleRow) >= file.rows || tries == 0) {
            return read_live(profile.all(), samples.all());
        }
    }
}

} // namespace

Process read_live_file(const std::string &path) {
    try {
        return read_files(path);
    } catch (const std::bad_alloc &) {
        throw std::runtime_error("there is not enough memory to read it");
    }
}

} // namespace ompcollect::report
