// SPDX-License-Identifier: Apache-2.0
//
// The name is ompcollect-PID-BEGIN-SYSTEM-XXXXXX: the launcher's process
// id, its begin in clock ticks since the machine's start, which together no other process of the
// system has, and a word for the system: folders may be shared by hosts and containers.
#include "private_directory.h"

#include "failure.h"
#include "process_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <string_view>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace ompcollect {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "ompcollect-";

// The folders that may hold ours, the preferred one first.
std::vector<std::string> parents() {
    std::vector<std::string> usable;
    const char *chosen = getenv("TMPDIR");
    for (const char *parent : {chosen, "/tmp", "/var/tmp"}) {
        if (parent && *parent == '/' && !unfit_for_preload(parent)) {
            usable.emplace_back(parent);
        }
    }
    return usable;
}

// For the beginning of a profile or two.
bool has_room(const std::string &folder) {
    constexpr unsigned long kLeast = 1UL << 20;
    struct statvfs status;
    return statvfs(folder.c_str(), &status) == 0 &&
           status.f_bavail >= kLeast / std::max(status.f_frsize, 1UL);
}

// Where process ids mean the same: the host and its namespace of processes.
unsigned long long system_word() {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    std::error_code ignored;
    const std::string space = fs::read_symlink("/proc/self/ns/pid", ignored);
    return std::hash<std::string>{}(host + ("/" + space)) & 0xffffffff;
}

std::string own_prefix() {
    return kPrefix + std::to_string(getpid()) + "-" + std::to_string(process_begin(getpid())) +
           "-" + std::to_string(system_word()) + "-";
}

bool is_abandoned(const fs::path &path) {
    long pid = 0;
    unsigned long long begin = 0;
    unsigned long long system = 0;
    char rest = 0;
    const std::string name = path.filename();
    if (sscanf(name.c_str(), "ompcollect-%ld-%llu-%llu-%c", &pid, &begin, &system, &rest) != 4 ||
        system != system_word()) {
        return false;
    }
    struct stat status;
    return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && process_begin(static_cast<pid_t>(pid)) != begin;
}

// Of what is in the folder. Temporary files may be many: no path is made of those of others.
std::vector<std::string> names_like_ours(const std::string &folder) {
    std::vector<std::string> names;
    DIR *listed = opendir(folder.c_str());
    while (const dirent *entry = listed ? readdir(listed) : nullptr) {
        if (std::string_view(entry->d_name).starts_with(kPrefix)) {
            names.emplace_back(entry->d_name);
        }
    }
    if (listed) {
        closedir(listed);
    }
    return names;
}

// As the kernel lists a directory.
struct KernelEntry {
    ino64_t inode;
    off64_t next;
    unsigned short length;
    unsigned char type;
    char name[1];
};

std::string new_directory(const std::string &prefix) {
    std::vector<std::string> usable = parents();
    std::stable_partition(usable.begin(), usable.end(), has_room);
    for (const std::string &parent : usable) {
        std::string name = parent + "/" + prefix + "XXXXXX";
        if (mkdtemp(name.data())) {
            return name;
        }
    }
    throw Failure("no directory for temporary files; set TMPDIR to one that can be written and has "
                  "neither space nor colon in its name");
}

} // namespace

bool unfit_for_preload(const std::string &path) {
    return path.find_first_of(" :$") != std::string::npos;
}

PrivateDirectory::PrivateDirectory() : path_(new_directory(own_prefix())) {}

std::string make_lasting_directory() {
    return new_directory("ompcollect-run-");
}

PrivateDirectory::~PrivateDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void PrivateDirectory::remove_at_once() const {
    const int fd = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return;
    }
    alignas(KernelEntry) char entries[4096];
    for (long got = 0; (got = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < got;) {
            const auto *entry = reinterpret_cast<const KernelEntry *>(entries + at);
            unlinkat(fd, entry->name, 0);
            at += entry->length;
        }
    }
    close(fd);
    rmdir(path_.c_str());
}

std::vector<std::string> take_abandoned_directories() {
    std::vector<std::string> taken;
    for (const std::string &parent : parents()) {
        for (const std::string &name : names_like_ours(parent)) {
            const fs::path folder = parent;
            if (!is_abandoned(folder / name)) {
                continue;
            }
            const std::string ours =
                folder / (own_prefix() + "left" + std::to_string(taken.size()));
            if (rename((folder / name).c_str(), ours.c_str()) == 0) {
                taken.push_back(ours);
            }
        }
    }
    return taken;
}

} // namespace ompcollect
