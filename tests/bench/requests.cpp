// SPDX-License-Identifier: Apache-2.0
// The asynchronous requests against the two OMPT calls that give a tool the same, in one process:
// this program stands between runtime and bridge (its ompt_start_tool goes before the preloaded
// one's) and keeps the runtime's lookup, so that both sides are asked on one thread in one state.
// Google Benchmark times them, in random order; `requests --count` leaves the instructions of each
// in a dump of callgrind's. Inside a region of two, on its master, in normal code and in a handler.
#include "in_between.h"

#include <benchmark/benchmark.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct StateRecord {
    int size = 32, request = OMP_REQ_STATE, error = -1, return_size = 0;
    int state = 0, hole = 0;
    unsigned long wait_id = 0;
};
struct IdRecord {
    int size = 24, request = OMP_REQ_CURRENT_PRID, error = -1, return_size = 0;
    unsigned long id = 0;
};
struct StateList {
    StateRecord state;
    int end = 0;
} state_list;
struct IdList {
    IdRecord id;
    int end = 0;
} id_list;
struct BothList {
    StateRecord state;
    IdRecord id;
    int end = 0;
} both_list;

void ask_runtime_state() {
    ompt_wait_id_t wait_id = 0;
    benchmark::DoNotOptimize(get_state(&wait_id));
}
void ask_runtime_region() {
    ompt_data_t *data = nullptr;
    int size = 0;
    benchmark::DoNotOptimize(get_parallel_info(0, &data, &size));
}
void ask_runtime_both() {
    ask_runtime_state();
    ask_runtime_region();
}
void ask_bridge_state() {
    api(&state_list);
}
void ask_bridge_region() {
    api(&id_list);
}
void ask_bridge_both() {
    api(&both_list);
}

template <void (*kAsk)()> void repeat(long times) {
    for (long i = 0; i < times; ++i)
        kAsk();
}

struct Row {
    const char *name;
    void (*repeat)(long times);
};
// The last is the first again: the spread of same against same.
constexpr Row kRows[] = {
    {"ompt_get_state", repeat<ask_runtime_state>},
    {"STATE", repeat<ask_bridge_state>},
    {"ompt_get_parallel_info", repeat<ask_runtime_region>},
    {"CURRENT_PRID", repeat<ask_bridge_region>},
    {"both_ompt", repeat<ask_runtime_both>},
    {"both_batch", repeat<ask_bridge_both>},
    {"ompt_get_state_again", repeat<ask_runtime_state>},
};

const Row *row_in_handler;
long times_in_handler;

void on_signal(int) {
    row_in_handler->repeat(times_in_handler);
}

void repeat_in_handler(const Row &row, long times) {
    row_in_handler = &row;
    times_in_handler = times;
    raise(SIGUSR1);
}

void register_benchmarks() {
    // A signal costs as much as thousands of requests; it must not show.
    constexpr long kBatch = 10000, kHandlerBatch = 400000;
    for (const Row &row : kRows) {
        benchmark::RegisterBenchmark((std::string("normal/") + row.name).c_str(),
                                     [&row](benchmark::State &state) {
                                         while (state.KeepRunningBatch(kBatch))
                                             row.repeat(kBatch);
                                     });
        benchmark::RegisterBenchmark((std::string("handler/") + row.name).c_str(),
                                     [&row](benchmark::State &state) {
                                         while (state.KeepRunningBatch(kHandlerBatch))
                                             repeat_in_handler(row, kHandlerBatch);
                                     });
    }
}

void count_instructions(long times) {
    for (const Row &row : kRows) {
        const std::string normal = std::string("normal/") + row.name;
        const std::string handler = std::string("handler/") + row.name;
        row.repeat(10);
        CALLGRIND_ZERO_STATS;
        row.repeat(times);
        CALLGRIND_DUMP_STATS_AT(normal.c_str());
        CALLGRIND_ZERO_STATS;
        repeat_in_handler(row, times);
        CALLGRIND_DUMP_STATS_AT(handler.c_str());
    }
}

bool begin_session() {
    api = reinterpret_cast<OMP_COLLECTOR_API_FUNCTION>(dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API));
    int start[5] = {16, OMP_REQ_START, -1, 0, 0};
    return api != nullptr && api(start) == 0 && start[2] == OMP_ERRCODE_OK && get_state != nullptr;
}

bool answers_are_right() {
    ask_bridge_both();
    return both_list.state.error == OMP_ERRCODE_OK && both_list.state.state == THR_WORK_STATE &&
           both_list.id.error == OMP_ERRCODE_OK && both_list.id.id != 0;
}

} // namespace

int main(int argc, char **argv) {
    if (!begin_session()) {
        std::fprintf(stderr, "requests: no session; preload the bridge\n");
        return 1;
    }
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigaction(SIGUSR1, &action, nullptr);
    // The first STATE makes waits observed; the region behind it is seen from its beginning.
    ask_bridge_state();
    const bool counts = argc > 2 && std::strcmp(argv[1], "--count") == 0;
    int status = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp master
        {
            if (!answers_are_right()) {
                std::fprintf(stderr, "requests: wrong answers\n");
                status = 1;
            } else if (counts) {
                count_instructions(std::atol(argv[2]));
            } else {
                benchmark::Initialize(&argc, argv);
                register_benchmarks();
                benchmark::RunSpecifiedBenchmarks();
            }
        }
    }
    return status;
}
