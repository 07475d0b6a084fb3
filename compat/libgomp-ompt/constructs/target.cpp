// SPDX-License-Identifier: Apache-2.0
// Target tasks (`target nowait`): on the host they are told as explicit tasks.
//
// libgomp hands such a task's function nothing but the array of the mapped addresses, a copy of the
// program's. So entries of ours stand behind the program's: a mark, the program's function and the
// task's record. They are of the kind that libgomp hands on as it is. A device finds its code by
// the program's function: with devices the construct goes on as it is.
#include "task.h"
#include "work.h"

#include <algorithm>

namespace ocb::gomp {
namespace {

constexpr unsigned kGompNowait = 1;
constexpr int kGompHostFallback = -2;
constexpr unsigned short kGompMapFirstprivateInt = 0x0d;

const char kOwnEntriesMark = 0; // no program maps it

// What a target construct maps, and our entries behind it. More than kMost are handed on as they
// are.
class Mapped {
  public:
    static constexpr std::size_t kMost = 256;

    Mapped(std::size_t count, void **addresses, const std::size_t *sizes,
           const unsigned short *kinds)
        : count_(count) {
        std::copy_n(addresses, count, addresses_);
        std::copy_n(sizes, count, sizes_);
        std::copy_n(kinds, count, kinds_);
        add(const_cast<char *>(&kOwnEntriesMark));
    }
    void add(void *value) {
        addresses_[count_] = value;
        sizes_[count_] = 0;
        kinds_[count_++] = kGompMapFirstprivateInt;
    }

    [[nodiscard]] std::size_t count() const { return count_; }
    void **addresses() { return addresses_; }
    std::size_t *sizes() { return sizes_; }
    unsigned short *kinds() { return kinds_; }

  private:
    static constexpr std::size_t kOwn = 3;
    std::size_t count_;
    void *addresses_[kMost + kOwn];
    std::size_t sizes_[kMost + kOwn];
    unsigned short kinds_[kMost + kOwn];
};

void run_target_task(void *addresses) {
    void **own = static_cast<void **>(addresses);
    while (*own != &kOwnEntriesMark) {
        ++own;
    }
    TaskRecord &task = *static_cast<TaskRecord *>(own[2]);
    seen_behind(&task);
    done_before(run_function_of(task, reinterpret_cast<Outlined>(own[1]), addresses));
}

bool runs_on_host(const Call &call, int device) {
    const auto devices = function_of<int (*)()>(*call.runtime, k_omp_get_num_devices);
    return device == kGompHostFallback || (devices != nullptr && devices() == 0);
}

// A final task runs it at once. Outside a region libgomp makes a team for it.
bool is_undeferred(const ThreadRecord &thread) {
    return (task_of(thread).flags & ompt_task_initial) == 0 && runs_at_once(task_of(thread));
}

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

ENTRY_POINT(void, GOMP_target_ext,
            (int device, Outlined function, std::size_t count, void **addresses, std::size_t *sizes,
             unsigned short *kinds, unsigned flags, void **depend, void **arguments),
            (device, function, count, addresses, sizes, kinds, flags, depend, arguments)) {
    ThreadRecord &thread = this_thread(call);
    if ((flags & kGompNowait) == 0 || count > Mapped::kMost || drops_tasks(call, thread) ||
        !runs_on_host(call, device)) {
        REAL(GOMP_target_ext)
        (device, function, count, addresses, sizes, kinds, flags, depend, arguments);
        return;
    }
    const InRuntime inside(task_of(thread), call);
    TaskRecord &task = create_task(call.code, thread, 0, is_undeferred(thread), depend != nullptr);
    Mapped mapped(count, addresses, sizes, kinds);
    mapped.add(reinterpret_cast<void *>(function));
    mapped.add(&task);
    done_before(&task);
    REAL(GOMP_target_ext)
    (device, run_target_task, mapped.count(), mapped.addresses(), mapped.sizes(), mapped.kinds(),
     flags, depend, arguments);
}
