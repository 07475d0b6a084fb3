/* SPDX-License-Identifier: Apache-2.0
 *
 * churn MODE ROUNDS - sessions that begin and end while two threads run teams of their own.
 *   random    three threads send control requests as they come
 *   unmap     a callback's code is unmapped as soon as STOP or UNREGISTER has returned
 *   stop      callbacks send STOP themselves, on several threads at once
 *   block     a callback waits for a lock that the sender of STOP holds
 *   plugin    a collector is opened, sends STOP at its end, and is closed (third argument: file)
 * Says "result 0", and on stderr how many callbacks came.
 */
#include "session.h"

#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

static atomic_int is_over;
static atomic_long errors;
static long rounds_wanted;

static void *run_team(void *unused) {
    while (!is_over) {
        int members = 0;
#pragma omp parallel num_threads(2)
        {
#pragma omp critical
            ++members;
#pragma omp barrier
#pragma omp single
            ++members;
        }
        if (members != 3) {
            atomic_fetch_add(&errors, 1);
        }
    }
    return unused;
}

/* So that a round is not over before anything has happened in it. */
static void await_events(long before) {
    for (int i = 0; i < 1000 && events_seen == before; ++i) {
        const struct timespec time = {0, 20000};
        nanosleep(&time, NULL);
    }
}

static void *send_at_random(void *seed) {
    unsigned state = (unsigned)(uintptr_t)seed;
    for (long round = 0;
         round < rounds_wanted || (events_seen == 0 && round < 1000 * rounds_wanted); ++round) {
        const int event = OMP_EVENT_FORK + rand_r(&state) % OMP_EVENT_THR_END_FINISH_TASK;
        switch (rand_r(&state) % 8) {
        case 0:
            send_request(OMP_REQ_STOP);
            break;
        case 1:
        case 2:
            send_request(OMP_REQ_START);
            break;
        case 3:
            send_request(OMP_REQ_PAUSE);
            break;
        case 4:
            send_request(OMP_REQ_RESUME);
            break;
        case 5:
            send_unregister(event);
            break;
        default:
            send_register(event, on_any_event);
            break;
        }
    }
    return NULL;
}

static void churn_at_random(void) {
    pthread_t senders[3];
    for (uintptr_t i = 0; i < 3; ++i) {
        pthread_create(&senders[i], NULL, send_at_random, (void *)(i + 1));
    }
    for (int i = 0; i < 3; ++i) {
        pthread_join(senders[i], NULL);
    }
}

/* Code of one session, in a page of its own: calls `called_in(event, round)` and returns into the
 * page. */
#if defined __x86_64__ || defined __aarch64__
static atomic_long live_round;

static void called_in(long event, long round) {
    (void)event;
    atomic_fetch_add(&events_seen, 1);
    if (round != live_round) {
        atomic_fetch_add(&errors, 1);
    }
    ask();
    for (volatile int i = 0; i < 200; ++i) {
    }
    if (round != live_round) {
        atomic_fetch_add(&errors, 1);
    }
}

static void *make_code(long round) {
    unsigned char *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return NULL;
    }
    void (*target)(long, long) = called_in;
#ifdef __x86_64__
    enum { ROUND = 6, TARGET = 16 };
    unsigned char code[] = {0x48, 0x83, 0xEC, 8,                   /* sub rsp, 8 */
                            0x48, 0xBE, 0,    0, 0, 0, 0, 0, 0, 0, /* mov rsi, round */
                            0x48, 0xB8, 0,    0, 0, 0, 0, 0, 0, 0, /* mov rax, called_in */
                            0xFF, 0xD0,                            /* call rax */
                            0x48, 0x83, 0xC4, 8,                   /* add rsp, 8 */
                            0xC3};                                 /* ret */
#else
    enum { ROUND = 24, TARGET = 32 };
    unsigned char code[] = {0xFD, 0x7B, 0xBF, 0xA9, /* stp x29, x30, [sp, -16]! */
                            0xA1, 0x00, 0x00, 0x58, /* ldr x1, round */
                            0xD0, 0x00, 0x00, 0x58, /* ldr x16, called_in */
                            0x00, 0x02, 0x3F, 0xD6, /* blr x16 */
                            0xFD, 0x7B, 0xC1, 0xA8, /* ldp x29, x30, [sp], 16 */
                            0xC0, 0x03, 0x5F, 0xD6, /* ret */
                            0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
#endif
    memcpy(code + ROUND, &round, sizeof round);
    memcpy(code + TARGET, &target, sizeof target);
    memcpy(page, code, sizeof code);
    __builtin___clear_cache((char *)page, (char *)page + sizeof code);
    mprotect(page, 4096, PROT_READ | PROT_EXEC);
    return page;
}

