// SPDX-License-Identifier: Apache-2.0
// Life of the runtime: the first use brings it up, exit takes it down, a fork begins a new one.
#include "core.h"
#include "defects.h"
#include "events.h"
#include "tool.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sched.h>
#include <strings.h>
#include <unistd.h>

namespace mini {

constinit Settings settings;

namespace {

using event::Endpoint;

// Initial-exec: a signal handler reads it without any allocation.
[[gnu::tls_model("initial-exec")]] constinit thread_local Thread *own_thread = nullptr;

constinit std::atomic<bool> is_up{false};
constinit std::atomic<bool> was_down{false}; // once down, no tool hears of anything any more
std::recursive_mutex &life = *new std::recursive_mutex;
bool is_coming_up = false; // under life
pthread_key_t thread_key;

int number_of(const char *name, int otherwise) {
    const char *text = std::getenv(name);
    const int value = text != nullptr ? std::atoi(text) : 0;
    return value > 0 ? value : otherwise;
}

bool is_true(const char *name) {
    const char *text = std::getenv(name);
    return text != nullptr && (strcasecmp(text, "true") == 0 || std::strcmp(text, "1") == 0);
}

void read_settings() {
    const int processors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    settings.thread_limit = std::min(number_of("OMP_THREAD_LIMIT", kMaxThreads), kMaxThreads);
    settings.threads = std::min(number_of("OMP_NUM_THREADS", processors), settings.thread_limit);
    settings.max_active_levels.store(
        number_of("OMP_MAX_ACTIVE_LEVELS", is_true("OMP_NESTED") ? kMaxThreads : 1));
    settings.allows_cancellation = is_true("OMP_CANCELLATION");
    const char *manner = std::getenv("MINI_OMP_MANNER");
    settings.is_like_libomp = manner != nullptr && std::strcmp(manner, "libomp") == 0;
}

void end_initial_thread(Thread &thread) {
    thread.state.store(State::kOverhead, std::memory_order_relaxed);
    event::initial_task(Endpoint::kEnd, thread);
    event::thread_ends(thread);
    thread.task = nullptr;
    thread.state.store(State::kUndefined, std::memory_order_relaxed);
}

// A thread of the program's ends. Its record goes with it.
void on_thread_exit(void *argument) {
    Thread *thread = static_cast<Thread *>(argument);
    if (thread->kind != ThreadKind::kInitial) {
        return;
    }
    if (is_up.load()) {
        end_initial_thread(*thread);
    }
    own_thread = nullptr;
    delete thread;
}

// No worker came along into the child. Where the generation wants it, all begins anew with the
// child's next use of OpenMP, unless it is inside a region already.
void after_fork_in_child() {
    unlock_pool();
    forget_workers();
    if (!tool::begins_anew_in_child() ||
        (own_thread != nullptr && own_thread->task->team->level > 0)) {
        return;
    }
    own_thread = nullptr;
    if (is_up.load()) {
        pthread_setspecific(thread_key, nullptr);
    }
    is_up.store(false);
    is_coming_up = false;
}

void bring_up() {
    is_coming_up = true;
    static bool is_first = true;
    read_settings();
    tool::find();
    if (is_first) {
        is_first = false;
        pthread_key_create(&thread_key, on_thread_exit);
        pthread_atfork(lock_pool, unlock_pool, after_fork_in_child);
        std::atexit(shut_down);
    }
    is_up.store(true, std::memory_order_release);
}

// A thread that the runtime did not make becomes an initial thread.
Thread &register_thread() {
    Thread *thread = new Thread;
    thread->id = next_thread_id();
    thread->initial_team = std::make_unique<Team>(1, nullptr, nullptr);
    thread->initial_team->threads[0] = thread;
    Task &task = thread->initial_team->members[0].task;
    task.kind = TaskKind::kInitial;
    if (breaks(Defect::kTaskFrameInitialExit)) {
        task.frame.exit = __builtin_frame_address(0);
    }
    thread->task = &task;
    own_thread = thread;
    pthread_setspecific(thread_key, thread);
    return *thread;
}

} // namespace

Thread *current_if_any() noexcept {
    return own_thread;
}

void set_current(Thread *thread) {
    own_thread = thread;
}

bool runtime_is_up() {
    return is_up.load(std::memory_order_acquire);
}

// A tool may come back here from its initializer: then the thread is there already.
Thread &current() {
    if (own_thread != nullptr) {
        return *own_thread;
    }
    bool is_first = false;
    if (!is_up.load(std::memory_order_acquire)) {
        const std::lock_guard lock(life);
        if (!is_up.load(std::memory_order_acquire) && !is_coming_up) {
            bring_up();
            is_first = true;
        }
        Thread &thread = register_thread();
        if (is_first) {
            tool::initialize();
        }
        event::thread_begins(thread);
        event::initial_task(Endpoint::kBegin, thread);
        thread.state.store(State::kSerial, std::memory_order_relaxed);
        return thread;
    }
    // Wait for whoever is bringing it up.
    const std::lock_guard lock(life);
    Thread &thread = register_thread();
    event::thread_begins(thread);
    event::initial_task(Endpoint::kBegin, thread);
    thread.state.store(State::kSerial, std::memory_order_relaxed);
    return thread;
}

void shut_down() {
    if (!is_up.load(std::memory_order_acquire) || was_down.exchange(true)) {
        return;
    }
    end_workers();
    if (Thread *thread = own_thread; thread != nullptr && thread->kind == ThreadKind::kInitial) {
        end_initial_thread(*thread);
    }
    event::runtime_ends();
    tool::finalize();
}

void Patience::wait() {
    ++turns_;
    if (turns_ < 100) {
        __builtin_ia32_pause();
    } else if (turns_ < 110) {
        sched_yield();
    } else {
        const timespec little = {0, turns_ < 200 ? 20000 : 100000};
        nanosleep(&little, nullptr);
    }
}

} // namespace mini
