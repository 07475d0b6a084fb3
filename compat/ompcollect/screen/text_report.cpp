// SPDX-License-Identifier: Apache-2.0
#include "text_report.h"

#include "call_tree_text.h"
#include "contract_names.h"
#include "report_parts.h"
#include "text_layout.h"
#include "warnings.h"
#include "words.h"

#include "omp_collector_api.h"

namespace ompcollect::report {
namespace {

std::string with_line_before(const std::string &lines) {
    return lines.empty() ? "" : "\n" + lines;
}

// Notes stand with the samples, the end in the head.
std::string warnings_text(const Process &process, const TextStyle &style) {
    std::string out;
    for (const Warning &warning : warnings_of(process)) {
        if (warning.severity >= Severity::kDoubt) {
            out += "  warning:\n";
            WrappedLines(out, style.width, 4).sentence(warning.text);
        }
    }
    return out;
}

std::string why_nothing(const Process &process) {
    return process.start_code < 0
               ? "No profile: no library in the process serves the Collector API.\n"
               : format("No profile: the request START was refused with %s.\n",
                        error_name(process.start_code));
}

} // namespace

std::string text_report(const Process &process, const TextStyle &style) {
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
    if (total_wall(tables.all) <= 0) {
        out += "  no samples: the program ended before the first one (see --rate)\n";
    } else {
        out += with_line_before(verdict_text(process, style));
        out += states_text(process, tables, style);
        out += threads_text(process, tables, style);
    }
    out += regions_text(process, tables, style);
    out += with_line_before(call_tree_text(process, style));
    out += locks_text(process, style);
    return out + events_text(process, style);
}

} // namespace ompcollect::report
