// SPDX-License-Identifier: Apache-2.0
//
// Other processes that want processors for as long as the object is there. For a test with one
// thread.
#pragma once

#include <csignal>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ocb_test {

class BusyProcesses {
  public:
    // As many, each on any of the processors.
    explicit BusyProcesses(long many) {
        cpu_set_t all;
        sched_getaffinity(0, sizeof all, &all);
        add(many, all);
    }
    // As many, all on one processor.
    void add_on(size_t processor, long many) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(processor, &one);
        add(many, one);
    }
    ~BusyProcesses() {
        for (const pid_t child : children_) {
            if (child > 0) {
                kill(child, SIGKILL);
                waitpid(child, nullptr, 0);
            }
        }
    }
    BusyProcesses(const BusyProcesses &) = delete;
    BusyProcesses &operator=(const BusyProcesses &) = delete;

  private:
    void add(long many, const cpu_set_t &where) {
        for (long i = 0; i < many; ++i) {
            const pid_t child = fork();
            if (child == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                sched_setaffinity(0, sizeof where, &where);
                for (volatile unsigned turns = 0;;) {
                    turns = turns + 1;
                }
            }
            children_.push_back(child);
        }
    }

    std::vector<pid_t> children_;
};

} // namespace ocb_test
