// SPDX-License-Identifier: Apache-2.0
#include "text_report.h"

#include "brief_report.h"
#include "call_tree_text.h"
#include "contract_names.h"
#include "failure.h"
#include "report_parts.h"
#include "text_layout.h"
#include "words.h"

#include "omp_collector_api.h"

#include <iterator>
#include <sstream>

namespace ompcollect::report {
namespace {

// What all parts are made of.
struct Material {
    const Process &process;
    const StateTables &tables;
    const Conclusions &conclusions;
    const TextStyle &style;
};

struct PartRow {
    const char *name;
    const char *about;
    bool needs_samples;
    std::string (*text)(const Material &);
};

std::string with_line_before(const std::string &lines) {
    return lines.empty() ? "" : "\n" + lines;
}

constexpr PartRow kParts[] = {
    {"verdict", "what costs most, where, and what helps", true,
     [](const Material &of) {
         return with_line_before(verdict_text(of.process, of.conclusions, of.style));
     }},
    {"gains", "what each region would gain", true,
     [](const Material &of) { return gains_text(of.process, of.conclusions.figures, of.style); }},
    {"blame", "whose code kept the others waiting", true,
     [](const Material &of) { return blame_text(of.process, of.style); }},
    {"states", "time by state", true,
     [](const Material &of) { return states_text(of.process, of.tables, of.style); }},
    {"threads", "time by thread and state", true,
     [](const Material &of) { return threads_text(of.process, of.tables, of.style); }},
    {"regions", "time by region and state", false,
     [](const Material &of) { return regions_text(of.process, of.tables, of.style); }},
    {"paths", "the tree of call paths", false,
     [](const Material &of) { return with_line_before(call_tree_text(of.process, of.style)); }},
    {"locks", "the most contended locks", false,
     [](const Material &of) { return locks_text(of.process, of.style); }},
    {"events", "events, and how the samples were taken", false,
     [](const Material &of) { return events_text(of.process, of.style); }},
};
constexpr char kEveryPart[] = "all";

std::string why_nothing(const Process &process) {
    return process.start_code < 0
               ? "No profile: no library in the process serves the Collector API.\n"
               : format("No profile: the request START was refused with %s.\n",
                        error_name(process.start_code));
}

std::string parts_text(const Material &of, Parts parts, bool has_samples) {
    std::string out;
    for (size_t i = 0; i < std::size(kParts); ++i) {
        const bool is_wanted = (parts & (1U << i)) != 0;
        out += is_wanted && (has_samples || !kParts[i].needs_samples) ? kParts[i].text(of) : "";
    }
    return out;
}

} // namespace

std::string text_report(const Process &process, const TextStyle &style) {
    return text_report(process, Conclusions(process), style);
}

std::string text_report(const Process &process, const Conclusions &conclusions,
                        const TextStyle &style) {
    std::string out = header_text(process, style);
    if (process.start_code != OMP_ERRCODE_OK) {
        return out + why_nothing(process);
    }
    out += warnings_text(process, style);
    if (!used_openmp(process)) {
        return out +
               "  no parallel region was forked, and no thread was seen in the OpenMP runtime\n";
    }
    const StateTables tables(process);
    const bool has_samples = total_wall(tables.all) > 0;
    out += has_samples ? "" : "  no samples: the program ended before the first one (see --rate)\n";
    const Material material{process, tables, conclusions, style};
    if (style.parts != kBrief) {
        return out + parts_text(material, style.parts, has_samples);
    }
    return out + (has_samples ? brief_text(process, tables, conclusions, style, line_count(out))
                              : regions_text(process, tables, style));
}

std::vector<PartName> part_names() {
    std::vector<PartName> names;
    for (const PartRow &row : kParts) {
        names.push_back({row.name, row.about});
    }
    return names;
}

Parts parts_named(const std::string &names) {
    Parts parts = 0;
    std::istringstream in(names);
    for (std::string name; std::getline(in, name, ',');) {
        Parts found = name == kEveryPart ? kAllParts : 0;
        std::string known;
        for (size_t i = 0; i < std::size(kParts); ++i) {
            found |= name == kParts[i].name ? 1U << i : 0;
            known.append(kParts[i].name).append(", ");
        }
        if (found == 0) {
            throw Failure(known.insert(0, "there is no part " + name + "; the parts are ")
                              .append("and all, with commas between them"));
        }
        parts |= found;
    }
    return parts;
}

} // namespace ompcollect::report
