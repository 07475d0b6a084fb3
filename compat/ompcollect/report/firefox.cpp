// SPDX-License-Identifier: Apache-2.0
//
// The processed profile format of the Firefox Profiler: one track per thread, states as categories,
// parallel regions as markers. Every table is a struct of arrays of one length.
#include "formats.h"
#include "viewer_json.h"

#include <ostream>

namespace ompcollect::report {
namespace {

constexpr int kGeckoVersion = 27;
constexpr int kProcessedVersion = 48; // the viewer takes older ones and brings them up to date

// The viewer knows these colours only.
const char *colour_of(unsigned state) {
    constexpr const char *kColours[kStateColumns] = {
        "grey",  "purple",  "green",    "orange", "yellow", "transparent", "blue", "magenta", "red",
        "brown", "magenta", "lightred", "grey",   "grey",   "grey",        "grey", "grey",
    };
    return kColours[state < kStateColumns ? state : 0];
}

Json categories() {
    Json to = Json::array();
    for (unsigned state = 0; state < kStateColumns; ++state) {
        to.push_back({{"name", state == 0 ? "Other" : state_name(state)},
                      {"color", colour_of(state)},
                      {"subcategories", {"Other"}}});
    }
    return to;
}

Json nulls(size_t count) {
    return Json(std::vector<Json>(count, nullptr));
}
template <class Value> Json repeated(size_t count, Value value) {
    return Json(std::vector<Value>(count, value));
}

// The tables of one thread.
class Tables {
  public:
    explicit Tables(const Process &process) : process_(process) {}

    // Of a call path in a state; rows are made once.
    int stack(int node, unsigned state) {
        const auto [found, is_new] = stacks_of_.try_emplace({node, state}, -1);
        if (is_new) {
            int prefix = -1;
            for (const std::string &name : stack_names(process_, node, state)) {
                prefix = stack_row(prefix, frame(name), static_cast<int>(state));
            }
            found->second = prefix;
        }
        return found->second;
    }
    int string(const std::string &text) { return strings_.number(text); }

    void put_into(Json &thread) const {
        const size_t frames = frames_.names().size();
        std::vector<int> numbers(frames);
        std::vector<int> names(frames);
        for (size_t i = 0; i < frames; ++i) {
            numbers[i] = static_cast<int>(i);
            names[i] = name_of_frame_[i];
        }
        Json prefixes = Json::array();
        for (const int prefix : prefixes_) {
            prefixes.push_back(prefix < 0 ? Json(nullptr) : Json(prefix));
        }
        thread["stackTable"] = {{"frame", frame_of_},
                                {"prefix", std::move(prefixes)},
                                {"category", category_of_},
                                {"subcategory", repeated(frame_of_.size(), 0)},
                                {"length", frame_of_.size()}};
        thread["frameTable"] = {{"address", repeated(frames, -1)},
                                {"inlineDepth", repeated(frames, 0)},
                                {"category", nulls(frames)},
                                {"subcategory", nulls(frames)},
                                {"func", numbers},
                                {"nativeSymbol", nulls(frames)},
                                {"innerWindowID", nulls(frames)},
                                {"implementation", nulls(frames)},
                                {"line", nulls(frames)},
                                {"column", nulls(frames)},
                                {"length", frames}};
        thread["funcTable"] = {{"isJS", repeated(frames, false)},
                               {"relevantForJS", repeated(frames, false)},
                               {"name", names},
                               {"resource", repeated(frames, -1)},
                               {"fileName", nulls(frames)},
                               {"lineNumber", nulls(frames)},
                               {"columnNumber", nulls(frames)},
                               {"length", frames}};
        thread["resourceTable"] = {{"lib", Json::array()},
                                   {"name", Json::array()},
                                   {"host", Json::array()},
                                   {"type", Json::array()},
                                   {"length", 0}};
        thread["nativeSymbols"] = {{"libIndex", Json::array()},
                                   {"address", Json::array()},
                                   {"name", Json::array()},
                                   {"functionSize", Json::array()},
                                   {"length", 0}};
        thread["stringArray"] = strings_.names();
    }

  private:
    int frame(const std::string &name) {
        const int number = frames_.number(name);
        if (static_cast<size_t>(number) == name_of_frame_.size()) {
            name_of_frame_.push_back(strings_.number(name));
        }
        return number;
    }
    int stack_row(int prefix, int frame, int category) {
        const auto [found, is_new] =
            rows_.try_emplace({prefix, frame, category}, static_cast<int>(frame_of_.size()));
        if (is_new) {
            prefixes_.push_back(prefix);
            frame_of_.push_back(frame);
            category_of_.push_back(category);
        }
        return found->second;
    }

