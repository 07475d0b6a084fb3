// SPDX-License-Identifier: Apache-2.0
//
// What is charged at a tick is in off_processor.h.
#include "sampling_thread.h"

#include "call_tree.h"
#include "cells.h"
#include "clocks.h"
#include "contract_names.h"
#include "cost_limit.h"
#include "fine_timers.h"
#include "frequency.h"
#include "kinds.h"
#include "lock_table.h"
#include "machine_load.h"
#include "module_map.h"
#include "off_processor.h"
#include "own_process.h"
#include "own_stack.h"
#include "process_facts.h"
#include "producer.h"
#include "quiet_time.h"
#include "quota.h"
#include "region_table.h"
#include "run_clock.h"
#include "sample_log.h"
#include "sampler.h"
#include "scheduler.h"
#include "settings.h"
#include "sleeping_stacks.h"
#include "standstill.h"
#include "store.h"
#include "task_files.h"
#include "wake_up.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace ompcollect {
namespace {

constexpr uint64_t kBetweenSwitches = 2 * kSecond;

// If every thread is on its processor for all but this part of the time, a tick has nothing to
// charge, and takes the processor from one of them for nothing. Ticks are rarer then.
constexpr uint64_t kOffProcessorPart = 16;
constexpr uint64_t kMostPeriods = 4;
constexpr uint64_t kLongestPause = kSecond / 10;

// The sampling thread takes at most this part of one processor, and half of it where it looks at
// some threads at a time. With 1 in 100 the waiting share of 16 threads that sleep and meet is off
// by 4 points in runs of 3 s.
constexpr uint64_t kCostPart = 40;

constinit pthread_t sampling_thread = {};
constinit std::atomic<bool> is_there{false};
enum class Stop : int { kNot, kForNow, kForGood };
constinit std::atomic<Stop> stop{Stop::kNot};
constinit std::atomic<int> has_stopped{0};
constinit std::atomic<int> own_tid{0};
constinit uint64_t random = 0x9e3779b97f4a7c15u;

uint64_t random_below(uint64_t limit) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return random % limit;
}

uint64_t period() {
    return sampling_period();
}

uint64_t longer(uint64_t pause) {
    return std::max(period(), std::min({2 * pause, kMostPeriods * period(), kLongestPause}));
}

Passed passed_since_look(const ThreadSlot &slot, uint64_t cpu, uint64_t now) {
    return {cpu, passed_between(slot.seen_ns, now), cpu - slot.seen_cpu_ns,
            passed_between(slot.seen_ns, quiet_until())};
}

// True if the next tick must come soon: the thread is off the processor, or has no timer of its
// own.
bool tick_thread(ThreadSlot &slot) {
    const uint64_t cpu = clock_ns(slot.clock);
    const uint64_t now = run_ns();
    if (cpu == 0) {
        drop_thread_timer(slot);
        reap_thread(slot);
        return false;
    }
    if (slot.by_wall.load(std::memory_order_relaxed)) {
        record_run_time(slot, cpu);
        return false;
    }
    const Passed passed = passed_since_look(slot, cpu, now);
    const uint64_t off = passed.ns > passed.ran_ns ? passed.ns - passed.ran_ns : 0;
    slot.seen_cpu_ns = cpu;
    slot.seen_ns = now;
    record_run_time(slot, cpu);
    slot.pending_ns = current_settings.wall_clock ? slot.pending_ns + off : 0;
    look_after(slot, passed);
    return off > passed.ns / kOffProcessorPart || !samples_itself(slot);
}

// At the thread's end: keeps the slot and does not release it. The keeper may still read some files
// of the kernel, and is waited for.
void keep_for_good(ThreadSlot &slot) {
    const uint64_t end = now_ns() + kSecond;
    while (slot.is_kept.exchange(true, std::memory_order_acquire) && now_ns() < end) {
        const timespec step = timespec_of(20000);
        nanosleep(&step, nullptr);
    }
}

// With more parts, looks at each thread would be too rare.
unsigned most_parts() {
    constexpr unsigned kFewest = 8;
    unsigned threads = 0;
    for (const ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        threads += slot->runs.load(std::memory_order_relaxed) ? 1 : 0;
    }
    return std::max(1U, threads / kFewest);
}

// Looks at one of `parts` parts of the threads, in turn.
bool tick(unsigned parts) {
    static constinit unsigned turn = 0;
    bool is_soon = false;
    unsigned number = ++turn;
    for (ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        if (number++ % parts == 0) {
            look_at_clock();
            is_soon = look_if_it_runs(*slot, tick_thread) || is_soon;
        }
    }
    return is_soon;
}

