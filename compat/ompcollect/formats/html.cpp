// SPDX-License-Identifier: Apache-2.0
//
// The HTML report: one file with its data, its code and nothing from elsewhere. html/page.* and
// vendor/* are put into the program at build time; here they and the run are put together.
#include "fields.h"
#include "formats.h"
#include "gzipped.h"
#include "merge_neighbours.h"
#include "nearest.h"
#include "page_parts.h"
#include "people.h"
#include "region_figures.h"
#include "run_file.h"
#include "source_files.h"
#include "text_report.h"
#include "time_line.h"
#include "words.h"

#include <nlohmann/json.hpp>
#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string_view>
#include <utility>

OMPCOLLECT_EMBEDDED_PART(page, OMPCOLLECT_FORMATS_FOLDER "/html/page.html");
OMPCOLLECT_EMBEDDED_PART(style, OMPCOLLECT_FORMATS_FOLDER "/html/page.css");
OMPCOLLECT_EMBEDDED_PART(script, OMPCOLLECT_FORMATS_FOLDER "/html/page.js");
OMPCOLLECT_EMBEDDED_PART(script_data, OMPCOLLECT_FORMATS_FOLDER "/html/page-data.js");
OMPCOLLECT_EMBEDDED_PART(script_selection, OMPCOLLECT_FORMATS_FOLDER "/html/page-selection.js");
OMPCOLLECT_EMBEDDED_PART(script_tables, OMPCOLLECT_FORMATS_FOLDER "/html/page-tables.js");
OMPCOLLECT_EMBEDDED_PART(script_region, OMPCOLLECT_FORMATS_FOLDER "/html/page-region.js");
OMPCOLLECT_EMBEDDED_PART(script_flame, OMPCOLLECT_FORMATS_FOLDER "/html/page-flame.js");
OMPCOLLECT_EMBEDDED_PART(script_time, OMPCOLLECT_FORMATS_FOLDER "/html/page-time.js");
OMPCOLLECT_EMBEDDED_PART(d3, OMPCOLLECT_FORMATS_FOLDER "/vendor/d3.min.js");
OMPCOLLECT_EMBEDDED_PART(flamegraph, OMPCOLLECT_FORMATS_FOLDER "/vendor/d3-flamegraph.min.js");

namespace ompcollect::report {
namespace {

using Json = nlohmann::ordered_json;

std::string base64(const std::string &bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string to;
    to.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        const size_t there = std::min<size_t>(3, bytes.size() - i);
        uint32_t group = 0;
        for (size_t k = 0; k < 3; ++k) {
            group = group << 8U | (k < there ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (size_t k = 0; k < 4; ++k) {
            to.push_back(k <= there ? kDigits[group >> (18 - 6 * k) & 63U] : '=');
        }
    }
    return to;
}

// A step of time that keeps a page of millions of stretches small: a hundredth of what a sample of
// the usual rate stands for.
constexpr size_t kMostInMicroseconds = 500'000;
constexpr int64_t kLongTick = 100;

// A place and a state, of which a time line has many stretches.
struct Symbol {
    int node;
    unsigned state;
    uint32_t times = 1;
    uint32_t number = 0; // the most frequent is 0

    [[nodiscard]] std::pair<int, unsigned> key() const { return {node, state}; }
};

// By key. Lists, as there may be as many as samples.
std::vector<Symbol> symbols_of(const std::vector<Stretch> &line) {
    const auto has_less = [](const Symbol &a, const Symbol &b) { return a.key() < b.key(); };
    std::vector<Symbol> symbols;
    symbols.reserve(line.size());
    for (const Stretch &stretch : line) {
        symbols.push_back({stretch.node, stretch.state});
    }
    std::sort(symbols.begin(), symbols.end(), has_less);
    merge_neighbours(
        symbols, [](const Symbol &a, const Symbol &b) { return a.key() == b.key(); },
        [](Symbol &into, const Symbol &from) { into.times += from.times; });
    return symbols;
}

// Gives the symbols their numbers; the result has them by number.
std::vector<const Symbol *> numbered(std::vector<Symbol> &symbols) {
    std::vector<Symbol *> often;
    often.reserve(symbols.size());
    for (Symbol &symbol : symbols) {
        often.push_back(&symbol);
    }
    std::stable_sort(often.begin(), often.end(),
                     [](const Symbol *a, const Symbol *b) { return a->times > b->times; });
    for (size_t i = 0; i < often.size(); ++i) {
        often[i]->number = static_cast<uint32_t>(i);
    }
    return {often.begin(), often.end()};
}

template <class Range, class Value>
void write_list(std::ostream &out, const char *name, const Range &range, Value value) {
    out << ", \"" << name << "\": [";
    const char *between = "";
    for (const auto &each : range) {
        out << between << value(each);
        between = ",";
    }
    out << "]";
}

// What page-data.js unpacks. Nothing where the order of things is not known.
void write_time_line(const Process &process, std::ostream &out) {
    if (process.samples.empty()) {
        out << "{}";
        return;
    }
    const std::vector<Stretch> line = line_of(process);
    const int64_t tick = line.size() > kMostInMicroseconds ? kLongTick : 1;
    std::vector<Symbol> symbols = symbols_of(line);
    out << "{\"tick_us\": " << tick;
    {
        const std::vector<const Symbol *> often = numbered(symbols);
        write_list(out, "node", often, [](const Symbol *symbol) { return symbol->node; });
        write_list(out, "state", often, [](const Symbol *symbol) { return symbol->state; });
    }
    const auto number_of = [&](const Stretch &stretch) {
        const Symbol its{stretch.node, stretch.state};
        return std::lower_bound(symbols.begin(), symbols.end(), its,
                                [](const Symbol &a, const Symbol &b) { return a.key() < b.key(); })
            ->number;
    };
    std::vector<size_t> counts(process.threads.size(), 0);
    std::string names;
    std::string lengths;
    int64_t now = 0;
    unsigned thread = 0;
    const auto piece = [&](uint64_t symbol, int64_t until) {
        protozero::add_varint_to_buffer(&names, symbol);
        protozero::add_varint_to_buffer(&lengths, static_cast<uint64_t>(until - now));
        ++counts[thread];
        now = until;
    };
    for (const Stretch &stretch : line) {
        if (stretch.thread != thread) {
            thread = stretch.thread;
            now = 0;
        }
        const auto in_ticks = [tick](double time) {
            return nearest(time * 1e6 / static_cast<double>(tick));
        };
        if (in_ticks(stretch.begin) > now) {
            piece(0, in_ticks(stretch.begin));
        }
        if (in_ticks(stretch.end) > now) {
            piece(uint64_t{number_of(stretch)} + 1, in_ticks(stretch.end));
        }
    }
    write_list(out, "counts", counts, [](size_t count) { return count; });
    out << ", \"symbols\": \"" << base64(deflated(names)) << "\", \"lengths\": \""
        << base64(deflated(lengths)) << "\"}";
}

const char *kind_word(StateKind kind) {
    constexpr const char *kWords[] = {"useful", "barrier",      "mutex",  "reduction", "runtime",
                                      "idle",   "no processor", "asleep", "other"};
    return kWords[static_cast<unsigned>(kind)];
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
                      {"kind", kind_word(state.kind)},
                      {"colour", state.colour}});
    }
    return to;
}

