// SPDX-License-Identifier: Apache-2.0
// The tasks of a taskloop whose tasks may be deferred. They are created in front of libgomp's call,
// as many as it will make, and each of libgomp's takes one when it runs.
#pragma once

#include "task.h"

namespace ocb::gomp {

class TaskloopTasks {
  public:
    // Null without memory.
    static TaskloopTasks *create(const Call &call, ThreadRecord &thread, unsigned gomp_flags,
                                 unsigned long count);
    TaskloopTasks(const TaskloopTasks &) = delete;
    TaskloopTasks &operator=(const TaskloopTasks &) = delete;

    TaskRecord *take(); // null: there are more tasks than were created
    void put_down();    // by each task behind its take, and by the construct
    // The construct's end where none of its tasks is left: those that libgomp has dropped go too.
    void end();

  private:
    explicit TaskloopTasks(unsigned long count) : count_(count), users_(count + 1), next_(0) {}
    ~TaskloopTasks() = default;
    [[nodiscard]] TaskRecord **tasks() { return reinterpret_cast<TaskRecord **>(this + 1); }
    void put_down(unsigned long users);

    unsigned long count_;
    std::atomic<unsigned long> users_;
    std::atomic<unsigned long> next_;
};

} // namespace ocb::gomp