// Programs bind their threads, mostly soon after their begin.
void look_at_processors() {
    for (ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        if (slot->runs.load(std::memory_order_acquire)) {
            record_processors(*slot);
        }
    }
}

// The kernel needs some microseconds to make that file, so it is not read at each tick.
void look_at_counts() {
    look_at_others();
    for (ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        look_if_it_runs(*slot, [](ThreadSlot &runs) {
            const uint64_t ran = clock_ns(runs.clock);
            char text[4096];
            if (ran == runs.counted_ran_ns ||
                !read_task_file(runs.tid, TaskFile::kStatus, text, sizeof text)) {
                return false;
            }
            look_at_run_queue(runs);
            record_counts(runs, text);
            runs.counted_ran_ns = ran;
            return true;
        });
    }
}

void maintain(bool thoroughly) {
    grow_cells();
    grow_locks();
    if (thoroughly) {
        look_at_processors();
        look_at_quota();
        refresh_modules_if_changed();
    }
    if (current_settings.stacks != Stacks::kOff) {
        grow_call_tree();
        if (thoroughly) {
            add_module_rows();
        }
    }
    look_at_frequency();
    flush_sample_log(thoroughly);
    record_heartbeat(thoroughly);
}

// Divides the elapsed time by whether a region runs: a look stands for the time since the one
// before. Looks come at random moments, never in step with the program. `since_ns`: time of the
// last look.
void look_at_regions(uint64_t &since_ns) {
    const uint64_t now = run_ns();
    if (now > since_ns && any_region_runs()) {
        header().in_regions_ns.fetch_add(now - since_ns, std::memory_order_relaxed);
    }
    header().region_looks.fetch_add(1, std::memory_order_relaxed);
    since_ns = now;
}

struct Rounds {
    uint64_t thorough_ns; // of the last one
    uint64_t switches_ns;
    uint64_t regions_ns;
};

// Returns whether the next round must come soon.
bool make_round(Rounds &rounds, unsigned parts) {
    maintain_fine_timers();
    const bool is_soon = tick(parts);
    const uint64_t now = now_ns();
    const bool thoroughly = now - rounds.thorough_ns > kSecond / 2;
    maintain(thoroughly);
    if (thoroughly) {
        rounds.thorough_ns = now;
    }
    if (now - rounds.switches_ns > kBetweenSwitches) {
        look_at_counts();
        rounds.switches_ns = now;
    }
    return is_soon;
}

bool stops() {
    return stop.load(std::memory_order_acquire) != Stop::kNot;
}

void begin_accounts() {
    restart_machine_load();
    restart_frequency();
    restart_quota();
    restart_quiet_time();
    restart_standstill();
}

