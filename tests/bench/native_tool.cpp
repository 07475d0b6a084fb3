// SPDX-License-Identifier: Apache-2.0
// The native OMPT tool that the bridge is compared with. OCB_BENCH_TOOL=none: registers nothing;
// count: registers the callbacks that the bridge registers for all 22 events, each of which adds
// one to a counter of its thread. Preloaded.
#include "ompt5.h"

#include <cstdlib>
#include <cstring>

using namespace ocb::ompt5;

namespace {

thread_local std::uint64_t counters[64] __attribute__((tls_model("initial-exec")));

template <int kId> void count() {
    counters[kId] = counters[kId] + 1;
}

template <int... kIds> void register_all(ompt_set_callback_t set_callback) {
    (set_callback(kIds, count<kIds>), ...);
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t *) {
    const char *wish = std::getenv("OCB_BENCH_TOOL");
    if (wish == nullptr || std::strcmp(wish, "count") != 0)
        return 1;
    const auto set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
    register_all<ompt_callback_thread_begin, ompt_callback_thread_end, ompt_callback_parallel_begin,
                 ompt_callback_parallel_end, ompt_callback_implicit_task,
                 ompt_callback_control_tool, ompt_callback_task_create, ompt_callback_task_schedule,
                 ompt_callback_sync_region_wait, ompt_callback_mutex_released,
                 ompt_callback_mutex_acquired, ompt_callback_nest_lock, ompt_callback_mutex_acquire,
                 ompt_callback_work, ompt_callback_masked>(set_callback);
    return 1;
}

void finalize(ompt_data_t *) {}

ompt_start_tool_result_t result{initialize, finalize, {0}};

} // namespace

extern "C" __attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned, const char *) {
    return &result;
}
