// SPDX-License-Identifier: Apache-2.0
//
// The fake collector: a shared library, preloaded or linked, that knows nothing but the Collector
// API and writes down everything it is told. Each event callback, mark and request becomes a record
// with the answers to STATE, CURRENT_PRID and PARENT_PRID; a sampler may add what a signal handler
// sees. At the end of the process the records go to a text file, which log.h reads.
//
// Ownership: every thread has one ThreadLog, written by that thread alone (events and samples in
// separate arrays, as a sample may interrupt an append) and read when the file is written. Nothing
// is freed before the process ends. Needs libc only, so that it changes nothing in its host.
//
// Environment (all optional):
//   OCB_TEST_LOG        file to write; none: nothing is written
//   OCB_TEST_START      constructor (default) | program: who issues START
//   OCB_TEST_EVENTS     numbers of the events to register, comma-separated; default all 22
//   OCB_TEST_TASKS      1: asks for TASK_ID and TASK_PID too
//   OCB_TEST_MARKS      silent: neither they nor requests ask anything, so that a sample is the
//   first question OCB_TEST_SAMPLE_HZ  samples per second and thread; default none
//   OCB_TEST_CAPACITY   records, and samples, kept per thread; default 65536
#include "marks.h"

#include "omp_collector_client.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int kFirstEvent = OMP_EVENT_FORK;
constexpr int kLastEvent = OMP_EVENT_THR_END_ATWT; // of those registered by default
constexpr int kLastTaskEvent = OMP_EVENT_THR_END_FINISH_TASK;
constexpr int kMaxThreads = 1024;
constexpr int kNoProvider = -2; // in place of a result: nobody exports the Collector API

constexpr int kNotAsked = -2; // in place of a task

struct Answers {
    int result = kNoProvider;
    int state_ec = 0;
    int state = 0;
    std::uint64_t wait_id = 0;
    int region_ec = 0;
    std::uint64_t region = 0;
    int parent_ec = 0;
    std::uint64_t parent = 0;
    int task = kNotAsked;
    int parent_task = kNotAsked;
};

struct Record {
    char kind; // e: event, m: mark, r: request
    int number;
    int ec;
    std::uint64_t sequence;
    std::uint64_t time;
    std::uint64_t used; // of a mark
    Answers answers;
    char label[64];
};

struct Sample {
    std::uint64_t time;
    std::uint64_t used;
    Answers answers;
};

struct ThreadLog {
    pid_t tid;
    timer_t timer;
    bool has_timer;
    std::atomic<unsigned> record_count;
    std::atomic<unsigned> sample_count;
    std::atomic<unsigned> dropped;
    Record *records;
    Sample *samples;
};

// Zero-initialised: the file of threads that have appeared, in that order.
std::atomic<ThreadLog *> thread_table[kMaxThreads];
std::atomic<int> thread_count{0};
std::atomic<std::uint64_t> next_sequence{0};
std::atomic<int> delivered[kLastTaskEvent + 1];
std::atomic<OMP_COLLECTOR_API_FUNCTION> api_function{nullptr};
std::atomic<int> late_file_name{
    -1}; // the log, once it is written: later records are appended to it
char log_path[4096];
unsigned table_capacity = 65536;
long sample_hz = 0;
bool asks_tasks = false;
bool marks_ask = true;
pthread_key_t sampled_thread; // its destructor stops the timer of a thread that ends

__attribute__((tls_model("initial-exec"))) thread_local ThreadLog *t_log = nullptr;

std::uint64_t read_clock(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1000000000U +
           static_cast<std::uint64_t>(t.tv_nsec);
}

std::uint64_t now() {
    return read_clock(CLOCK_MONOTONIC);
}

