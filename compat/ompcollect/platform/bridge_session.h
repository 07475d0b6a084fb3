// SPDX-License-Identifier: Apache-2.0
//
// For programs that have the bridge in their own process and ask what it can tell of the runtime
// there: a session that wants everything, so that the runtime has been asked for everything.
#pragma once

#include "omp_collector_api.h"
#include "omp_collector_bridge.h"

#include <span>

namespace ompcollect {

// START, REGISTER of the events among the rows, STATE. Returns the error code of START.
int begin_full_session(OMP_COLLECTOR_API_FUNCTION api,
                       std::span<const omp_collector_bridge_capability> rows);
void end_session(OMP_COLLECTOR_API_FUNCTION api);

} // namespace ompcollect