Json facts_table() {
    Json to = Json::object();
    for_each_fact([&](const Field &field, auto) { to[field.name] = field.about; });
    return to;
}

Json counts_table() {
    Json to = Json::array();
    for (const ThreadCountRow &count : kThreadCountTable) {
        to.push_back({{"name", count.name}, {"heading", count.heading}, {"about", count.about}});
    }
    return to;
}

Json sources(const Run &run) {
    Json to = Json::array();
    size_t room = kMostOfAllFiles;
    for (const Process &process : run.processes) {
        const SourceFiles files = sources_of(process, room);
        to.push_back({{"texts", files.texts}, {"notes", files.notes}});
    }
    return to;
}

void write_data(const Run &run, const std::vector<Conclusions> &conclusions, bool with_source,
                std::ostream &out) {
    InElement element(out);
    std::ostream data(&element);
    data << "{\"run\": ";
    write_run(run, conclusions, data, RunForm::kPage);
    data << ", \"states\": " << states_table().dump() << ", \"facts\": " << facts_table().dump()
         << ", \"thread_counts\": " << counts_table().dump()
         << ", \"least_samples\": " << fewest_samples()
         << (with_source ? ", \"sources\": " + sources(run).dump() : "") << "}";
}

// The bulk of the page: behind its scripts, so that the verdict is there before it.
void write_time_lines(const Run &run, std::ostream &out) {
    InElement element(out);
    std::ostream lines(&element);
    lines << "[";
    const char *between = "";
    for (const Process &process : run.processes) {
        lines << between;
        write_time_line(process, lines);
        between = ", ";
    }
    lines << "]";
}

// For browsers that run no scripts.
void write_as_text(const Run &run, const std::vector<Conclusions> &conclusions, std::ostream &out) {
    for (size_t i = 0; i < run.processes.size(); ++i) {
        out << markup(visible(text_report(run.processes[i], conclusions[i], {})));
    }
}

struct Part {
    std::string_view name;
    const char *text;
};
const Part kParts[] = {
    {"CSS", ompcollect_part_style},
    {"D3", ompcollect_part_d3},
    {"FLAMEGRAPH", ompcollect_part_flamegraph},
    {"SCRIPT", ompcollect_part_script},
    {"SCRIPT_DATA", ompcollect_part_script_data},
    {"SCRIPT_SELECTION", ompcollect_part_script_selection},
    {"SCRIPT_TABLES", ompcollect_part_script_tables},
    {"SCRIPT_REGION", ompcollect_part_script_region},
    {"SCRIPT_FLAME", ompcollect_part_script_flame},
    {"SCRIPT_TIME", ompcollect_part_script_time},
};

} // namespace

void write_html(const Run &run, const TextStyle &style, std::ostream &out) {
    std::vector<Conclusions> conclusions(run.processes.begin(), run.processes.end());
    const auto write = [&](std::string_view name) {
        const auto *const part = std::find_if(std::begin(kParts), std::end(kParts),
                                              [&](const Part &each) { return each.name == name; });
        if (part != std::end(kParts)) {
            out << part->text;
        } else if (name == "TEXT") {
            write_as_text(run, conclusions, out);
        } else if (name == "DATA") {
            write_data(run, conclusions, style.with_source, out);
        } else if (name == "TIMELINES") {
            conclusions = {}; // the page has them by now
            write_time_lines(run, out);
        }
    };
    write_page(ompcollect_part_page, write, out);
}

} // namespace ompcollect::report
