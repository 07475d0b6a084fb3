/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads wait for each other inside a region, or for the runtime.
 */
#define _GNU_SOURCE
#include "planted.h"

#include <omp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* If nobody queued, each thread would take what it takes now without its queues, and the region
 * what the longest of them takes. That is less than the region's time by more than the mean queue
 * where mutexes are unfair: who got less of them is waited for at the end, too. Who lacked a
 * processor for longer would be waited for in any case. `needed` is the longest time without
 * queues, by the clock: on a shared machine a waiting thread may lack a processor, too, when its
 * turn has come.
 */
static double share_of_queues(double begin, double needed) {
    return share_of(wall_time() - begin - needed);
}

/* All of it is inside: two threads take as long as one. */
PLANTED critical(void) {
    double needed = 0;
    const double begin = wall_time();
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads) reduction(max : needed)
    {
        double queued = 0;
        for (int i = 0; i < 100; ++i) {
            const double came = wall_time();
#pragma omp critical(planted)
            {
                queued += wall_time() - came;
                work(4);
            }
        }
        needed = wall_time() - begin - queued;
    }
    truth("contended-critical", __func__, line, share_of_queues(begin, needed));
}

/* A third of the time is outside: who waits works there meanwhile. */
PLANTED critical_half(void) {
    double needed = 0;
    const double begin = wall_time();
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads) reduction(max : needed)
    {
        double queued = 0;
        for (int i = 0; i < 100; ++i) {
            const double came = wall_time();
#pragma omp critical(planted)
            {
                queued += wall_time() - came;
                work(4);
            }
            work(2);
        }
        needed = wall_time() - begin - queued;
    }
    truth("contended-critical", __func__, line, share_of_queues(begin, needed));
}

/* Only what all threads share is inside. */
PLANTED critical_half_repaired(void) {
    puts("truth healthy");
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
        work(4);
#pragma omp critical(planted)
        steps(1000);
        work(2);
    }
}

PLANTED lock(void) {
    static omp_lock_t one;
    omp_init_lock(&one);
    double needed = 0;
    const double begin = wall_time();
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads) reduction(max : needed)
    {
        double queued = 0;
        for (int i = 0; i < 100; ++i) {
            CLOCKED(queued, omp_set_lock(&one));
            work(4);
            omp_unset_lock(&one);
        }
        needed = wall_time() - begin - queued;
    }
    truth("lock-convoy", __func__, line, share_of_queues(begin, needed));
    omp_destroy_lock(&one);
}

/* Two locks, each as contended as the other. Who has come to the second one while its team-mate is
 * still at the first does not wait. */
PLANTED two_locks(void) {
    static omp_lock_t both[2];
    omp_init_lock(&both[0]);
    omp_init_lock(&both[1]);
    double needed = 0;
    const double begin = wall_time();
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads) reduction(max : needed)
    {
        double queued = 0;
        for (int i = 0; i < 100; ++i) {
            CLOCKED(queued, omp_set_lock(&both[i / 50]));
            work(4);
            omp_unset_lock(&both[i / 50]);
        }
        needed = wall_time() - begin - queued;
    }
    truth("contended-locks,lock-convoy", __func__, line, share_of_queues(begin, needed));
    omp_destroy_lock(&both[0]);
    omp_destroy_lock(&both[1]);
}

/* Who has its turn late gets fewer iterations: nobody waits at the end. */
PLANTED ordered(void) {
    double queued = 0;
    const int line = __LINE__ + 1;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(kThreads) reduction(+ : queued)
    for (int i = 0; i < 200; ++i) {
        const double came = wall_time();
#pragma omp ordered
        {
            queued += wall_time() - came;
            work(4);
        }
    }
    truth("false-ordered", __func__, line, share_of(queued / kThreads));
}

PLANTED single(void) {
    TRUTH("single-in-loop", 33.3);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
#pragma omp single
        work(4);
        work(2);
#pragma omp barrier
    }
}

/* Each thread has its part of what was in the single. */
PLANTED single_repaired(void) {
    puts("truth healthy");
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
#pragma omp for
        for (int part = 0; part < kThreads; ++part) {
            work(4.0 / kThreads);
        }
        work(2);
#pragma omp barrier
    }
}

PLANTED master(void) {
    TRUTH("single-in-loop,imbalance", 25); /* gcc executes a master without the runtime */
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
#pragma omp master
        work(4);
#pragma omp barrier
        work(4);
#pragma omp barrier
    }
}

/* Who executes the single does all of it. */
PLANTED lone_single(void) {
    TRUTH("lone-thread", 50);
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp single
        work(800);
    }
}

/* Does so many pieces again and again, long enough for a hundred samples of a fifth. Returns the
 * seconds that this took longer than pieces of the given length would, at the pace that others
 * leave. */
static double seconds_lost(void (*do_pieces)(long), long pieces, double each) {
    long done = 0;
    const double begin = wall_time();
    for (; wall_time() < begin + longer(2); done += pieces) {
        do_pieces(pieces);
    }
    return wall_time() - begin - (double)done * each / pace();
}

