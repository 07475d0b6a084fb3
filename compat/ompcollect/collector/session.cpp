// SPDX-License-Identifier: Apache-2.0
//
// The session: what happens when the collector is loaded, at each event, at fork() and at exit.
// Everything that is not of the collector's own making comes through producer.h.
#include "lock_table.h"
#include "module_map.h"
#include "producer.h"
#include "region_table.h"
#include "sampler.h"
#include "settings.h"
#include "thread_slots.h"
#include "thread_start.h"

#include "profile_reader.h"
#include "raw_profile.h"
#include "text_output.h"
#include "text_report.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// FORK and JOIN make the region table; the others are counted where something begins.
constexpr OMP_COLLECTORAPI_EVENT kEvents[] = {
    OMP_EVENT_FORK,
    OMP_EVENT_JOIN,
    OMP_EVENT_THR_BEGIN_IDLE,
    OMP_EVENT_THR_BEGIN_IBAR,
    OMP_EVENT_THR_BEGIN_EBAR,
    OMP_EVENT_THR_BEGIN_LKWT,
    OMP_EVENT_THR_BEGIN_CTWT,
    OMP_EVENT_THR_BEGIN_ODWT,
    OMP_EVENT_THR_BEGIN_ATWT,
    OMP_EVENT_THR_BEGIN_MASTER,
    OMP_EVENT_THR_BEGIN_SINGLE,
    OMP_EVENT_THR_BEGIN_ORDERED,
};
constexpr size_t kEventCount = sizeof kEvents / sizeof kEvents[0];

constinit std::atomic<bool> g_active{false};
constinit int g_start_code = -1;
constinit int g_register_codes[kEventCount] = {};
constinit struct timespec g_begin = {};

// The results at exit; static, as the process may be short of everything else by then.
constinit RawRegion g_region_rows[kMostRegions] = {};
constinit RawLock g_lock_rows[kMostLocks] = {};
constinit RawThread g_thread_rows[kMostThreads + 2] = {};

double seconds_since(const struct timespec &begin) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec - begin.tv_sec) +
           static_cast<double>(now.tv_nsec - begin.tv_nsec) * 1e-9;
}

// A process that has no OpenMP runtime (a shell, a build tool) is left in peace: it gets no
// signals.
bool runtime_is_loaded() {
    return dlsym(RTLD_DEFAULT, "omp_get_max_threads") != nullptr;
}

void on_event(OMP_COLLECTORAPI_EVENT event) {
    if (!g_active.load(std::memory_order_relaxed)) {
        return;
    }
    if (!sampler_runs()) {
        start_sampler(); // the runtime has come later, with a plugin
    }
    ThreadSlot *slot = meet_thread(RawThreadKind::kFound);
    if (!slot) {
        return; // an event after the end of its thread's destructors
    }
    start_thread_timer(*slot);
    const auto number = static_cast<unsigned>(event);
    if (number < kEventNumbers) {
        slot->events[number].fetch_add(1, std::memory_order_relaxed);
    }
    switch (event) {
    case OMP_EVENT_FORK:
        region_begins(*slot);
        break;
    case OMP_EVENT_JOIN:
        region_ends(*slot);
        break;
    case OMP_EVENT_THR_BEGIN_LKWT:
    case OMP_EVENT_THR_BEGIN_CTWT:
    case OMP_EVENT_THR_BEGIN_ODWT:
    case OMP_EVENT_THR_BEGIN_ATWT:
        lock_wait_begins(*slot);
        break;
    default:
        break;
    }
}

void add_thread_row(ThreadSlot &slot, void *data) {
    auto &profile = *static_cast<RawProfile *>(data);
    RawThread &row = g_thread_rows[profile.thread_count];
    row.number = slot.number;
    row.tid = slot.tid;
    row.kind = slot.kind;
    row.folded = slot.folded.load(std::memory_order_relaxed);
    uint64_t sum = 0;
    for (unsigned i = 0; i < kStateColumns; ++i) {
        row.samples[i] = slot.samples[i].load(std::memory_order_relaxed);
        sum += row.samples[i];
    }
    for (unsigned i = 0; i < kEventNumbers; ++i) {
        profile.events[i].count += slot.events[i].load(std::memory_order_relaxed);
    }
    if (sum != 0) {
        ++profile.thread_count;
    }
}

const char *program_path() {
    static char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return path;
}

