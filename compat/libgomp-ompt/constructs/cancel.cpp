// SPDX-License-Identifier: Apache-2.0
// Cancellation, where it takes place.
#include "records.h"
#include "tool.h"

namespace ocb::gomp {
namespace {

// gcc's bits for what is cancelled: parallel, loop, sections, taskgroup.
int public_kind(int which) {
    constexpr int kKinds[] = {kCancelParallel, kCancelLoop, kCancelSections, kCancelTaskgroup};
    int kind = 0;
    for (unsigned i = 0; i < sizeof kKinds / sizeof kKinds[0]; ++i) {
        if ((static_cast<unsigned>(which) >> i & 1U) != 0) {
            kind |= kKinds[i];
        }
    }
    return kind;
}

void report_cancel(const Call &call, int which, CancelFlag how) {
    if (auto tell = callback<CancelCallback>(ompt_callback_cancel)) {
        tell(&task_of(this_thread(call)).word, public_kind(which) | how, call.code);
    }
}

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

ENTRY_POINT_TELLING(events(ompt_callback_cancel), bool, GOMP_cancel, (int which, bool is_wanted),
                    (which, is_wanted)) {
    const bool is_cancelled = REAL(GOMP_cancel)(which, is_wanted);
    if (is_cancelled) {
        report_cancel(call, which, is_wanted ? kCancelActivated : kCancelDetected);
    }
    return is_cancelled;
}

ENTRY_POINT_TELLING(events(ompt_callback_cancel), bool, GOMP_cancellation_point, (int which),
                    (which)) {
    const bool is_cancelled = REAL(GOMP_cancellation_point)(which);
    if (is_cancelled) {
        report_cancel(call, which, kCancelDetected);
    }
    return is_cancelled;
}