/* An entry does so little that entering and leaving is most of it. What its steps take shows the
 * clock, as they are faster where a thread that shares the core waits meanwhile. */
static long steps_of_entry;
static struct {
    double seconds;
    char apart[120];
} worked[kThreads];

static __attribute__((noinline)) void enter(long entries) {
    for (long i = 0; i < entries; ++i) {
#pragma omp parallel num_threads(kThreads)
        CLOCKED(worked[omp_get_thread_num()].seconds, steps(steps_of_entry));
    }
}

/* Half of each of the two looks at the clock is outside of what they measure, and is work. */
static double seconds_of_look(void) {
    enum { kLooks = 1000000 };
    const double begin = processor_time();
    for (int i = 0; i < kLooks; ++i) {
        (void)wall_time();
    }
    return (processor_time() - begin) / kLooks;
}

static void tiny(long count) {
    steps_of_entry = count;
    const double all = seconds_lost(enter, 1000, seconds_of_look());
    truth("tiny-regions", "enter", 0,
          share_of(all - (worked[0].seconds + worked[1].seconds) / kThreads));
}

PLANTED tiny_1us(void) {
    tiny(400);
}

PLANTED tiny_5us(void) {
    tiny(2500);
}

/* One region, in which each thread does its entries one after the other. */
PLANTED tiny_5us_repaired(void) {
    const long entries = (long)longer(150000);
    puts("truth healthy");
#pragma omp parallel num_threads(kThreads)
    for (long i = 0; i < entries; ++i) {
        steps_for(i, 2500);
    }
}

#ifndef __clang__ /* libomp keeps the threads of inner teams */
static __attribute__((noinline)) void enter_inside(long entries) {
#pragma omp parallel num_threads(1)
    enter(entries);
}

/* The same regions inside of another one and alone. */
PLANTED remade_teams(void) {
    steps_of_entry = 20000;
    const long entries = (long)longer(10000);
    double inside = 0;
    double alone = 0;
    CLOCKED(inside, enter_inside(entries));
    CLOCKED(alone, enter(entries));
    truth("remade-teams", "enter", 0, share_of(inside - alone));
}
#endif

/* The tasks do nearly nothing: creating and handing them out is what costs. */
static int flood_line;

static __attribute__((noinline)) void flood(long tasks) {
    flood_line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp single
        for (long i = 0; i < tasks; ++i) {
#pragma omp task
            steps_for(i, 2);
        }
    }
}

PLANTED task_flood(void) {
    const double lost = seconds_lost(flood, 500000, seconds_of_steps(2) / kThreads);
    truth("runtime-work", "flood", flood_line, share_of(lost));
}

/* The first of two tasks takes four times as long. Who has created them executes the other one, and
 * waits. */
static double in_tasks[kThreads];

static __attribute__((noinline)) void wait_for_pairs(void) {
    for (int i = 0; i < 10; ++i) {
        for (int length = 80; length >= 20; length -= 60) {
#pragma omp task firstprivate(length)
            CLOCKED(in_tasks[omp_get_thread_num()], work(length));
        }
#pragma omp taskwait
    }
}

PLANTED task_waits(void) {
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp single
        wait_for_pairs();
    }
    truth("task-waits", "wait_for_pairs", 0,
          100 - share_of((in_tasks[0] + in_tasks[1]) / kThreads));
}

/* Nothing needs the first pair before the second one is created. */
PLANTED task_waits_repaired(void) {
    puts("truth healthy");
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    {
        for (int i = 0; i < 10; ++i) {
            for (int length = 80; length >= 20; length -= 60) {
#pragma omp task firstprivate(length)
                work(length);
            }
        }
#pragma omp taskwait
    }
}

/* Each iteration is fetched from the runtime, and is much shorter than the fetching. */
static int chunks_line;
static double waited_for_others; /* in the mean of both, on a shared machine */

static __attribute__((noinline)) void fetch_chunks(long iterations) {
    double left[kThreads] = {0};
    chunks_line = __LINE__ + 1;
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp for schedule(dynamic, 1) nowait
        for (long i = 0; i < iterations; ++i) {
            steps_for(i, 1);
        }
        left[omp_get_thread_num()] = wall_time();
    }
    waited_for_others += wall_time() - (left[0] + left[1]) / kThreads;
}

PLANTED small_chunks(void) {
    double lost = seconds_lost(fetch_chunks, 5000000, seconds_of_steps(1) / kThreads);
    lost -= waited_for_others;
    truth("runtime-work", "fetch_chunks", chunks_line, share_of(lost));
}

/* Many are fetched at once. */
PLANTED small_chunks_repaired(void) {
    const long iterations = (long)longer(3e8);
    puts("truth healthy");
#pragma omp parallel num_threads(kThreads)
#pragma omp for schedule(dynamic, 100000) nowait
    for (long i = 0; i < iterations; ++i) {
        steps_for(i, 1);
    }
}

