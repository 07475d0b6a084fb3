// SPDX-License-Identifier: Apache-2.0
// How a tool is found is OpenMP 5.1's section 4.2: OMP_TOOL, then ompt_start_tool in the process,
// then in the libraries of OMP_TOOL_LIBRARIES.
#include "tool.h"

#include "message.h"
#include "omp_collector_bridge.h"
#include "records.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <strings.h>

// By this import tools that look through the loaded libraries know that this one asks for a tool.
extern "C" __attribute__((weak, visibility("default"))) ocb::ompt5::ompt_start_tool_result_t *
ompt_start_tool(unsigned omp_version, const char *runtime_version);

namespace ocb::gomp {

constinit std::atomic<ompt_callback_t> callbacks[kEventCount]{};
constinit bool bridge_is_alone = false;

namespace {

constexpr unsigned kOpenMp51 = 202011;
constexpr char kRuntimeVersion[] = "GNU libgomp with libgomp-ompt";

using StartTool = ompt_start_tool_result_t *(*)(unsigned, const char *);

constinit ompt_start_tool_result_t *result = nullptr;
constinit std::atomic<bool> is_active{false};
constinit std::atomic<int> is_ending{0}; // riscv64 exchanges no bytes

// Blanks around the value and its case do not count.
bool is_word(const char *value, const char *word) {
    value += std::strspn(value, " \t");
    const std::size_t length = std::strcspn(value, " \t");
    return length == std::strlen(word) && strncasecmp(value, word, length) == 0 &&
           value[length + std::strspn(value + length, " \t")] == '\0';
}

bool tools_are_enabled(const VerboseInit &verbose) {
    const char *value = getenv("OMP_TOOL");
    if (value == nullptr || *value == '\0' || is_word(value, "enabled")) {
        return true;
    }
    if (!is_word(value, "disabled")) {
        warn("no tool is started: OMP_TOOL is neither enabled nor disabled but ", value);
    }
    verbose.line("no tool is looked for: OMP_TOOL=", value);
    return false;
}

bool ask(StartTool start, const VerboseInit &verbose, const char *where) {
    if (start == nullptr) {
        verbose.line("no ompt_start_tool in ", where);
        return false;
    }
    result = start(kOpenMp51, kRuntimeVersion);
    verbose.line(result != nullptr ? "tool found in " : "ompt_start_tool answers NULL in ", where);
    return result != nullptr;
}

bool ask_library(const char *path, const VerboseInit &verbose) {
    void *library = dlopen(path, RTLD_LAZY);
    if (library == nullptr) {
        const char *why = dlerror();
        verbose.line("a library of OMP_TOOL_LIBRARIES cannot be opened: ",
                     why != nullptr ? why : path);
        return false;
    }
    if (ask(reinterpret_cast<StartTool>(dlsym(library, "ompt_start_tool")), verbose, path)) {
        return true;
    }
    dlclose(library);
    return false;
}

bool ask_libraries(const VerboseInit &verbose) {
    const char *value = getenv("OMP_TOOL_LIBRARIES");
    if (value == nullptr || *value == '\0') {
        return false;
    }
    char *list = strdup(value);
    bool is_found = false;
    char *rest = list;
    for (char *path = strtok_r(list, ":", &rest); path != nullptr && !is_found;
         path = strtok_r(nullptr, ":", &rest)) {
        is_found = ask_library(path, verbose);
    }
    free(list);
    return is_found;
}

// After the workers of the program's idle teams have told their ends.
void at_exit() {
    end_idle_workers();
    finalize_tool();
}

} // namespace

bool start_tool(ompt_function_lookup_t look_up, int (*initial_device)()) {
    const VerboseInit verbose;
    if (!tools_are_enabled(verbose)) {
        return false;
    }
    if (!ask(reinterpret_cast<StartTool>(dlsym(RTLD_DEFAULT, "ompt_start_tool")), verbose,
             "the address space of the process") &&
        !ask_libraries(verbose)) {
        return false;
    }
    is_active.store(true, std::memory_order_release);
    bridge_is_alone = result->tool_data.value == OMP_COLLECTOR_BRIDGE_IS_ALONE;
    const int device = bridge_is_alone ? 0 : initial_device();
    if (result->initialize(look_up, device, &result->tool_data) == 0) {
        is_active.store(false, std::memory_order_release);
        verbose.line("the tool's initializer answers 0: no tool");
        return false;
    }
    verbose.line("the tool is initialised");
    return atexit(at_exit) == 0;
}

bool tool_is_active() {
    return is_active.load(std::memory_order_acquire);
}

void finalize_tool() {
    if (!is_active.load(std::memory_order_acquire) ||
        is_ending.exchange(1, std::memory_order_acq_rel) != 0) {
        return;
    }
    if (own_thread != nullptr && own_thread->type == ompt_thread_initial) {
        end_thread(); // the tool may ask in its last callbacks as in any other
    }
    for (auto &one : callbacks) {
        one.store(nullptr, std::memory_order_relaxed);
    }
    if (result->finalize != nullptr) {
        result->finalize(&result->tool_data);
    }
    is_active.store(false, std::memory_order_release); // other threads may be in a callback still
}

} // namespace ocb::gomp
