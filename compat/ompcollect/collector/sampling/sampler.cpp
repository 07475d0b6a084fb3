// SPDX-License-Identifier: Apache-2.0
//
// The handler calls ask_thread, node_of_sample, charge_on, charge_off, charge_lock, log_sample,
// current_slot, clock_gettime and atomics. None of them allocates or locks.
#include "sampler.h"

#include "cells.h"
#include "clock_sample.h"
#include "clocks.h"
#include "contract_names.h"
#include "fine_timers.h"
#include "kinds.h"
#include "lock_table.h"
#include "preload_link.h"
#include "producer.h"
#include "region_table.h"
#include "run_clock.h"
#include "sample_log.h"
#include "settings.h"
#include "store.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constinit std::atomic<bool> runs{false};
constinit struct sigaction previous = {};

// Its address marks our timers' signals.
constinit char mark = 0;

bool is_ours(const siginfo_t *info, const ThreadSlot *slot) {
    if (!info) {
        return false;
    }
    return (info->si_code == SI_TIMER && info->si_value.sival_ptr == &mark) ||
           (slot && is_of_fine_timer(*slot, *info));
}

void pass_on(int signal, siginfo_t *info, void *context) {
    if (const auto *preload = preload_services()) {
        preload->pass_on(signal, info, context);
    } else if (previous.sa_flags & SA_SIGINFO) {
        if (previous.sa_sigaction) {
            previous.sa_sigaction(signal, info, context);
        }
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal);
    }
}

// How many periods had no signal of their own. A POSIX timer counts them. For a fine timer they
// follow from the thread's clock.
uint64_t late_samples(ThreadSlot &slot, const siginfo_t &info, uint64_t ns) {
    if (info.si_code == SI_TIMER) {
        return info.si_overrun > 0 ? static_cast<uint64_t>(info.si_overrun) : 0;
    }
    const uint64_t period = kSecond / current_settings.rate;
    slot.owed_ns += ns;
    slot.owed_ns -= std::min(slot.owed_ns, period); // this sample stands for one
    // The clock and the timer may differ by part of a period.
    const uint64_t late = slot.owed_ns >= 2 * period ? slot.owed_ns / period - 1 : 0;
    slot.owed_ns -= late * period;
    return late;
}

ThreadAnswer answer_of(const ThreadSlot &slot) {
    return is_before_first_event(slot) ? ThreadAnswer{THR_SERIAL_STATE} : ask_thread();
}

// Of the calling thread, whose state is WORK.
bool is_in_unreported_task(const ThreadSlot &slot) {
    const void *handle = slot.handle.load(std::memory_order_acquire);
    omp_collector_bridge_thread_answer answer;
    return handle && extensions().ask_thread &&
           extensions().ask_thread(handle, &answer) == kMayBeInTask;
}

// After a long time the process may have stood still, which the sampling thread's next look at the
// clock shows. The sample is put off until then, for as long as that thread may wait for a
// processor.
bool waits_for_run_clock(ThreadSlot &slot, uint64_t ns) {
    constexpr uint64_t kLong = kSecond / 10;
    constexpr unsigned kMost = 200;
    const unsigned looks = looks_at_clock();
    if (ns < kLong || (slot.postponed != 0 && looks != slot.postponed_at) ||
        slot.postponed == kMost) {
        slot.postponed = 0;
        return false;
    }
    if (slot.postponed++ == 0) {
        slot.postponed_at = looks;
    }
    return true;
}

// Charges the thread's processor time since the last sample to the state in which it is found.
// Returns that time.
uint64_t take_sample(ThreadSlot &slot, const void *context) {
    const ThreadAnswer answer = answer_of(slot);
    const unsigned state = answer.state < kContractStates ? answer.state : 0;
    const bool by_wall = slot.by_wall.load(std::memory_order_relaxed);
    if (by_wall && waits_for_run_clock(slot, clock_since_sample(slot))) {
        return 0;
    }
    const uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const uint64_t before = slot.charged_on_ns.load(std::memory_order_relaxed);
    const uint64_t ns = cpu > before ? cpu - before : 0;
    slot.charged_on_ns.store(cpu, std::memory_order_relaxed);
    if (by_wall) {
        take_clock(slot, cpu);
    }
    if (slot.in_fork.load(std::memory_order_relaxed)) {
        add_to(slot.fork_ns, ns);
        return ns;
    }
    slot.last_in_task.store(state == THR_WORK_STATE && is_in_unreported_task(slot),
                            std::memory_order_relaxed);
    const uint32_t node = node_of_sample(slot, answer.region, state, context);
    slot.sampled_node.store(node, std::memory_order_relaxed);
    slot.sampled_state.store(state, std::memory_order_relaxed);
    slot.last_ran_ns.store(slot.charged_on_ns.load(std::memory_order_relaxed),
                           std::memory_order_release);
    uint64_t off = 0;
    if (by_wall) {
        off = charge_by_clock(slot, node, state, ns);
    } else {
        charge_on(slot.number, node, state, {ns, 1});
        log_sample(slot.number, node, state);
    }
    if (is_mutex_wait(state) && answer.has_wait_id) {
        charge_lock(state, answer.wait_id, ns, off);
    }
    return ns;
}