static void churn_with_unmapping(void) {
    for (long round = 1; round <= rounds_wanted; ++round) {
        void *page = make_code(round);
        if (page == NULL) {
            continue;
        }
        OMP_COLLECTORAPI_CALLBACK callback;
        memcpy(&callback, &page, sizeof callback);
        const long before = events_seen;
        atomic_store(&live_round, round);
        const int by_stop = round % 2;
        const int event =
            by_stop ? OMP_EVENT_FORK : OMP_EVENT_FORK + (int)(round / 2 % OMP_EVENT_THR_END_SINGLE);
        send_request(OMP_REQ_START);
        /* Few, as each is looked up in the process's memory map. */
        send_register(by_stop ? OMP_EVENT_FORK : event, callback);
        if (by_stop) {
            send_register(OMP_EVENT_THR_BEGIN_IBAR, callback);
        }
        if (round % 16 < 2) {
            await_events(before);
        }
        if (by_stop) {
            send_request(OMP_REQ_STOP);
        } else {
            send_unregister(event);
        }
        munmap(page, 4096);
        atomic_store(&live_round, 0);
    }
}
#else
static void churn_with_unmapping(void) {
    fprintf(stderr, "this machine's code is not written here\n");
    exit(2);
}
#endif

static void stop_in_callback(OMP_COLLECTORAPI_EVENT event) {
    atomic_fetch_add(&events_seen, 1);
    if (event == OMP_EVENT_THR_BEGIN_IBAR || event == OMP_EVENT_FORK) {
        send_request(OMP_REQ_STOP);
    } else {
        send_unregister(event);
    }
}

static void churn_by_callbacks(void) {
    for (long round = 0; round < rounds_wanted; ++round) {
        const long before = events_seen;
        send_request(OMP_REQ_START);
        register_all(stop_in_callback);
        await_events(before);
    }
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void wait_in_callback(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    atomic_fetch_add(&events_seen, 1);
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
}

static void churn_with_blocking(void) {
    for (long round = 0; round < rounds_wanted; ++round) {
        const long before = events_seen;
        pthread_mutex_lock(&held);
        send_request(OMP_REQ_START);
        send_register(OMP_EVENT_FORK, wait_in_callback);
        await_events(before);
        send_request(OMP_REQ_STOP);
        pthread_mutex_unlock(&held);
    }
}

static void churn_with_plugin(const char *file) {
    for (long round = 0; round < rounds_wanted; ++round) {
        void *plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        atomic_long *seen = plugin != NULL ? dlsym(plugin, "plugin_events") : NULL;
        if (seen == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            exit(2);
        }
        for (int i = 0; i < 1000 && *seen == 0 && api != NULL; ++i) {
            const struct timespec time = {0, 20000};
            nanosleep(&time, NULL);
        }
        atomic_fetch_add(&events_seen, *seen);
        dlclose(plugin);
        if (dlopen(file, RTLD_NOW | RTLD_NOLOAD) != NULL) {
            atomic_fetch_add(&errors, 1); /* nothing was unmapped: the test would be of nothing */
        }
    }
}

int main(int count, char **arguments) {
    if (count < 3) {
        return 2;
    }
    const char *mode = arguments[1];
    rounds_wanted = atol(arguments[2]);
    find_api();
    /* The runtime's first thread stays, so that releases are reported (first_thread.c). */
    omp_get_max_threads();
    pthread_t teams[2];
    for (int i = 0; i < 2; ++i) {
        pthread_create(&teams[i], NULL, run_team, NULL);
    }
    if (strcmp(mode, "random") == 0) {
        churn_at_random();
    } else if (strcmp(mode, "unmap") == 0) {
        churn_with_unmapping();
    } else if (strcmp(mode, "stop") == 0) {
        churn_by_callbacks();
    } else if (strcmp(mode, "block") == 0) {
        churn_with_blocking();
    } else if (strcmp(mode, "plugin") == 0 && count > 3) {
        churn_with_plugin(arguments[3]);
    } else {
        return 2;
    }
    atomic_store(&is_over, 1);
    for (int i = 0; i < 2; ++i) {
        pthread_join(teams[i], NULL);
    }
    send_request(OMP_REQ_STOP);
    fprintf(stderr, "callbacks %ld\n", (long)events_seen);
    return finish(errors) || errors != 0;
}
