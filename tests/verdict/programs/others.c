/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits that OpenMP knows nothing of: for mutexes and threads of the program's own, and for locks
 * inside of libc.
 */
#define _GNU_SOURCE
#include "planted.h"

#include <malloc.h>
#include <omp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local volatile double kept;
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) double add_to_shared(void) {
    double queued = 0;
    CLOCKED(queued, pthread_mutex_lock(&shared));
    work(4);
    pthread_mutex_unlock(&shared);
    return queued;
}

static __attribute__((noinline)) double write_record(void) {
    double queued = 0;
    CLOCKED(queued, flockfile(stdin));
    work(4);
    funlockfile(stdin);
    return queued;
}

/* A third of the time is outside: who waits works there meanwhile. */
static void queue_for(double (*locked)(void), const char *place) {
    double needed = 0;
    const double begin = wall_time();
#pragma omp parallel num_threads(kThreads) reduction(max : needed)
    {
        double queued = 0;
        for (int i = 0; i < 100; ++i) {
            queued += locked();
            work(2);
        }
        needed = wall_time() - begin - queued;
    }
    truth("foreign-lock", place, 0, share_of(wall_time() - begin - needed));
}

PLANTED own_mutex(void) {
    queue_for(add_to_shared, "add_to_shared");
}

PLANTED own_file(void) {
    queue_for(write_record, "write_record");
}

/* Locks inside of libc. What is lost is what the same steps take more than one thread of two needs
 * for them alone. */
static __attribute__((noinline)) void draw(long count) {
    for (long i = 0; i < count; ++i) {
        kept += rand();
    }
}

/* Larger than what a thread keeps for itself. */
static __attribute__((noinline)) void allocate(long count) {
    for (long i = 0; i < count; ++i) {
        void *volatile memory = malloc(4000);
        free(memory);
    }
}

static __attribute__((noinline)) void together(void (*steps_of)(long), long count) {
#pragma omp parallel num_threads(kThreads)
    steps_of(count);
}

static void contend(void (*steps_of)(long), const char *place) {
    enum { kPiece = 50000, kPieces = 8 };
    double all = 0;
    double alone = 0;
    long pieces = 0;
    for (; all < longer(1); ++pieces) {
        CLOCKED(all, together(steps_of, kPiece));
    }
    CLOCKED(alone, steps_of((long)kPieces * kPiece));
    truth("foreign-lock", place, 0, share_of(all - (double)pieces * alone / kPieces));
}

PLANTED own_rand(void) {
    contend(draw, "draw");
}

PLANTED own_malloc(void) {
    mallopt(M_ARENA_MAX, 1);
    contend(allocate, "allocate");
}

static __attribute__((noinline)) void parallel_part(double milliseconds) {
#pragma omp parallel num_threads(kThreads)
    work(milliseconds);
}

static pthread_cond_t has_come = PTHREAD_COND_INITIALIZER;
static int come;

static void *make_data(void *to_tell) {
    work(60);
    if (to_tell) {
        pthread_mutex_lock(&shared);
        ++come;
        pthread_cond_signal(&has_come);
        pthread_mutex_unlock(&shared);
    }
    return NULL;
}

static __attribute__((noinline)) void join_maker(void) {
    pthread_t maker;
    pthread_create(&maker, NULL, make_data, NULL);
    pthread_join(maker, NULL);
}

static __attribute__((noinline)) void wait_for_maker(void) {
    pthread_t maker;
    pthread_mutex_lock(&shared);
    const int before = come;
    pthread_create(&maker, NULL, make_data, &shared);
    while (come == before) {
        pthread_cond_wait(&has_come, &shared);
    }
    pthread_mutex_unlock(&shared);
    pthread_join(maker, NULL);
}

/* Without the wait, the maker's work is done beside the parallel part. */
static void wait_between(void (*wait)(void), const char *place) {
    double waited = 0;
    parallel_part(100);
    for (int i = 0; i < 8; ++i) {
        CLOCKED(waited, wait());
        parallel_part(47.5);
    }
    truth("own-thread", place, 0, share_of(waited));
}

PLANTED own_join(void) {
    wait_between(join_maker, "join_maker");
}

PLANTED own_condition(void) {
    wait_between(wait_for_maker, "wait_for_maker");
}

/* Two threads of a pool that wait for work between regions, as the team's worker does: it keeps a
 * processor that one of them wants, if it waits awake. */
enum { kOwn = 2, kJobs = 12 };
static pthread_cond_t job_comes = PTHREAD_COND_INITIALIZER;
static pthread_cond_t job_is_done = PTHREAD_COND_INITIALIZER;
static int jobs;
static int done;

static void *serve(void *unused) {
    for (int job = 1; job <= kJobs; ++job) {
        pthread_mutex_lock(&shared);
        while (jobs < job) {
            pthread_cond_wait(&job_comes, &shared);
        }
        pthread_mutex_unlock(&shared);
        work(60);
        pthread_mutex_lock(&shared);
        ++done;
        pthread_cond_signal(&job_is_done);
        pthread_mutex_unlock(&shared);
    }
    return unused;
}

static __attribute__((noinline)) void wait_for_pool(void) {
    pthread_mutex_lock(&shared);
    ++jobs;
    pthread_cond_broadcast(&job_comes);
    while (done < kOwn * jobs) {
        pthread_cond_wait(&job_is_done, &shared);
    }
    pthread_mutex_unlock(&shared);
}

/* Seconds in which the initial thread waits for the pool. */
static double use_pool(void) {
    pthread_t threads[kOwn];
    double waited = 0;
    for (int i = 0; i < kOwn; ++i) {
        pthread_create(&threads[i], NULL, serve, NULL);
    }
    for (int i = 0; i < kJobs; ++i) {
        parallel_part(20);
        CLOCKED(waited, wait_for_pool());
    }
    for (int i = 0; i < kOwn; ++i) {
        pthread_join(threads[i], NULL);
    }
    return waited;
}

PLANTED spinning_worker(void) {
    need_setting("OMP_WAIT_POLICY", "active");
    const double waited = use_pool();
    truth("spinning-workers", "wait_for_pool", 0, share_of(waited - kJobs * seconds_of_work(60)));
    puts("truth also=own-thread");
}

PLANTED sleeping_worker(void) {
    need_setting("OMP_WAIT_POLICY", "passive");
    truth("own-thread", "wait_for_pool", 0, share_of(use_pool()));
}

const struct Planted kOthers[] = {
    {"own-mutex", own_mutex},
    {"own-file", own_file},
    {"own-rand", own_rand},
    {"own-malloc", own_malloc},
    {"own-join", own_join},
    {"own-condition", own_condition},
    {"spinning-worker", spinning_worker},
    {"sleeping-worker", sleeping_worker},
    {NULL, NULL},
};
