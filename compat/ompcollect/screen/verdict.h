// SPDX-License-Identifier: Apache-2.0
//
// The verdict as text: what a reader should see first.
#pragma once

#include "findings.h"
#include "region_figures.h"
#include "run.h"
#include "text_style.h"

#include <string>
#include <vector>

namespace ompcollect::report {

// The width of the terminal behind the descriptor, else COLUMNS, else 80.
unsigned line_width(int fd);

// How much a brief report has room for.
struct BriefForm {
    size_t cures;       // findings that have theirs
    size_t cause_lines; // of a finding
};
inline constexpr size_t kFindingsShown = 3;

// Efficiencies and findings. Lines end in a newline.
std::string verdict_text(const Process &process, const Conclusions &conclusions,
                         const TextStyle &style);
// The same without the smaller findings and places.
std::string brief_verdict_text(const Process &process, const Conclusions &conclusions,
                               const TextStyle &style, const BriefForm &form);

} // namespace ompcollect::report
