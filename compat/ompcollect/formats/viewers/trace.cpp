// SPDX-License-Identifier: Apache-2.0
//
// Chrome trace events, which ui.perfetto.dev and speedscope open: each thread's track has slices
// that nest. A slice is a begin and an end.
#include "formats.h"
#include "nearest.h"
#include "time_line.h"
#include "viewer_json.h"
#include "warnings.h"

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

void write_process(const Process &process, double offset, TraceWriter &to) {
    const std::string suffix = process.samples.empty() ? kOrderUnknown : "";
    to.event({{"ph", "M"},
              {"name", "process_name"},
              {"pid", process.pid},
              {"args", {{"name", process_name(process) + suffix}}}});
    std::vector<SliceTrack> tracks;
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
        tracks.emplace_back(process, offset,
                            [&](bool is_begin, const std::string &name, int64_t micros) {
                                to.event({{"ph", is_begin ? "B" : "E"},
                                          {"name", name},
                                          {"cat", "openmp"},
                                          {"pid", process.pid},
                                          {"tid", thread.tid},
                                          {"ts", micros}});
                            });
    }
    for (const Stretch &stretch : line_of(process)) {
        tracks[stretch.thread].add(stretch, to.is_large());
    }
    for (SliceTrack &track : tracks) {
        track.close();
    }
    for (const Warning &warning : warnings_of(process)) {
        to.event({{"ph", "i"},
                  {"s", "p"},
                  {"name", warning.text},
                  {"cat", "warning"},
                  {"pid", process.pid},
                  {"tid", process.pid},
                  {"ts", nearest((offset + process.seconds) * 1e6)}});
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
