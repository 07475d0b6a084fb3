// SPDX-License-Identifier: Apache-2.0
// Target constructs go on to libgomp; which of them make target tasks is noted. libgomp (of gcc 12)
// cannot run another region when its threads were released after such a task: end_idle_workers.
#include "target.h"

#include "records.h"

namespace ocb::gomp {
namespace {

constexpr unsigned kGompNowait = 1;
constinit std::atomic<bool> are_there{false};

void note(unsigned flags) {
    if ((flags & kGompNowait) != 0) {
        are_there.store(true, std::memory_order_relaxed);
    }
}

} // namespace

bool target_tasks_were_made() {
    return are_there.load(std::memory_order_relaxed);
}

} // namespace ocb::gomp

using namespace ocb::gomp;

ENTRY_POINT(void, GOMP_target_ext,
            (int device, Outlined function, std::size_t count, void **addresses, std::size_t *sizes,
             unsigned short *kinds, unsigned flags, void **depend, void **arguments),
            (device, function, count, addresses, sizes, kinds, flags, depend, arguments)) {
    note(flags);
    REAL(GOMP_target_ext)
    (device, function, count, addresses, sizes, kinds, flags, depend, arguments);
}

#define TARGET_DATA(name)                                                                          \
    ENTRY_POINT(void, name,                                                                        \
                (int device, std::size_t count, void **addresses, std::size_t *sizes,              \
                 unsigned short *kinds, unsigned flags, void **depend),                            \
                (device, count, addresses, sizes, kinds, flags, depend)) {                         \
        note(flags);                                                                               \
        REAL(name)(device, count, addresses, sizes, kinds, flags, depend);                         \
    }

TARGET_DATA(GOMP_target_update_ext)
TARGET_DATA(GOMP_target_enter_exit_data)
