// SPDX-License-Identifier: Apache-2.0
//
// A file is replaced while its lock is held. The lock belongs to the file and not to the name, so
// who has waited for one that got replaced looks again.
#include "run_place.h"

#include "command.h"
#include "failure.h"
#include "late_zlib.h"
#include "private_directory.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ompcollect {
namespace {

namespace fs = std::filesystem;

using report::Process;
using report::Run;

constexpr char kRankPrefix[] = "rank-";
constexpr char kProcessPrefix[] = "process-";
constexpr char kLivePrefix[] = "live-";
constexpr char kNoneSuffix[] = ".none";

long long nanoseconds(const struct timespec &time) {
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

struct timespec now() {
    struct timespec time = {};
    clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

// File systems take their times from a clock with ticks: a run could not be distinguished from one
// that began just behind it.
void stamp(const std::string &name) {
    const struct timespec times[] = {{0, UTIME_OMIT}, now()};
    utimensat(AT_FDCWD, name.c_str(), times, 0);
}

// Digits alone: it becomes part of a file's name.
bool is_number(const std::string &text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// The rank in "rank-3.ompc" and "live-rank-3-HOST-PID"; below 0: there is none.
long rank_in(std::string_view name) {
    if (name.starts_with(kLivePrefix)) {
        name.remove_prefix(strlen(kLivePrefix));
    }
    long rank = -1;
    if (name.starts_with(kRankPrefix)) {
        name.remove_prefix(strlen(kRankPrefix));
        std::from_chars(name.data(), name.data() + name.size(), rank);
    }
    return rank;
}

bool is_ours(const std::string &name) {
    return name.starts_with(kRankPrefix) || name.starts_with(kProcessPrefix) ||
           name.starts_with(kLivePrefix);
}

bool is_same(const Process &one, const Process &other) {
    return one.pid == other.pid && one.host == other.host && one.begin == other.begin &&
           one.begin_nanoseconds == other.begin_nanoseconds;
}

// What others have written stays; of a process that is there twice the newer one counts.
void add_others(Run &run, Run &&before) {
    for (Process &process : before.processes) {
        const bool is_known =
            std::any_of(run.processes.begin(), run.processes.end(),
                        [&](const Process &own) { return is_same(own, process); });
        if (!is_known) {
            run.processes.push_back(std::move(process));
        }
    }
}

// The file of this name, locked; it is made where there is none. -1 where it cannot be.
class LockedFile {
  public:
    explicit LockedFile(const std::string &name) {
        constexpr int kTries = 1000; // each time somebody else was faster
        for (int i = 0; i < kTries; ++i) {
            fd_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
            // A file system without locks does not keep a run back.
            if (fd_ < 0 || flock(fd_, LOCK_EX) != 0 || is_still(name)) {
                return;
            }
            close(fd_);
        }
    }
    ~LockedFile() {
        if (fd_ >= 0) {
            close(fd_);
        }
    }
    LockedFile(const LockedFile &) = delete;
    LockedFile &operator=(const LockedFile &) = delete;

    // Written by somebody after that time, and not by nobody yet.
    [[nodiscard]] bool is_written_since(long long time) const {
        struct stat own = {};
        return fd_ >= 0 && fstat(fd_, &own) == 0 && own.st_size > 0 &&
               nanoseconds(own.st_mtim) > time;
    }

  private:
    [[nodiscard]] bool is_still(const std::string &name) const {
        struct stat own = {};
        struct stat named = {};
        return fstat(fd_, &own) == 0 && stat(name.c_str(), &named) == 0 &&
               own.st_ino == named.st_ino && own.st_dev == named.st_dev;
    }

    int fd_ = -1;
};

// Of the run in the file; empty: not known.
std::string job_of(const fs::path &file) {
    try {
        const Run run = report::load_run(file, {});
        return run.processes.empty() ? std::string() : run.processes.front().job;
    } catch (const std::exception &) {
        return {};
    }
}

// By doing it: permission, room and quota are the file system's own.
void try_to_write_beside(const std::string &name) {
    const fs::path folder = fs::path(name).parent_path();
    std::string trial = (folder.empty() ? fs::path(".") : folder) / ".ompcollect-XXXXXX";
    const int fd = mkstemp(trial.data());
    int error = fd < 0 ? errno : 0;
    if (fd >= 0) {
        unlink(trial.c_str());
        constexpr size_t kSmallRun = size_t{64} * 1024;
        const std::string zeros(kSmallRun, '\0');
        const ssize_t written = write(fd, zeros.data(), zeros.size());
        error = written == static_cast<ssize_t>(kSmallRun) ? 0 : written < 0 ? errno : ENOSPC;
        close(fd);
    }
    if (error != 0) {
        throw Failure(name + ": " + strerror(error) + "; check what follows --output");
    }
}

} // namespace

RunPlace::RunPlace(const std::string &output, bool starts_ranks)
    : output_(output), saves_(output.ends_with(report::kRunSuffix)), own_(own_job_rank()),
      begin_ns_(nanoseconds(now())) {
    if (saves_) {
        report::zlib(); // that it is missing is better known before the run than after it
    }
    if (saves_ && !is_pattern(output_) && (own_.several() || starts_ranks)) {
        make_folder(!own_.several());
        live_ = fs::absolute(output_) /
                (kLivePrefix +
                 (is_number(own_.rank) && own_.several() ? kRankPrefix + own_.rank + "-"
                                                         : std::string()) +
                 own_host() + "-" + std::to_string(getpid()));
        if (mkdir(live_.c_str(), 0700) != 0 && errno != EEXIST) {
            throw Failure(live_ + ": " + strerror(errno) + "; check what follows --output");
        }
    } else if (saves_) {
        try_to_write_beside(expanded_name(output_, {getpid(), own_host(), own_.rank}));
    }
}

RunPlace::~RunPlace() {
    std::error_code ignored;
    if (!live_.empty() && !keeps_live_) {
        fs::remove_all(live_, ignored);
    }
    if (is_folder_) {
        fs::remove(output_, ignored); // where there is nothing in it
    }
}

void RunPlace::make_folder(bool is_whole_job) {
    std::error_code error;
    if (fs::is_regular_file(output_, error)) {
        fs::remove(output_, error); // the run before; another rank may have been faster
    }
    if (mkdir(output_.c_str(), 0777) != 0 && errno != EEXIST) {
        throw Failure(output_ + ": " + strerror(errno) + "; check what follows --output");
    }
    if (access(output_.c_str(), W_OK) != 0 || !fs::is_directory(output_, error)) {
        throw Failure(output_ + " cannot be written to; check what follows --output");
    }
    is_folder_ = true;
    remove_old(is_whole_job);
}

// Of earlier jobs: all of it, or what this rank answers for. Rank 0 answers for ranks that the job
// does not have.
void RunPlace::remove_old(bool is_whole_job) {
    std::error_code ignored;
    std::vector<fs::path> old;
    long own = -1;
    std::from_chars(own_.rank.data(), own_.rank.data() + own_.rank.size(), own);
    for (const auto &entry : fs::directory_iterator(output_, ignored)) {
        const std::string name = entry.path().filename();
        const long rank = rank_in(name);
        const bool is_own = rank >= 0 && rank == own;
        const bool is_beyond = own == 0 && rank >= static_cast<long>(own_.ranks);
        const bool is_of_job = is_own && entry.path().extension() == report::kRunSuffix &&
                               !own_.job.empty() && job_of(entry.path()) == own_.job;
        if (is_ours(name) && (is_whole_job || is_own || is_beyond) && !is_of_job) {
            old.push_back(entry.path());
        }
    }
    for (const fs::path &path : old) {
        fs::remove_all(path, ignored);
    }
}

std::string RunPlace::name_of(const Process &process) const {
    const std::string &rank = process.rank.empty() ? own_.rank : process.rank;
    if (!is_folder_) {
        return expanded_name(output_, {process.pid, process.host, rank});
    }
    const std::string name =
        is_number(rank) ? kRankPrefix + rank
                        : kProcessPrefix + process.host + "-" + std::to_string(process.pid);
    return fs::path(output_) / (name + report::kRunSuffix);
}

void RunPlace::add_to_file(const std::string &name, Run run) const {
    const LockedFile file(name);
    if (file.is_written_since(begin_ns_) || (is_folder_ && file.is_written_since(0))) {
        try {
            add_others(run, report::load_run(name, {}));
        } catch (const std::exception &) {
            // It is no run: what is there has been made by nobody of us.
        }
    }
    try {
        report::save_run(run, name);
        stamp(name);
    } catch (const Failure &) {
        std::error_code ignored;
        if (fs::file_size(name, ignored) == 0) {
            fs::remove(name, ignored);
        }
        throw;
    }
}

std::string RunPlace::save(const Run &run) {
    const auto ranks = std::count_if(run.processes.begin(), run.processes.end(),
                                     [](const Process &one) { return !one.rank.empty(); });
    if (!is_folder_ && !is_pattern(output_) && ranks > 1) {
        make_folder(true);
    }
    std::map<std::string, Run> files;
    for (const Process &process : run.processes) {
        files[name_of(process)].processes.push_back(process);
    }
    for (auto &[name, part] : files) {
        add_to_file(name, std::move(part));
    }
    return is_folder_ || files.empty() ? output_ : files.begin()->first;
}

bool RunPlace::record_why_none(const std::string &cause) {
    if (!is_folder_ || !own_.several() || !is_number(own_.rank)) {
        return true;
    }
    auto note = std::ofstream(fs::path(output_) / (kRankPrefix + own_.rank + kNoneSuffix));
    note << own_host() << "\n" << cause << "\n";
    note.close();
    return note.good();
}

} // namespace ompcollect
