// SPDX-License-Identifier: Apache-2.0
//
// The processed profile format of the Firefox Profiler: one track per thread, states as categories,
// parallel regions as markers. Every table is a struct of arrays of one length.
#include "firefox_tables.h"
#include "formats.h"
#include "time_line.h"
#include "warnings.h"
#include "words.h"

#include <algorithm>
#include <numeric>
#include <ostream>

namespace ompcollect::report {
namespace {

constexpr int kGeckoVersion = 27;
constexpr int kProcessedVersion = 48; // the viewer takes older ones and brings them up to date

constexpr unsigned kRegionCategory = kStateColumns; // of markers

Json categories() {
    Json to = Json::array();
    const auto add = [&](const char *name, const char *colour) {
        to.push_back({{"name", name}, {"color", colour}, {"subcategories", {"Other"}}});
    };
    for (unsigned state = 0; state < kStateColumns; ++state) {
        // The viewer needs a grey one, for frames seen in several states.
        add(state == 0 ? "Other" : state_at(state).words, state_at(state).firefox_colour);
    }
    add("Parallel regions", "lightgreen");
    return to;
}

// Columns of samples; times in milliseconds.
struct SampleColumns {
    void add(const Json &stack, double time, double weight) {
        stacks.push_back(stack);
        times.push_back(time * 1e3);
        weights.push_back(weight * 1e3);
    }

    Json stacks = Json::array();
    Json times = Json::array();
    Json weights = Json::array();
};

// A thread in an outermost region, from its first to its last sample without another one between.
struct Marker {
    int region = -1;
    double begin = 0;
    double end = 0;
};

class FirefoxThread {
  public:
    FirefoxThread(const Process &process, double offset, double period)
        : process_(process), tables_(process), offset_(offset), period_(period) {}

    // With the seconds that the stretch stands for.
    void add(const Stretch &stretch) {
        // The viewer draws a sample up to the next one: so one per sampling period, and an empty
        // one where nothing is known.
        if (end_ >= 0 && stretch.begin - end_ > period_ / 2) {
            samples_.add(nullptr, offset_ + end_, 0);
        }
        const double length = stretch.end - stretch.begin;
        const auto count = static_cast<size_t>(std::max(1.0, length / period_ + 0.5));
        const int stack = tables_.stack(stretch.node, stretch.state);
        for (size_t i = 0; i < count; ++i) {
            samples_.add(stack, offset_ + stretch.begin + static_cast<double>(i) * period_,
                         length / static_cast<double>(count));
        }
        end_ = stretch.end;
        mark(stretch);
    }
    void put_into(Json &thread);

  private:
    void mark(const Stretch &stretch) {
        const int region = outermost_of(process_, stretch.node);
        if (region < 0) {
            return;
        }
        if (markers_.empty() || markers_.back().region != region ||
            stretch.begin - markers_.back().end > period_) {
            markers_.push_back({region, stretch.begin, stretch.end});
        }
        markers_.back().end = stretch.end;
    }

    const Process &process_;
    FirefoxTables tables_;
    double offset_; // of the process, seconds
    double period_;
    double end_ = -1; // of the last stretch
    SampleColumns samples_;
    std::vector<Marker> markers_;
};

void FirefoxThread::put_into(Json &thread) {
    const size_t count = samples_.times.size();
    thread["samples"] = {{"stack", std::move(samples_.stacks)},
                         {"time", std::move(samples_.times)},
                         {"weight", std::move(samples_.weights)},
                         {"weightType", "tracing-ms"},
                         {"length", count}};
    Json names = Json::array();
    Json begins = Json::array();
    Json ends = Json::array();
    // The viewer has a row for each name.
    for (const Marker &marker : markers_) {
        names.push_back(tables_.string(place_name(process_, marker.region)));
        begins.push_back((offset_ + marker.begin) * 1e3);
        ends.push_back((offset_ + marker.end) * 1e3);
    }
    const size_t length = markers_.size();
    thread["markers"] = {{"data", std::vector<Json>(length, {{"type", "region"}})},
                         {"name", std::move(names)},
                         {"startTime", std::move(begins)},
                         {"endTime", std::move(ends)},
                         {"phase", std::vector<int>(length, 1)},
                         {"category", std::vector<unsigned>(length, kRegionCategory)},
                         {"length", length}};
    tables_.put_into(thread);
}

// The viewer names a process by its first thread.
std::string track_name(const Process &process, const Thread &thread) {
    std::string name = thread_name(thread);
    if (thread.is_initial) {
        name = bounded(base_name(process.program)) +
               (process.rank.empty() ? "" : " rank " + bounded(process.rank)) + ": " + name;
    }
    return name + (process.samples.empty() ? kOrderUnknown : "");
}

// What is drawn of a process, by thread.
struct Drawn {
    explicit Drawn(const Process &process);

