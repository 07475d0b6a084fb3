// SPDX-License-Identifier: Apache-2.0
// Which OpenMP runtimes are in the process, and whether they have a tools interface.
#pragma once

namespace ocb {

struct RuntimeSearch {
    bool has_ompt = false;         // one with OMPT is loaded
    bool has_other = false;        // one without is loaded
    int (*initialise)() = nullptr; // makes the one with OMPT initialise
    const char *entry = "";        // the symbol by which that one asks for its tool
    char path[256] = {};           // the file of the one with OMPT
    char other_path[256] = {};     // the file of the one without
};

// Any thread; takes the dynamic linker's lock.
RuntimeSearch find_runtimes();

// Whether another tool stands before us in the order in which the runtime looks for one by its
// `entry`, or has our place otherwise; the file that holds it.
bool other_tool_is_in_front(const char *entry, char *path, unsigned long size);

} // namespace ocb
