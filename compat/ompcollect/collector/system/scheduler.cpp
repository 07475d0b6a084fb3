// SPDX-License-Identifier: Apache-2.0
#include "scheduler.h"

#include "task_files.h"

#include <cstdlib>
#include <cstring>

namespace ompcollect {
namespace {

class Stat {
  public:
    explicit Stat(int tid) {
        if (read_task_file(tid, TaskFile::kStat, text_, sizeof text_)) {
            // The name, in parentheses, is the second field and may hold anything.
            fields_ = strrchr(text_, ')');
        }
    }
    [[nodiscard]] bool is_running() const {
        return fields_ && strncmp(fields_, ") R", 3) == 0; // ready to run as well
    }
    // -1: not known.
    [[nodiscard]] int processor() const {
        constexpr int kField = 39;
        const char *at = fields_;
        for (int field = 2; at && field < kField; ++field) {
            at = strchr(at + 1, ' ');
        }
        return at ? atoi(at + 1) : -1;
    }

  private:
    char text_[1024];
    const char *fields_ = nullptr;
};

// "run-ns wait-ns turns". False: all zero, where the kernel does not count.
bool parse_schedstat(const char *text, uint64_t &waited_ns) {
    char *end = nullptr;
    const uint64_t ran = strtoull(text, &end, 10);
    waited_ns = strtoull(end, nullptr, 10);
    return ran != 0;
}

} // namespace

bool wait_for_processor(int tid, uint64_t &ns) {
    char text[128];
    return read_task_file(tid, TaskFile::kSchedstat, text, sizeof text) &&
           parse_schedstat(text, ns);
}

uint64_t own_wait_for_processor() {
    char text[128];
    uint64_t waited = 0;
    return read_beginning("/proc/thread-self/schedstat", text, sizeof text) &&
                   parse_schedstat(text, waited)
               ? waited
               : 0;
}

int running_processor(int tid) {
    const Stat stat(tid);
    return stat.is_running() ? stat.processor() : -1;
}

} // namespace ompcollect
