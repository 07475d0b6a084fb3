/* SPDX-License-Identifier: Apache-2.0
 *
 * closes PLUGIN ROUNDS - opens a plugin with regions, calls it and closes it, as often as told,
 * while another thread sends START and STOP from the beginning on. So the first START meets a
 * runtime that comes or goes. Prints the members of all teams, the answers to START and STOP that
 * none of them may get, and the FORKs of one last round in a session of its own.
 */
#include "omp_collector_client.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static OMP_COLLECTOR_API_FUNCTION api;
static atomic_int is_over;
static atomic_long forks, sessions, odd_answers;

static void on_fork(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    atomic_fetch_add(&forks, 1);
}

static int start(void) {
    const int answer = omp_collector_request(api, OMP_REQ_START);
    if (answer != OMP_ERRCODE_OK && answer != OMP_ERRCODE_SEQUENCE_ERR) {
        atomic_fetch_add(&odd_answers, 1);
    }
    if (answer == OMP_ERRCODE_OK) {
        omp_collector_register(api, OMP_EVENT_FORK, on_fork);
    }
    return answer == OMP_ERRCODE_OK;
}

static void stop(void) {
    if (omp_collector_request(api, OMP_REQ_STOP) != OMP_ERRCODE_OK) {
        atomic_fetch_add(&odd_answers, 1);
    }
}

static void *send_requests(void *unused) {
    while (!atomic_load(&is_over) || atomic_load(&sessions) < 3) {
        if (start()) {
            atomic_fetch_add(&sessions, 1);
            sched_yield();
            stop();
        }
    }
    return unused;
}

static long work(const char *file) {
    void *plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    int (*run)(int, int) = NULL;
    *(void **)&run = plugin ? dlsym(plugin, "plugin_run") : NULL;
    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    const long members = run(2, 5);
    dlclose(plugin);
    return members;
}

int main(int count, char **words) {
    if (count < 3) {
        return 2;
    }
    api = omp_collector_find();
    pthread_t sender;
    pthread_create(&sender, NULL, send_requests, NULL);
    long members = 0;
    for (long round = atol(words[2]); round > 0; --round) {
        members += work(words[1]);
    }
    atomic_store(&is_over, 1);
    pthread_join(sender, NULL);
    const long before = atomic_load(&forks);
    start();
    members += work(words[1]);
    stop();
    printf("members %ld, odd answers %ld, forks at last %ld\n", members, (long)odd_answers,
           (long)forks - before);
    fprintf(stderr, "%ld sessions, %ld forks\n", (long)sessions, (long)forks);
    return 0;
}
