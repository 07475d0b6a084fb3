// SPDX-License-Identifier: Apache-2.0
//
// The fake collector: a shared library, preloaded or linked, that knows nothing but the Collector
// API and writes down everything it is told. Each event callback, mark and request becomes a record
// with the answers to STATE, CURRENT_PRID and PARENT_PRID; a sampler may add what a signal handler
// sees. At the end of the process the records go to a text file, which log.h reads.
//
// Nothing is freed before the process ends. It needs libc only, so that it changes nothing in its
// host. records.h: what is kept; sampling.h: the timers; log_file.h: the file.
//
// Environment (all optional):
//   OCB_TEST_LOG        file to write; none: nothing is written
//   OCB_TEST_START      constructor (default) | program: who issues START
//   OCB_TEST_EVENTS     numbers of the events to register, comma-separated; default all 22
//   OCB_TEST_TASKS      1: asks for TASK_ID and TASK_PID too
//   OCB_TEST_MARKS      silent: neither they nor requests ask anything, so that a sample is the
//                       first question
//   OCB_TEST_SAMPLE_HZ  samples per second and thread; default none
//   OCB_TEST_CAPACITY   records, and samples, kept per thread; default 65536
#include "marks.h"

#include "log_file.h"
#include "omp_collector_client.h"
#include "records.h"
#include "sampling.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ocb_fake {
namespace {

constexpr int kFirstEvent = OMP_EVENT_FORK;
constexpr int kLastEvent = OMP_EVENT_THR_END_ATWT; // of those registered by default
constexpr int kLastTaskEvent = OMP_EVENT_THR_END_FINISH_TASK;

std::atomic<int> delivered[kLastTaskEvent + 1];
std::atomic<std::uint64_t> next_sequence{0};
char log_path[4096];
bool marks_ask = true;

void append(char kind, int number, int ec, const char *label) {
    ThreadLog *log = own_log();
    if (log == nullptr) {
        return;
    }
    Record record{};
    record.kind = kind;
    record.number = number;
    record.ec = ec;
    record.sequence = next_sequence.fetch_add(1);
    record.time = now();
    if (kind == 'e' || marks_ask) {
        record.answers = ask(true);
    }
    std::strncpy(record.label, label, sizeof record.label - 1);
    record.used = kind == 'm' ? used() : 0;
    if (!append_late(record)) {
        keep(log, record);
    }
}

void on_event(OMP_COLLECTORAPI_EVENT event) {
    append('e', event, OMP_ERRCODE_OK, "");
    if (event >= kFirstEvent && event <= kLastTaskEvent) {
        delivered[event].fetch_add(1);
    }
}

// Null as long as nobody in the process provides the Collector API.
OMP_COLLECTOR_API_FUNCTION find_api() {
    OMP_COLLECTOR_API_FUNCTION api = api_function.load();
    if (api == nullptr) {
        api = omp_collector_find();
        api_function.store(api);
    }
    return api;
}

// Issues one request that has no answer, logs it, and returns its error code.
int issue(int request, int event, OMP_COLLECTORAPI_CALLBACK callback) {
    const OMP_COLLECTOR_API_FUNCTION api = find_api();
    if (api == nullptr) {
        append('r', request, kNoProvider, "");
        return kNoProvider;
    }
    const bool has_event = request == OMP_REQ_REGISTER || request == OMP_REQ_UNREGISTER;
    int ec = 0;
    if (request == OMP_REQ_REGISTER) {
        ec = omp_collector_register(api, event, callback);
    } else if (request == OMP_REQ_UNREGISTER) {
        ec = omp_collector_unregister(api, event);
    } else {
        ec = omp_collector_request(api, request);
    }
    // A successful REGISTER is what everybody expects; only the others are worth a line.
    if (request != OMP_REQ_REGISTER || ec != OMP_ERRCODE_OK) {
        char label[16] = "";
        if (has_event) {
            std::snprintf(label, sizeof label, "%d", event);
        }
        append('r', request, ec, label);
    }
    return ec;
}

// A child keeps the forking thread alone and writes a log of its own, named by its process id.
void begin_child() {
    const std::size_t length = std::strlen(log_path);
    if (length > 0) {
        std::snprintf(log_path + length, sizeof log_path - length, ".%d",
                      static_cast<int>(getpid()));
    }
    for (std::atomic<ThreadLog *> &log : thread_table) {
        if (log.load() != own_log_so_far()) {
            log.store(nullptr);
        }
    }
    ThreadLog *log = own_log();
    if (log == nullptr) {
        return;
    }
    log->tid = static_cast<pid_t>(syscall(SYS_gettid));
    log->record_count.store(0);
    log->sample_count.store(0);
    log->has_timer = false;
    start_sampling();
}

void read_environment() {
    const char *path = std::getenv("OCB_TEST_LOG");
    if (path != nullptr) {
        std::snprintf(log_path, sizeof log_path, "%s", path);
    }
    const char *capacity = std::getenv("OCB_TEST_CAPACITY");
    if (capacity != nullptr) {
        table_capacity = static_cast<unsigned>(std::strtoul(capacity, nullptr, 10));
    }
    const char *rate = std::getenv("OCB_TEST_SAMPLE_HZ");
    if (rate != nullptr) {
        prepare_sampling(std::strtol(rate, nullptr, 10));
    }
    asks_tasks = std::getenv("OCB_TEST_TASKS") != nullptr;
    const char *marks = std::getenv("OCB_TEST_MARKS");
    marks_ask = marks == nullptr || std::strcmp(marks, "silent") != 0;
}

__attribute__((constructor)) void begin_process() {
    read_environment();
    find_api();
    own_log();
    pthread_atfork(nullptr, nullptr, begin_child);
    start_sampling();
    const char *who = std::getenv("OCB_TEST_START");
    if (who == nullptr || std::strcmp(who, "program") != 0) {
        ocb_test_start();
    }
}

__attribute__((destructor)) void end_process() {
    if (own_log_so_far() != nullptr) {
        stop_sampling(own_log_so_far());
    }
    write_log(log_path);
}

} // namespace
} // namespace ocb_fake