    const Process &process_;
    NameTable strings_;
    NameTable frames_;
    std::vector<int> name_of_frame_;
    std::vector<int> prefixes_;
    std::vector<int> frame_of_;
    std::vector<int> category_of_;
    std::map<std::tuple<int, int, int>, int> rows_;
    std::map<std::pair<int, unsigned>, int> stacks_of_;
};

// A region from its first to its last stretch without another one between.
struct Marker {
    int region = -1;
    double begin = 0;
    double end = 0;
};

Json thread_of(const Process &process, size_t number, const std::vector<Stretch> &line) {
    const Thread &from = process.threads[number];
    Tables tables(process);
    Json stacks = Json::array();
    Json times = Json::array();
    Json weights = Json::array();
    std::vector<Marker> markers;
    const double period = process.rate ? 1.0 / process.rate : 1;
    for (const Stretch &stretch : line) {
        if (stretch.thread != number) {
            continue;
        }
        const int stack = tables.stack(stretch.node, stretch.state);
        // The viewer draws a sample up to the next one: one per sampling period.
        const auto count =
            static_cast<size_t>(std::max(1.0, (stretch.end - stretch.begin) / period + 0.5));
        for (size_t i = 0; i < count; ++i) {
            stacks.push_back(stack);
            times.push_back((stretch.begin + static_cast<double>(i) * period) * 1e3);
            weights.push_back((stretch.end - stretch.begin) / static_cast<double>(count) * 1e3);
        }
        const int region = outermost_of(process, stretch.node);
        if (region >= 0) {
            if (markers.empty() || markers.back().region != region ||
                stretch.begin - markers.back().end > period) {
                markers.push_back({region, stretch.begin, stretch.end});
            }
            markers.back().end = stretch.end;
        }
    }
    Json names = Json::array();
    Json begins = Json::array();
    Json ends = Json::array();
    Json payloads = Json::array();
    for (const Marker &marker : markers) {
        names.push_back(tables.string("parallel region"));
        begins.push_back(marker.begin * 1e3);
        ends.push_back(marker.end * 1e3);
        payloads.push_back({{"type", "region"}, {"place", place_name(process, marker.region)}});
    }
    const size_t count = times.size();
    Json to = {{"processType", "default"},
               {"processName", process_name(process)},
               {"processStartupTime", 0},
               {"processShutdownTime", nullptr},
               {"registerTime", from.begin * 1e3},
               {"unregisterTime", nullptr},
               {"pausedRanges", Json::array()},
               {"name", thread_name(from) + (process.samples.empty() ? kOrderUnknown : "")},
               {"isMainThread", from.is_initial},
               {"pid", std::to_string(process.pid)},
               {"tid", from.tid},
               {"samples",
                {{"stack", std::move(stacks)},
                 {"time", std::move(times)},
                 {"weight", std::move(weights)},
                 {"weightType", "tracing-ms"},
                 {"length", count}}},
               {"markers",
                {{"data", std::move(payloads)},
                 {"name", std::move(names)},
                 {"startTime", std::move(begins)},
                 {"endTime", std::move(ends)},
                 {"phase", repeated(markers.size(), 1)},
                 {"category", repeated(markers.size(), 0)},
                 {"length", markers.size()}}}};
    tables.put_into(to);
    return to;
}

Json meta_of(const Run &run) {
    Json meta = {
        {"interval", 1000.0 / 97},
        {"startTime", 0.0},
        {"processType", 0},
        {"product", "OpenMP profile"},
        {"categories", categories()},
        {"stackwalk", 1},
        {"debug", false},
        {"version", kGeckoVersion},
        {"preprocessedProfileVersion", kProcessedVersion},
        {"symbolicated", true},
        {"importedFrom", "ompcollect"},
        {"usesOnlyOneStackType", true},
        {"doesNotUseFrameImplementation", true},
        {"sourceCodeIsNotOnSearchfox", true},
        {"markerSchema",
         {{{"name", "region"},
           {"tooltipLabel", "{marker.data.place}"},
           {"tableLabel", "{marker.data.place}"},
           {"chartLabel", "{marker.data.place}"},
           {"display", {"marker-chart", "marker-table", "timeline-overview"}},
           {"data", {{{"key", "place"}, {"label", "Forked at"}, {"format", "string"}}}}}}}};
    if (!run.processes.empty()) {
        const Process &first = run.processes.front();
        meta["interval"] = first.rate ? 1000.0 / first.rate : 1.0;
        meta["startTime"] = static_cast<double>(first.begin) * 1e3;
        meta["product"] = base_name(first.program);
    }
    return meta;
}

} // namespace

void write_firefox(const Run &run, std::ostream &out) {
    out << "{\"meta\": " << text_of(meta_of(run))
        << ", \"libs\": [], \"pages\": [], \"threads\": [";
    const char *before = "\n";
    for (const Process &process : run.processes) {
        const std::vector<Stretch> line = line_of(process);
        for (size_t i = 0; i < process.threads.size(); ++i) {
            out << before << text_of(thread_of(process, i, line));
            before = ",\n";
        }
    }
    out << "\n]}\n";
}

} // namespace ompcollect::report
