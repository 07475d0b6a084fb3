// SPDX-License-Identifier: Apache-2.0
//
// Chrome trace events, which ui.perfetto.dev and speedscope open: on each thread's track a slice
// per frame of the call path, the state innermost. Frames that two neighbours share are one slice.
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
    explicit TraceWriter(std::ostream &out) : out_(out) {
        out_ << "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
    }
    void event(const Json &event) {
        out_ << (is_first_ ? "\n" : ",\n") << text_of(event);
        is_first_ = false;
    }
    void end() { out_ << "\n]}\n"; }

  private:
    std::ostream &out_;
    bool is_first_ = true;
};

// Whole numbers: viewers add begin and length, and slices must end where those around them do.
int64_t micros(double seconds) {
    return std::llround(seconds * 1e6);
}

struct OpenSlice {
    std::string name;
    double begin = 0;
};

class Track {
  public:
    Track(TraceWriter &to, const Process &process, const Thread &thread)
        : to_(to), process_(process), thread_(thread) {}

    void add(const Stretch &stretch) {
        std::vector<std::string> names = path_names(process_, stretch.node);
        const std::string leaf = state_frame(stretch.state);
        names.push_back(leaf.empty() ? state_name(stretch.state) : leaf);
        size_t same = 0;
        if (stretch.begin <= end_) {
            while (same < open_.size() && same < names.size() && open_[same].name == names[same]) {
                ++same;
            }
        }
        close(same, std::min(end_, stretch.begin));
        for (; same < names.size(); ++same) {
            open_.push_back({names[same], stretch.begin});
        }
        end_ = stretch.end;
    }
    void close() { close(0, end_); }

  private:
    // The outer ones first: of slices of one begin and length, viewers put the first one outside.
    void close(size_t left, double end) {
        for (size_t i = left; i < open_.size(); ++i) {
            const OpenSlice &slice = open_[i];
            to_.event({{"ph", "X"},
                       {"name", slice.name},
                       {"cat", "openmp"},
                       {"pid", process_.pid},
                       {"tid", thread_.tid},
                       {"ts", micros(slice.begin)},
                       {"dur", micros(end) - micros(slice.begin)}});
        }
        open_.resize(std::min(left, open_.size()));
    }

    TraceWriter &to_;
    const Process &process_;
    const Thread &thread_;
    std::vector<OpenSlice> open_;
    double end_ = -1;
};

void write_process(const Process &process, TraceWriter &to) {
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
        tracks.emplace_back(to, process, thread);
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
        write_process(process, to);
    }
    to.end();
}

} // namespace ompcollect::report