    std::vector<Stretch> line;
    std::vector<size_t> first_of_thread; // in the line; one more than there are threads
    double period;                       // of the samples drawn
};

// A long stretch is drawn by fewer samples where all of them would make the file large.
Drawn::Drawn(const Process &process)
    : line(line_of(process)), first_of_thread(process.threads.size() + 1, 0),
      period(process.rate ? sample_period(process) : 1) {
    constexpr double kManyOfAStretch = 16;
    constexpr double kFew = 100000;
    double seconds = 0;
    for (const Stretch &stretch : line) {
        seconds += std::max(0.0, stretch.end - stretch.begin);
        ++first_of_thread[stretch.thread + 1];
    }
    std::partial_sum(first_of_thread.begin(), first_of_thread.end(), first_of_thread.begin());
    const double most = kFew + kManyOfAStretch * static_cast<double>(line.size());
    period = std::max(period, seconds / most);
}

Json thread_of(const Process &process, size_t number, double offset, const Drawn &drawn) {
    const Thread &from = process.threads[number];
    // Nobody asks when the initial thread began.
    const double begin = from.is_initial ? 0 : from.begin;
    Json to = {{"processType", "default"},
               {"processName", process_name(process)},
               {"processStartupTime", offset * 1e3},
               {"processShutdownTime", (offset + process.seconds) * 1e3},
               {"registerTime", (offset + begin) * 1e3},
               {"unregisterTime", nullptr},
               {"pausedRanges", Json::array()},
               {"name", track_name(process, from)},
               {"isMainThread", from.is_initial},
               {"pid", std::to_string(process.pid)},
               {"tid", from.tid}};
    FirefoxThread track(process, offset, drawn.period);
    for (size_t i = drawn.first_of_thread[number]; i < drawn.first_of_thread[number + 1]; ++i) {
        track.add(drawn.line[i]);
    }
    track.put_into(to);
    return to;
}

Json region_schema() {
    return {{"name", "region"},
            {"tooltipLabel", "{marker.name}"},
            {"tableLabel", "parallel region"},
            {"chartLabel", "{marker.name}"},
            {"display", {"marker-chart", "marker-table", "timeline-overview"}},
            {"data",
             {{{"label", "Description"},
               {"value", "The thread was in this parallel region, or in one inside it, as its "
                         "samples saw it. Entries that follow each other closely are one."}}}}};
}

Json meta_of(const Run &run) {
    Json meta = {{"interval", 1000.0 / 97},
                 {"startTime", 0.0},
                 {"processType", 0},
                 {"product", "OpenMP profile"},
                 {"categories", categories()},
                 {"stackwalk", 1},
                 {"version", kGeckoVersion},
                 {"preprocessedProfileVersion", kProcessedVersion},
                 {"symbolicated", true},
                 {"symbolicationNotSupported", true}, // else the viewer offers it
                 {"importedFrom", "ompcollect"},
                 {"usesOnlyOneStackType", true},
                 {"doesNotUseFrameImplementation", true},
                 {"sourceCodeIsNotOnSearchfox", true},
                 {"keepProfileThreadOrder", true},
                 {"markerSchema", {region_schema()}}};
    if (run.processes.empty()) {
        return meta;
    }
    // Else the viewer shows the fifteen busiest threads and leaves out those that are mostly idle.
    std::vector<size_t> threads;
    double end = 0;
    for (const Process &process : run.processes) {
        for (size_t i = 0; i < process.threads.size(); ++i) {
            threads.push_back(threads.size());
        }
        end = std::max(end, begins_after_first(run, process) + process.seconds);
    }
    if (!threads.empty()) {
        meta["initialVisibleThreads"] = threads;
        meta["initialSelectedThreads"] = {threads.front()};
    }
    const Process &first = run.processes.front();
    meta["interval"] = first.rate ? 1000.0 * sample_period(first) : 1.0;
    meta["startTime"] = static_cast<double>(first.begin) * 1e3 +
                        static_cast<double>(first.begin_nanoseconds) * 1e-6 -
                        begins_after_first(run, first) * 1e3;
    if (end > 0) {
        meta["profilingStartTime"] = 0;
        meta["profilingEndTime"] = end * 1e3;
    }
    Json warnings = Json::array();
    for (const std::string &text : warning_texts(run)) {
        warnings.push_back({{"label", "Warning"}, {"format", "string"}, {"value", text}});
    }
    if (!warnings.empty()) {
        meta["extra"] = {{{"label", "Warnings"}, {"entries", std::move(warnings)}}};
    }
    meta["product"] = base_name(first.program);
    meta["arguments"] = joined(first.arguments, " ");
    if (first.processors != 0) {
        meta["logicalCPUs"] = first.processors;
    }
    return meta;
}

} // namespace

void write_firefox(const Run &run, std::ostream &out) {
    out << "{\"meta\": " << text_of(meta_of(run))
        << ", \"libs\": [], \"pages\": [], \"threads\": [";
    const char *before = "\n";
    for (const Process &process : run.processes) {
        const Drawn drawn(process);
        const double offset = begins_after_first(run, process);
        for (size_t i = 0; i < process.threads.size(); ++i) {
            out << before << text_of(thread_of(process, i, offset, drawn));
            before = ",\n";
        }
    }
    out << "\n]}\n";
}

} // namespace ompcollect::report
