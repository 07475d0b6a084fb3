// SPDX-License-Identifier: Apache-2.0
#include "fine_timers.h"

#include "clocks.h"
#include "producer.h"
#include "settings.h"
#include "store.h"
#include "wake_up.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

enum class Choice : int { kNone, kTick, kFine };
constinit std::atomic<Choice> choice{Choice::kNone};

// Of the sampling thread.
constinit bool has_own_files = false;

constexpr uint64_t kLongestWait = kSecond / 10; // for the sampling thread

// -1: there is none to be had; errno tells why. It counts in user mode alone: a signal that comes
// while the thread is in the kernel ends poll and its like with EINTR.
int open_event(int tid) {
    perf_event_attr attributes = {};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.sample_period = kSecond / current_settings.rate;
    attributes.disabled = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    const long file = syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return static_cast<int>(file);
}

bool sends_to(int file, int tid) {
    const f_owner_ex owner = {F_OWNER_TID, tid};
    return fcntl(file, F_SETOWN_EX, &owner) == 0 &&
           fcntl(file, F_SETSIG, current_settings.signal) == 0 &&
           fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
}

// Where the kernel has no room for a real-time signal from a file, it sends SIGIO, which ends the
// process.
bool is_real_time(int signal) {
    return signal >= 32;
}

// Null: fine timers can be had.
const char *reason_against() {
    if (is_real_time(current_settings.signal)) {
        return "the sampling signal is a real-time one";
    }
    if (!has_own_files) {
        return "system calls are filtered here";
    }
    const int file = open_event(0);
    if (file < 0) {
        return errno == EACCES || errno == EPERM
                   ? "perf events are not permitted (kernel.perf_event_paranoid)"
                   : strerror(errno);
    }
    close(file);
    return nullptr;
}

// Those on processor time alone can be fine. At rates up to the tick the kernel's own do.
bool may_need_fine_timers() {
    const bool by_the_clock = current_settings.wall_clock && !extensions().ask_thread;
    return !by_the_clock && current_settings.rate > ticks_per_second();
}

void say_closed(ThreadSlot &slot) {
    slot.fine_is_open.store(0, std::memory_order_seq_cst);
    syscall(SYS_futex, &slot.fine_is_open, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void open_fine_timer(ThreadSlot &slot) {
    // Who gives it up meanwhile finds it open and waits, or is found here.
    slot.fine_is_open.store(1, std::memory_order_seq_cst);
    if (!slot.wants_fine.load(std::memory_order_seq_cst)) {
        return say_closed(slot);
    }
    const int tid = slot.tid;
    const int file = open_event(tid);
    if (file >= 0 && sends_to(file, tid)) {
        slot.fine_file.store(file, std::memory_order_relaxed);
        slot.fine_tid.store(tid, std::memory_order_relaxed);
        slot.has_fine.store(true, std::memory_order_release);
        ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
        return;
    }
    if (file >= 0) {
        close(file);
    }
    slot.wants_fine.store(false, std::memory_order_relaxed);
    header().threads_without_timer.fetch_add(1, std::memory_order_relaxed);
    say_closed(slot);
}

} // namespace

// The coarse clocks go by the tick.
unsigned ticks_per_second() {
    timespec tick = {};
    if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0 || tick.tv_sec != 0 || tick.tv_nsec <= 0) {
        return UINT_MAX;
    }
    return static_cast<unsigned>(kSecond / static_cast<uint64_t>(tick.tv_nsec));
}

void choose_timers(bool has_own_table) {
    has_own_files = has_own_table;
    if (!may_need_fine_timers()) {
        choice.store(Choice::kTick, std::memory_order_release);
        return;
    }
    const char *const reason = reason_against();
    if (reason) {
        const unsigned ticks = ticks_per_second();
        complain("%u samples a second are asked for, and %u are taken, one at each tick of the "
                 "kernel: %s",
                 current_settings.rate.load(), ticks, reason);
        current_settings.rate = ticks;
        header().rate = ticks;
    }
    choice.store(reason ? Choice::kTick : Choice::kFine, std::memory_order_release);
}

void await_choice_of_timers() {
    const uint64_t end = now_ns() + kSecond;
    while (may_need_fine_timers() && choice.load(std::memory_order_acquire) == Choice::kNone &&
           now_ns() < end) {
        const timespec step = timespec_of(20000);
        nanosleep(&step, nullptr);
    }
}

bool has_fine_timers() {
    return choice.load(std::memory_order_acquire) == Choice::kFine;
}

void want_fine_timer(ThreadSlot &slot) {
    slot.wants_fine.store(true, std::memory_order_release);
    wake_sampling_thread();
}

void give_up_fine_timer(ThreadSlot &slot) {
    slot.wants_fine.store(false, std::memory_order_seq_cst);
    const uint64_t end = now_ns() + kLongestWait;
    while (slot.fine_is_open.load(std::memory_order_seq_cst) != 0 && now_ns() < end) {
        wake_sampling_thread();
        const timespec time = timespec_of(kLongestWait);
        syscall(SYS_futex, &slot.fine_is_open, FUTEX_WAIT_PRIVATE, 1, &time, nullptr, 0);
    }
}

void tend_fine_timers() {
    if (!has_fine_timers()) {
        return;
    }
    for (ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        const bool is_wanted = slot->wants_fine.load(std::memory_order_acquire);
        if (!is_wanted || slot->fine_tid.load(std::memory_order_relaxed) != slot->tid) {
            close_fine_timer(*slot);
        }
        if (is_wanted && slot->fine_is_open.load(std::memory_order_relaxed) == 0) {
            open_fine_timer(*slot);
        }
    }
}

void close_fine_timer(ThreadSlot &slot) {
    if (slot.fine_is_open.load(std::memory_order_relaxed) != 0) {
        slot.has_fine.store(false, std::memory_order_relaxed);
        close(slot.fine_file.load(std::memory_order_relaxed));
        say_closed(slot);
    }
}

void close_fine_timers(bool for_good) {
    for (ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        if (for_good) {
            slot->wants_fine.store(false, std::memory_order_seq_cst);
        }
        close_fine_timer(*slot);
    }
}

bool is_of_fine_timer(const ThreadSlot &slot, const siginfo_t &info) {
    return info.si_code == POLL_IN && info.si_fd == slot.fine_file.load(std::memory_order_relaxed);
}

void forget_choice_of_timers() {
    choice.store(Choice::kNone, std::memory_order_relaxed);
}

} // namespace ompcollect
