// SPDX-License-Identifier: Apache-2.0
#include "run_clock.h"

#include "clocks.h"
#include "scheduler.h"
#include "store.h"

#include <algorithm>
#include <atomic>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// A shorter one may be the machine's, as where a host takes its processors.
constexpr uint64_t kLeast = kSecond / 10;

constinit std::atomic<uint64_t> taken_out{0}; // below 0, as a word, where the clock was set back

struct Pause {
    uint64_t ns;
    uint64_t asked_ns;
    uint64_t process_cpu_ns; // of so much earlier:
    uint64_t before_ns;
    uint64_t waited_ns;
    bool is_counted; // the kernel counts waits
};
constinit Pause last_pause = {};

// Of the sampling thread. False: the kernel does not count.
bool own_wait(uint64_t &ns) {
    return wait_for_processor(static_cast<int>(syscall(SYS_gettid)), ns);
}

// Of the part since then that was not asked for: what is neither a wait nor beside threads that
// ran.
uint64_t stillness(uint64_t now) {
    uint64_t waited = 0;
    if (!last_pause.is_counted || !own_wait(waited)) {
        return 0;
    }
    const uint64_t moved = last_pause.asked_ns + passed_between(last_pause.waited_ns, waited);
    const uint64_t still = passed_between(last_pause.ns + moved, now);
    const uint64_t ran = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - last_pause.process_cpu_ns;
    const uint64_t could_run =
        (last_pause.before_ns + moved + kLeast / 4) * std::max(1U, header().processors_free);
    return still >= kLeast && ran <= could_run ? still : 0;
}

} // namespace

uint64_t run_ns() {
    return now_ns() - taken_out.load(std::memory_order_relaxed);
}

uint64_t stood_still_ns() {
    return header().stood_still_ns.load(std::memory_order_relaxed);
}

void pause_begins(uint64_t asked_ns, uint64_t process_cpu_ns, uint64_t read_ns) {
    last_pause.is_counted = own_wait(last_pause.waited_ns);
    last_pause.process_cpu_ns = process_cpu_ns;
    last_pause.asked_ns = asked_ns;
    last_pause.ns = now_ns();
    last_pause.before_ns = passed_between(read_ns, last_pause.ns);
}

void look_at_clock() {
    const uint64_t now = now_ns();
    if (now < last_pause.ns) {
        const uint64_t back = last_pause.ns + last_pause.asked_ns - now;
        taken_out.fetch_sub(back, std::memory_order_relaxed);
        header().set_back_ns.fetch_add(back, std::memory_order_relaxed);
        last_pause.ns -= back;
    } else if (now - last_pause.ns >= last_pause.asked_ns + kLeast) {
        const uint64_t still = stillness(now);
        taken_out.fetch_add(still, std::memory_order_relaxed);
        header().stood_still_ns.fetch_add(still, std::memory_order_relaxed);
        last_pause.ns += still;
    }
}

void restart_run_clock() {
    taken_out.store(0, std::memory_order_relaxed);
}

} // namespace ompcollect
