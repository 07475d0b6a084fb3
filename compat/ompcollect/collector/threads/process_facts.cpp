// SPDX-License-Identifier: Apache-2.0
#include "process_facts.h"

#include "clocks.h"
#include "job_variables.h"
#include "own_process.h"
#include "preload_link.h"
#include "producer.h"
#include "run_clock.h"
#include "scheduler.h"
#include "settings.h"
#include "store.h"
#include "task_files.h"
#include "thread_slots.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

namespace ompcollect {
namespace {

constexpr const char *kReportedPrefixes[] = {"OMP_", "KMP_", "GOMP_", "LIBOMP_"};

constexpr size_t kMaskWords = 256;
constinit unsigned long mask[kMaskWords] = {};
constinit size_t mask_bytes = 0;
constinit uint64_t process_begin_ns = 0;
constinit int sampling_thread = 0;
constinit std::atomic<uint64_t> ended_cpu_ns{0};

void add_setting(SettingKind kind, const char *text) {
    const uint32_t number = add_row_growing(RowKind::kSetting);
    if (number == kNoRow) {
        return;
    }
    auto *setting = row_as<SettingRow>(RowKind::kSetting, number);
    setting->kind = static_cast<uint32_t>(kind);
    setting->text = add_text(text);
    setting->ready.store(1, std::memory_order_release);
}

// The first pages of argv, as the kernel has it.
void add_arguments() {
    const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    constexpr unsigned kMostArguments = 1000;
    static char text[32 * 1024]; // once per process, under the lock of who opens the store
    size_t filled = 0;
    for (ssize_t got = 0; (got = read(fd, text + filled, sizeof text - 1 - filled)) > 0;) {
        filled += static_cast<size_t>(got);
    }
    close(fd);
    text[filled] = 0;
    unsigned count = 0;
    const char *at = text;
    for (; at < text + filled && count < kMostArguments; at += strlen(at) + 1, ++count) {
        add_setting(SettingKind::kArgument, at);
    }
    header().arguments_cut = at < text + filled || filled == sizeof text - 1 ? 1 : 0;
}

void add_environment() {
    for (char **variable = environ; variable && *variable; ++variable) {
        for (const char *prefix : kReportedPrefixes) {
            if (strncmp(*variable, prefix, strlen(prefix)) == 0) {
                add_setting(SettingKind::kEnvironment, *variable);
            }
        }
    }
}

bool in_mask(size_t cpu) {
    return cpu < mask_bytes * CHAR_BIT &&
           (mask[cpu / (sizeof mask[0] * CHAR_BIT)] >> (cpu % (sizeof mask[0] * CHAR_BIT)) & 1) !=
               0;
}

// "0-3,8"
void mask_text(char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (size_t cpu = 0; cpu < mask_bytes * CHAR_BIT && used + 32 < size; ++cpu) {
        if (!in_mask(cpu)) {
            continue;
        }
        const size_t first = cpu;
        while (in_mask(cpu + 1)) {
            ++cpu;
        }
        const int length = snprintf(text + used, size - used, cpu > first ? "%s%zu-%zu" : "%s%zu",
                                    used ? "," : "", first, cpu);
        used += length > 0 ? static_cast<size_t>(length) : 0;
    }
}

unsigned mask_count() {
    int count = 0;
    for (const unsigned long word : mask) {
        count += __builtin_popcountl(word);
    }
    return static_cast<unsigned>(count);
}

// A row that readers of the profile know by its name.
void add_job_fact(const char *name, const char *first, const char *second = "") {
    char text[512];
    const char *const between = *first != 0 && *second != 0 ? "." : "";
    snprintf(text, sizeof text, "%s=%s%s%s", name, first, between, second);
    add_setting(SettingKind::kJob, text);
}

void add_rank(FileHeader &to) {
    const JobVariables *job = own_job_variables();
    if (!job) {
        return;
    }
    to.rank = add_text(job_value(job->rank));
    to.rank_variable = add_text(job->rank);
    add_job_fact("launcher", job->launcher);
    add_job_fact("ranks", job_size_value(*job));
    add_job_fact("job", job_value(job->job[0]), job_value(job->job[1]));
}

// Threads that had no slot when they were seen. A worker, too, has none between its creation and
// its first event; it is removed once it has one. Written by the thread that counts, one at a time.
struct OtherThread {
    int tid;
    uint64_t waited_ns; // for a processor, when it was seen last
};
constexpr size_t kMostOthers = 256;
constinit OtherThread seen_others[kMostOthers] = {};
constinit size_t other_count = 0;

// Also for a thread that has ended, until another one gets its slot.
bool has_slot(int tid) {
    for (const ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        if (slot->tid == tid) {
            return true;
        }
    }
    return false;
}

// How many threads of the process were seen without a slot. Beyond kMostOthers only current ones.
uint64_t count_others() {
    const auto has_its_slot = [](const OtherThread &other) { return has_slot(other.tid); };
    other_count = static_cast<size_t>(
        std::remove_if(seen_others, seen_others + other_count, has_its_slot) - seen_others);
    ThreadNumbers numbers;
    if (!numbers.are_shown()) {
        return other_count;
    }
    size_t now = 0;
    while (const int tid = numbers.next()) {
        if (tid == sampling_thread || has_slot(tid)) {
            continue;
        }
        ++now;
        OtherThread *const end = seen_others + other_count;
        OtherThread *const at = std::find_if(
            seen_others, end, [&](const OtherThread &other) { return other.tid == tid; });
        if (at == end && other_count < kMostOthers) {
            *at = {tid, 0};
            ++other_count;
        }
        uint64_t waited = 0;
        if (at < seen_others + other_count && wait_for_processor(tid, waited)) {
            at->waited_ns = waited;
        }
    }
    return std::max(now, other_count);
}

uint64_t others_waited() {
    uint64_t sum = 0;
    for (size_t i = 0; i < other_count; ++i) {
        sum += seen_others[i].waited_ns;
    }
    return sum;
}

} // namespace

void record_begin() {
    const auto *preload = preload_services();
    restart_run_clock();
    // In the child after fork() it is now.
    process_begin_ns = preload && process_begin_ns == 0 ? preload->begin_ns : now_ns();
    const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    mask_bytes = bytes > 0 ? static_cast<size_t>(bytes) : 0;
    ended_cpu_ns.store(0, std::memory_order_relaxed);
    sampling_thread = 0;
    other_count = 0;
}

uint64_t begin_ns() {
    return process_begin_ns;
}

void describe_process(int start_code, const int (&registered)[kEventNumbers],
                      OffProcessor off_processor) {
    FileHeader &to = header();
    to.pid = getpid();
    to.parent_pid = getppid();
    to.begin_ns = process_begin_ns;
    to.begin_unix_ns = clock_ns(CLOCK_REALTIME) - (run_ns() - process_begin_ns);
    to.rate = current_settings.rate;
    to.signal = static_cast<uint32_t>(current_settings.signal);
    to.off_processor = static_cast<uint32_t>(off_processor);
    to.start_code = start_code;
    to.stacks = static_cast<uint32_t>(current_settings.stacks);
    for (unsigned event = 0; event < kEventNumbers; ++event) {
        to.registered[event] = registered[event];
    }
    to.processors = static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
    to.processors_free = mask_count();
    char text[PATH_MAX];
    name_own_program(text, sizeof text);
    to.program = *text != 0 ? add_text(text) : 0;
    if (gethostname(text, sizeof text) == 0) {
        text[sizeof text - 1] = 0;
        to.host = add_text(text);
    }
    mask_text(text, sizeof text);
    to.affinity = add_text(text);
    if (const auto version = extensions().version) {
        snprintf(text, sizeof text, "bridge %s", version());
        to.producer = add_text(text);
    }
    add_rank(to);
    add_arguments();
    add_environment();
    to.heartbeat_ns.store(run_ns(), std::memory_order_relaxed);
    to.ready.store(1, std::memory_order_release);
}

bool describe_runtime() {
    if (!extensions().runtime) {
        return true;
    }
    FileHeader &to = header();
    omp_collector_bridge_runtime_info info = {};
    extensions().runtime(&info);
    if (info.status != OMP_COLLECTOR_BRIDGE_ATTACHED) {
        return false;
    }
    to.runtime_version.store(add_text(info.version), std::memory_order_relaxed);
    to.generation.store(add_text(info.generation), std::memory_order_relaxed);
    to.omp_version.store(info.omp_version, std::memory_order_relaxed);
    to.runtime_file.store(add_text(info.file), std::memory_order_release);
    return true;
}

void record_heartbeat(bool count) {
    FileHeader &to = header();
    const uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    to.cpu_ns.store(cpu, std::memory_order_relaxed);
    to.heartbeat_ns.store(run_ns(), std::memory_order_release);
    if (!count) {
        return;
    }
    rusage used = {};
    getrusage(RUSAGE_SELF, &used);
    to.kernel_ns.store(static_cast<uint64_t>(used.ru_stime.tv_sec) * 1000000000u +
                           static_cast<uint64_t>(used.ru_stime.tv_usec) * 1000u,
                       std::memory_order_relaxed);
    to.page_faults.store(static_cast<uint64_t>(used.ru_minflt + used.ru_majflt),
                         std::memory_order_relaxed);
    uint64_t known = ended_cpu_ns.load(std::memory_order_relaxed) +
                     (sampling_thread ? clock_ns(thread_clock(sampling_thread)) : 0);
    for (const ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        if (slot->runs.load(std::memory_order_acquire)) {
            known += clock_ns(slot->clock);
        }
    }
    to.other_threads.store(count_others(), std::memory_order_relaxed);
    to.other_waited_ns.store(others_waited(), std::memory_order_relaxed);
    // `known` includes what threads ran before their first OpenMP event, which is little.
    to.other_cpu_ns.store(
        to.other_threads.load(std::memory_order_relaxed) != 0 && cpu > known ? cpu - known : 0,
        std::memory_order_relaxed);
}

void record_sampling_thread() {
    sampling_thread = static_cast<int>(syscall(SYS_gettid));
}

void record_ended_thread(uint64_t cpu_ns) {
    ended_cpu_ns.fetch_add(cpu_ns, std::memory_order_relaxed);
}

void record_end(Ending ending, int code) {
    if (!store_is_open() || header().pid != getpid()) {
        return; // also in a child of vfork(), which has our memory
    }
    header().exit_code = code;
    header().end_ns = ending != Ending::kNone ? run_ns() : 0;
    header().ending.store(static_cast<uint32_t>(ending), std::memory_order_release);
}

bool may_run_on(unsigned long processor) {
    return in_mask(processor);
}

void set_initial_affinity(pthread_attr_t &attributes) {
    if (mask_bytes != 0) {
        pthread_attr_setaffinity_np(&attributes, mask_bytes,
                                    reinterpret_cast<const cpu_set_t *>(mask));
    }
}

} // namespace ompcollect