void gather(RawProfile &profile) {
    profile.pid = getpid();
    profile.program = program_path();
    profile.rate = g_settings.rate;
    profile.wall_clock = g_settings.wall_clock;
    profile.start_code = g_start_code;
    if (g_start_code != OMP_ERRCODE_OK) {
        return;
    }
    profile.seconds = seconds_since(g_begin);
    profile.late_samples = late_samples();
    profile.lost_samples = lost_samples();
    for (RawEvent &event : profile.events) {
        event.registered = -1;
    }
    for (size_t i = 0; i < kEventCount; ++i) {
        profile.events[kEvents[i]].registered = g_register_codes[i];
    }
    refresh_modules();
    profile.threads = g_thread_rows;
    for_each_slot(add_thread_row, &profile);
    profile.regions = g_region_rows;
    profile.region_count = collect_regions(g_region_rows);
    collect_unlocated(profile.serial, profile.several, profile.unknown_region);
    profile.locks = g_lock_rows;
    profile.lock_count = collect_locks(g_lock_rows);
    profile.untabled_locks = untabled_locks();
}

// A file of its own per process; the number tells apart processes that had the same pid.
int open_profile_file() {
    char path[PATH_MAX];
    for (unsigned number = 0; number < 1000; ++number) {
        const int length = snprintf(path, sizeof path, "%s/%ld-%u%s", g_settings.profile_dir,
                                    static_cast<long>(getpid()), number, kRawProfileSuffix);
        if (length >= static_cast<int>(sizeof path)) {
            errno = ENAMETOOLONG;
            break;
        }
        const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST) {
            if (fd < 0) {
                complain("the profile cannot be written: %s: %s", path, strerror(errno));
            }
            return fd;
        }
    }
    complain("the profile cannot be written to %s: %s", g_settings.profile_dir, strerror(errno));
    return -1;
}

// The launcher wants to hear of its own child in any case; of other processes, and without the
// launcher, only if they have something to tell.
void write_profile(const RawProfile &profile) {
    LoadedProfile converted;
    const bool worth_it = profile.start_code == OMP_ERRCODE_OK && convert(profile, converted) &&
                          used_openmp(converted.profile);
    if (!g_settings.profile_dir) {
        if (worth_it) {
            TextOutput out(STDERR_FILENO);
            write_text_report(converted.profile, out);
        }
        return;
    }
    if (!worth_it && !g_settings.launched) {
        return;
    }
    const int fd = open_profile_file();
    if (fd >= 0) {
        {
            TextOutput out(fd);
            write_raw_profile(profile, out);
        }
        close(fd);
    }
}

void fork_child() {
    if (!g_active.load(std::memory_order_relaxed)) {
        return;
    }
    g_settings.launched = false;
    reset_module_lock();
    ThreadSlot *slot = restart_slots();
    restart_regions(slot);
    restart_locks();
    restart_sampler();
    clock_gettime(CLOCK_MONOTONIC, &g_begin);
    if (slot) {
        start_thread_timer(*slot);
    }
}

__attribute__((constructor)) void load() {
    read_settings();
    if (!find_producer()) {
        complain("no library in this process serves the Collector API: preload one together with "
                 "this collector (ompcollect does); going on without a profile");
        return;
    }
    warm_up_unwinder();
    g_start_code = simple_request(OMP_REQ_START);
    if (g_start_code != OMP_ERRCODE_OK) {
        complain("the request START was refused (%s): no profile of this process (pid %ld)",
                 error_name(g_start_code), static_cast<long>(getpid()));
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &g_begin);
    refresh_modules();
    prepare_thread_start();
    pthread_atfork(nullptr, nullptr, fork_child);
    g_active.store(true, std::memory_order_release);
    if (runtime_is_loaded()) {
        start_sampler();
    }
    meet_thread(RawThreadKind::kFound);
    register_events(kEvents, kEventCount, on_event, g_register_codes);
}

__attribute__((destructor)) void unload() {
    if (g_active.load(std::memory_order_relaxed)) {
        RawProfile profile;
        profile.signal_taken = sampler_runs() && signal_was_taken();
        // Sampling ends before the session: after STOP every sample would be refused.
        g_active.store(false, std::memory_order_release);
        end_thread_start();
        stop_sampler();
        simple_request(OMP_REQ_STOP);
        gather(profile);
        write_profile(profile);
    } else if (g_settings.launched) {
        RawProfile profile;
        gather(profile);
        write_profile(profile);
    }
}

} // namespace
} // namespace ompcollect
