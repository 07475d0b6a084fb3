// SPDX-License-Identifier: Apache-2.0
#include "contract_names.h"

#include "kinds.h"

#include "omp_collector_api.h"

namespace ompcollect {
namespace {

// In the order of OMP_COLLECTORAPI_EVENT.
constexpr const char *kEventNames[kEventNumbers] = {
    "?",          "FORK",          "JOIN",        "BEGIN_IDLE",   "END_IDLE",   "BEGIN_IBAR",
    "END_IBAR",   "BEGIN_EBAR",    "END_EBAR",    "BEGIN_LKWT",   "END_LKWT",   "BEGIN_CTWT",
    "END_CTWT",   "BEGIN_ODWT",    "END_ODWT",    "BEGIN_MASTER", "END_MASTER", "BEGIN_SINGLE",
    "END_SINGLE", "BEGIN_ORDERED", "END_ORDERED", "BEGIN_ATWT",   "END_ATWT",
};
static_assert(OMP_EVENT_THR_END_ATWT + 1 == kEventNumbers);

// In the order of OMP_COLLECTORAPI_EC.
constexpr const char *kErrorNames[OMP_ERRCODE_LAST] = {
    "OK",           "ERROR",    "UNKNOWN",    "UNSUPPORTED",
    "SEQUENCE_ERR", "OBSOLETE", "THREAD_ERR", "MEM_TOO_SMALL",
};

} // namespace

const char *event_name(unsigned event) {
    return kEventNames[event < kEventNumbers ? event : 0];
}

const char *error_name(int code) {
    return code >= 0 && code < OMP_ERRCODE_LAST ? kErrorNames[code] : "?";
}

bool is_mutex_wait(unsigned state) {
    return state == THR_LKWT_STATE || state == THR_CTWT_STATE || state == THR_ODWT_STATE ||
           state == THR_ATWT_STATE;
}

bool is_own_code(unsigned state) {
    return state == THR_SERIAL_STATE || state == THR_WORK_STATE;
}

} // namespace ompcollect
