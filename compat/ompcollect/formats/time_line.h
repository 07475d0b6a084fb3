// SPDX-License-Identifier: Apache-2.0
//
// The time line that viewers get: what each thread did one after the other, with lengths that are
// those of the tables. Samples tell the order and where in time; the cells tell how long. So what a
// viewer adds up is what every other report says, also where a state was not sampled evenly.
#pragma once

#include "frames.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ompcollect::report {

// By thread, then time, without overlap. For each thread, node and state the lengths add up to the
// wall time of its cells. Time that has no samples of its own stands behind the stretches in whose
// state it was, else behind others of its place, its region or its thread. Of a thread without
// samples the sums stand one after the other. So a stretch may begin later than its first
// sample came, or up to ten sampling periods earlier. Where samples were lost, no stretch is longer
// than they show. Without samples that have times: the sums one after the other, in the order of
// the call paths.
std::vector<Stretch> line_of(const Process &process);

// Seconds from the first process's begin to that of another, so that processes stand where they
// were on one axis of time.
double begins_after_first(const Run &run, const Process &process);

inline constexpr char kOrderUnknown[] = " (sums; order unknown)";

// A thread's time line as slices that nest: a slice per frame of the call path, the state
// innermost. Frames that two neighbours share are one slice.
class SliceTrack {
  public:
    // `micros` never decreases. A slice that begins where others end begins a microsecond later, so
    // that no viewer has to guess which of two events with one time comes first.
    using Mark = std::function<void(bool is_begin, const std::string &name, int64_t micros)>;

    SliceTrack(const Process &process, Mark mark) : process_(process), mark_(std::move(mark)) {}

    // Deep paths keep their innermost frames alone where `is_large`.
    void add(const Stretch &stretch, bool is_large);
    void close() { close(0, end_); }

  private:
    void close(size_t left, double end);
    void mark(bool is_begin, const std::string &name, double time);

    const Process &process_;
    Mark mark_;
    std::vector<std::string> open_; // from the outermost
    double end_ = -1;
    int64_t last_ = 0; // of the marks
    bool last_is_begin_ = true;
};

} // namespace ompcollect::report
