// SPDX-License-Identifier: Apache-2.0
//
// See text_report.h. Tables show the columns that have samples, and a few always, so that a zero
// can be seen to be one. The order of rows is that of the profile: whoever fills it in sorts.
#include "text_report.h"

#include "omp_collector_api.h"

#include <cstring>

namespace ompcollect {
namespace {

constexpr size_t kRegionsShown = 50;
constexpr size_t kLocksShown = 10;

// Columns in reading order: work, waits, runtime, nothing to do.
constexpr unsigned kColumnOrder[kStateColumns] = {
    THR_SERIAL_STATE,
    THR_WORK_STATE,
    THR_REDUC_STATE,
    THR_IBAR_STATE,
    THR_EBAR_STATE,
    THR_LKWT_STATE,
    THR_CTWT_STATE,
    THR_ODWT_STATE,
    THR_ATWT_STATE,
    THR_OVHD_STATE,
    THR_IDLE_STATE,
    12,
    13,
    14,
    15,
    16,
    0,
};

constexpr bool always_shown(unsigned state) {
    return state == THR_SERIAL_STATE || state == THR_WORK_STATE || state == THR_IBAR_STATE ||
           state == THR_IDLE_STATE;
}

// All threads together.
struct Sum {
    uint64_t samples = 0;
    StateTimes times;
};

bool has_column(unsigned state, const Sum &all) {
    return always_shown(state) || all.times.wall[state] > 0;
}

const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void print_place(TextOutput &out, const Place &place) {
    if (place.symbol) {
        out.print("%s", place.symbol);
    }
    if (place.source) {
        out.print("%s%s", place.symbol ? " " : "", place.source);
    } else if (place.module) {
        out.print(place.symbol ? " (%s+0x%llx)" : "%s+0x%llx", file_name(place.module),
                  static_cast<unsigned long long>(place.offset));
    } else if (!place.symbol) {
        out.print("-");
    }
}

void print_shares(TextOutput &out, uint64_t samples, const StateTimes &times, const Sum &columns) {
    const double sum = total_wall(times);
    out.print(" %9llu", static_cast<unsigned long long>(samples));
    for (const unsigned state : kColumnOrder) {
        if (has_column(state, columns)) {
            out.print(" %7.1f", sum > 0 ? 100.0 * times.wall[state] / sum : 0.0);
        }
    }
    out.print("\n");
}

void print_thread_name(TextOutput &out, const ThreadRow &row) {
    if (row.threads > 1) {
        out.print("%4u %8llu threads    ", row.number,
                  static_cast<unsigned long long>(row.threads));
    } else {
        out.print("%4u %-7s   %9ld", row.number, row.kind == ThreadKind::kInitial ? "initial" : "",
                  row.tid);
    }
}

void print_threads(TextOutput &out, const Profile &profile, const Sum &all) {
    out.print("Threads: share of the thread's samples in each state, in percent\n");
    out.print("  %-24s %9s", "thread               tid", "samples");
    for (const unsigned state : kColumnOrder) {
        if (has_column(state, all)) {
            out.print(" %7s", state_name(state));
        }
    }
    out.print("\n");
    for (size_t i = 0; i < profile.thread_count; ++i) {
        out.print("  ");
        print_thread_name(out, profile.threads[i]);
        print_shares(out, profile.threads[i].samples, profile.threads[i].times, all);
    }
    out.print("  %-24s", " all");
    print_shares(out, all.samples, all.times, all);
}

void print_seconds(TextOutput &out, const StateTimes &times, const Sum &columns) {
    out.print(" %8.2f", total_wall(times));
    for (const unsigned state : kColumnOrder) {
        if (has_column(state, columns)) {
            out.print(" %7.2f", times.wall[state]);
        }
    }
    out.print("  ");
}

void print_special_region(TextOutput &out, const StateTimes &times, const Sum &all,
                          const char *name) {
    if (total_wall(times) <= 0) {
        return;
    }
    out.print("  %10s", "");
    print_seconds(out, times, all);
    out.print("%s\n", name);
}

void print_regions(TextOutput &out, const Profile &profile, const Sum &all) {
    out.print("\nParallel regions: seconds of thread time in each state, by where the region is "
              "forked\n");
    out.print("  %10s %8s", "entries", "total");
    for (const unsigned state : kColumnOrder) {
        if (has_column(state, all)) {
            out.print(" %7s", state_name(state));
        }
    }
    out.print("  fork location\n");
    for (size_t i = 0; i < profile.region_count && i < kRegionsShown; ++i) {
        const RegionRow &region = profile.regions[i];
        out.print("  %10llu", static_cast<unsigned long long>(region.entries));
        print_seconds(out, region.times, all);
        print_place(out, region.place);
        if (region.parent >= 0 && static_cast<size_t>(region.parent) < profile.region_count) {
            out.print("  inside ");
            print_place(out, profile.regions[region.parent].place);
        }
        out.print("\n");
    }
    if (profile.region_count > kRegionsShown) {
        out.print("  and %zu more\n", profile.region_count - kRegionsShown);
    }
    print_special_region(out, profile.unknown_region, all, "(regions whose fork was not seen)");
    print_special_region(out, profile.several, all, "(idle while several outermost regions ran)");
    print_special_region(out, profile.serial, all, "(outside any region)");
    out.print("  IDLE of a region: workers that were not (yet) part of it while it was the only "
              "outermost one.\n  IDLE outside any region: workers while no region ran.\n");
}

void print_locks(TextOutput &out, const Profile &profile) {
    out.print("\nMost contended locks\n");
    if (profile.lock_count == 0) {
        out.print("  none: no thread was seen waiting for a lock, critical, ordered or atomic "
                  "region\n");
        return;
    }
    out.print("  %10s %8s  %-5s %-18s  %s\n", "waits", "seconds", "kind", "wait id",
              "object, first wait at");
    for (size_t i = 0; i < profile.lock_count && i < kLocksShown; ++i) {
        const LockRow &lock = profile.locks[i];
        out.print("  %10llu %8.2f  %-5s 0x%-16llx  ", static_cast<unsigned long long>(lock.waits),
                  lock.wall, state_name(lock.state), static_cast<unsigned long long>(lock.wait_id));
        print_place(out, lock.object);
        out.print(", ");
        print_place(out, lock.first_wait);
        out.print("\n");
    }
    if (profile.lock_count > kLocksShown) {
        out.print("  and %zu more\n", profile.lock_count - kLocksShown);
    }
}

void print_event_line(TextOutput &out, const Profile &profile) {
    out.print("\nEvents:");
    for (unsigned event = 1; event < kEventNumbers; ++event) {
        if (profile.events[event].registered == OMP_ERRCODE_OK) {
            out.print(" %s %llu", event_name(event),
                      static_cast<unsigned long long>(profile.events[event].count));
        }
    }
    out.print("\n");
    bool first = true;
    for (unsigned event = 1; event < kEventNumbers; ++event) {
        if (profile.events[event].registered > OMP_ERRCODE_OK) {
            out.print(first ? "Not offered here: %s (%s)" : ", %s (%s)", event_name(event),
                      error_name(profile.events[event].registered));
            first = false;
        }
    }
    if (!first) {
        out.print("\n");
    }
}

void print_totals(TextOutput &out, const Profile &profile, const Sum &all) {
    print_event_line(out, profile);
    out.print("Samples: %llu (%llu of them delivered late), lost %llu; %u a second per thread, "
              "%s, over %.2f s\n",
              static_cast<unsigned long long>(all.samples),
              static_cast<unsigned long long>(profile.late_samples),
              static_cast<unsigned long long>(profile.lost_samples), profile.rate,
              profile.off_processor == OffProcessor::kNotMeasured ? "cpu clock" : "wall clock",
              profile.seconds);
    if (profile.signal_taken) {
        out.print("The program took over the sampling signal, so samples are missing; give another "
                  "signal number in OMPCOLLECT_SIGNAL.\n");
    }
}

} // namespace

void write_text_report(const Profile &profile, TextOutput &out) {
    out.print("\n== OpenMP profile of %s (pid %ld) ==\n", profile.program, profile.pid);
    if (profile.start_code != OMP_ERRCODE_OK) {
        out.print("No profile: %s%s.\n",
                  profile.start_code < 0 ? "no library in the process serves the Collector API"
                                         : "the request START was refused with ",
                  profile.start_code < 0 ? "" : error_name(profile.start_code));
        return;
    }
    Sum all;
    for (size_t i = 0; i < profile.thread_count; ++i) {
        all.samples += profile.threads[i].samples;
        add_times(all.times, profile.threads[i].times);
    }
    if (!used_openmp(profile)) {
        out.print("No parallel region was forked, and no thread was seen in the OpenMP runtime.\n");
        return;
    }
    if (all.samples == 0) {
        out.print("No samples: the program ended before the first one (see --rate).\n");
    } else {
        print_threads(out, profile, all);
    }
    print_regions(out, profile, all);
    print_locks(out, profile);
    print_totals(out, profile, all);
}

} // namespace ompcollect
