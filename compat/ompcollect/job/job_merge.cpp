// SPDX-License-Identifier: Apache-2.0
#include "job_merge.h"

#include "failure.h"
#include "file_bytes.h"
#include "job_builder.h"
#include "job_file.h"
#include "node_keys.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>

namespace ompcollect::report {
namespace {

namespace fs = std::filesystem;

constexpr char kProfileEnding[] = ".ompc";

bool has_profiles(const fs::path &folder) {
    std::error_code ignored;
    const fs::directory_iterator entries(folder, ignored);
    return std::any_of(begin(entries), end(entries), [](const fs::directory_entry &entry) {
        return entry.path().extension() == kProfileEnding;
    });
}

// rank-3.none: the host, then the cause. Empty: its launcher had no room for them.
AbsentRank absent_rank(const fs::path &note) {
    AbsentRank absent;
    const std::string name = note.stem();
    const size_t digits = name.find_first_of("0123456789");
    if (digits != std::string::npos) {
        std::from_chars(name.data() + digits, name.data() + name.size(), absent.rank);
    }
    std::ifstream in(note);
    std::getline(in, absent.host);
    std::getline(in, absent.cause);
    if (absent.cause.empty()) {
        absent.cause =
            "its launcher had no room for the cause; make room on the disk of this folder";
    }
    return absent;
}

void add_folder(const fs::path &folder, JobInputs &to) {
    std::error_code ignored;
    for (const auto &entry : fs::directory_iterator(folder, ignored)) {
        const fs::path &path = entry.path();
        if (entry.is_directory(ignored)) {
            if (path.filename().string().starts_with("live-") && has_profiles(path)) {
                to.folders.push_back(path);
            }
        } else if (path.extension() == kProfileEnding) {
            to.files.push_back(path);
        } else if (path.extension() == ".none") {
            to.absent.push_back(absent_rank(path));
        }
    }
}

void sort_each_once(std::vector<std::string> &paths) {
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
}

// The work of all threads.
class Merger {
  public:
    Merger(const JobInputs &inputs, const RunLoader &load) : inputs_(inputs), load_(load) {}
    Job run(std::vector<std::string> &complaints);

  private:
    void work(JobBuilder &to);
    void add_file(const std::string &path, JobBuilder &to);
    void add_run(const Run &run, const std::string &path, JobBuilder &to);
    void add_later(JobBuilder &to);
    void complain(const std::string &line) {
        const std::lock_guard lock(mutex_);
        complaints_.push_back(line);
    }

