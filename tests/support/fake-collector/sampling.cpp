// SPDX-License-Identifier: Apache-2.0
#include "sampling.h"

#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ocb_fake {
namespace {

long sample_hz = 0;
pthread_key_t sampled_thread; // its destructor stops the timer of a thread that ends

void on_tick(int, siginfo_t *, void *) {
    ThreadLog *log = own_log_so_far();
    if (log != nullptr) {
        append_sample(log);
    }
}

int tick_signal() {
    return SIGRTMIN + 3;
}

void end_of_thread(void *log) {
    stop_sampling(static_cast<ThreadLog *>(log));
}

struct ThreadStart {
    void *(*routine)(void *);
    void *argument;
};

void *run_sampled(void *start_memory) {
    const ThreadStart start = *static_cast<ThreadStart *>(start_memory);
    std::free(start_memory);
    start_sampling();
    return start.routine(start.argument);
}

} // namespace

void prepare_sampling(long per_second) {
    sample_hz = per_second;
    if (sample_hz <= 0) {
        return;
    }
    pthread_key_create(&sampled_thread, end_of_thread);
    struct sigaction action {};
    action.sa_sigaction = on_tick;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(tick_signal(), &action, nullptr);
}

void start_sampling() {
    ThreadLog *log = own_log();
    if (sample_hz <= 0 || log == nullptr) {
        return;
    }
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = tick_signal();
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    if (timer_create(CLOCK_MONOTONIC, &event, &log->timer) != 0) {
        return;
    }
    log->has_timer = true;
    pthread_setspecific(sampled_thread, log);
    itimerspec interval{};
    interval.it_interval.tv_nsec = 1000000000L / sample_hz;
    interval.it_value = interval.it_interval;
    timer_settime(log->timer, 0, &interval, nullptr);
}

void stop_sampling(ThreadLog *log) {
    if (log->has_timer) {
        timer_delete(log->timer);
        log->has_timer = false;
    }
}

} // namespace ocb_fake

using namespace ocb_fake;

extern "C" {

// Every thread of the process is sampled from its first to its last instruction.
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*routine)(void *),
                                                          void *argument) noexcept {
    using Create = int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    const auto real = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    if (sample_hz <= 0) {
        return real(thread, attributes, routine, argument);
    }
    auto *start = static_cast<ThreadStart *>(std::malloc(sizeof(ThreadStart)));
    if (start == nullptr) {
        return EAGAIN;
    }
    *start = {routine, argument};
    const int result = real(thread, attributes, run_sampled, start);
    if (result != 0) {
        std::free(start);
    }
    return result;
}

} // extern "C"
