// SPDX-License-Identifier: Apache-2.0
#include "dependences.h"

#include "room.h"
#include "task.h"
#include "tool.h"
#include "work.h"

namespace ocb::gomp {
namespace {

// gcc's array of a task's dependences: {all, outs, addresses ...}, or from gcc 9 on, if there is
// something else than in and out, {0, all, outs, mutexinoutsets, ins, addresses ..., objects}.
class Dependences {
  public:
    explicit Dependences(void **array) : array_(array), is_long_(array[0] == nullptr) {}

    [[nodiscard]] std::size_t count() const { return number(is_long_ ? 1 : 0); }

    [[nodiscard]] Dependence at(std::size_t i) const {
        void *const *entry = array_ + (is_long_ ? 5 : 2) + i;
        const std::size_t outs = number(is_long_ ? 2 : 1);
        const std::size_t mutexes = is_long_ ? number(3) : 0;
        const std::size_t ins = is_long_ ? number(4) : count() - outs;
        if (i < outs) {
            return {{.ptr = *entry}, kDependenceInout};
        }
        if (i < outs + mutexes) {
            return {{.ptr = *entry}, kDependenceMutexinoutset};
        }
        if (i < outs + mutexes + ins) {
            return {{.ptr = *entry}, kDependenceIn};
        }
        // A depend object: the address and its kind.
        void *const *object = static_cast<void *const *>(*entry);
        return {{.ptr = object[0]}, type_of(reinterpret_cast<std::uintptr_t>(object[1]))};
    }

  private:
    static DependenceType type_of(std::uintptr_t kind) {
        constexpr DependenceType kTypes[] = {kDependenceInout,         kDependenceIn,
                                             kDependenceInout,         kDependenceInout,
                                             kDependenceMutexinoutset, kDependenceInoutset};
        return kind < sizeof kTypes / sizeof kTypes[0] ? kTypes[kind] : kDependenceInout;
    }
    [[nodiscard]] std::size_t number(int i) const {
        return reinterpret_cast<std::size_t>(array_[i]);
    }

    void **array_;
    bool is_long_;
};

// libomp's flags for it.
constexpr int kWaitFlags = kTaskTaskwait | ompt_task_undeferred | kTaskMergeable;

} // namespace

bool has_dependences(void **depend) {
    return Dependences(depend).count() != 0;
}

void report_dependences(TaskRecord &task, void **depend) {
    const auto tell = callback<DependencesCallback>(ompt_callback_dependences);
    if (tell == nullptr) {
        return;
    }
    const Dependences all(depend);
    Room<Dependence, 256> room(all.count());
    if (room.rows == nullptr) {
        return; // there is none, or no memory
    }
    for (std::size_t i = 0; i < all.count(); ++i) {
        room.rows[i] = all.at(i);
    }
    tell(&task.word, room.rows, static_cast<int>(all.count()));
}

WaitForDependences::WaitForDependences(ThreadRecord &thread, void **depend, const void *code)
    : task_(take_task(thread, &task_of(thread), nullptr)) {
    TaskRecord &parent = task_of(thread);
    task_.region = parent.region;
    task_.region_run = parent.region_run;
    task_.flags = kWaitFlags;
    if (auto tell = callback<ompt_callback_task_create_t>(ompt_callback_task_create)) {
        tell(&parent.word, &parent.frame, &task_.word, kWaitFlags, has_dependences(depend) ? 1 : 0,
             code);
    }
    report_dependences(task_, depend);
}

WaitForDependences::~WaitForDependences() {
    if (auto tell = callback<ompt_callback_task_schedule_t>(ompt_callback_task_schedule)) {
        tell(&task_.word, ompt_taskwait_complete, nullptr);
    }
    release(task_);
}

} // namespace ocb::gomp
