// SPDX-License-Identifier: Apache-2.0
//
// The HTML report: one file with its data, its code and nothing from elsewhere. html/page.* and
// vendor/* are put into the program at build time; here they and the run are put together.
#include "fields.h"
#include "formats.h"
#include "run_file.h"
#include "time_line.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>
#include <sstream>
#include <string_view>

// A file of the source tree as a terminated text.
#define OMPCOLLECT_PART(name, file)                                                                \
    __asm__(".section .rodata\n"                                                                   \
            ".global ompcollect_part_" #name "\n"                                                  \
            "ompcollect_part_" #name ":\n"                                                         \
            ".incbin \"" OMPCOLLECT_FORMATS_FOLDER "/" file "\"\n"                                 \
            ".byte 0\n"                                                                            \
            ".previous\n");                                                                        \
    extern "C" const char ompcollect_part_##name[]

OMPCOLLECT_PART(page, "html/page.html");
OMPCOLLECT_PART(style, "html/page.css");
OMPCOLLECT_PART(script, "html/page.js");
OMPCOLLECT_PART(d3, "vendor/d3.min.js");
OMPCOLLECT_PART(flamegraph, "vendor/d3-flamegraph.min.js");

namespace ompcollect::report {
namespace {

using Json = nlohmann::ordered_json;

// Times in microseconds; a begin counts from the begin before it in the same thread.
void write_timeline(const Process &process, std::ostream &out) {
    Json to = {{"thread", Json::array()},
               {"begin_us", Json::array()},
               {"length_us", Json::array()},
               {"node", Json::array()},
               {"state", Json::array()}};
    int64_t before = 0;
    unsigned thread = 0;
    for (const Stretch &stretch : line_of(process)) {
        const auto begin = static_cast<int64_t>(std::llround(stretch.begin * 1e6));
        to["thread"].push_back(stretch.thread);
        to["begin_us"].push_back(stretch.thread == thread ? begin - before : begin);
        to["length_us"].push_back(std::llround(stretch.end * 1e6) - begin);
        to["node"].push_back(stretch.node);
        to["state"].push_back(stretch.state);
        before = begin;
        thread = stretch.thread;
    }
    out << to.dump();
}

// What the page says of states and of facts, by the tables that every output has.
Json states_table() {
    Json to = Json::array();
    for (const unsigned number : states_in_order()) {
        const State &state = state_at(number);
        to.push_back({{"name", state.name},
                      {"words", state.words},
                      {"meaning", state.meaning},
                      {"frame", state.frame},
                      {"colour", state.colour}});
    }
    return to;
}

Json facts_table() {
    Json to = Json::object();
    for_each_fact([&](const Field &field, auto) { to[field.name] = field.about; });
    return to;
}

void write_data(const Run &run, std::ostream &out) {
    // The samples themselves are not needed: what is made of them is in the page.
    std::ostringstream document;
    write_run(run, document, Samples::kLeaveOut);
    std::ostringstream lines;
    lines << "{\"run\": " << document.str() << ", \"states\": " << states_table().dump()
          << ", \"facts\": " << facts_table().dump() << ", \"timelines\": [";
    const char *comma = "";
    for (const Process &process : run.processes) {
        lines << comma;
        write_timeline(process, lines);
        comma = ", ";
    }
    lines << "]}";
    // Nothing in it may end the element that holds it.
    for (const char c : lines.str()) {
        if (c == '<') {
            out << "\\u003c";
        } else {
            out << c;
        }
    }
}

} // namespace

void write_html(const Run &run, std::ostream &out) {
    std::string_view page = ompcollect_part_page;
    while (!page.empty()) {
        const size_t begin = page.find('@');
        out << page.substr(0, begin);
        if (begin == std::string_view::npos) {
            break;
        }
        const size_t end = page.find('@', begin + 1);
        const std::string_view name = page.substr(begin + 1, end - begin - 1);
        if (name == "CSS") {
            out << ompcollect_part_style;
        } else if (name == "D3") {
            out << ompcollect_part_d3;
        } else if (name == "FLAMEGRAPH") {
            out << ompcollect_part_flamegraph;
        } else if (name == "SCRIPT") {
            out << ompcollect_part_script;
        } else if (name == "DATA") {
            write_data(run, out);
        }
        page.remove_prefix(end + 1);
    }
}

} // namespace ompcollect::report
