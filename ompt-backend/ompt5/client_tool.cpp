// SPDX-License-Identifier: Apache-2.0
#include "ompt5/client_tool.h"

#include "attachment/attached_runtime.h"
#include "attachment/loaded_object.h"
#include "attachment/runtime_search.h"
#include "base/log.h"
#include "base/options.h"
#include "ompt5/client_callbacks.h"
#include "ompt5/client_data.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace ocb::ompt5::multiplex {
namespace {

using StartTool = ompt_start_tool_result_t *(*)(unsigned, const char *);

constinit ompt_start_tool_result_t *client_tool = nullptr;
constinit std::atomic<bool> is_searching{false};
constinit bool is_for_libomp = false; // the question that has been asked last

// Compares the object, as the address of our symbol may resolve to a tool in front of us.
bool is_ours(StartTool start) {
    return ompt::is_in_own_object(reinterpret_cast<const void *>(start));
}

bool try_client_tool(StartTool start, unsigned omp_version, const char *runtime_version) {
    if (start == nullptr || is_ours(start)) {
        return false;
    }
    client_tool = start(omp_version, runtime_version);
    return client_tool != nullptr;
}

// The definition of a runtime that has one of its own. It answers for programs without a tool, and
// hands on to what stands behind the runtime.
StartTool runtimes_definition() {
    StartTool start = nullptr;
    ompt::for_each_loaded_object([&](const ompt::LoadedObject &object) {
        if (ompt::initialising_function(object).is_found()) {
            start = reinterpret_cast<StartTool>(object.definition_of("ompt_start_tool").address);
        }
        return start == nullptr;
    });
    return start;
}

// The tool that the runtime would find without us: the next one behind us, or behind the runtime
// where we come after it.
bool try_next(unsigned omp_version, const char *runtime_version) {
    auto start = reinterpret_cast<StartTool>(dlsym(RTLD_NEXT, "ompt_start_tool"));
    if (start == nullptr) {
        start = runtimes_definition();
    }
    is_searching.store(true, std::memory_order_release);
    const bool is_found = try_client_tool(start, omp_version, runtime_version);
    is_searching.store(false, std::memory_order_release);
    return is_found;
}

// A tool of any generation; a runtime's own definition is none.
bool stands_behind(const char *entry) {
    const void *next = entry != nullptr ? dlsym(RTLD_NEXT, entry) : nullptr;
    bool is_tool = false;
    ompt::visit_object_of(next, [&](const ompt::LoadedObject &object) {
        is_tool = !ompt::initialising_function(object).is_found();
    });
    return is_tool;
}

// One without a tool stays loaded: its constructors may have begun a session.
bool try_library(void *library, unsigned omp_version, const char *runtime_version) {
    void *start = library != nullptr ? dlsym(library, "ompt_start_tool") : nullptr;
    return try_client_tool(reinterpret_cast<StartTool>(start), omp_version, runtime_version);
}

// "path[:path...]", the form of OMP_TOOL_LIBRARIES. The first that has a tool for us is taken.
bool try_list(const char *list, unsigned omp_version, const char *runtime_version) {
    char path[1024];
    for (const char *at = list; at != nullptr && *at != '\0';) {
        const char *colon = std::strchr(at, ':');
        const std::size_t length =
            colon != nullptr ? static_cast<std::size_t>(colon - at) : std::strlen(at);
        if (length >= sizeof path) {
            log_once(LogCause::kClientToolNotLoaded,
                     "is not looked for: its path is too long:", at);
        } else if (length > 0) {
            std::memcpy(path, at, length);
            path[length] = '\0';
            void *library = dlopen(path, RTLD_LAZY);
            if (try_library(library, omp_version, runtime_version)) {
                return true;
            }
            if (library == nullptr) {
                log_once(LogCause::kClientToolNotLoaded, "cannot be loaded:", dlerror());
            }
        }
        at = colon != nullptr ? colon + 1 : nullptr;
    }
    return false;
}

// Many tools call their initializer ompt_initialize and export it. Then the name is bound to ours,
// which is there for the runtimes of 2014 and stands in front; the tool's own is the one in its
// library.
ompt_initialize_t initializer() {
    if (!ompt::is_in_own_object(reinterpret_cast<const void *>(client_tool->initialize))) {
        return client_tool->initialize;
    }
    ompt::Symbol own;
    ompt::visit_object_of(client_tool, [&](const ompt::LoadedObject &object) {
        own = object.definition_of("ompt_initialize");
    });
    return own.is_found() ? reinterpret_cast<ompt_initialize_t>(own.address)
                          : client_tool->initialize;
}

// libomp 9 and older have another name and do not look for libarcher.
bool is_libomp(const char *runtime_version) {
    return runtime_version != nullptr && std::strncmp(runtime_version, "LLVM OMP", 8) == 0;
}

// Every object that is built with it calls this function.
bool sanitizes_threads() {
    return dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
}

// What libomp itself loads where it finds no other tool. Without ThreadSanitizer that has no use.
bool try_archer(unsigned omp_version, const char *runtime_version) {
    return is_libomp(runtime_version) && sanitizes_threads() &&
           try_library(dlopen("libarcher.so", RTLD_LAZY), omp_version, runtime_version);
}

} // namespace

bool find_client_tool(unsigned omp_version, const char *runtime_version) {
    client_tool = nullptr;
    is_for_libomp = is_libomp(runtime_version);
    // The runtime has found us, so it does not look at its own list any more.
    return try_list(options().tool_libraries, omp_version, runtime_version) ||
           try_next(omp_version, runtime_version) ||
           try_list(secure_getenv("OMP_TOOL_LIBRARIES"), omp_version, runtime_version) ||
           try_archer(omp_version, runtime_version);
}

bool asks_for_client_tool() {
    return is_searching.load(std::memory_order_acquire);
}

void drop_client_tool(const char *entry) {
    if (client_tool != nullptr || options().tool_libraries != nullptr || stands_behind(entry)) {
        log_once(LogCause::kClientToolNotLoaded,
                 "is left out: the runtime's tools interface is older than OpenMP 5.0:",
                 ompt::current_adapter().name);
    }
    client_tool = nullptr;
}

void begin(ompt_function_lookup_t lookup, int initial_device_num) {
    if (client_tool == nullptr) {
        if (is_for_libomp && sanitizes_threads()) {
            log_once(LogCause::kArcherLeftOut);
        }
        return;
    }
    prepare_callbacks(lookup);
    has_client_tool = true;
    if (initializer()(look_up, initial_device_num, &client_tool->tool_data) == 0) {
        has_client_tool = false;
        client_tool = nullptr;
        forget_callbacks();
        return;
    }
    log_once(LogCause::kClientToolAttached);
}

void end() {
    forget_callbacks();
    if (client_tool != nullptr) {
        client_tool->finalize(&client_tool->tool_data);
    }
    client_tool = nullptr;
    has_client_tool = false;
}

} // namespace ocb::ompt5::multiplex
