// SPDX-License-Identifier: Apache-2.0
//
// What the kernel shows of a thread, /proc/self/task/TID/NAME, as the sampling thread reads it many
// times a second. That thread has a table of descriptors of its own, in which it keeps these files
// open: opening and closing them took half of what it costs. The program's table, which all other
// threads share, has none of them, so that nothing can be closed or counted there. For the sampling
// thread alone, or for who stands in for it after its end.
#pragma once

#include <cstddef>

namespace ompcollect {

enum class TaskFile : unsigned { kStat, kSchedstat, kSyscall, kStatus };
constexpr std::size_t kTaskFileKinds = 4;

// The beginning of a file as a text, which is empty if there is none: false. Any thread;
// async-signal-safe.
bool read_beginning(const char *path, char *text, std::size_t size);

// The same of a file of the thread.
bool read_task_file(int tid, TaskFile file, char *text, std::size_t size);

// The numbers of the process's threads, read without memory of the program's. Any thread.
class ThreadNumbers {
  public:
    ThreadNumbers();
    ~ThreadNumbers();
    ThreadNumbers(const ThreadNumbers &) = delete;
    ThreadNumbers &operator=(const ThreadNumbers &) = delete;

    [[nodiscard]] bool are_shown() const { return folder_ >= 0; }
    int next(); // 0: no more

  private:
    bool read_entries();

    int folder_;
    long at_ = 0;
    long end_ = 0;
    alignas(8) char entries_[2048];
};

// From here on the calling thread has an empty table of descriptors of its own, and keeps what it
// opens here. Not possible before Linux 5.9 or behind a filter of system calls: then each reading
// opens its file, and closes it: false.
bool keep_task_files();

// The thread that keeps them has ended, or is not there in this process, a child of fork().
void forget_task_files();

} // namespace ompcollect