    const JobInputs &inputs_;
    const RunLoader &load_;
    std::atomic<size_t> next_{0};
    std::mutex mutex_;
    std::unordered_set<PlaceKey> seen_;
    std::vector<std::string> merged_; // read one after the other, when the others are done
    std::vector<std::string> complaints_;
};

void Merger::add_run(const Run &run, const std::string &path, JobBuilder &to) {
    for (const Process &process : run.processes) {
        bool is_new = false;
        {
            const std::lock_guard lock(mutex_);
            is_new = seen_.insert(process_key(process)).second;
        }
        if (is_new) {
            to.add(process);
        } else {
            complain(path + ": process " + std::to_string(process.pid) + " of " + process.host +
                     (process.rank.empty() ? std::string() : ", rank " + process.rank + ",") +
                     " is in another file, too, and counts once; give each rank once");
        }
    }
}

void Merger::add_file(const std::string &path, JobBuilder &to) {
    try {
        if (is_merged(path)) {
            const std::lock_guard lock(mutex_);
            merged_.push_back(path);
        } else {
            add_run(load_(path), path, to);
        }
    } catch (const std::exception &why) {
        complain(std::string(why.what()) + "; left out");
    }
}

void Merger::work(JobBuilder &to) {
    for (size_t i = 0; (i = next_.fetch_add(1)) < inputs_.files.size();) {
        add_file(inputs_.files[i], to);
    }
}

// Profiles that were saved as well are known by now; that is no fault.
void Merger::add_later(JobBuilder &to) {
    for (const std::string &folder : inputs_.folders) {
        try {
            for (const Process &process : load_(folder).processes) {
                if (seen_.insert(process_key(process)).second) {
                    to.add(process);
                }
            }
        } catch (const Failure &) {
            // No process of it used OpenMP: it is missing among the ranks.
        }
    }
    std::sort(merged_.begin(), merged_.end());
    for (const std::string &path : merged_) {
        try {
            const Job job = job_of_bytes(bytes_of(path), path);
            if (to.may_add(job)) {
                to.add(job);
            } else {
                complain(path + ": has ranks that are in other files, too, and is left out; give "
                                "each rank once");
            }
        } catch (const std::exception &why) {
            complain(std::string(why.what()) + "; left out");
        }
    }
}

// One rank after the other needs some megabytes, which are used again: to give them back to the
// kernel and get them anew costs a third of the time.
void keep_freed_memory() {
    constexpr int kMegabyte = 1 << 20;
    mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);
    mallopt(M_TRIM_THRESHOLD, 64 * kMegabyte);
}

Job Merger::run(std::vector<std::string> &complaints) {
    keep_freed_memory();
    const size_t most = std::max(1U, std::thread::hardware_concurrency());
    std::vector<JobBuilder> parts(std::clamp<size_t>(inputs_.files.size(), 1, most));
    {
        std::vector<std::jthread> threads;
        for (size_t i = 1; i < parts.size(); ++i) {
            threads.emplace_back([this, &parts, i] { work(parts[i]); });
        }
        work(parts[0]);
    }
    for (size_t i = 1; i < parts.size(); ++i) {
        parts[0].add(parts[i].take());
    }
    add_later(parts[0]);
    for (const AbsentRank &absent : inputs_.absent) {
        parts[0].add(absent);
    }
    std::sort(complaints_.begin(), complaints_.end());
    complaints.insert(complaints.end(), complaints_.begin(), complaints_.end());
    return parts[0].take();
}

} // namespace

JobInputs job_inputs(const std::vector<std::string> &paths) {
    JobInputs inputs;
    for (const std::string &path : paths) {
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (fs::is_directory(status)) {
            add_folder(path, inputs);
        } else if (fs::exists(status)) {
            inputs.files.push_back(path);
        } else {
            throw Failure(path + ": " + strerror(error ? error.value() : ENOENT) +
                          "; give the files or folders of saved runs");
        }
    }
    sort_each_once(inputs.files);
    sort_each_once(inputs.folders);
    return inputs;
}

JobInputs share_of_inputs(const JobInputs &all, unsigned process, unsigned processes) {
    JobInputs share;
    for (const std::string &file : all.files) {
        if (hash_of(fs::path(file).filename().string()) % processes == process) {
            share.files.push_back(file);
        }
    }
    if (process == 0) {
        share.folders = all.folders;
        share.absent = all.absent;
    }
    return share;
}

bool is_merged(const std::string &path) {
    char begin[12] = {};
    std::ifstream in(path, std::ios::binary);
    in.read(begin, sizeof begin);
    return is_job_file({begin, static_cast<size_t>(in.gcount())});
}

Job merge(const JobInputs &inputs, const RunLoader &load, std::vector<std::string> &complaints) {
    return Merger(inputs, load).run(complaints);
}

void add_to(Job &job, const Job &more, const std::string &name,
            std::vector<std::string> &complaints) {
    JobBuilder builder;
    builder.add(job);
    if (!builder.may_add(more)) {
        complaints.push_back(name + ": has ranks that are in other files, too, and is left out; "
                                    "give each rank once");
        return;
    }
    builder.add(more);
    job = builder.take();
}

Job job_of_run(const Run &run) {
    JobBuilder builder;
    for (const Process &process : run.processes) {
        builder.add(process);
    }
    return builder.take();
}

} // namespace ompcollect::report
