// SPDX-License-Identifier: Apache-2.0
// START's first step finds the OpenMP runtimes of the process, and whether they have a tools
// interface.
#pragma once

#include "attachment/loaded_object.h"

namespace ocb::ompt {

struct RuntimeSearch {
    bool has_ompt = false;         // one with OMPT is loaded
    bool has_other = false;        // one without is loaded
    bool has_provider = false;     // the one with OMPT has it from a provider
    int (*initialise)() = nullptr; // makes the one with OMPT initialise
    const char *entry = "";        // the symbol by which that one asks for its tool
    ObjectPath path;               // the file of the one with OMPT
    ObjectPath other_path;         // the file of the one without
};

// Makes libgomp-ompt look for its tool: a library that gives OMPT to a runtime without it.
constexpr char kProviderFunction[] = "libgomp_ompt_initialize";

// Any thread; takes the dynamic linker's lock.
[[nodiscard]] RuntimeSearch find_runtimes();

// The function that every OpenMP runtime defines. None: the object is no runtime.
[[nodiscard]] Symbol initialising_function(const LoadedObject &object);

// Whether an object has a tool of OpenMP 5 or TR6: a runtime's own definition, weak, is none.
[[nodiscard]] bool is_tool(const LoadedObject &object);

// Whether it is a runtime with OMPT, or a library that gives OMPT to one without.
[[nodiscard]] bool is_runtime_with_ompt(const LoadedObject &object);
[[nodiscard]] bool is_provider(const LoadedObject &object);

// Whether a runtime's search by name can find our `entry`: a static library's need not be exported.
[[nodiscard]] bool exports_entry(const char *entry);

// Whether another tool comes before us in the order in which the runtime searches for `entry`, or
// has our place otherwise. `path` gets its file.
[[nodiscard]] bool other_tool_is_in_front(const char *entry, ObjectPath &path);

} // namespace ocb::ompt
