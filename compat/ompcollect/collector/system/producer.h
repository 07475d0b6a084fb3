// SPDX-License-Identifier: Apache-2.0
//
// The collector's side of the Collector API: packed request lists for whatever library serves the
// symbol. Nothing else in the collector knows the layout, and nothing here knows the bridge.
// Owns the address of the producer's function; it never changes after find_producer().
#pragma once

#include "omp_collector_api.h"
#include "omp_collector_bridge.h"

#include <cstddef>
#include <cstdint>

namespace ompcollect {

// False: no library in the process has the symbol.
bool find_producer();
const void *producer_address();

// One request without input or answer (START, STOP, PAUSE, RESUME); its error code.
int simple_request(OMP_COLLECTORAPI_REQUEST request);

// Registers one callback for several events in one list; codes[i] is the answer for events[i].
void register_events(const OMP_COLLECTORAPI_EVENT *events, size_t count,
                     OMP_COLLECTORAPI_CALLBACK callback, int *codes);

struct ThreadAnswer {
    unsigned state = 0; // 0: the producer gave none
    uint64_t wait_id = 0;
    bool has_wait_id = false; // false where the producer did not write one
    uint64_t region = 0;
};

// STATE and CURRENT_PRID of the calling thread in one list. Async-signal-safe, as the requests are.
ThreadAnswer ask_thread();

// What omp_collector_bridge_ask_thread returns of a thread that may be in a task in its wait or
// call.
inline constexpr int kMayBeInTask = 2;

// What the bridge offers beyond the contract; null where the producer is another.
struct Extensions {
    omp_collector_bridge_own_thread_t own_thread = nullptr;
    omp_collector_bridge_ask_thread_t ask_thread = nullptr;
    omp_collector_bridge_caller_region_t caller_region = nullptr;
    omp_collector_bridge_own_fork_t own_fork = nullptr;
    omp_collector_bridge_watch_mutex_t watch_mutex = nullptr;
    omp_collector_bridge_count_events_t count_events = nullptr;
    omp_collector_bridge_own_counts_t own_counts = nullptr;
    omp_collector_bridge_runtime_t runtime = nullptr;
    omp_collector_bridge_version_t version = nullptr;
};
extern constinit Extensions found_extensions; // written by find_producer()
inline const Extensions &extensions() {
    return found_extensions;
}

using RegionAnswer = omp_collector_bridge_region; // address: null where the producer has none

// CURRENT_PRID and PARENT_PRID, by the producer's own call or in one list; and CURRENT_PRID alone.
RegionAnswer ask_region();
uint64_t ask_current_region();

} // namespace ompcollect
