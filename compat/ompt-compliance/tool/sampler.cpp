// SPDX-License-Identifier: Apache-2.0
#include "sampler.h"

#include "verdict.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace compliance {
namespace {

constexpr int kStateCount = static_cast<int>(State::kCount);
constexpr long kPeriodNs = 1000000;
constexpr int kEnough = 3;  // samples of an expected state
constexpr int kLimit = 120; // samples of a phase in which none of them shows
// For a thread that is not let run at all; less than what --time-limit is if not given.
constexpr double kMaxSeconds = 25;

std::atomic<int> counts[kPhases][kStateCount];
std::atomic<int> phase_samples[kPhases];
std::atomic<int> current_phase;
bool expected[kPhases][kStateCount];
// The order in which states came, repetitions left out. A visit is the time between two arrivals.
struct Change {
    int visit;
    int phase;
    State state;
};
constexpr int kMaxChanges = 4096;
std::atomic<int> change_count;
Change changes[kMaxChanges];
std::atomic<int> current_visit;
timer_t timer;

double now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void pause_a_little() {
    const timespec time = {0, 200000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

void on_signal(int) {
    const int saved = errno;
    const State state = interface()->state();
    const int phase = current_phase.load(std::memory_order_relaxed);
    counts[phase][static_cast<int>(state)].fetch_add(1, std::memory_order_relaxed);
    const int count = change_count.load(std::memory_order_relaxed);
    const int visit = current_visit.load(std::memory_order_relaxed);
    if (count < kMaxChanges &&
        (count == 0 || changes[count - 1].visit != visit || changes[count - 1].state != state)) {
        changes[count] = {visit, phase, state};
        change_count.store(count + 1, std::memory_order_release);
    }
    phase_samples[phase].fetch_add(1, std::memory_order_release);
    errno = saved;
}

} // namespace

void start_sampling() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    const itimerspec period = {{0, kPeriodNs}, {0, kPeriodNs}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &period, nullptr) != 0) {
        perror("ompt-compliance: timer");
        _exit(kSuiteFailed);
    }
}

void stop_sampling() {
    timer_delete(timer);
    std::signal(SIGPROF, SIG_IGN);
}

void expect_in_phase(int phase, const std::vector<State> &states) {
    for (const State state : states) {
        expected[phase][static_cast<int>(state)] = true;
    }
}

void arrive(int phase) {
    // A signal between the two takes its sample for a visit of its own.
    current_visit.fetch_add(1, std::memory_order_relaxed);
    current_phase.store(phase, std::memory_order_relaxed);
    current_visit.fetch_add(1, std::memory_order_relaxed);
}

void hold(int phase) {
    const double deadline = now() + kMaxSeconds;
    while (!seen_expected(phase) && phase_samples[phase].load() < kLimit && now() < deadline) {
        pause_a_little();
    }
}

void patience(const char *awaited) {
    static std::atomic<double> since{0};
    static const char *last = nullptr;
    if (last != awaited) {
        last = awaited;
        since = now();
    } else if (now() - since.load() > kMaxSeconds) {
        fail("the program has waited %.0f s in vain for %s", kMaxSeconds, awaited);
        _exit(0);
    }
    pause_a_little();
}

bool seen(int phase, State state) {
    return counts[phase][static_cast<int>(state)].load() > 0;
}

bool seen_expected(int phase) {
    int count = 0;
    for (int state = 0; state < kStateCount; ++state) {
        count += expected[phase][state] ? counts[phase][state].load() : 0;
    }
    return count >= kEnough;
}

std::string seen_states(int phase) {
    std::vector<int> order;
    for (int state = 0; state < kStateCount; ++state) {
        if (counts[phase][state].load() > 0) {
            order.push_back(state);
        }
    }
    std::sort(order.begin(), order.end(),
              [phase](int a, int b) { return counts[phase][a].load() > counts[phase][b].load(); });
    std::string text;
    for (const int state : order) {
        text += (text.empty() ? "" : ", ") + std::string(state_name(static_cast<State>(state)));
    }
    return text.empty() ? "no sample" : text;
}

std::vector<std::vector<State>> sequences(int phase) {
    std::vector<std::vector<State>> found;
    const int count = change_count.load();
    for (int i = 0; i < count; ++i) {
        if (changes[i].phase != phase) {
            continue;
        }
        if (i == 0 || changes[i - 1].visit != changes[i].visit) {
            found.emplace_back();
        }
        found.back().push_back(changes[i].state);
    }
    return found;
}

} // namespace compliance