void on_signal(int signal, siginfo_t *info, void *context) {
    const int saved_errno = errno;
    ThreadSlot *const slot = current_slot();
    if (!is_ours(info, slot)) {
        pass_on(signal, info, context);
    } else if (runs.load(std::memory_order_relaxed)) {
        if (slot) {
            const uint64_t late = late_samples(*slot, *info, take_sample(*slot, context));
            if (late != 0) {
                header().late_samples.fetch_add(late, std::memory_order_relaxed);
            }
        } else {
            header().lost_samples.fetch_add(1, std::memory_order_relaxed); // the thread is ending
        }
    }
    errno = saved_errno;
}

bool signal_is_blocked() {
    sigset_t now;
    return pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0 &&
           sigismember(&now, current_settings.signal) == 1;
}

// A child of vfork() or clone() has the memory of the thread that made it, and so its slot, but no
// timer; nor does it get one.
bool is_its_thread(const ThreadSlot &slot) {
    return slot.tid == syscall(SYS_gettid);
}

bool has_or_wants_timer(const ThreadSlot &slot) {
    return slot.has_timer.load(std::memory_order_relaxed) ||
           slot.wants_fine.load(std::memory_order_relaxed);
}

uint64_t timer_period(clockid_t clock) {
    const uint64_t ns = kSecond / current_settings.rate;
    // Subtracted from a period that is as long as a tick: else the timer is due at some ticks only.
    constexpr uint64_t kLess = 64;
    const bool is_tick = clock != CLOCK_MONOTONIC && current_settings.rate >= ticks_per_second();
    return is_tick ? ns - ns / kLess : ns;
}

bool make_timer(ThreadSlot &slot, clockid_t clock) {
    struct sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = current_settings.signal;
    event.sigev_value.sival_ptr = &mark;
    // In the manual this is sigev_notify_thread_id; glibc up to 2.36 has the field, but not the
    // name.
    event._sigev_un._tid = slot.tid;
    timer_t timer = nullptr;
    if (timer_create(clock, &event, &timer) != 0) {
        if (header().threads_without_timer.fetch_add(1, std::memory_order_relaxed) == 0) {
            complain("no timer for thread %d (%s): it is sampled %s", int{slot.tid},
                     strerror(errno), extensions().ask_thread ? "from outside" : "not at all");
        }
        return false;
    }
    const timespec period = timespec_of(timer_period(clock));
    const struct itimerspec interval = {period, period};
    slot.timer = timer;
    slot.has_timer.store(true, std::memory_order_release);
    timer_settime(timer, 0, &interval, nullptr);
    return true;
}

void stop_tick_timer(ThreadSlot &slot) {
    if (slot.has_timer.exchange(false, std::memory_order_acq_rel)) {
        timer_delete(slot.timer);
    }
}

} // namespace

bool start_sampler() {
    if (runs.load(std::memory_order_relaxed)) {
        return true;
    }
    int error = 0;
    if (const auto *preload = preload_services()) {
        error = preload->take_signal(current_settings.signal, on_signal);
    } else {
        struct sigaction action = {};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
        sigfillset(&action.sa_mask);
        error = sigaction(current_settings.signal, &action, &previous) != 0 ? errno : 0;
    }
    if (error != 0) {
        complain("signal %d cannot be used for sampling (%s); give another number in "
                 "OMPCOLLECT_SIGNAL",
                 current_settings.signal, strerror(error));
        return false;
    }
    runs.store(true, std::memory_order_release);
    return true;
}

void stop_sampler() {
    runs.store(false, std::memory_order_release);
    for (ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        stop_tick_timer(*slot); // the sampling thread closes the fine ones
    }
}

void start_thread_timer(ThreadSlot &slot) {
    if (!runs.load(std::memory_order_acquire) || has_or_wants_timer(slot) || signal_is_blocked()) {
        return;
    }
    const bool by_wall = current_settings.wall_clock && !extensions().ask_thread;
    slot.by_wall.store(by_wall, std::memory_order_relaxed);
    if (!by_wall && has_fine_timers()) {
        want_fine_timer(slot);
        return;
    }
    make_timer(slot, by_wall ? CLOCK_MONOTONIC : slot.clock);
}

void switch_to_wall_timer(ThreadSlot &slot) {
    drop_thread_timer(slot);
    slot.by_wall.store(true, std::memory_order_relaxed);
    if (runs.load(std::memory_order_acquire)) {
        make_timer(slot, CLOCK_MONOTONIC);
    }
}

void stop_thread_timer(ThreadSlot &slot) {
    if (slot.wants_fine.load(std::memory_order_relaxed)) {
        give_up_fine_timer(slot);
    }
    stop_tick_timer(slot);
}

void drop_thread_timer(ThreadSlot &slot) {
    if (slot.wants_fine.exchange(false, std::memory_order_relaxed)) {
        close_fine_timer(slot);
    }
    stop_tick_timer(slot);
}

void pause_thread_timer() {
    ThreadSlot *slot = current_slot();
    if (slot && has_or_wants_timer(*slot) && is_its_thread(*slot)) {
        stop_thread_timer(*slot);
    }
}

void resume_thread_timer() {
    ThreadSlot *slot = current_slot();
    if (slot && !has_or_wants_timer(*slot) && is_its_thread(*slot)) {
        start_thread_timer(*slot);
    }
}

bool is_before_first_event(const ThreadSlot &slot) {
    return extensions().own_thread && !slot.handle.load(std::memory_order_acquire) &&
           slot.tid == getpid();
}

bool signal_was_taken() {
    struct sigaction now = {};
    return !preload_services() && sigaction(current_settings.signal, nullptr, &now) == 0 &&
           now.sa_sigaction != on_signal;
}

} // namespace ompcollect
