// SPDX-License-Identifier: Apache-2.0
// What the asynchronous requests and the OMPT calls that give a tool the same cost in each state of
// a thread: one dump of callgrind's for each state and request. The thread asks from a signal
// handler while it waits, or from a callback; the other threads sleep. Stands between runtime and
// bridge, as requests.cpp does.
//
// request_states TIMES          the session begins before the runtime
// request_states TIMES early    it begins inside a region: its threads have had no event since
#include "in_between.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <string>
#include <unistd.h>

namespace {

long times;

struct StateList {
    int size = 32, request = OMP_REQ_STATE, error = -1, return_size = 0;
    int state = 0, hole = 0;
    unsigned long wait_id = 0;
    int end = 0;
} state_list;
struct IdList {
    int size, request, error = -1, return_size = 0;
    unsigned long id = 0;
    int end = 0;
} region_list{24, OMP_REQ_CURRENT_PRID}, parent_list{24, OMP_REQ_PARENT_PRID};

void ask_state() {
    api(&state_list);
}
void ask_region() {
    api(&region_list);
}
void ask_parent() {
    api(&parent_list);
}
void ask_runtime_state() {
    ompt_wait_id_t wait_id = 0;
    get_state(&wait_id);
}
template <int kLevel> void ask_runtime_region() {
    ompt_data_t *data = nullptr;
    int size = 0;
    get_parallel_info(kLevel, &data, &size);
}

struct Row {
    const char *name;
    void (*ask)();
};
constexpr Row kRows[] = {
    {"STATE", ask_state},         {"ompt_get_state", ask_runtime_state},
    {"CURRENT_PRID", ask_region}, {"ompt_get_parallel_info(0)", ask_runtime_region<0>},
    {"PARENT_PRID", ask_parent},  {"ompt_get_parallel_info(1)", ask_runtime_region<1>},
};

const char *state_name;

void count() {
    for (const Row &row : kRows) {
        const std::string name = std::string(state_name) + "/" + row.name;
        row.ask();
        CALLGRIND_ZERO_STATS;
        for (long i = 0; i < times; ++i)
            row.ask();
        CALLGRIND_DUMP_STATS_AT(name.c_str());
    }
    ask_state();
    std::printf("%s: state %d, error %d\n", state_name, state_list.state, state_list.error);
}

sem_t counted;
void on_signal(int) {
    count();
    sem_post(&counted);
}

void count_on(pthread_t thread, const char *name) {
    state_name = name;
    usleep(100000); // until it sleeps in what it waits for
    pthread_kill(thread, SIGUSR1);
    while (sem_wait(&counted) != 0) {
    }
}

bool is_counted = false;
void count_in_callback(OMP_COLLECTORAPI_EVENT) {
    if (is_counted)
        return;
    is_counted = true;
    state_name = "in a callback";
    count();
}

void start() {
    api = reinterpret_cast<OMP_COLLECTOR_API_FUNCTION>(dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API));
    int list[5] = {16, OMP_REQ_START, -1, 0, 0};
    if (api == nullptr || api(list) != 0 || list[2] != OMP_ERRCODE_OK) {
        std::fprintf(stderr, "request_states: no session; preload the bridge\n");
        std::exit(1);
    }
}

pthread_t worker;
omp_lock_t lock;

void *be_foreign(void *) {
    state_name = "without OpenMP";
    count();
    return nullptr;
}

void count_all() {
    start();
    state_name = "serial";
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            worker = pthread_self();
    }
    count();
    count_on(worker, "idle");
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            usleep(100000); // until the worker sleeps
            state_name = "at work, master";
            count();
            count_on(worker, "barrier");
            omp_set_lock(&lock);
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            count_on(worker, "lock");
            omp_unset_lock(&lock);
        } else {
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
        }
    }
    struct {
        int size = 28, request = OMP_REQ_REGISTER, error = -1, return_size = 0;
        int event = OMP_EVENT_THR_BEGIN_EBAR;
        char callback[8];
        int end = 0;
    } list;
    const OMP_COLLECTORAPI_CALLBACK callback = count_in_callback;
    std::memcpy(list.callback, &callback, sizeof callback);
    api(&list);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            usleep(100000);
#pragma omp barrier
    }
    pthread_t foreign;
    pthread_create(&foreign, nullptr, be_foreign, nullptr);
    pthread_join(foreign, nullptr);
}

void count_early() {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            worker = pthread_self();
        }
    }
    start();
    count_on(worker, "idle since before START");
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            usleep(100000);
    }
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: request_states TIMES [early]\n");
        return 2;
    }
    times = std::atol(argv[1]);
    sem_init(&counted, 0, 0);
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigaction(SIGUSR1, &action, nullptr);
    if (argc > 2)
        count_early();
    else
        count_all();
    return 0;
}
