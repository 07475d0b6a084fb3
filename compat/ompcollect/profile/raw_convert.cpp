// SPDX-License-Identifier: Apache-2.0
//
// See raw_profile.h: from counts of samples to seconds.
#include "profile_reader.h"
#include "raw_profile.h"

namespace ompcollect {
namespace {

struct Converter {
    const RawProfile &raw;
    LoadedProfile &to;

    double seconds(uint64_t samples) const {
        return static_cast<double>(samples) / (raw.rate ? raw.rate : 1);
    }
    uint64_t times(const StateCounts &from, StateTimes &into) const {
        uint64_t samples = 0;
        for (unsigned state = 0; state < kStateColumns; ++state) {
            samples += from[state];
            into.wall[state] = seconds(from[state]);
            into.cpu[state] = raw.wall_clock ? 0 : into.wall[state];
        }
        return samples;
    }
    Place place(const Place &from) const {
        Place place = from;
        place.module = to.keep(from.module);
        place.symbol = to.keep(from.symbol);
        return place;
    }
    void convert_rows() const;
};

void Converter::convert_rows() const {
    for (size_t i = 0; i < to.threads.size(); ++i) {
        const RawThread &from = raw.threads[i];
        ThreadRow &row = to.threads[i];
        row.number = from.number;
        row.tid = from.tid;
        row.kind =
            from.kind == RawThreadKind::kInitial ? ThreadKind::kInitial : ThreadKind::kOpenMP;
        row.threads = from.folded ? from.folded : 1;
        row.samples = times(from.samples, row.times);
    }
    for (size_t i = 0; i < to.regions.size(); ++i) {
        const RawRegion &from = raw.regions[i];
        RegionRow &row = to.regions[i];
        row.entries = from.entries;
        row.parent = from.parent;
        row.place = place(from.place);
        row.samples = times(from.samples, row.times);
    }
    for (size_t i = 0; i < to.locks.size(); ++i) {
        const RawLock &from = raw.locks[i];
        LockRow &row = to.locks[i];
        row.state = from.state;
        row.wait_id = from.wait_id;
        row.waits = from.waits;
        row.samples = from.samples;
        row.wall = seconds(from.samples);
        row.object = place(from.object);
        row.first_wait = place(from.first_wait);
    }
}

} // namespace

bool convert(const RawProfile &raw, LoadedProfile &to) {
    const Converter converter{raw, to};
    if (!to.make(to.threads, raw.thread_count) || !to.make(to.regions, raw.region_count) ||
        !to.make(to.locks, raw.lock_count)) {
        return false;
    }
    converter.convert_rows();
    Profile &profile = to.profile;
    profile.pid = raw.pid;
    if (const char *program = to.keep(raw.program)) {
        profile.program = program;
    }
    profile.rate = raw.rate ? raw.rate : 1;
    profile.off_processor = raw.wall_clock ? OffProcessor::kBySignals : OffProcessor::kNotMeasured;
    profile.seconds = raw.seconds;
    profile.start_code = raw.start_code;
    profile.ending = Ending::kExit;
    profile.signal_taken = raw.signal_taken;
    profile.late_samples = raw.late_samples;
    profile.lost_samples = raw.lost_samples;
    for (unsigned event = 0; event < kEventNumbers; ++event) {
        profile.events[event] = {raw.events[event].registered, raw.events[event].count};
    }
    converter.times(raw.serial, profile.serial);
    converter.times(raw.several, profile.several);
    converter.times(raw.unknown_region, profile.unknown_region);
    profile.threads = to.threads.rows;
    profile.thread_count = to.threads.count;
    profile.regions = to.regions.rows;
    profile.region_count = to.regions.count;
    profile.locks = to.locks.rows;
    profile.lock_count = to.locks.count;
    return true;
}

} // namespace ompcollect
