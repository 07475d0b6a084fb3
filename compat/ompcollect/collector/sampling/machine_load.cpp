// SPDX-License-Identifier: Apache-2.0
#include "machine_load.h"

#include "clocks.h"
#include "process_facts.h"
#include "run_clock.h"
#include "store.h"
#include "task_files.h"
#include "thread_slots.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace ompcollect {
namespace {

constexpr unsigned kWordBits = sizeof(uint64_t) * CHAR_BIT;
constexpr size_t kMostProcessors = size_t{kProcessorWords} * kWordBits;

// The last look at the account.
constinit uint64_t busy_before[kMostProcessors] = {}; // ticks of each processor
constinit uint64_t own_before = 0;
constinit uint64_t account_read_ns = 0; // 0: there was none
// Since the first look. Both counts leave out part of a tick, so the difference may be below 0.
constinit int64_t others_ns = 0;

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

// True if any thread of the process may run there.
bool may_use(unsigned processor) {
    const unsigned word = processor / kWordBits;
    for (const ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        const uint64_t mask = slot->row->last_processors[word].load(std::memory_order_relaxed);
        if ((mask >> processor % kWordBits & 1) != 0) {
            return true;
        }
    }
    return false;
}

// Ticks since the last look, of the processors that threads may use. False: there is no account, or
// it does not have all processors, as the file may be longer than what is kept.
bool read_account(uint64_t &busy) {
    static char text[16 * 1024]; // of the sampling thread
    if (!read_beginning("/proc/stat", text, sizeof text)) {
        return false;
    }
    unsigned counted = 0;
    busy = 0;
    for (const char *line = strchr(text, '\n'); line && strncmp(line + 1, "cpu", 3) == 0;
         line = strchr(line + 1, '\n')) {
        const unsigned long number = strtoul(line + 1 + strlen("cpu"), nullptr, 10);
        if (number < kMostProcessors && may_run_on(number)) {
            const uint64_t ticks = busy_ticks(line + 1);
            const uint64_t before = std::exchange(busy_before[number], ticks);
            busy += may_use(static_cast<unsigned>(number)) ? ticks - before : 0;
            ++counted;
        }
    }
    return counted != 0 && counted == header().processors_free;
}

} // namespace

void look_at_others() {
    const uint64_t tick = tick_ns();
    const uint64_t now = run_ns();
    if (account_read_ns != 0 && passed_between(account_read_ns, now) < tick) {
        return; // in less than a tick the account shows nothing
    }
    uint64_t busy = 0;
    if (!read_account(busy)) {
        return;
    }
    const uint64_t own = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    const uint64_t own_now = own - std::exchange(own_before, own);
    if (std::exchange(account_read_ns, now) == 0) {
        return;
    }
    others_ns += static_cast<int64_t>(busy * tick) - static_cast<int64_t>(own_now);
    // The account does not show what others used while the process stood still. It counts as usual.
    const auto ran = static_cast<double>(passed_between(begin_ns(), now));
    const double part = ran / (ran + static_cast<double>(stood_still_ns()) + 1);
    const double others = part * static_cast<double>(std::max<int64_t>(others_ns, 0));
    header().others_cpu_ns.store(static_cast<uint64_t>(others), std::memory_order_relaxed);
    header().has_others.store(1, std::memory_order_relaxed);
}

void restart_machine_load() {
    account_read_ns = 0;
    others_ns = 0;
}

} // namespace ompcollect
