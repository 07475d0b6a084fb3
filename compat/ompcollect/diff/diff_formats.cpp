// SPDX-License-Identifier: Apache-2.0
#include "comparison_formats.h"

namespace ompcollect::report {

const std::vector<DiffFormat> &diff_formats() {
    static const std::vector<DiffFormat> kFormats = {
        {"text", "txt", "what got slower and faster, for the terminal", false, false,
         write_diff_text},
        {"html", "html", "a page that works offline: changes, rules, differential flame graph",
         false, true, write_diff_html},
        {"csv", "csv", "one row per function, region and state", false, false, write_diff_csv},
        {"json", "json", "everything, documented in SCALING.md", false, false, write_diff_json},
        {"junit", "xml", "a test case for each rule, for build servers", true, false,
         write_diff_junit},
        {"github", "", "workflow commands: annotations of GitHub Actions", false, false,
         write_diff_github},
        {"gitlab", "", "a Code Quality report for GitLab", false, false, write_diff_gitlab},
    };
    return kFormats;
}

} // namespace ompcollect::report
