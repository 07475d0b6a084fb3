// SPDX-License-Identifier: Apache-2.0
// The tasks of a taskloop whose tasks may be deferred. They are created in front of libgomp's call,
// as many as it will make, and each of libgomp's takes one when it runs.
#pragma once

#include "records.h"

namespace ocb::gomp {

class TaskloopTasks {
  public:
    // Each is what `make` returns. Null without memory.
    template <class Make> static TaskloopTasks *create(unsigned long count, Make make) {
        TaskloopTasks *loop = allocate(count);
        for (unsigned long i = 0; loop != nullptr && i < count; ++i) {
            loop->tasks()[i] = &make();
        }
        done_before(loop);
        return loop;
    }
    TaskloopTasks(const TaskloopTasks &) = delete;
    TaskloopTasks &operator=(const TaskloopTasks &) = delete;

    TaskRecord *take(); // null: there are more tasks than were created
    void put_down();    // by each task behind its take, and by the construct
    // The construct's end where none of its tasks is left: those that libgomp has dropped go too.
    void end();

  private:
    explicit TaskloopTasks(unsigned long count) : count_(count), users_(count + 1), next_(0) {}
    ~TaskloopTasks() = default;
    static TaskloopTasks *allocate(unsigned long count);
    [[nodiscard]] TaskRecord **tasks() { return reinterpret_cast<TaskRecord **>(this + 1); }
    void put_down(unsigned long users);

    unsigned long count_;
    std::atomic<unsigned long> users_;
    std::atomic<unsigned long> next_;
};

} // namespace ocb::gomp
