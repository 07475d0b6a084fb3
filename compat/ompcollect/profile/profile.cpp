// SPDX-License-Identifier: Apache-2.0
//
// Names of the contract's numbers as the report prints them, and questions about a whole profile.
#include "profile.h"

#include "omp_collector_api.h"

namespace ompcollect {
namespace {

// In the order of OMP_COLLECTOR_API_THR_STATE; 12 to 16 are numbers that other producers use.
constexpr const char *kStateNames[kStateColumns] = {
    "?",    "OVHD", "WORK", "IBAR", "EBAR", "IDLE", "SERIAL", "REDUC", "LKWT",
    "CTWT", "ODWT", "ATWT", "ST12", "ST13", "ST14", "ST15",   "ST16",
};
static_assert(THR_ATWT_STATE == 11);

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

const char *state_name(unsigned state) {
    return kStateNames[state < kStateColumns ? state : 0];
}

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

double total_wall(const StateTimes &times) {
    double sum = 0;
    for (const double seconds : times.wall) {
        sum += seconds;
    }
    return sum;
}

double total_cpu(const StateTimes &times) {
    double sum = 0;
    for (const double seconds : times.cpu) {
        sum += seconds;
    }
    return sum;
}

void add_times(StateTimes &sum, const StateTimes &part) {
    for (unsigned state = 0; state < kStateColumns; ++state) {
        sum.wall[state] += part.wall[state];
        sum.cpu[state] += part.cpu[state];
    }
}

bool used_openmp(const Profile &profile) {
    if (profile.events[OMP_EVENT_FORK].count != 0) {
        return true;
    }
    for (size_t i = 0; i < profile.thread_count; ++i) {
        for (unsigned state = 1; state < kStateColumns; ++state) {
            if (state != THR_SERIAL_STATE && profile.threads[i].times.wall[state] > 0) {
                return true;
            }
        }
    }
    return false;
}

const char *stacks_name(Stacks stacks) {
    switch (stacks) {
    case Stacks::kOff:
        return "off";
    case Stacks::kForks:
        return "forks";
    case Stacks::kFull:
        return "full";
    }
    return "off";
}

} // namespace ompcollect
