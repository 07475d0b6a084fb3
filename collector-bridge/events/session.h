// SPDX-License-Identifier: Apache-2.0
// The collector's session: START, STOP, PAUSE, RESUME, REGISTER and UNREGISTER. These requests take
// a lock; whether a session runs is read without one.
#pragma once

#include "base/compiler.h"
#include "base/once_flag.h"
#include "events/delivery.h"
#include "omp_collector_api.h"
#include "records/event.h"

#include <atomic>

namespace ocb::session {

// Requests: any thread, not in a signal handler. Those that cannot fail answer OK.
[[nodiscard]] OMP_COLLECTORAPI_EC start();
OMP_COLLECTORAPI_EC stop();
OMP_COLLECTORAPI_EC pause();
OMP_COLLECTORAPI_EC resume();
[[nodiscard]] OMP_COLLECTORAPI_EC register_callback(Event event,
                                                    OMP_COLLECTORAPI_CALLBACK callback);
OMP_COLLECTORAPI_EC unregister_callback(Event event);

// Async-signal-safe.
inline bool is_started() {
    return load_acquire_in_place(events::delivery_state.session_runs);
}

// Whether a collector has ever sent START, refused or not.
extern constinit std::atomic<bool> start_has_come OCB_INTERNAL;

// Ends delivery before the exit handlers of libraries run, the runtime's and the collector's among
// them. Exit handlers run in the reverse order of their registration, and the libraries'
// destructors count as registered when main begins. So call this when the program runs, at its
// first fork.
extern constinit OnceFlag exit_is_watched OCB_INTERNAL;
void watch_exit_from_here_on();
inline bool watches_exit() {
    return exit_is_watched.load(std::memory_order_relaxed) != 0;
}
inline void watch_exit() {
    if (!watches_exit()) [[unlikely]] {
        watch_exit_from_here_on();
    }
}

// Registers the handlers by which a forked child finds our locks free: at the first START, or when
// a runtime comes that must be observed before it.
void watch_forks();

} // namespace ocb::session
