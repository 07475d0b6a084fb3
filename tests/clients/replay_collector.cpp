// SPDX-License-Identifier: Apache-2.0
// A preloaded collector that behaves as one of the known clients does (OCB_TEST_CLIENT): it begins
// in its constructor, asks in every callback what that client asks, takes an OpenMP lock there if
// the client did, and samples STATE from a timer's signal with the messages that its thread keeps.
// At the end it says on stderr what it heard and what it had to complain about.
//
// A thread's messages are made in its first callback; the signal handler uses them only then, and
// not while a callback is using them. libc only.
#include "replay.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

using ocb::clients::Client;
using ocb::clients::Place;
using ocb::clients::ThreadMessages;

constexpr int kMostEvents = OMP_EVENT_THR_END_FINISH_TASK + 1;
// Behind a message that has no terminator: the size field of glibc's next chunk.
constexpr int kBehindState = 0x21;
constexpr int kSampleMicroseconds = 1000;

constinit const Client *client = nullptr;
constinit OMP_COLLECTOR_API_FUNCTION api = nullptr;
constinit std::atomic<unsigned> heard[kMostEvents] = {};
constinit std::atomic<unsigned> samples{0};
constinit std::atomic<unsigned> tasks_seen{0};

__attribute__((tls_model("initial-exec"))) thread_local ThreadMessages messages;
__attribute__((tls_model("initial-exec"))) thread_local volatile sig_atomic_t messages_are_free = 0;

// The client's own lock, of the program's runtime.
struct OpenmpLock {
    void *word[4];
};
using LockFunction = void (*)(OpenmpLock *);
OpenmpLock own_lock;
constinit std::atomic<LockFunction> set_lock{nullptr};
LockFunction unset_lock = nullptr;
pthread_once_t lock_once = PTHREAD_ONCE_INIT;

LockFunction find_lock(const char *name) {
    return reinterpret_cast<LockFunction>(dlsym(RTLD_DEFAULT, name));
}

void make_lock() {
    const LockFunction init = find_lock("omp_init_lock");
    unset_lock = find_lock("omp_unset_lock");
    if (init == nullptr) {
        return;
    }
    init(&own_lock);
    set_lock.store(find_lock("omp_set_lock"));
}

void take_and_release_lock() {
    pthread_once(&lock_once, make_lock);
    const LockFunction set = set_lock.load();
    if (set == nullptr) {
        return;
    }
    set(&own_lock);
    unset_lock(&own_lock);
}

void on_event(OMP_COLLECTORAPI_EVENT event) {
    heard[event].fetch_add(1);
    messages_are_free = 0;
    if (!messages.is_allocated() &&
        !messages.allocate(*client, Place::kEndOfMemory, kBehindState)) {
        std::abort();
    }
    if (client->locks) {
        take_and_release_lock();
    }
    messages.ask_region(api);
    messages.ask_state(api);
    if (client->asks_tasks) {
        messages.ask_region_in_4_bytes(api);
        if (event == OMP_EVENT_THR_BEGIN_EXEC_TASK && messages.ask_task(api) > 0) {
            tasks_seen.fetch_add(1);
        }
    }
    messages_are_free = 1;
}

void on_tick(int) {
    const int saved_errno = errno;
    if (messages_are_free != 0) {
        messages.ask_state(api);
        messages.ask_region(api);
        samples.fetch_add(1);
    }
    errno = saved_errno;
}

void sample_every(int microseconds) {
    const timeval interval{0, microseconds};
    const itimerval timer{interval, interval};
    setitimer(ITIMER_PROF, &timer, nullptr);
}

void say_library() {
    Dl_info info;
    void *symbol = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    char path[4096];
    if (symbol != nullptr && dladdr(symbol, &info) != 0 &&
        realpath(info.dli_fname, path) != nullptr) {
        std::fprintf(stderr, "replay library %s\n", path);
    }
}

__attribute__((constructor)) void begin_client() {
    const char *name = std::getenv("OCB_TEST_CLIENT");
    client = name != nullptr ? ocb::clients::client_of(name) : nullptr;
    api = reinterpret_cast<OMP_COLLECTOR_API_FUNCTION>(dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API));
    if (client == nullptr || api == nullptr) {
        return;
    }
    constexpr std::uint64_t kGarbage = 0xA5A5A5A5A5A5A5A5;
    const int answer = ocb::clients::begin(*client, api, on_event, kGarbage);
    std::fprintf(stderr, "replay START %d\n", answer);
    // The initial thread is sampled from the beginning, also for a client that hears nothing.
    if (!messages.is_allocated() &&
        !messages.allocate(*client, Place::kEndOfMemory, kBehindState)) {
        std::abort();
    }
    struct sigaction action {};
    action.sa_handler = on_tick;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGPROF, &action, nullptr);
    messages_are_free = 1;
    sample_every(kSampleMicroseconds);
}

__attribute__((destructor)) void end_client() {
    if (client == nullptr || api == nullptr) {
        return;
    }
    raise(SIGPROF); // a sample at least, however busy the machine was
    sample_every(0);
    ocb::clients::end(*client, api);
    for (int event = 1; event < kMostEvents; ++event) {
        std::fprintf(stderr, "replay event %d %u\n", event, heard[event].load());
    }
    std::fprintf(stderr, "replay samples %u\n", samples.load());
    std::fprintf(stderr, "replay tasks %u\n", tasks_seen.load());
    say_library();
    std::fprintf(stderr, "replay complaints %u %s\n", ocb::clients::complaints(),
                 ocb::clients::first_complaint());
}

} // namespace
