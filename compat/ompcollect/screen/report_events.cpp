// SPDX-License-Identifier: Apache-2.0
//
// The text report's end: which events came, and how the samples were taken.
#include "contract_names.h"
#include "report_parts.h"
#include "text_layout.h"
#include "warnings.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>

namespace ompcollect::report {
namespace {

std::string samples_sentence(const Process &process) {
    uint64_t samples = 0;
    for (const Thread &thread : process.threads) {
        samples += thread.samples;
    }
    return format("%llu, late %llu, lost %llu; %u a second per thread, %s",
                  static_cast<unsigned long long>(samples),
                  static_cast<unsigned long long>(process.late_samples),
                  static_cast<unsigned long long>(process.lost_samples), process.rate,
                  process.has_wall_times ? "by the clock" : "processor time only");
}

std::string samples_text(const Process &process, const TextStyle &style) {
    std::string out = "Samples\n";
    WrappedLines(out, style.width, 2).sentence(samples_sentence(process));
    for (const Warning &warning : warnings_of(process)) {
        if (warning.severity == Severity::kNote) {
            WrappedLines(out, style.width, 2).sentence(warning.text);
        }
    }
    return out;
}

} // namespace

std::string events_text(const Process &process, const TextStyle &style) {
    std::string out = "\nEvents\n";
    {
        WrappedLines lines(out, style.width, 2);
        const size_t count = std::min<size_t>(process.events.size(), kEventNumbers);
        for (unsigned event = 1; event < count; ++event) {
            const Event &row = process.events[event];
            if (row.registered == OMP_ERRCODE_OK && row.count != 0) {
                lines.piece(format("%s %llu", event_name(event),
                                   static_cast<unsigned long long>(row.count)));
            }
        }
        for (unsigned event = 1; event < count; ++event) {
            const int code = process.events[event].registered;
            if (code > OMP_ERRCODE_OK) {
                lines.piece(format("%s not offered (%s)", event_name(event), error_name(code)));
            }
        }
    }
    return out + samples_text(process, style);
}

} // namespace ompcollect::report
