/* SPDX-License-Identifier: Apache-2.0
 *
 * first_thread MODE - the thread in which OpenMP began ends, and others go on with mutexes and
 * ordered regions. Events come in pairs all the same.
 *   session      a session runs from the beginning
 *   late         it begins after that thread has ended
 *   child        in a child of a process that has used OpenMP before
 */
#include "session.h"

#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>

enum { TURNS = 20 };

static atomic_long counts[OMP_EVENT_LAST];

static void count_event(OMP_COLLECTORAPI_EVENT event) {
    atomic_fetch_add(&counts[event], 1);
    on_any_event(event);
}

static void *use_all(void *sum_of) {
    long critical = 0;
    long locked = 0;
    long ordered = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        for (int i = 0; i < TURNS; ++i) {
#pragma omp critical
            {
                ++critical;
                usleep(200); /* the other has to wait */
            }
            omp_set_lock(&lock);
            ++locked;
            omp_unset_lock(&lock);
        }
#pragma omp barrier
#pragma omp for ordered
        for (int i = 0; i < TURNS; ++i) {
#pragma omp ordered
            ++ordered;
        }
    }
    omp_destroy_lock(&lock);
    *(long *)sum_of += critical + locked + ordered - 5 * TURNS;
    return NULL;
}

static long in_thread(void) {
    long errors = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, use_all, &errors);
    pthread_join(thread, NULL);
    return errors;
}

static long here(void) {
    long errors = 0;
    use_all(&errors);
    return errors;
}

static void begin_counting(void) {
    begin_session();
    if (api != NULL) {
        register_all(count_event);
    }
}

/* No event where there is no bridge. The region's end is after each of these. */
static long unpaired(void) {
    static const int kBegins[] = {OMP_EVENT_THR_BEGIN_LKWT, OMP_EVENT_THR_BEGIN_CTWT,
                                  OMP_EVENT_THR_BEGIN_ODWT, OMP_EVENT_THR_BEGIN_ORDERED};
    static const int kEnds[] = {OMP_EVENT_THR_END_LKWT, OMP_EVENT_THR_END_CTWT,
                                OMP_EVENT_THR_END_ODWT, OMP_EVENT_THR_END_ORDERED};
    long errors = 0;
    for (int i = 0; i < 4; ++i) {
        if (counts[kBegins[i]] != counts[kEnds[i]]) {
            fprintf(stderr, "event %d: %ld, %ld ends\n", kBegins[i], (long)counts[kBegins[i]],
                    (long)counts[kEnds[i]]);
            ++errors;
        }
    }
    return errors;
}

static long count_waits(void) {
    return counts[OMP_EVENT_THR_BEGIN_CTWT];
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    long errors = 0;
    if (strcmp(mode, "session") == 0) {
        begin_counting();
        errors += in_thread();
    } else if (strcmp(mode, "late") == 0) {
        errors += in_thread();
        begin_counting();
    } else if (strcmp(mode, "child") == 0) {
        errors += omp_get_max_threads() < 1; /* without a team, whose threads the child lacks */
        const pid_t child = fork();
        if (child != 0) {
            int status = 0;
            return waitpid(child, &status, 0) != child || !WIFEXITED(status) ? 3
                                                                             : WEXITSTATUS(status);
        }
        begin_counting();
        errors += in_thread();
    } else {
        return 2;
    }
    const long before = count_waits();
    /* A team-mate that comes late waits for nobody. */
    int tries = 0;
    do {
        errors += here();
    } while (api != NULL && count_waits() == before && ++tries < 100);
    if (api != NULL && count_waits() == before) {
        fprintf(stderr, "nobody has waited\n");
        ++errors;
    }
    errors += unpaired();
    return finish(errors);
}
