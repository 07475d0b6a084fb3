// SPDX-License-Identifier: Apache-2.0
// What the asynchronous requests and the OMPT calls that give a tool the same cost in each state of
// a thread: one dump of callgrind's for each state and request, or a line "STATE/REQUEST NS" with
// the shortest of many rounds. The thread asks from a signal handler while it waits, or from a
// callback; the other threads sleep. Stands between runtime and bridge, as requests.cpp does.
//
// request_states TIMES          the session begins before the runtime
// request_states TIMES early    it begins in serial code, behind a region
// request_states TIMES inside   it begins inside a region: a worker has had no event since
// request_states_of_tasks TIMES the same source with OCB_WITH_TASKS: the program can create tasks
#include "in_between.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
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

// What no request undercuts: the call alone, and one that writes an answer without a question.
int answer_nothing(void *) {
    return 0;
}
int answer_at_once(void *list) {
    static_cast<IdList *>(list)->id = 1;
    static_cast<IdList *>(list)->return_size = sizeof(IdList::id);
    static_cast<IdList *>(list)->error = OMP_ERRCODE_OK;
    return 0;
}
OMP_COLLECTOR_API_FUNCTION volatile nothing = answer_nothing, at_once = answer_at_once;
IdList own_list{24, OMP_REQ_CURRENT_PRID};
void call_nothing() {
    nothing(&own_list);
}
void call_at_once() {
    at_once(&own_list);
}

struct Row {
    const char *name;
    void (*ask)();
};
constexpr Row kRows[] = {
    {"STATE", ask_state},         {"ompt_get_state", ask_runtime_state},
    {"CURRENT_PRID", ask_region}, {"ompt_get_parallel_info(0)", ask_runtime_region<0>},
    {"PARENT_PRID", ask_parent},  {"ompt_get_parallel_info(1)", ask_runtime_region<1>},
    {"nothing", call_nothing},    {"at once", call_at_once},
};

const char *state_name;

double now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// On a machine that others use too, the shortest round is the one that nobody disturbed.
double shortest(const Row &row) {
    constexpr int kRounds = 300;
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
        const double begin = now_ns();
        for (long i = 0; i < times; ++i)
            row.ask();
        best = std::min(best, (now_ns() - begin) / static_cast<double>(times));
    }
    return best;
}

void count() {
    for (const Row &row : kRows) {
        const std::string name = std::string(state_name) + "/" + row.name;
        row.ask();
        if (RUNNING_ON_VALGRIND == 0) {
            std::printf("%s\t%.2f\n", name.c_str(), shortest(row));
            continue;
        }
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
    state_name = "serial since before START";
    count();
    count_on(worker, "idle since before START");
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            usleep(100000);
    }
}

void wait_for(sem_t *semaphore) {
    while (sem_wait(semaphore) != 0) {
    }
}

sem_t is_there, may_go;

void count_inside() {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            worker = pthread_self();
            sem_post(&is_there);
            wait_for(&may_go);
        } else {
            wait_for(&is_there);
            start();
            state_name = "START inside, master";
            count();
            count_on(worker, "START inside, worker");
            sem_post(&may_go);
        }
    }
}

#ifdef OCB_WITH_TASKS
// The task runs on the worker, which is at the region's end, while the master waits for it.
void count_tasks() {
    start();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            const pthread_t master = pthread_self();
#pragma omp task firstprivate(master)
            {
                sem_post(&is_there);
                state_name = "in a task";
                count();
                count_on(master, "taskwait");
            }
            wait_for(&is_there);
#pragma omp taskwait
            state_name = "at work, in a program with tasks";
            count();
        }
    }
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            usleep(100000); // until the worker sleeps
            count_on(worker, "barrier, in a program with tasks");
        } else {
            worker = pthread_self();
        }
#pragma omp barrier
    }
}
#endif

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: request_states TIMES [early|inside]\n");
        return 2;
    }
    times = std::atol(argv[1]);
    sem_init(&counted, 0, 0);
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigaction(SIGUSR1, &action, nullptr);
    sem_init(&is_there, 0, 0);
    sem_init(&may_go, 0, 0);
#ifdef OCB_WITH_TASKS
    count_tasks();
#else
    if (argc > 2)
        std::strcmp(argv[2], "inside") == 0 ? count_inside() : count_early();
    else
        count_all();
#endif
    return 0;
}
