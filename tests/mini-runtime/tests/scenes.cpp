// SPDX-License-Identifier: Apache-2.0
// Small programs on the mini-runtime, driven by its C++ interface; argv[1] names one. Exit status
// 0: the results are right.
#include "mini_omp.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" [[gnu::weak]] void mini_record_note(const char *label);

namespace {

int failures = 0;

void expect(bool is_right, const char *what) {
    if (!is_right) {
        std::fprintf(stderr, "wrong: %s\n", what);
        ++failures;
    }
}

void note(const char *label) {
    if (mini_record_note != nullptr) {
        mini_record_note(label);
    }
}

void sleep_ms(int ms) {
    const timespec time = {0, ms * 1000000L};
    nanosleep(&time, nullptr);
}

void wait_for(const std::atomic<bool> &flag) {
    while (!flag.load()) {
        sleep_ms(1);
    }
}

// Results ----------------------------------------------------------------------------------------

void add(void *into, void *from) {
    *static_cast<long *>(into) += *static_cast<long *>(from);
}

void loops() {
    constexpr long kCount = 1000, kSum = kCount * (kCount - 1) / 2;
    std::atomic<long> sum_static{0}, sum_dynamic{0};
    std::vector<long> order;
    long reduced = 0;
    mini::parallel(3, [&] {
        mini::for_static(kCount, [&](long i) { sum_static += i; }, {7});
        mini::for_dynamic(kCount, [&](long i) { sum_dynamic += i; }, {3});
        mini::for_dynamic(20, [&](long i) { mini::ordered([&] { order.push_back(i); }); },
                          {1, true});
        // More loops without a barrier than there are places for.
        for (int round = 0; round < 20; ++round) {
            mini::for_dynamic(5, [](long) {}, {1, false, true});
        }
        mini::reduce<long>(reduced, mini::thread_num() + 1, add);
    });
    expect(sum_static == kSum, "static loop");
    expect(sum_dynamic == kSum, "dynamic loop");
    bool is_in_order = order.size() == 20;
    for (std::size_t i = 0; i < order.size(); ++i) {
        is_in_order = is_in_order && order[i] == static_cast<long>(i);
    }
    expect(is_in_order, "ordered loop");
    expect(reduced == 6, "reduction");
}

void mutexes() {
    static mini::CriticalName name;
    constexpr long kRounds = 300;
    mini::Lock lock;
    mini::NestLock nest;
    long in_lock = 0, in_nest = 0, in_critical = 0, in_atomic = 0, singles = 0, masters = 0;
    mini::parallel(3, [&] {
        for (int i = 0; i < kRounds; ++i) {
            lock.set();
            ++in_lock;
            lock.unset();
            nest.set();
            nest.set();
            ++in_nest;
            nest.unset();
            nest.unset();
            mini::critical(name, [&] { ++in_critical; });
            mini::atomic([&] { ++in_atomic; });
        }
        for (int i = 0; i < 10; ++i) {
            mini::single([&] { ++singles; });
        }
        mini::master([&] { ++masters; });
    });
    expect(in_lock == 3 * kRounds, "lock");
    expect(in_nest == 3 * kRounds, "nest lock");
    expect(in_critical == 3 * kRounds, "critical");
    expect(in_atomic == 3 * kRounds, "atomic");
    expect(singles == 10, "single");
    expect(masters == 1, "master");
    lock.set();
    expect(!lock.test(), "test of a lock that is held");
    lock.unset();
    expect(lock.test(), "test of a lock that is free");
    lock.unset();
    expect(nest.test() == 1 && nest.test() == 2, "test of a nest lock");
    nest.unset();
    nest.unset();
}

long fibonacci(int n) {
    if (n < 2) {
        return n;
    }
    long a = 0, b = 0;
    mini::task([&a, n] { a = fibonacci(n - 1); });
    mini::task([&b, n] { b = fibonacci(n - 2); }, n % 2 == 0);
    mini::taskwait();
    return a + b;
}

void tasks() {
    long result = 0;
    std::atomic<int> grandchildren{0};
    int after_group = 0;
    std::atomic<int> at_barrier{0};
    mini::parallel(3, [&] {
        mini::single([&] { result = fibonacci(12); });
        mini::single([&] {
            mini::taskgroup([&] {
                for (int i = 0; i < 10; ++i) {
                    mini::task([&] {
                        mini::task([&] {
                            sleep_ms(1);
                            ++grandchildren;
                        });
                    });
                }
            });
            after_group = grandchildren;
        });
        mini::task([&] { ++at_barrier; });
        mini::barrier();
        expect(at_barrier == 3, "tasks at a barrier");
    });
    mini::task([&] { ++at_barrier; }); // outside any region
    mini::taskwait();
    expect(result == 144, "recursive tasks");
    expect(after_group == 10, "taskgroup with grandchildren");
    expect(at_barrier == 4, "task outside a region");
}

void nested() {
    std::atomic<int> inner{0}, wrong{0};
    mini::set_max_active_levels(2);
    mini::parallel(2, [&] {
        mini::parallel(3, [&] {
            ++inner;
            wrong += mini::num_threads() != 3 || mini::level() != 2;
            mini::barrier();
            mini::parallel(4, [&] { wrong += mini::num_threads() != 1 || mini::level() != 3; });
        });
    });
    mini::set_max_active_levels(1);
    mini::parallel(2, [&] {
        mini::serialized([&] { wrong += mini::num_threads() != 1; });
        mini::parallel(3, [&] { wrong += mini::num_threads() != 1; });
    });
    expect(inner == 6, "threads of nested regions");
    expect(wrong == 0, "sizes of nested regions");
}

// What is told -----------------------------------------------------------------------------------

void region() {
    mini::parallel(2, [] { note("inside"); });
    note("outside");
}

// Two regions, so that the worker is seen idle between them.
void idle() {
    mini::parallel(2, [] {});
    sleep_ms(30);
    mini::parallel(2, [] {});
}

void task_events() {
    mini::parallel(1, [] {
        mini::task([] { note("task"); }, false);
        note("after");
    });
}

void contention() {
    static mini::CriticalName name;
    std::atomic<bool> is_held{false};
    mini::parallel(2, [&] {
        if (mini::thread_num() == 0) {
            mini::critical(name, [&] {
                is_held = true;
                sleep_ms(30);
            });
        } else {
            wait_for(is_held);
            mini::critical(name, [] {});
        }
    });
}

void control() {
    std::printf("answer %d\n", mini::control_tool(1, 17, nullptr));
}

// A region in the parent, then one in a child.
void forked() {
    mini::parallel(2, [] {});
    const pid_t child = fork();
    if (child == 0) {
        mini::parallel(2, [] {});
        std::exit(failures);
    }
    int status = 1;
    expect(waitpid(child, &status, 0) == child && status == 0, "the child's end");
}

// A worker ends the process from inside a region.
void exit_inside() {
    mini::parallel(2, [] {
        if (mini::thread_num() == 1) {
            std::exit(0);
        }
        sleep_ms(100);
    });
}

// States: one thread waits, the other has it interrupted there.
void on_signal(int) {
    const int saved = errno;
    note("sample");
    errno = saved;
}

void interrupt_after_a_while(pthread_t thread) {
    sleep_ms(30);
    pthread_kill(thread, SIGUSR1);
    sleep_ms(20);
}

template <class Hold, class Wait> void have_one_wait(Hold hold, Wait wait) {
    std::atomic<bool> is_held{false};
    pthread_t waiting{};
    std::atomic<bool> is_known{false};
    mini::parallel(2, [&] {
        if (mini::thread_num() == 0) {
            hold([&] {
                is_held = true;
                wait_for(is_known);
                interrupt_after_a_while(waiting);
            });
        } else {
            waiting = pthread_self();
            is_known = true;
            wait_for(is_held);
            wait();
        }
    });
}

mini::CriticalName critical_name;
constexpr auto kNothing = [] {};
constexpr auto kAtOnce = [](auto body) { body(); };

void be_serial() {
    note("sample");
    mini::parallel(1, kNothing);
    std::raise(SIGUSR1);
}

void be_parallel() {
    have_one_wait(kAtOnce, [] { sleep_ms(60); });
}

void wait_in_explicit() {
    have_one_wait(
        [](auto body) {
            body();
            mini::barrier();
        },
        [] { mini::barrier(); });
}

void wait_in_implicit() {
    have_one_wait(kAtOnce, kNothing);
}

void wait_in_workshare() {
    const auto loop = [](auto body) {
        mini::for_static(2, [&](long i) { i == 0 ? body() : void(); });
    };
    have_one_wait([&](auto body) { loop(body); }, [&] { loop([] {}); });
}

template <class Lock> void wait_in_lock() {
    Lock lock;
    have_one_wait(
        [&](auto body) {
            lock.set();
            body();
            lock.unset();
        },
        [&] {
            lock.set();
            lock.unset();
        });
}

void wait_in_critical() {
    have_one_wait([&](auto body) { mini::critical(critical_name, body); },
                  [&] { mini::critical(critical_name, kNothing); });
}

void wait_in_atomic() {
    have_one_wait([&](auto body) { mini::atomic(body); }, [&] { mini::atomic(kNothing); });
}

void wait_in_ordered() {
    const auto loop = [](auto body) {
        mini::for_static(2, [&](long i) { mini::ordered([&] { i == 0 ? body() : void(); }); },
                         {1, true});
    };
    have_one_wait([&](auto body) { loop(body); }, [&] { loop([] {}); });
}

// Thread 1 waits for its task, which thread 0 has taken from a barrier.
void wait_for_a_task(bool is_group) {
    static std::atomic<bool> is_taken{false};
    static pthread_t waiting;
    const auto make_task = [] {
        mini::task([] {
            is_taken = true;
            interrupt_after_a_while(waiting);
        });
        wait_for(is_taken);
    };
    mini::parallel(2, [&] {
        if (mini::thread_num() == 1) {
            waiting = pthread_self();
            if (is_group) {
                mini::taskgroup(make_task);
            } else {
                make_task();
                mini::taskwait();
            }
        }
        mini::barrier();
    });
}

void wait_in_taskwait() {
    wait_for_a_task(false);
}

void wait_in_taskgroup() {
    wait_for_a_task(true);
}

void wait_in_reduction() {
    long total = 0;
    mini::parallel(2, [&] {
        mini::reduce<long>(total, 1, [](void *into, void *from) {
            std::raise(SIGUSR1);
            add(into, from);
        });
    });
}

void be_idle() {
    pthread_t worker{};
    mini::parallel(2, [&] {
        if (mini::thread_num() == 1) {
            worker = pthread_self();
        }
    });
    interrupt_after_a_while(worker);
}

struct Row {
    const char *name;
    void (*run)();
};
constexpr Row kStates[] = {{"serial", be_serial},
                           {"parallel", be_parallel},
                           {"explicit", wait_in_explicit},
                           {"implicit", wait_in_implicit},
                           {"workshare", wait_in_workshare},
                           {"lock", wait_in_lock<mini::Lock>},
                           {"nest_lock", wait_in_lock<mini::NestLock>},
                           {"critical", wait_in_critical},
                           {"atomic", wait_in_atomic},
                           {"ordered", wait_in_ordered},
                           {"taskwait", wait_in_taskwait},
                           {"taskgroup", wait_in_taskgroup},
                           {"reduction", wait_in_reduction},
                           {"idle", be_idle}};
constexpr Row kScenes[] = {{"loops", loops},
                           {"mutexes", mutexes},
                           {"tasks", tasks},
                           {"nested", nested},
                           {"region", region},
                           {"idle", idle},
                           {"task_events", task_events},
                           {"contention", contention},
                           {"control", control},
                           {"forked", forked},
                           {"exit_inside", exit_inside}};

template <std::size_t N> bool run_row(const Row (&rows)[N], const char *name) {
    for (const Row &row : rows) {
        if (std::strcmp(row.name, name) == 0) {
            row.run();
            return true;
        }
    }
    return false;
}

} // namespace

int main(int argc, char **argv) {
    const char *scene = argc > 1 ? argv[1] : "";
    if (run_row(kScenes, scene)) {
        return failures;
    }
    if (argc > 2 && std::strcmp(scene, "state") == 0) {
        std::signal(SIGUSR1, on_signal);
        expect(run_row(kStates, argv[2]), "no such state");
        return failures;
    }
    std::fprintf(stderr, "no such scene\n");
    return 100;
}