// How long the thread has run by now.
std::uint64_t used() {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void *reserve(std::size_t bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

// The log of the calling thread. Not for signal handlers, they use t_log as it is.
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

// In a signal handler only with `with_parent` false.
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

// A line of the log. Written with one call, so that lines of several threads do not mix.
class Line {
  public:
    __attribute__((format(printf, 2, 3))) void add(const char *format, ...) {
        va_list arguments;
        va_start(arguments, format);
        const int length =
            std::vsnprintf(text_ + length_, sizeof text_ - length_, format, arguments);
        va_end(arguments);
        length_ += length > 0 ? static_cast<std::size_t>(length) : 0;
        if (length_ >= sizeof text_) {
            length_ = sizeof text_ - 1;
        }
    }
    void add(const Answers &a) {
        add(" %d %d %d %llx %d %llu %d %llu %d %d", a.result, a.state_ec, a.state,
            static_cast<unsigned long long>(a.wait_id), a.region_ec,
            static_cast<unsigned long long>(a.region), a.parent_ec,
            static_cast<unsigned long long>(a.parent), a.task, a.parent_task);
    }
    void add(int thread, const Record &r) {
        const char *kind = r.kind == 'e' ? "event" : (r.kind == 'm' ? "mark" : "request");
        add("%s %d %llu %llu %llu %d %d", kind, thread, static_cast<unsigned long long>(r.sequence),
            static_cast<unsigned long long>(r.time), static_cast<unsigned long long>(r.used),
            r.number, r.ec);
        add(r.answers);
        add(" %s", r.label);
    }
    void write_to(int file) {
        add("\n");
        // A log that cannot be written is missing for the test, which says so.
        [[maybe_unused]] const ssize_t written = write(file, text_, length_);
        length_ = 0;
    }

  private:
    char text_[4608] = {};
    std::size_t length_ = 0;
};

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
    const int late_file = late_file_name.load();
    if (late_file >= 0) {
        Line line;
        line.add("late ");
        line.add(-1, record);
        line.write_to(late_file);
        return;
    }
    const unsigned place = log->record_count.load(std::memory_order_relaxed);
    if (place >= table_capacity) {
        log->dropped.fetch_add(1);
        return;
    }
    log->records[place] = record;
    log->record_count.store(place + 1, std::memory_order_release);
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

void on_tick(int, siginfo_t *, void *) {
    ThreadLog *log = t_log;
    if (log == nullptr) {
        return;
    }
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

int tick_signal() {
    return SIGRTMIN + 3;
}

void stop_sampling(void *log_memory) {
    auto *log = static_cast<ThreadLog *>(log_memory);
    if (log->has_timer) {
        timer_delete(log->timer);
        log->has_timer = false;
    }
}

// Begins to sample the calling thread, until it ends; nothing if the environment asks for none.
void start_sampling() {
    ThreadLog *log = own_log();
    if (sample_hz <= 0 || log == nullptr) {
        return;
    }
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = tick_signal();
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    if (timer_create(CLOCK_MONOTONIC, &event, &log->timer) != 0) {
        return;
    }
    log->has_timer = true;
    pthread_setspecific(sampled_thread, log);
    itimerspec interval{};
    interval.it_interval.tv_nsec = 1000000000L / sample_hz;
    interval.it_value = interval.it_interval;
    timer_settime(log->timer, 0, &interval, nullptr);
}

struct ThreadStart {
    void *(*routine)(void *);
    void *argument;
};

void *run_sampled(void *start_memory) {
    const ThreadStart start = *static_cast<ThreadStart *>(start_memory);
    std::free(start_memory);
    start_sampling();
    return start.routine(start.argument);
}

// The name of a library of an OpenMP runtime in a line of /proc/self/maps, or null.
const char *runtime_path(char *line) {
    char *path = std::strchr(line, '/');
    if (path == nullptr) {
        return nullptr;
    }
    path[std::strcspn(path, "\n")] = '\0';
    const char *name = std::strrchr(path, '/') + 1;
    const bool is_runtime =
        std::strncmp(name, "libomp.so", 9) == 0 || std::strncmp(name, "libomp-1", 8) == 0 ||
        std::strncmp(name, "libgomp.so", 10) == 0 || std::strncmp(name, "libiomp", 7) == 0;
    return is_runtime ? path : nullptr;
}

// One line per file; its segments lie in the map one after the other.
void write_libraries(int file) {
    std::FILE *maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) {
        return;
    }
    char line[4352];
    char previous[4352] = "";
    while (std::fgets(line, sizeof line, maps) != nullptr) {
        const char *path = runtime_path(line);
        if (path != nullptr && std::strcmp(path, previous) != 0) {
            Line out;
            out.add("library %s", path);
            out.write_to(file);
            std::memcpy(previous, path, std::strlen(path) + 1);
        }
    }
    std::fclose(maps);
}

void write_log() {
    if (log_path[0] == '\0') {
        return;
    }
    const int file = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) {
        return;
    }
    Line line;
    line.add("process %d", static_cast<int>(getpid()));
    line.write_to(file);
    write_libraries(file);
    const int threads = thread_count.load();
    for (int index = 0; index < threads && index < kMaxThreads; ++index) {
        const ThreadLog *log = thread_table[index].load();
        if (log == nullptr) {
            continue;
        }
        line.add("thread %d %d %u", index, static_cast<int>(log->tid), log->dropped.load());
        line.write_to(file);
        const unsigned records = log->record_count.load(std::memory_order_acquire);
        for (unsigned i = 0; i < records; ++i) {
            line.add(index, log->records[i]);
            line.write_to(file);
        }
        const unsigned samples = log->sample_count.load(std::memory_order_acquire);
        for (unsigned i = 0; i < samples; ++i) {
            line.add("sample %d %llu %llu", index,
                     static_cast<unsigned long long>(log->samples[i].time),
                     static_cast<unsigned long long>(log->samples[i].used));
            line.add(log->samples[i].answers);
            line.write_to(file);
        }
    }
    line.add("end");
    line.write_to(file);
    late_file_name.store(file);
}

// A child keeps the forking thread alone and writes a log of its own, named by its process id.
void begin_child() {
    const std::size_t length = std::strlen(log_path);
    if (length > 0) {
        std::snprintf(log_path + length, sizeof log_path - length, ".%d",
                      static_cast<int>(getpid()));
    }
    for (std::atomic<ThreadLog *> &log : thread_table) {
        if (log.load() != t_log) {
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
        sample_hz = std::strtol(rate, nullptr, 10);
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
    if (sample_hz > 0) {
        pthread_key_create(&sampled_thread, stop_sampling);
        struct sigaction action {};
        action.sa_sigaction = on_tick;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigemptyset(&action.sa_mask);
        sigaction(tick_signal(), &action, nullptr);
        start_sampling();
    }
    const char *who = std::getenv("OCB_TEST_START");
    if (who == nullptr || std::strcmp(who, "program") != 0) {
        ocb_test_start();
    }
}

__attribute__((destructor)) void end_process() {
    if (t_log != nullptr) {
        stop_sampling(t_log);
    }
    write_log();
}

} // namespace

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

// Every thread of the process is sampled from its first to its last instruction.
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*routine)(void *),
                                                          void *argument) noexcept {
    using Create = int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    const auto real = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    if (sample_hz <= 0) {
        return real(thread, attributes, routine, argument);
    }
    auto *start = static_cast<ThreadStart *>(std::malloc(sizeof(ThreadStart)));
    if (start == nullptr) {
        return EAGAIN;
    }
    *start = {routine, argument};
    const int result = real(thread, attributes, run_sampled, start);
    if (result != 0) {
        std::free(start);
    }
    return result;
}

} // extern "C"
