// SPDX-License-Identifier: Apache-2.0
#include "task_files.h"

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// By name, as older headers lack them.
constexpr long kCloseRange = 436;
constexpr unsigned kUnshare = 2;

constexpr const char *kNames[kTaskFileKinds] = {"stat", "schedstat", "syscall", "status"};

// Threads whose numbers differ by a multiple of this take the place of each other.
constexpr unsigned kPlaces = 256;

struct KeptFile {
    int tid; // 0: none
    int descriptor;
};

constinit KeptFile kept_files[kTaskFileKinds][kPlaces] = {};
constinit bool keeps = false;

bool close_all() {
    return syscall(kCloseRange, 0U, UINT_MAX, kUnshare) == 0;
}

// No other file has the place from here on.
void give_up(KeptFile &place) {
    if (place.tid != 0) {
        close(place.descriptor);
        place.tid = 0;
    }
}

void give_up_all() {
    for (auto &files : kept_files) {
        for (KeptFile &place : files) {
            give_up(place);
        }
    }
}

int open_file(int tid, TaskFile file) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", tid, kNames[static_cast<unsigned>(file)]);
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 && errno == EMFILE && keeps) {
        give_up_all(); // the program allows itself fewer files than are kept here
        return open(path, O_RDONLY | O_CLOEXEC);
    }
    return descriptor;
}

bool end_text(char *text, ssize_t length) {
    text[length > 0 ? length : 0] = 0;
    return length > 0;
}

// A filter of system calls may end a process that makes one which it has never heard of.
bool has_filter() {
    char text[4096];
    return !read_beginning("/proc/thread-self/status", text, sizeof text) ||
           !strstr(text, "\nSeccomp:\t0\n");
}

} // namespace

bool read_beginning(const char *path, char *text, size_t size) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    const bool is_read = end_text(text, descriptor < 0 ? 0 : read(descriptor, text, size - 1));
    if (descriptor >= 0) {
        close(descriptor);
    }
    return is_read;
}

bool read_task_file(int tid, TaskFile file, char *text, size_t size) {
    KeptFile &place = kept_files[static_cast<unsigned>(file)][static_cast<unsigned>(tid) % kPlaces];
    if (place.tid == tid && end_text(text, pread(place.descriptor, text, size - 1, 0))) {
        return true;
    }
    // Another thread's, or of one that has ended, whose number a new one may have.
    give_up(place);
    const int descriptor = open_file(tid, file);
    if (descriptor < 0) {
        return false;
    }
    const bool is_read = end_text(text, read(descriptor, text, size - 1));
    if (keeps) {
        place = {tid, descriptor};
    } else {
        close(descriptor);
    }
    return is_read;
}

ThreadNumbers::ThreadNumbers()
    : folder_(open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

ThreadNumbers::~ThreadNumbers() {
    if (folder_ >= 0) {
        close(folder_);
    }
}

bool ThreadNumbers::read_entries() {
    at_ = 0;
    end_ = folder_ >= 0 ? syscall(SYS_getdents64, folder_, entries_, sizeof entries_) : 0;
    return end_ > 0;
}

// An entry of the kernel's: 16 bytes, its size in two, its kind in one, its name.
int ThreadNumbers::next() {
    constexpr long kSize = 16;
    constexpr long kName = 19;
    while (at_ < end_ || read_entries()) {
        const char *const entry = entries_ + at_;
        uint16_t size = 0;
        memcpy(&size, entry + kSize, sizeof size);
        at_ += size;
        if (const int tid = atoi(entry + kName); tid > 0) {
            return tid;
        }
    }
    return 0;
}

bool keep_task_files() {
    keeps = !has_filter() && close_all();
    return keeps;
}

void forget_task_files() {
    keeps = false;
    memset(kept_files, 0, sizeof kept_files);
}

} // namespace ompcollect
