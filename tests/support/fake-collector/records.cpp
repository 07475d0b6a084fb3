// SPDX-License-Identifier: Apache-2.0
#include "records.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ocb_fake {

// Zero-initialised.
std::atomic<ThreadLog *> thread_table[kMaxThreads];
std::atomic<int> thread_count{0};
std::atomic<OMP_COLLECTOR_API_FUNCTION> api_function{nullptr};
unsigned table_capacity = 65536;
bool asks_tasks = false;

namespace {

__attribute__((tls_model("initial-exec"))) thread_local ThreadLog *t_log = nullptr;

std::uint64_t read_clock(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1000000000U +
           static_cast<std::uint64_t>(t.tv_nsec);
}

void *reserve(std::size_t bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace

ThreadLog *own_log_so_far() {
    return t_log;
}

std::uint64_t now() {
    return read_clock(CLOCK_MONOTONIC);
}

std::uint64_t used() {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

ThreadLog *own_log() {
    if (t_log != nullptr) {
        return t_log;
    }
    const int index = thread_count.load() < kMaxThreads ? thread_count.fetch_add(1) : kMaxThreads;
    if (index >= kMaxThreads) {
        return nullptr;
    }
    auto *log = static_cast<ThreadLog *>(reserve(sizeof(ThreadLog)));
    auto *records = static_cast<Record *>(reserve(sizeof(Record) * table_capacity));
    auto *samples = static_cast<Sample *>(reserve(sizeof(Sample) * table_capacity));
    if (log == nullptr || records == nullptr || samples == nullptr) {
        return nullptr;
    }
    log->tid = static_cast<pid_t>(syscall(SYS_gettid));
    log->records = records;
    log->samples = samples;
    thread_table[index].store(log);
    t_log = log;
    return log;
}

Answers ask(bool with_parent) {
    Answers answers;
    const OMP_COLLECTOR_API_FUNCTION api = api_function.load(std::memory_order_relaxed);
    if (api == nullptr) {
        return answers;
    }
    constexpr int kAllMem =
        OMP_COLLECTOR_PACKED_PAIR + 2 * OMP_COLLECTOR_WORD + 2 * OMP_COLLECTOR_INT;
    int memory[OMP_COLLECTOR_BYTES(5, kAllMem) / sizeof(int)];
    omp_collector_list list = omp_collector_list_in(memory, sizeof memory);
    const int state = omp_collector_add_state(&list);
    const int region = omp_collector_add_region(&list);
    const int parent = with_parent ? omp_collector_add_parent(&list) : OMP_COLLECTOR_NO_RECORD;
    int task = OMP_COLLECTOR_NO_RECORD;
    int parent_task = OMP_COLLECTOR_NO_RECORD;
    if (asks_tasks) {
        task = omp_collector_add(&list, OMP_REQ_TASK_ID, OMP_COLLECTOR_INT);
        parent_task = omp_collector_add(&list, OMP_REQ_TASK_PID, OMP_COLLECTOR_INT);
    }
    answers.result = api(memory);
    answers.state_ec = omp_collector_error(&list, state);
    answers.state = omp_collector_state_in(&list, state);
    answers.wait_id = omp_collector_word_at(&list, state, OMP_COLLECTOR_INT);
    answers.region_ec = omp_collector_error(&list, region);
    answers.region = omp_collector_region_in(&list, region);
    if (with_parent) {
        answers.parent_ec = omp_collector_error(&list, parent);
        answers.parent = omp_collector_region_in(&list, parent);
    }
    if (omp_collector_error(&list, task) == OMP_ERRCODE_OK &&
        omp_collector_error(&list, parent_task) == OMP_ERRCODE_OK) {
        answers.task = omp_collector_int_at(&list, task, 0);
        answers.parent_task = omp_collector_int_at(&list, parent_task, 0);
    }
    return answers;
}

void keep(ThreadLog *log, const Record &record) {
    const unsigned place = log->record_count.load(std::memory_order_relaxed);
    if (place >= table_capacity) {
        log->dropped.fetch_add(1);
        return;
    }
    log->records[place] = record;
    log->record_count.store(place + 1, std::memory_order_release);
}

void append_sample(ThreadLog *log) {
    const unsigned place = log->sample_count.load(std::memory_order_relaxed);
    if (place >= table_capacity) {
        log->dropped.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    Sample &sample = log->samples[place];
    sample.time = now();
    sample.used = used();
    sample.answers = ask(false);
    log->sample_count.store(place + 1, std::memory_order_release);
}

} // namespace ocb_fake
