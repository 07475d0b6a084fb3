// SPDX-License-Identifier: Apache-2.0
// The native OMPT tool that the bridge is compared with. OCB_BENCH_TOOL=none: registers nothing;
// count: registers the callbacks that the bridge registers for all 22 events, each of which adds
// one to a counter of its thread; least: the same callbacks do what no bridge could leave out, and
// nothing else: the thread's state, and where an event of the Collector API belongs to the callback
// a call of the collector's function, which counts, if its bit is set. Preloaded. Behind the front
// it has each thread's calls marked, as the bridge has.
#include "omp_collector_bridge.h"
#include "spec/ompt5.h"

#include <cstdlib>
#include <cstring>

using namespace ocb::ompt5;

// The front finds them, if it is there.
extern "C" {
__attribute__((visibility(
    "default"))) constinit __thread omp_collector_bridge_front *omp_collector_bridge_own_front =
    nullptr;
__attribute__((visibility("default"))) void omp_collector_bridge_note_fork(const void *,
                                                                           const void *) {}
}

namespace {

thread_local std::uint64_t counters[64] __attribute__((tls_model("initial-exec")));

template <int kId> void count() {
    counters[kId] = counters[kId] + 1;
}

std::uint64_t events = ~0ULL;
void count_event(int event) {
    counters[event] = counters[event] + 1;
}
void (*volatile collector)(int event) = count_event;
thread_local int state __attribute__((tls_model("initial-exec")));
thread_local omp_collector_bridge_front marks __attribute__((tls_model("initial-exec")));

constexpr bool has_events(int id) {
    return id == ompt_callback_parallel_begin || id == ompt_callback_parallel_end ||
           id == ompt_callback_sync_region_wait || id == ompt_callback_work ||
           id == ompt_callback_masked;
}

// `kind`: of a mutex, for the callbacks that have one.
template <int kId> void least(int kind) {
    state = kId;
    if (kId == ompt_callback_thread_begin) {
        omp_collector_bridge_own_front = &marks;
    }
    const bool is_of_ordered =
        (kId == ompt_callback_mutex_acquired || kId == ompt_callback_mutex_released) &&
        kind == ompt_mutex_ordered;
    if ((has_events(kId) || is_of_ordered) && (events & (1ULL << kId)) != 0) {
        collector(kId);
    }
}

template <int... kIds> void register_all(ompt_set_callback_t set_callback, bool is_least) {
    (set_callback(kIds, is_least ? reinterpret_cast<ompt_callback_t>(least<kIds>) : count<kIds>),
     ...);
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t *) {
    const char *wish = std::getenv("OCB_BENCH_TOOL");
    const bool is_least = wish != nullptr && std::strcmp(wish, "least") == 0;
    if (wish == nullptr || (!is_least && std::strcmp(wish, "count") != 0)) {
        return 1;
    }
    const auto set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
    register_all<ompt_callback_thread_begin, ompt_callback_thread_end, ompt_callback_parallel_begin,
                 ompt_callback_parallel_end, ompt_callback_implicit_task,
                 ompt_callback_control_tool, ompt_callback_task_create, ompt_callback_task_schedule,
                 ompt_callback_sync_region_wait, ompt_callback_mutex_released,
                 ompt_callback_mutex_acquired, ompt_callback_nest_lock, ompt_callback_mutex_acquire,
                 ompt_callback_work, ompt_callback_masked>(set_callback, is_least);
    return 1;
}

void finalize(ompt_data_t *) {}

ompt_start_tool_result_t result{initialize, finalize, {0}};

} // namespace

extern "C" __attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned, const char *) {
    return &result;
}
