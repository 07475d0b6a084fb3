// SPDX-License-Identifier: Apache-2.0
//
// The collector in one program with a small producer, all under ThreadSanitizer: threads come and
// go, fork regions, wait, sleep and are sampled, from outside as well.
#include "fake_provider.h"
#include "omp_collector_api.h"
#include "omp_collector_bridge.h"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

// What the producer tells of a thread to others.
struct Told {
    std::atomic<int> state{THR_SERIAL_STATE};
    std::atomic<uint64_t> wait_id{0};
    std::atomic<uint64_t> region{0};
};
std::deque<Told> &all_told = *new std::deque<Told>; // the sampling thread looks to the end
std::mutex telling;
thread_local Told *own = nullptr;
std::atomic<uint64_t> next_region{1};

void say(int state, uint64_t wait_id = 0) {
    own->state.store(state);
    own->wait_id.store(wait_id);
    fake_set_state(state, wait_id);
}

void enter(uint64_t region) {
    own->region.store(region);
    fake_set_region(region);
}

void spend(long microseconds) {
    timespec begin{};
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 <
             microseconds);
}

void one_region(int depth) {
    const uint64_t around = own->region.load();
    say(THR_OVHD_STATE);
    enter(next_region.fetch_add(1));
    fake_raise(OMP_EVENT_FORK);
    say(THR_WORK_STATE);
    spend(300);
    if (depth > 0) {
        one_region(depth - 1);
    }
    constexpr uint64_t kLock = 0x1000;
    say(THR_LKWT_STATE, kLock + own->region.load() % 3);
    fake_raise(OMP_EVENT_THR_BEGIN_LKWT);
    usleep(300);
    fake_raise(OMP_EVENT_THR_END_LKWT);
    say(THR_IBAR_STATE, own->region.load());
    fake_raise(OMP_EVENT_THR_BEGIN_IBAR);
    spend(100);
    fake_raise(OMP_EVENT_THR_END_IBAR);
    say(THR_OVHD_STATE);
    fake_raise(OMP_EVENT_JOIN);
    enter(around);
    say(around != 0 ? THR_WORK_STATE : THR_SERIAL_STATE);
}

void live() {
    {
        const std::lock_guard<std::mutex> guard(telling);
        own = &all_told.emplace_back();
    }
    for (int i = 0; i < 20; ++i) {
        one_region(i % 3);
    }
}

} // namespace

extern "C" {
const void *omp_collector_bridge_own_thread() {
    return own;
}
int omp_collector_bridge_ask_thread(const void *thread,
                                    omp_collector_bridge_thread_answer *answer) {
    const auto *told = static_cast<const Told *>(thread);
    *answer = {told->state.load(), told->wait_id.load(), told->region.load()};
    return 1;
}
}

int main() {
    for (int generation = 0; generation < 5; ++generation) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back(live);
        }
        live();
        for (std::thread &thread : threads) {
            thread.join();
        }
    }
    return 0;
}