using namespace ocb_fake;

extern "C" {

__attribute__((visibility("default"))) void ocb_test_mark(const char *label) {
    append('m', 0, 0, label);
}

__attribute__((visibility("default"))) int ocb_test_request(int request) {
    return issue(request, 0, nullptr);
}

__attribute__((visibility("default"))) int ocb_test_start() {
    const int ec = issue(OMP_REQ_START, 0, nullptr);
    if (ec != OMP_ERRCODE_OK) {
        return ec;
    }
    const char *wanted = std::getenv("OCB_TEST_EVENTS");
    if (wanted == nullptr) {
        for (int event = kFirstEvent; event <= kLastEvent; ++event) {
            issue(OMP_REQ_REGISTER, event, on_event);
        }
        return ec;
    }
    for (const char *p = wanted; *p != '\0'; p += std::strcspn(p, ","), p += *p == ',' ? 1 : 0) {
        issue(OMP_REQ_REGISTER, std::atoi(p), on_event);
    }
    return ec;
}

__attribute__((visibility("default"))) int ocb_test_register(int event) {
    return issue(OMP_REQ_REGISTER, event, on_event);
}

__attribute__((visibility("default"))) int ocb_test_unregister(int event) {
    return issue(OMP_REQ_UNREGISTER, event, nullptr);
}

__attribute__((visibility("default"))) int ocb_test_await(int event, int count) {
    if (event < kFirstEvent || event > kLastTaskEvent) {
        return 0;
    }
    constexpr std::uint64_t kLimitNs = 300'000'000'000;
    const std::uint64_t deadline = now() + kLimitNs;
    while (delivered[event].load() < count) {
        if (now() > deadline) {
            return 0;
        }
        usleep(200);
    }
    return 1;
}

} // extern "C"
