// SPDX-License-Identifier: Apache-2.0
//
// The file format of speedscope: one sampled profile per thread, weights in seconds.
#include "formats.h"
#include "time_line.h"
#include "viewer_json.h"
#include "warnings.h"
#include "words.h"

#include <ostream>

namespace ompcollect::report {

void write_speedscope(const Run &run, std::ostream &out) {
    NameTable frames;
    Json profiles = Json::array();
    for (const Process &process : run.processes) {
        const std::string suffix = process.samples.empty() ? kOrderUnknown : "";
        std::vector<Json> of_thread(process.threads.size());
        for (size_t i = 0; i < of_thread.size(); ++i) {
            const Thread &thread = process.threads[i];
            const double begin = process.samples.empty() ? 0 : thread.begin;
            of_thread[i] = {{"type", "sampled"},
                            {"name", process_name(process) + " " + thread_name(thread) + suffix},
                            {"unit", "seconds"},
                            {"startValue", begin},
                            {"endValue", begin},
                            {"samples", Json::array()},
                            {"weights", Json::array()}};
        }
        for (const Stretch &stretch : line_of(process)) {
            Json stack = Json::array();
            for (const std::string &name : stack_names(process, stretch.node, stretch.state)) {
                stack.push_back(frames.number(name));
            }
            Json &to = of_thread[stretch.thread];
            to["samples"].push_back(std::move(stack));
            const double weight = stretch.end - stretch.begin;
            to["weights"].push_back(weight);
            to["endValue"] = to["endValue"].get<double>() + weight;
        }
        for (Json &profile : of_thread) {
            profiles.push_back(std::move(profile));
        }
    }
    Json names = Json::array();
    for (const std::string &name : frames.rows()) {
        names.push_back({{"name", name}});
    }
    std::vector<std::string> heads = warning_texts(run);
    if (heads.empty() && !run.processes.empty()) {
        heads.push_back(process_name(run.processes.front()));
    }
    const Json document = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                           {"exporter", "ompcollect"},
                           {"name", joined(heads, "; ")},
                           {"activeProfileIndex", 0},
                           {"shared", {{"frames", std::move(names)}}},
                           {"profiles", std::move(profiles)}};
    out << text_of(document) << '\n';
}

} // namespace ompcollect::report
