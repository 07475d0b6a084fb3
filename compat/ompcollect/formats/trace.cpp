// SPDX-License-Identifier: Apache-2.0
//
// Chrome trace events, which ui.perfetto.dev and speedscope open: on each thread's track a slice
// per frame of the call path, the state innermost. Frames that two neighbours share are one slice.
// A slice is a begin and an end.
#include "formats.h"
#include "viewer_json.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace ompcollect::report {
namespace {

// Writes events one by one: the list of a long run would be large.
class TraceWriter {
  public:
    // No displayTimeUnit: Perfetto of 2020 and 2021 reads every time in that unit.
    explicit TraceWriter(std::ostream &out) : out_(out) { out_ << "{\"traceEvents\": ["; }
    void event(const Json &event) {
        out_ << (is_first_ ? "\n" : ",\n") << text_of(event);
        is_first_ = false;
        ++events_;
    }
    // More than real runs have, whose neighbours share most of their frames.
    [[nodiscard]] bool is_large() const { return events_ > 1000000; }
    void end() { out_ << "\n]}\n"; }

  private:
    std::ostream &out_;
    bool is_first_ = true;
    size_t events_ = 0;
};

// Whole numbers, so that what happens together is equal.
int64_t micros(double seconds) {
    return std::llround(seconds * 1e6);
}

class Track {
  public:
    Track(TraceWriter &to, const Process &process, const Thread &thread, double offset)
        : to_(to), process_(process), thread_(thread), offset_(offset) {}

    void add(const Stretch &stretch) {
        std::vector<std::string> names = path_names(process_, stretch.node);
        const std::string leaf = state_at(stretch.state).frame;
        names.push_back(leaf.empty() ? state_name(stretch.state) : leaf);
        constexpr size_t kFew = 20;
        if (to_.is_large() && names.size() > kFew) {
            names.erase(names.begin(), names.end() - kFew);
        }
        size_t same = 0;
        if (stretch.begin <= end_) {
            while (same < open_.size() && same < names.size() && open_[same] == names[same]) {
                ++same;
            }
        }
        close(same, std::min(end_, stretch.begin));
        for (; same < names.size(); ++same) {
            open_.push_back(names[same]);
            mark("B", names[same], stretch.begin);
        }
        end_ = stretch.end;
    }
    void close() { close(0, end_); }

  private:
    // Begins and ends in the order in which they happen: of whole slices that begin together a
    // viewer would have to guess which one is outside.
    void close(size_t left, double end) {
        while (open_.size() > left) {
            mark("E", open_.back(), end);
            open_.pop_back();
        }
    }
    // What begins where others end begins a microsecond later: of events of one time and name
    // speedscope takes the begin first.
    void mark(const char *phase, const std::string &name, double time) {
        const bool is_begin = *phase == 'B';
        last_ = std::max(micros(offset_ + time), last_ + (is_begin && !last_is_begin_ ? 1 : 0));
        last_is_begin_ = is_begin;
        to_.event({{"ph", phase},
                   {"name", name},
                   {"cat", "openmp"},
                   {"pid", process_.pid},
                   {"tid", thread_.tid},
                   {"ts", last_}});
    }

    TraceWriter &to_;
    const Process &process_;
    const Thread &thread_;
    double offset_;                 // of the process, seconds
    std::vector<std::string> open_; // from the outermost
    double end_ = -1;
    int64_t last_ = 0; // of the events written
    bool last_is_begin_ = true;
};

void write_process(const Process &process, double offset, TraceWriter &to) {
    const std::string suffix = process.samples.empty() ? kOrderUnknown : "";
    to.event({{"ph", "M"},
              {"name", "process_name"},
              {"pid", process.pid},
              {"args", {{"name", process_name(process) + suffix}}}});
    std::vector<Track> tracks;
    for (const Thread &thread : process.threads) {
        to.event({{"ph", "M"},
                  {"name", "thread_name"},
                  {"pid", process.pid},
                  {"tid", thread.tid},
                  {"args", {{"name", thread_name(thread)}}}});
        to.event({{"ph", "M"},
                  {"name", "thread_sort_index"},
                  {"pid", process.pid},
                  {"tid", thread.tid},
                  {"args", {{"sort_index", thread.number}}}});
        tracks.emplace_back(to, process, thread, offset);
    }
    for (const Stretch &stretch : line_of(process)) {
        tracks[stretch.thread].add(stretch);
    }
    for (Track &track : tracks) {
        track.close();
    }
}

} // namespace

void write_trace(const Run &run, std::ostream &out) {
    TraceWriter to(out);
    for (const Process &process : run.processes) {
        write_process(process, begins_after_first(run, process), to);
    }
    to.end();
}

} // namespace ompcollect::report
