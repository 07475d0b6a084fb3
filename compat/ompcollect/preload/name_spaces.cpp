// SPDX-License-Identifier: Apache-2.0
//
// Name spaces that the kernel lets a process of one thread alone enter: the collector's thread is
// out of the way where the program has no other. A refused call has changed nothing, so it is made
// again.
#include "listener.h"
#include "real.h"

#include <cerrno>
#include <sched.h>

namespace ompcollect {
namespace {

constinit Real<int (*)(int)> real_unshare("unshare");
constinit Real<int (*)(int, int)> real_setns("setns");

// The two answers of the kernel to a process of several threads.
bool is_refused(int result) {
    return result != 0 && (errno == EINVAL || errno == EUSERS);
}

template <class Enter> int enter_alone(Enter enter) {
    const int errno_before = errno;
    int result = enter();
    const ompcollect_listener *listener = current_listener();
    if (!is_refused(result) || !listener) {
        return result;
    }
    const int refusal = errno;
    if (listener->leaves_alone() == 0) {
        errno = refusal;
        return result;
    }
    result = enter();
    const int errno_behind = result == 0 ? errno_before : errno;
    listener->comes_back();
    errno = errno_behind;
    return result;
}

} // namespace
} // namespace ompcollect

using namespace ompcollect;

OMPCOLLECT_INTERPOSED int unshare(int flags) {
    return enter_alone([&] { return real_unshare.get()(flags); });
}

OMPCOLLECT_INTERPOSED int setns(int file, int kind) {
    return enter_alone([&] { return real_setns.get()(file, kind); });
}
