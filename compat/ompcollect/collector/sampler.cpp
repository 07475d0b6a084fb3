// SPDX-License-Identifier: Apache-2.0
//
// See sampler.h. Reachable from the handler: ask_thread, sample_region, sample_lock, current_slot
// and atomics. Nothing of that allocates or locks.
#include "sampler.h"

#include "lock_table.h"
#include "producer.h"
#include "region_table.h"
#include "settings.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <pthread.h>

namespace ompcollect {
namespace {

constinit std::atomic<bool> g_runs{false};
constinit std::atomic<bool> g_stopped{false};
constinit std::atomic<uint64_t> g_late{0};
constinit std::atomic<uint64_t> g_lost{0};
constinit struct sigaction g_previous = {};

// Its address marks our timers' signals.
constinit char g_mark = 0;

bool is_ours(const siginfo_t *info) {
    return info && info->si_code == SI_TIMER && info->si_value.sival_ptr == &g_mark;
}

void pass_on(int signal, siginfo_t *info, void *context) {
    if (g_previous.sa_flags & SA_SIGINFO) {
        if (g_previous.sa_sigaction) {
            g_previous.sa_sigaction(signal, info, context);
        }
    } else if (g_previous.sa_handler != SIG_DFL && g_previous.sa_handler != SIG_IGN) {
        g_previous.sa_handler(signal);
    }
}

void take_sample(const siginfo_t *info) {
    const uint64_t weight = 1 + static_cast<uint64_t>(info->si_overrun > 0 ? info->si_overrun : 0);
    ThreadSlot *slot = current_slot();
    if (!slot) {
        g_lost.fetch_add(weight, std::memory_order_relaxed); // the thread is ending
        return;
    }
    const ThreadAnswer answer = ask_thread();
    const unsigned column = answer.state < kStateColumns ? answer.state : 0;
    slot->samples[column].fetch_add(weight, std::memory_order_relaxed);
    sample_region(*slot, answer.region, column, weight);
    if (is_mutex_wait(column) && answer.has_wait_id) {
        sample_lock(column, answer.wait_id, weight);
    }
    if (weight > 1) {
        g_late.fetch_add(weight - 1, std::memory_order_relaxed);
    }
}

void on_signal(int signal, siginfo_t *info, void *context) {
    const int saved_errno = errno;
    if (!is_ours(info)) {
        pass_on(signal, info, context);
    } else if (g_runs.load(std::memory_order_relaxed)) {
        take_sample(info);
    }
    errno = saved_errno;
}

void stop_timer_of(ThreadSlot &slot, void *) {
    stop_thread_timer(slot);
}

} // namespace

bool start_sampler() {
    if (g_runs.load(std::memory_order_relaxed)) {
        return true;
    }
    if (g_stopped.load(std::memory_order_relaxed)) {
        return false;
    }
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    if (sigaction(g_settings.signal, &action, &g_previous) != 0) {
        complain("signal %d cannot be used for sampling (%s); give another number in "
                 "OMPCOLLECT_SIGNAL",
                 g_settings.signal, strerror(errno));
        return false;
    }
    g_runs.store(true, std::memory_order_release);
    return true;
}

void stop_sampler() {
    g_stopped.store(true, std::memory_order_release);
    g_runs.store(false, std::memory_order_release);
    for_each_slot(stop_timer_of, nullptr);
}

bool sampler_runs() {
    return g_runs.load(std::memory_order_acquire);
}

void start_thread_timer(ThreadSlot &slot) {
    if (!sampler_runs() || is_shared(&slot) || slot.has_timer.load(std::memory_order_relaxed)) {
        return;
    }
    struct sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = g_settings.signal;
    event.sigev_value.sival_ptr = &g_mark;
    // In the manual this is sigev_notify_thread_id; glibc up to 2.36 has the field, but not the
    // name.
    event._sigev_un._tid = static_cast<pid_t>(slot.tid);
    timer_t timer;
    if (timer_create(g_settings.wall_clock ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &event,
                     &timer) != 0) {
        complain("thread %ld cannot be sampled: no timer (%s)", slot.tid, strerror(errno));
        return;
    }
    const long period = 1000000000L / static_cast<long>(g_settings.rate);
    struct itimerspec interval = {};
    interval.it_interval.tv_sec = period / 1000000000L;
    interval.it_interval.tv_nsec = period % 1000000000L;
    interval.it_value = interval.it_interval;
    slot.timer = timer;
    slot.has_timer.store(true, std::memory_order_release);
    timer_settime(timer, 0, &interval, nullptr);

    // Programs create helper threads with all signals blocked.
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, g_settings.signal);
    pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
}

void stop_thread_timer(ThreadSlot &slot) {
    if (slot.has_timer.exchange(false, std::memory_order_acquire)) {
        timer_delete(slot.timer);
    }
}

uint64_t late_samples() {
    return g_late.load(std::memory_order_relaxed);
}

uint64_t lost_samples() {
    return g_lost.load(std::memory_order_relaxed);
}

bool signal_was_taken() {
    struct sigaction now = {};
    return sigaction(g_settings.signal, nullptr, &now) == 0 && now.sa_sigaction != on_signal;
}

void restart_sampler() {
    g_late.store(0, std::memory_order_relaxed);
    g_lost.store(0, std::memory_order_relaxed);
}

} // namespace ompcollect
