// SPDX-License-Identifier: Apache-2.0
//
// A lock on byte 0 of a file is held while a report is written. A shared lock
// on byte 1 is held while a launcher uses the file: the first that comes empties it, others append.
// They are locks of processes, so two launchers with one inherited stderr keep apart, too.
#include "report_files.h"

#include "failure.h"
#include "people.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr off_t kWriting = 0;
constexpr off_t kInUse = 1;

bool lock(int fd, short type, off_t byte) {
    struct flock lock = {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return fcntl(fd, F_SETLK, &lock) == 0;
}

// A file system without locks, or one that somebody holds for ever, does not keep a report back.
void lock_for_writing(int fd) {
    constexpr int kTries = 500;
    for (int i = 0; i < kTries && !lock(fd, F_WRLCK, kWriting); ++i) {
        if (errno != EAGAIN && errno != EACCES) {
            return;
        }
        const struct timespec pause = {0, 10'000'000};
        nanosleep(&pause, nullptr);
    }
}

void write_all(int fd, const std::string &text, const std::string &name) {
    if (!report::tell(fd, text)) {
        throw Failure("the profile could not be written to " + name + ": " + strerror(errno));
    }
}

} // namespace

ReportFiles::ReportFiles(const std::string &pattern) : pattern_(pattern) {
    if (pattern_.empty()) {
        return;
    }
    // Each rank has a launcher of its own that got the same name.
    if (!is_pattern(pattern_) && own_job_rank().several()) {
        pattern_ += ".%r";
    }
    ReportOf nobody;
    nobody.rank = own_job_rank().rank;
    const std::string name = expanded_name(pattern_, nobody);
    if (!is_pattern(pattern_)) {
        open_file(name);
        return;
    }
    const size_t slash = name.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : name.substr(0, slash + 1);
    if (access(folder.c_str(), W_OK) != 0) {
        throw Failure(folder + ": " + strerror(errno) + "; check what follows --output");
    }
}

ReportFiles::~ReportFiles() {
    for (const auto &[name, fd] : files_) {
        close(fd);
    }
}

int ReportFiles::open_file(const std::string &name) {
    const auto known = files_.find(name);
    if (known != files_.end()) {
        return known->second;
    }
    // Read access is for the shared lock; a device may grant writing alone.
    int fd = open(name.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0) {
        fd = open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    }
    if (fd < 0) {
        throw Failure(name + ": " + strerror(errno) + "; check what follows --output");
    }
    if (!keep_contents_ && lock(fd, F_WRLCK, kInUse) && ftruncate(fd, 0) != 0 && errno != EINVAL) {
        const int error = errno;
        close(fd);
        throw Failure(name + ": " + strerror(error) + "; check what follows --output");
    }
    for (int i = 0; i < 100 && !lock(fd, F_RDLCK, kInUse); ++i) {
        const struct timespec pause = {0, 1'000'000};
        nanosleep(&pause, nullptr);
    }
    files_.emplace(name, fd);
    return fd;
}

void ReportFiles::write(const ReportOf &process, const std::string &text) {
    const bool to_stderr = pattern_.empty();
    const std::string name = to_stderr ? "stderr" : expanded_name(pattern_, process);
    const int fd = to_stderr ? STDERR_FILENO : open_file(name);
    lock_for_writing(fd);
    try {
        write_all(fd, text, name);
    } catch (const Failure &why) {
        lock(fd, F_UNLCK, kWriting);
        if (to_stderr) {
            throw;
        }
        report::complain(std::string(why.what()) + "; it follows here");
        report::tell(STDERR_FILENO, text);
        return;
    }
    lock(fd, F_UNLCK, kWriting);
}

int ReportFiles::terminal() const {
    return pattern_.empty() ? STDERR_FILENO : files_.empty() ? -1 : files_.begin()->second;
}

} // namespace ompcollect
