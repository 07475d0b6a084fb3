// SPDX-License-Identifier: Apache-2.0
#include "standstill.h"

#include "clocks.h"
#include "run_clock.h"
#include "scheduler.h"
#include "store.h"
#include "task_files.h"
#include "thread_slots.h"

#include <algorithm>
#include <cstring>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr uint64_t kLeast = kSecond / 10; // a shorter one is in no figure

// How far our clock is ahead of the kernel's; may be below 0.
struct Ahead {
    int64_t least;
    int64_t most;
};

Ahead read_ahead() {
    timespec time = {};
    const uint64_t before = now_ns();
    if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time) != 0) {
        return {0, 0};
    }
    const uint64_t after = now_ns();
    const uint64_t kernels =
        static_cast<uint64_t>(time.tv_sec) * kSecond + static_cast<uint64_t>(time.tv_nsec);
    return {static_cast<int64_t>(before - kernels), static_cast<int64_t>(after - kernels)};
}

struct Moment {
    uint64_t process_cpu_ns;
    uint64_t waited_ns; // of this thread, for a processor
    bool is_counted;    // the kernel counts such waits
    uint64_t switches;  // to others, as it slept or was stopped
    Ahead ahead;
    uint64_t ns; // when all the others were read
};

Moment moment_now() {
    rusage usage = {};
    getrusage(RUSAGE_THREAD, &usage);
    Moment now = {};
    now.process_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    now.is_counted = wait_for_processor(static_cast<int>(syscall(SYS_gettid)), now.waited_ns);
    now.switches = static_cast<uint64_t>(usage.ru_nvcsw);
    now.ahead = read_ahead();
    now.ns = now_ns();
    return now;
}

constinit Moment known = {};
constinit uint64_t seen_ns = 0; // nothing was amiss until then
constinit uint64_t pause_ns = 0;

bool has_anybody_slept_on() {
    for (const ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        if (slot->runs.load(std::memory_order_acquire) &&
            clock_ns(slot->clock) == slot->seen_cpu_ns) {
            return true;
        }
    }
    return false;
}

// "4:freezer:/docker/1234": version 1 of control groups freezes a sleeping thread without waking
// it. Only the time that has passed shows that.
bool may_freeze_sleepers() {
    char text[4096];
    const char *at = read_beginning("/proc/self/cgroup", text, sizeof text)
                         ? strstr(text, ":freezer:/")
                         : nullptr;
    return at && at[strlen(":freezer:/")] != '\n';
}

// True if the other threads ran for no longer than this thread was awake or waited for a processor.
bool ran_hardly(const Moment &now, uint64_t still, uint64_t asked) {
    constexpr uint64_t kSmallPart = 8;
    constexpr uint64_t kToStop = kSecond / 1000;
    const uint64_t processors = std::max(1U, header().processors_free);
    const uint64_t ran = now.process_cpu_ns - known.process_cpu_ns;
    const uint64_t waited = passed_between(known.waited_ns, now.waited_ns);
    const uint64_t before = (seen_ns - known.ns + asked) * processors;
    return ran <= std::min(before, still / kSmallPart) + waited * processors + kToStop;
}

bool stopped_while_looking(const Moment &now, uint64_t still) {
    return ran_hardly(now, still, 0) && now.switches > known.switches &&
           (!has_anybody_slept_on() || may_freeze_sleepers());
}

bool stopped_in_pause(const Moment &now, uint64_t still) {
    return now.switches >= known.switches + 2 ||
           (ran_hardly(now, still, pause_ns) && may_freeze_sleepers());
}

// Decides about the time since `seen_ns`, of which `pause_ns` was asked for.
void judge(bool slept) {
    const Moment now = moment_now();
    const int64_t jump = now.ahead.least - known.ahead.most;
    const int64_t back = known.ahead.least - now.ahead.most;
    const uint64_t ahead = jump >= static_cast<int64_t>(kLeast) ? static_cast<uint64_t>(jump) : 0;
    uint64_t since = seen_ns + pause_ns;
    if (back > 0) {
        put_in_set_back(static_cast<uint64_t>(back));
        since -= static_cast<uint64_t>(back);
    }
    take_out_stillness(ahead);
    const uint64_t waited = passed_between(known.waited_ns, now.waited_ns);
    const uint64_t still = passed_between(since + waited + ahead, now.ns);
    if (still >= kLeast && known.is_counted && now.is_counted &&
        (slept ? stopped_in_pause(now, still) : stopped_while_looking(now, still))) {
        take_out_stillness(still);
    }
    known = now;
    seen_ns = now.ns;
}

void judge_if_amiss(bool slept) {
    const uint64_t now = now_ns();
    if (now < seen_ns || now - seen_ns >= pause_ns + kLeast) {
        judge(slept);
    }
    pause_ns = 0;
}

} // namespace

void restart_standstill() {
    known = moment_now();
    seen_ns = known.ns;
    pause_ns = 0;
}

void pause_begins(uint64_t asked_ns) {
    judge_if_amiss(false); // since the looks at the threads
    restart_standstill();
    pause_ns = asked_ns;
}

void pause_ends() {
    judge_if_amiss(true);
    seen_ns = now_ns();
    count_look_at_clock();
}

void look_at_clock() {
    constexpr uint64_t kFresh = 4 * kSecond / 1000;
    judge_if_amiss(false);
    seen_ns = now_ns();
    if (seen_ns - known.ns > kFresh) {
        restart_standstill();
    }
}

} // namespace ompcollect