// `resumes` is null for the first one of a session.
void *watch(void *resumes) {
    pthread_setname_np(pthread_self(), "ompcollect");
    own_tid.store(static_cast<int>(syscall(SYS_gettid)), std::memory_order_relaxed);
    record_sampling_thread();
    choose_timers(keep_task_files());
    if (!resumes) {
        begin_accounts();
    }
    look_at_others();
    Rounds rounds = {};
    rounds.switches_ns = now_ns();
    rounds.regions_ns = run_ns();
    uint64_t pause = period();
    uint64_t used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    CostLimit limit(kCostPart, kLongestPause);
    unsigned parts = 1;
    bool looked_at_all = false;
    int rings = wake_ups_so_far();
    while (!stops()) {
        // Never in step with the program.
        const uint64_t asked = pause / 2 + random_below(pause);
        pause_begins(asked);
        sleep_until_woken(rings, asked);
        pause_ends();
        look_at_regions(rounds.regions_ns);
        const int before = std::exchange(rings, wake_ups_so_far());
        if (stops()) {
            break;
        }
        if (nobody_has_run(rings != before, looked_at_all)) {
            pause = period();
        } else {
            parts = has_anybody_run() ? parts : 1;
            looked_at_all = parts == 1;
            pause = make_round(rounds, parts) ? period() : longer(pause);
        }
        const uint64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        pause = limit.pause(pause, used - used_ns, parts);
        parts = limit.parts(period(), parts * (used - used_ns));
        parts = parts > 1 ? std::min(parts, most_parts()) : 1;
        used_ns = used;
    }
    close_fine_timers(stop.load(std::memory_order_acquire) == Stop::kForGood);
    look_at_processors();
    look_at_quota();
    look_at_counts();
    forget_task_files();
    has_stopped.store(1, std::memory_order_release);
    syscall(SYS_futex, &has_stopped, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    return nullptr;
}

// The stack has the thread's static TLS too, whose size depends on the program.
bool create(pthread_attr_t &attributes, void *resumes) {
    constexpr size_t kStack = size_t{256} * 1024;
    pthread_attr_setstacksize(&attributes, kStack);
    int error = pthread_create(&sampling_thread, &attributes, watch, resumes);
    if (error == EINVAL) {
        pthread_attr_destroy(&attributes);
        pthread_attr_init(&attributes);
        error = pthread_create(&sampling_thread, &attributes, watch, resumes);
    }
    if (error != 0) {
        complain("no thread to sample with (%s): time asleep is missing in the profile",
                 strerror(error));
        return false;
    }
    learn_from_stack_of(sampling_thread);
    return true;
}

bool start(void *resumes) {
    stop.store(Stop::kNot, std::memory_order_relaxed);
    has_stopped.store(0, std::memory_order_relaxed);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    // Not bound to the processors of the thread that starts it.
    set_initial_affinity(attributes);
    const bool good = create(attributes, resumes);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    is_there.store(good, std::memory_order_release);
    if (good) {
        await_choice_of_timers();
    }
    return good;
}

// False: it hangs in the file system; the process need not.
bool end(Stop how) {
    stop.store(how, std::memory_order_release);
    wake_sampling_thread();
    if (has_stopped.load(std::memory_order_acquire) == 0) {
        const timespec time = timespec_of(kSecond);
        syscall(SYS_futex, &has_stopped, FUTEX_WAIT_PRIVATE, 0, &time, nullptr, 0);
    }
    if (has_stopped.load(std::memory_order_acquire) == 0) {
        return false;
    }
    pthread_join(sampling_thread, nullptr);
    return true;
}

// The kernel keeps an ended thread for a moment after its join.
void await_no_thread() {
    const uint64_t end = now_ns() + kSecond;
    while (syscall(SYS_tgkill, getpid(), own_tid.load(std::memory_order_relaxed), 0) == 0 &&
           now_ns() < end) {
        const timespec step = timespec_of(20000);
        nanosleep(&step, nullptr);
    }
}

} // namespace

bool start_sampling_thread() {
    return start(nullptr);
}

int pause_sampling_thread() {
    if (!is_own_process() || !is_there.exchange(false, std::memory_order_acq_rel) ||
        !end(Stop::kForNow)) {
        return 0;
    }
    await_no_thread();
    return 1;
}

void resume_sampling_thread() {
    start(&sampling_thread);
}

void stop_sampling_thread() {
    if (is_there.exchange(false, std::memory_order_acq_rel) && !end(Stop::kForGood)) {
        return;
    }
    if (!extensions().ask_thread) {
        record_heartbeat(true);
        return;
    }
    for (ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        if (slot->runs.load(std::memory_order_acquire)) {
            slot->has_timer.store(false, std::memory_order_relaxed); // stopped by now
            look_if_it_runs(*slot, [](ThreadSlot &runs) {
                tick_thread(runs);
                const Place place = representative_place(runs, {kNodeUnknown, 0});
                if (place.state != 0) {
                    charge_unmet_waits(runs, place);
                }
                return true;
            });
        }
    }
    record_heartbeat(true);
}

void settle_thread(ThreadSlot &slot) {
    keep_for_good(slot);
    record_own_counts(slot);
    const ThreadAnswer answer = ask_thread();
    const unsigned state = answer.state < kContractStates ? answer.state : 0;
    const Place at_end = {node_of_thread(slot, answer.region, state), state};
    const uint64_t now = run_ns();
    const uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const uint64_t before = slot.charged_on_ns.load(std::memory_order_relaxed);
    if (cpu > before) {
        const Place place = representative_place(slot, at_end);
        charge_on(slot.number, place.node, place.state, {cpu - before, 0});
    }
    const Passed passed = passed_since_look(slot, cpu, now);
    slot.pending_ns += passed.ns > passed.ran_ns ? passed.ns - passed.ran_ns : 0;
    record_run_time(slot, cpu);
    record_processors(slot);
    if (current_settings.wall_clock) {
        charge_quiet(slot, passed);
        charge_rest(slot, at_end);
    }
}

void forget_sampling_thread() {
    forget_task_files();
    forget_choice_of_timers();
    is_there.store(false, std::memory_order_relaxed);
}

} // namespace ompcollect
