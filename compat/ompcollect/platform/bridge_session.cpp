// SPDX-License-Identifier: Apache-2.0
#include "bridge_session.h"

#include <cstdlib>
#include <cstring>

namespace ompcollect {
namespace {

void ignore_event(OMP_COLLECTORAPI_EVENT) {}

// One request with up to 12 bytes of memory, packed; returns its error code.
int issue(OMP_COLLECTOR_API_FUNCTION api, int request, int number = 0,
          OMP_COLLECTORAPI_CALLBACK callback = nullptr) {
    constexpr int kSize = OMP_COLLECTOR_HEADER_SIZE + 12;
    int list[kSize / 4 + 1] = {kSize, request, OMP_ERRCODE_ERROR, 0, number};
    std::memcpy(&list[5], &callback, sizeof callback);
    api(list);
    return list[2];
}

} // namespace

int begin_full_session(OMP_COLLECTOR_API_FUNCTION api,
                       std::span<const omp_collector_bridge_capability> rows) {
    // What the runtime answers to a registration is known once it is initialised.
    setenv("OCB_INIT", "force", 1);
    const int start = issue(api, OMP_REQ_START);
    for (const auto &row : rows) {
        if (row.kind == OMP_COLLECTOR_BRIDGE_EVENT) {
            issue(api, OMP_REQ_REGISTER, row.number, ignore_event);
        }
    }
    issue(api, OMP_REQ_STATE);
    return start;
}

void end_session(OMP_COLLECTOR_API_FUNCTION api) {
    issue(api, OMP_REQ_STOP);
}

} // namespace ompcollect
