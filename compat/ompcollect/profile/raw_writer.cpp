// SPDX-License-Identifier: Apache-2.0
//
// See raw_profile.h.
#include "raw_profile.h"

namespace ompcollect {
namespace {

unsigned long long wide(uint64_t number) {
    return number;
}

// A string as the last field or before a tab: separators inside it become spaces.
void put_string(TextOutput &out, const char *text) {
    for (; text && *text; ++text) {
        out.print("%c", *text == '\t' || *text == '\n' ? ' ' : *text);
    }
}

void put_counts(TextOutput &out, const StateCounts &counts) {
    for (const uint64_t count : counts) {
        out.print("\t%llu", wide(count));
    }
}

void put_place(TextOutput &out, const Place &place) {
    out.print("\t%llx\t", wide(place.offset));
    put_string(out, place.module);
    out.print("\t");
    put_string(out, place.symbol);
}

void put_counts_line(TextOutput &out, const char *head, const StateCounts &counts) {
    out.print("%s", head);
    put_counts(out, counts);
    out.print("\n");
}

} // namespace

void write_raw_profile(const RawProfile &profile, TextOutput &out) {
    out.print("%s\nprocess\t%ld\t", kRawProfileHead, profile.pid);
    put_string(out, profile.program);
    out.print("\nrun\t%u\t%s\t%.6f\t%d\t%d\n", profile.rate, profile.wall_clock ? "wall" : "cpu",
              profile.seconds, profile.start_code, profile.signal_taken ? 1 : 0);
    out.print("totals\t%llu\t%llu\t%llu\n", wide(profile.late_samples), wide(profile.lost_samples),
              wide(profile.untabled_locks));
    for (unsigned event = 1; event < kEventNumbers; ++event) {
        out.print("event\t%u\t%d\t%llu\n", event, profile.events[event].registered,
                  wide(profile.events[event].count));
    }
    for (size_t i = 0; i < profile.thread_count; ++i) {
        const RawThread &row = profile.threads[i];
        out.print("thread\t%u\t%ld\t%u\t%llu", row.number, row.tid, static_cast<unsigned>(row.kind),
                  wide(row.folded));
        put_counts(out, row.samples);
        out.print("\n");
    }
    for (size_t i = 0; i < profile.region_count; ++i) {
        const RawRegion &row = profile.regions[i];
        out.print("region\t%llu\t%d", wide(row.entries), row.parent);
        put_counts(out, row.samples);
        put_place(out, row.place);
        out.print("\n");
    }
    put_counts_line(out, "serial", profile.serial);
    put_counts_line(out, "several", profile.several);
    put_counts_line(out, "unknown", profile.unknown_region);
    for (size_t i = 0; i < profile.lock_count; ++i) {
        const RawLock &row = profile.locks[i];
        out.print("lock\t%u\t%llx\t%llu\t%llu", row.state, wide(row.wait_id), wide(row.waits),
                  wide(row.samples));
        put_place(out, row.object);
        put_place(out, row.first_wait);
        out.print("\n");
    }
    out.print("end\n");
}

} // namespace ompcollect
