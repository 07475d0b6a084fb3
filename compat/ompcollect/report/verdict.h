// SPDX-License-Identifier: Apache-2.0
//
// The verdict as text: what a reader should see first.
#pragma once

#include "run.h"

#include <string>

namespace ompcollect::report {

struct TextStyle {
    size_t width = 100;
    bool colour = false;
    size_t top = 10; // rows of a table; 0: all
};

// Efficiencies, findings, and what each region would gain. Lines end in a newline.
std::string verdict_text(const Process &process, const TextStyle &style);

} // namespace ompcollect::report
