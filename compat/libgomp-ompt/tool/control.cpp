// SPDX-License-Identifier: Apache-2.0
// omp_control_tool, which no libgomp before its OMPT has, and this library's own functions for a
// tool that is loaded in the program.
#include "libgomp_ompt.h"
#include "records.h"
#include "tool.h"

#include <dlfcn.h>

using namespace ocb::gomp;

// Another runtime's, where one is loaded that has it. A program built by gcc on libomp has libgomp
// loaded too: that is no reason to begin the tool a second time.
OCB_EXPORT int omp_control_tool(int command, int modifier, void *argument) {
    constexpr int kNoTool = -2;
    constexpr int kNoCallback = -1;
    const void *code = __builtin_return_address(0);
    const auto other =
        reinterpret_cast<int (*)(int, int, void *)>(dlsym(RTLD_NEXT, "omp_control_tool"));
    const bool is_served = (other != nullptr || libgomp_ompt_initialize() > 0) && tool_is_active();
    if (!is_served && other != nullptr) {
        return other(command, modifier, argument);
    }
    if (!is_served) {
        return kNoTool;
    }
    const auto tell = callback<ompt_callback_control_tool_t>(ompt_callback_control_tool);
    if (tell == nullptr) {
        return kNoCallback;
    }
    const auto report_it = [&] {
        return tell(static_cast<std::uint64_t>(command), static_cast<std::uint64_t>(modifier),
                    argument, code);
    };
    const Call call{first_runtime(), code, __builtin_dwarf_cfa()};
    if (call.runtime != nullptr) {
        know_thread(call);
    }
    if (own_thread == nullptr) {
        return report_it();
    }
    const InRuntime inside(task_of(*own_thread), call);
    return report_it();
}

OCB_EXPORT int libgomp_ompt_initialize(void) {
    return static_cast<int>(initialise_if_loaded());
}
