// SPDX-License-Identifier: Apache-2.0
//
// Opens a page in the user's browser by xdg-open. Nothing is served.
#pragma once

#include <string>

namespace ompcollect::report {

// The page's name where none is given: "run.html" of "folder/run.ompc", in the current folder.
std::string page_name(const std::string &run);

// Writes one line on stderr: the page's path, and whether a browser was asked to open it. A browser
// that keeps its opener waiting is not waited for.
void open_page(const std::string &path);

} // namespace ompcollect::report
