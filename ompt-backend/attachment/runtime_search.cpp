// SPDX-License-Identifier: Apache-2.0
#include "attachment/runtime_search.h"

#include "attachment/entry_names.h"

namespace ocb::ompt {
namespace {

// The symbol by which the runtime asks for its tool. A runtime either defines it, weak, for
// programs without a tool, or refers to it, undefined and weak. Null: it has no tools interface.
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

// A library that gives OMPT to a runtime without it, and asks for a tool in its place.
struct Provider {
    Symbol initialise;
    ObjectPath path;
};

} // namespace

Symbol initialising_function(const LoadedObject &object) {
    return object.definition_of("omp_get_max_threads");
}

bool is_tool(const LoadedObject &object) {
    return object.definition_of(kEntryNames[0]).is_found() &&
           !initialising_function(object).is_found();
}

bool is_runtime_with_ompt(const LoadedObject &object) {
    return initialising_function(object).is_found() && entry_of(object) != nullptr;
}

bool is_provider(const LoadedObject &object) {
    return object.definition_of(kProviderFunction).is_found();
}

RuntimeSearch find_runtimes() {
    RuntimeSearch result;
    Provider provider;
    for_each_loaded_object([&](const LoadedObject &object) {
        const Symbol of_provider = object.definition_of(kProviderFunction);
        if (of_provider.is_found() && !provider.initialise.is_found()) {
            provider.initialise = of_provider;
            provider.path.keep(object);
        }
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
    if (!result.has_ompt && result.has_other && provider.initialise.is_found()) {
        result.has_ompt = true;
        result.has_provider = true;
        result.initialise = reinterpret_cast<int (*)()>(provider.initialise.address);
        result.entry = kEntryNames[0];
        result.path = provider.path;
    }
    return result;
}

bool exports_entry(const char *entry) {
    bool is_exported = false;
    for_each_loaded_object([&](const LoadedObject &object) {
        if (!is_own(object)) {
            return true;
        }
        is_exported = object.definition_of(entry).is_found();
        return false;
    });
    return is_exported;
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
