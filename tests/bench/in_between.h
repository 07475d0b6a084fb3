// SPDX-License-Identifier: Apache-2.0
// For a benchmark that stands between runtime and bridge: its ompt_start_tool goes before the
// preloaded one's and keeps the runtime's lookup, so that requests and OMPT's calls are asked on
// one thread in one state. To be included by one file of a program.
#pragma once

#include "omp_collector_api.h"
#include "spec/ompt5.h"

#include <dlfcn.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name)
#endif

using namespace ocb::ompt5;

namespace {

ompt_get_state_t get_state;
ompt_get_parallel_info_t get_parallel_info;
ompt_initialize_t bridge_initialize;
OMP_COLLECTOR_API_FUNCTION api;

int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool_data) {
    get_state = reinterpret_cast<ompt_get_state_t>(lookup("ompt_get_state"));
    get_parallel_info =
        reinterpret_cast<ompt_get_parallel_info_t>(lookup("ompt_get_parallel_info"));
    return bridge_initialize(lookup, device, tool_data);
}

} // namespace

extern "C" __attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    using StartTool = ompt_start_tool_result_t *(*)(unsigned, const char *);
    const auto next = reinterpret_cast<StartTool>(dlsym(RTLD_NEXT, "ompt_start_tool"));
    ompt_start_tool_result_t *result =
        next != nullptr ? next(omp_version, runtime_version) : nullptr;
    if (result != nullptr) {
        bridge_initialize = result->initialize;
        result->initialize = initialize;
    }
    return result;
}
