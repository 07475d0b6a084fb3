// SPDX-License-Identifier: Apache-2.0
#include "scaling_text.h"
#include "words.h"

#include <nlohmann/json.hpp>

namespace ompcollect::report {
namespace {

using Json = nlohmann::ordered_json;

Json seconds_of(const ThreadSeconds &from) {
    Json to = {{"useful", from.useful}};
    for (const auto &[cause, seconds] : from.lost) {
        to[cause_key(cause)] = seconds;
    }
    return to;
}

Json fit_of(const Scaling &scaling) {
    const std::vector<Timing> timings = scaling.timings();
    if (timings.size() < 2) {
        return nullptr;
    }
    if (scaling.grows) {
        const GustafsonFit fit = gustafson_fit(timings);
        return {{"law", "gustafson"},
                {"serial_share", fit.serial_share},
                {"worst_error", fit.worst_error}};
    }
    const AmdahlFit fit = amdahl_fit(timings);
    return {{"law", "amdahl"},
            {"serial_share", fit.serial_share()},
            {"serial_seconds", fit.serial},
            {"parallel_seconds", fit.parallel},
            {"worst_error", fit.worst_error}};
}

Json counts_of(const KernelCounts &from) {
    return {{"kernel_seconds", from.seconds},
            {"page_faults", from.page_faults},
            {"voluntary_switches", from.waits}};
}

Json inflation_of(const WorkInflation &from) {
    Json regions = Json::array();
    for (const InflatedRegion &region : from.regions) {
        Json functions = Json::array();
        for (const auto &[name, seconds] : region.functions) {
            functions.push_back({{"name", name}, {"more_thread_seconds", seconds}});
        }
        regions.push_back({{"name", region.name},
                           {"useful_first", region.first},
                           {"useful_last", region.last},
                           {"factor", region.factor()},
                           {"functions", functions}});
    }
    return {{"threads", from.threads},
            {"regions", regions},
            {"first", counts_of(from.first)},
            {"last", counts_of(from.last)},
            {"most_in_kernel", !from.regions.empty() && from.is_kernels()}};
}

} // namespace

void write_scaling_json(const Scaling &scaling, std::ostream &out) {
    Json rows = Json::array();
    for (const ScaleRow &row : scaling.rows) {
        rows.push_back({{"threads", row.threads},
                        {"seen_threads", row.seen_threads},
                        {"runs", row.runs},
                        {"beyond_processors", row.is_beyond},
                        {"elapsed", row.elapsed.median},
                        {"least", row.elapsed.least},
                        {"most", row.elapsed.most},
                        {"speedup", row.speedup},
                        {"global", row.global()},
                        {"parallel", row.parallel},
                        {"computation_scalability", row.scalability},
                        {"thread_seconds", seconds_of(row.seconds)}});
    }
    Json regions = Json::array();
    for (const RegionScaling &region : scaling.regions) {
        Json at = Json::array();
        for (size_t i = 0; i < scaling.rows.size(); ++i) {
            at.push_back({{"threads", scaling.rows[i].threads},
                          {"elapsed", region.at[i].elapsed},
                          {"thread_seconds", seconds_of(region.at[i].seconds)}});
        }
        const Json stops = region.stops_at < 0
                               ? Json(nullptr)
                               : Json(scaling.rows[static_cast<size_t>(region.stops_at)].threads);
        regions.push_back({{"name", region.name},
                           {"stops_at", stops},
                           {"more_thread_seconds", region.more},
                           {"at", at}});
    }
    const Json whole = {{"command", scaling.command},
                        {"weak", scaling.grows},
                        {"processors", scaling.processors},
                        {"rows", rows},
                        {"fit", fit_of(scaling)},
                        {"work_inflation", inflation_of(scaling.inflation)},
                        {"regions", regions},
                        {"not_counted", scaling.faults}};
    out << whole.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

void write_scaling_csv(const Scaling &scaling, std::ostream &out) {
    out << "threads,region,elapsed,useful,cause,lost\n";
    for (const RegionScaling &region : scaling.regions) {
        for (size_t i = 0; i < scaling.rows.size(); ++i) {
            const RegionAt &at = region.at[i];
            const std::string row = std::to_string(scaling.rows[i].threads) + "," +
                                    csv_field(region.name) +
                                    format(",%.6f,%.6f,", at.elapsed, at.seconds.useful);
            if (at.seconds.lost.empty()) {
                out << row << ",\n";
            }
            for (const auto &[cause, seconds] : at.seconds.lost) {
                out << row << cause_key(cause) << format(",%.6f\n", seconds);
            }
        }
    }
}

void write_extra_p(const std::vector<ScaleRun> &runs, std::ostream &out) {
    for (const ScaleRun &run : runs) {
        if (!run.fault.empty()) {
            continue;
        }
        const Scaling one = scaling_of({run}, false);
        const auto line = [&](const std::string &path, const char *metric, double value) {
            const Json text = {{"params", {{"threads", run.threads}}},
                               {"callpath", path},
                               {"metric", metric},
                               {"value", value}};
            out << text.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
        };
        line("main", "time", run.process.seconds);
        for (const RegionScaling &region : one.regions) {
            line("main->" + region.name, "time", region.at.front().elapsed);
            line("main->" + region.name, "useful", region.at.front().seconds.useful);
        }
    }
}

} // namespace ompcollect::report
