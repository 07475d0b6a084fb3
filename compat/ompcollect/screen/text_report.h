// SPDX-License-Identifier: Apache-2.0
//
// The report that a person reads. By default it is brief: the run, the verdict, and of states,
// regions and call paths what fits a screen of 40 lines. All of it has parts, which can be asked
// for by name. Lines fit the width that is asked for.
#pragma once

#include "findings.h"
#include "run.h"
#include "text_style.h"

#include <string>
#include <vector>

namespace ompcollect::report {

// Tables and columns without content are left out.
std::string text_report(const Process &process, const TextStyle &style);
// With conclusions that the caller has made.
std::string text_report(const Process &process, const Conclusions &conclusions,
                        const TextStyle &style);

struct PartName {
    const char *name;
    const char *about;
};
// In the order of the report.
std::vector<PartName> part_names();
// Of names with commas between them; "all" is each of them. Throws Failure, which lists the names.
Parts parts_named(const std::string &names);

} // namespace ompcollect::report
