// SPDX-License-Identifier: Apache-2.0
#include "quiet_time.h"

#include "clocks.h"
#include "run_clock.h"

#include <algorithm>

namespace ompcollect {
namespace {

// A report of the run so far lacks the time that is not charged yet, so this is a limit.
constexpr uint64_t kLongestQuiet = kSecond / 12;

// Two clocks that are read one after the other differ by less than this. From its wake-up to its
// next sleep any thread runs for longer.
constexpr uint64_t kLeastRun = 1000; // ns

constinit uint64_t others_ran_ns = 0; // what all other threads had run by the last looks
constinit uint64_t last_looks_ns = 0;
constinit uint64_t rested_until_ns = 0;
constinit bool somebody_ran = true;

} // namespace

bool nobody_has_run(bool must_look, bool looked_at_all) {
    const uint64_t own = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const uint64_t others = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - own;
    const uint64_t now = run_ns();
    somebody_ran = others > others_ran_ns + kLeastRun;
    const bool is_quiet =
        !must_look && looked_at_all && now - last_looks_ns < kLongestQuiet && !somebody_ran;
    if (is_quiet) {
        rested_until_ns = now;
        others_ran_ns =
            std::min(others_ran_ns, others); // the clocks were read closer to each other
    } else {
        last_looks_ns = now;
        others_ran_ns = others;
    }
    return is_quiet;
}

bool has_anybody_run() {
    return somebody_ran;
}

uint64_t quiet_until() {
    return rested_until_ns;
}

void restart_quiet_time() {
    others_ran_ns = 0;
    last_looks_ns = 0;
    rested_until_ns = 0;
}

} // namespace ompcollect
