// SPDX-License-Identifier: Apache-2.0
#include "attachment/runtime_search.h"

#include "attachment/entry.h"

namespace ocb::ompt {
namespace {

// The symbol by which a runtime asks for its tool. It defines it itself, weak, as the answer for
// programs without a tool, or leaves it undefined and weak. Null: it has no tools interface.
const char *entry_of(const LoadedObject &object) {
    for (const char *entry : kEntryNames) {
        if (object.definition_of(entry).is_found()) {
            return entry;
        }
    }
    for (const char *entry : kEntryNames) {
        if (object.imports(entry)) {
            return entry;
        }
    }
    return nullptr;
}

} // namespace

Symbol initialising_function(const LoadedObject &object) {
    return object.definition_of("omp_get_max_threads");
}

RuntimeSearch find_runtimes() {
    RuntimeSearch result;
    for_each_loaded_object([&](const LoadedObject &object) {
        const Symbol initialise = initialising_function(object);
        if (!initialise.is_found()) {
            return true;
        }
        const char *entry = entry_of(object);
        if (entry == nullptr) {
            result.has_other = true;
            result.other_path.keep(object);
        } else if (!result.has_ompt) {
            result.has_ompt = true;
            result.initialise = reinterpret_cast<int (*)()>(initialise.address);
            result.entry = entry;
            result.path.keep(object);
        }
        return true;
    });
    return result;
}

bool other_tool_is_in_front(const char *entry, ObjectPath &path) {
    bool is_found = false;
    for_each_loaded_object([&](const LoadedObject &object) {
        if (is_own(object)) {
            return false;
        }
        // A runtime's own definition, weak, is no tool.
        is_found =
            object.definition_of(entry).is_found() && !initialising_function(object).is_found();
        if (is_found) {
            path.keep(object);
        }
        return !is_found;
    });
    return is_found;
}

} // namespace ocb::ompt