/* Each entry makes copies of a large array and adds them up. The loop itself is short. */
enum { kArray = 400000, kMostEntries = 100000 };
#ifdef __clang__
enum { kTakesTurns = 0 };
#else
enum { kTakesTurns = 1 };
#endif
static double sums[kArray];
static int reduction_line;
static double making[kMostEntries]; /* the first thread's copies, and forking: of the processor */
static double forking;              /* the same of all entries, by the clock */
static struct Combining {
    double in_loop; /* seconds of the processor */
    double adding;  /* the same */
    double queued;  /* in this entry, by the clock */
} combining[kThreads];
static _Thread_local double left_loop;    /* by the clock */
static _Thread_local double began_adding; /* seconds of the processor */

static double before_adding(double none) {
    combining[omp_get_thread_num()].queued = wall_time() - left_loop;
    began_adding = processor_time();
    return none;
}

static double after_adding(double none) {
    combining[omp_get_thread_num()].adding += processor_time() - began_adding;
    return none;
}

#pragma omp declare reduction(before:double                                                        \
                              : omp_out = before_adding(omp_in)) initializer(omp_priv = 0)
#pragma omp declare reduction(after:double                                                         \
                              : omp_out = after_adding(omp_in)) initializer(omp_priv = 0)

static int compare(const void *one, const void *other) {
    const double a = *(const double *)one;
    const double b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Returns the seconds for which who adds up second had to wait for the first one. That takes as
 * long as adding; whoever waits for longer lacks a processor. By clang it is one atomic after the
 * other, and nobody waits. */
static __attribute__((noinline)) double array_reduction(int begin, int end, long count) {
    double one = 0; /* a thread combines its variables in the order of their list */
    double two = 0;
    double queued = 0;
    reduction_line = __LINE__ + 5;
    for (int i = begin; i < end; ++i) {
        const double came = wall_time();
        const double forked = processor_time();
        const double added = combining[0].adding + combining[1].adding;
#pragma omp parallel for reduction(before : one) reduction(+ : sums[:kArray]) reduction(after : two)
        for (int j = 0; j < kThreads; ++j) {
            const double began = processor_time();
            if (j == 0) {
                making[i] = began - forked;
                forking += wall_time() - came;
            }
            sums[j] += steps(count);
            combining[j].in_loop += processor_time() - began;
            left_loop = wall_time();
        }
        const double adding = (combining[0].adding + combining[1].adding - added) / kThreads;
        const double both = combining[0].queued + combining[1].queued;
        queued += !kTakesTurns ? 0 : both < adding ? both : adding;
    }
    return queued;
}

/* On a machine of its own the clock has all that is lost. On a shared machine the region loses the
 * share of its time that copies have of what a thread executes for it, by the threads' own clocks.
 * A fork may wait for a processor then: that is no part of the region, and in a quarter of the
 * entries it does not. */
PLANTED reduction(void) {
    enum { kPiece = 100 };
    omp_set_num_threads(kThreads);
    int entries = 0;
    double queued = 0;
    const double begin = wall_time();
    for (; wall_time() < begin + longer(2) && entries < kMostEntries; entries += kPiece) {
        queued += array_reduction(entries, entries + kPiece, 250000);
    }
    const double all = wall_time() - begin;
    qsort(making, (size_t)entries, sizeof *making, compare);
    const double adding = (combining[0].adding + combining[1].adding) / kThreads;
    const double in_loop = (combining[0].in_loop + combining[1].in_loop) / kThreads;
    const double made = entries * making[entries / 4];
    const double copies = made + adding + queued;
    const double noticeable = 0.2;
    const double lost = processors_left() > kThreads - noticeable
                            ? all - in_loop
                            : (all - forking + made) * copies / (copies + in_loop);
    truth("slow-reduction", "array_reduction", reduction_line, share_of(lost));
}

/* Threads write elements of their own: there is nothing to reduce. */
PLANTED reduction_repaired(void) {
    puts("truth healthy");
    for (int i = 0; i < (int)longer(375); ++i) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(kThreads)
        for (int j = 0; j < 8 * kThreads; ++j) {
            sums[j] += steps(125000);
        }
    }
}

const struct Planted kWaits[] = {
    {"critical", critical},
    {"critical-half", critical_half},
    {"critical-half-repaired", critical_half_repaired},
    {"lock", lock},
    {"two-locks", two_locks},
    {"ordered", ordered},
    {"single", single},
    {"single-repaired", single_repaired},
    {"master", master},
    {"lone-single", lone_single},
    {"tiny-1us", tiny_1us},
    {"tiny-5us", tiny_5us},
    {"tiny-5us-repaired", tiny_5us_repaired},
#ifndef __clang__
    {"remade-teams", remade_teams},
#endif
    {"task-flood", task_flood},
    {"task-waits", task_waits},
    {"task-waits-repaired", task_waits_repaired},
    {"small-chunks", small_chunks},
    {"small-chunks-repaired", small_chunks_repaired},
    {"reduction", reduction},
    {"reduction-repaired", reduction_repaired},
    {NULL, NULL},
};
