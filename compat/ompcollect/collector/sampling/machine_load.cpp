// SPDX-License-Identifier: Apache-2.0
#include "machine_load.h"

#include "clocks.h"
#include "laps.h"
#include "process_facts.h"
#include "run_clock.h"
#include "store.h"
#include "task_files.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace ompcollect {
namespace {

// A wait is known at its end. So the time must be long beside one, and short beside the program's
// phases.
constexpr uint64_t kWindow = kSecond / 10;

struct Window {
    uint64_t begin_ns;
    uint64_t process_cpu_ns; // at the begin
    uint64_t ran_ns;
    uint64_t waited_ns;
    uint64_t processors[kProcessorWords]; // of the threads that ran or waited
};
constinit Window window = {};

// By the clock ticks of the kernel's file.
struct Account {
    uint64_t at_ns;
    uint64_t busy_ns;
    uint64_t own_ns;
    bool is_known;
};
constinit Account first_account = {};
constinit Account weighed_account = {}; // others are looked for in what came behind it

// Others are there until so many windows have shown none.
constexpr unsigned kQuietWindows = 10;
constinit unsigned quiet_windows = kQuietWindows;

uint64_t processors_of(const Window &of) {
    uint64_t count = 0;
    for (const uint64_t word : of.processors) {
        count += static_cast<uint64_t>(__builtin_popcountll(word));
    }
    return count != 0 ? count : header().processors_free;
}

// "cpu3 user nice system idle iowait irq softirq steal ..."
uint64_t busy_ticks(const char *line) {
    uint64_t busy = 0;
    char *end = nullptr;
    const char *at = strchr(line, ' ');
    for (int field = 0; at && field < 7; ++field) {
        constexpr int kIdle = 3;
        constexpr int kIoWait = 4;
        const uint64_t ticks = strtoull(at, &end, 10);
        busy += field == kIdle || field == kIoWait ? 0 : ticks;
        at = end;
    }
    return busy;
}

// What the account counts in. The process has it from its start: no system call.
uint64_t tick_ns() {
    return kSecond / static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
}

// The file may be longer than what is kept: then the machine has more processors than are counted.
bool read_account(Account &to) {
    static char text[16 * 1024]; // of the sampling thread
    if (!read_beginning("/proc/stat", text, sizeof text)) {
        return false;
    }
    uint64_t ticks = 0;
    unsigned counted = 0;
    for (const char *line = strchr(text, '\n'); line && strncmp(line + 1, "cpu", 3) == 0;
         line = strchr(line + 1, '\n')) {
        const unsigned long number = strtoul(line + 1 + strlen("cpu"), nullptr, 10);
        if (may_run_on(number)) {
            ticks += busy_ticks(line + 1);
            ++counted;
        }
    }
    if (counted == 0 || counted != header().processors_free) {
        return false;
    }
    to.at_ns = run_ns();
    to.busy_ns = ticks * tick_ns();
    to.own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    to.is_known = true;
    return true;
}

uint64_t others_between(const Account &from, const Account &to) {
    const uint64_t busy = to.busy_ns - from.busy_ns;
    const uint64_t own = to.own_ns - from.own_ns;
    return busy > own ? busy - own : 0;
}

// True also where there is no account. A short time shows only who uses much of it.
bool account_shows_others() {
    constexpr uint64_t kLongest = kSecond;
    Account now = {};
    if (!read_account(now) || !weighed_account.is_known) {
        return true;
    }
    const uint64_t passed = passed_between(weighed_account.at_ns, now.at_ns);
    const bool are_shown = are_others_shown(passed, others_between(weighed_account, now), tick_ns(),
                                            header().processors_free);
    if (are_shown || passed > kLongest) {
        weighed_account = now;
    }
    return are_shown;
}

void begin_window(uint64_t now) {
    window = {};
    window.begin_ns = now;
    window.process_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

// Of the window that ends now: whose the waiting is. True: others are noticed.
bool weigh_waiting(uint64_t now) {
    if (window.waited_ns == 0) {
        return false;
    }
    const uint64_t passed = now - window.begin_ns;
    // Threads without OpenMP run, too.
    const uint64_t all = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - window.process_cpu_ns;
    const uint64_t asked = std::max(window.ran_ns, all) + window.waited_ns;
    const uint64_t there = processors_of(window) * passed;
    const uint64_t own = std::min(window.waited_ns, asked > there ? asked - there : 0);
    FileHeader &to = header();
    to.waited_for_own_ns.fetch_add(own, std::memory_order_relaxed);
    to.waited_for_others_ns.fetch_add(window.waited_ns - own, std::memory_order_relaxed);
    return are_others_noticed(passed, window.waited_ns, window.waited_ns - own) &&
           account_shows_others();
}

} // namespace

void record_demand(const ThreadSlot &slot, uint64_t ran_ns, uint64_t waited_ns) {
    if (ran_ns == 0 && waited_ns == 0) {
        return;
    }
    window.ran_ns += ran_ns;
    window.waited_ns += waited_ns;
    for (unsigned i = 0; i < kProcessorWords; ++i) {
        window.processors[i] |= slot.row->last_processors[i].load(std::memory_order_relaxed);
    }
}

void weigh_demand() {
    const uint64_t now = run_ns();
    if (now - window.begin_ns < kWindow) {
        return;
    }
    quiet_windows = weigh_waiting(now) ? 0 : std::min(quiet_windows + 1, kQuietWindows);
    const bool are_others_there = quiet_windows < kQuietWindows;
    measure_laps(are_others_there);
    begin_window(now);
}

void look_at_others() {
    const bool is_too_soon = passed_between(first_account.at_ns, run_ns()) < tick_ns();
    if (first_account.is_known && is_too_soon) {
        return; // in less than a tick the account shows nothing
    }
    Account now = {};
    if (!read_account(now)) {
        return;
    }
    if (!first_account.is_known) {
        first_account = now;
        weighed_account = now;
        return;
    }
    // Of what others used while the process stood still it has no account: as much as else.
    const auto ran = static_cast<double>(passed_between(begin_ns(), run_ns()));
    const double part = ran / (ran + static_cast<double>(stood_still_ns()) + 1);
    const double others = part * static_cast<double>(others_between(first_account, now));
    header().others_cpu_ns.store(static_cast<uint64_t>(others), std::memory_order_relaxed);
    header().has_others.store(1, std::memory_order_relaxed);
}

void restart_machine_load() {
    first_account = {};
    weighed_account = {};
    quiet_windows = kQuietWindows;
    measure_laps(false);
    begin_window(run_ns());
}

} // namespace ompcollect
