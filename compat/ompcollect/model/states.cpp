// SPDX-License-Identifier: Apache-2.0
#include "states.h"

#include "omp_collector_api.h"

#include <iterator>
#include <numeric>

namespace ompcollect::report {
namespace {

// In the order of OMP_COLLECTOR_API_THR_STATE; 12 to 16 are numbers that other producers use.
// Behind them those of kinds.h.
// Colours can be told apart with each kind of colour blindness, and black text can be read on them
// (tests/report/browser/palette_test.py).
constexpr State kStates[] = {
    {"?", "no state", "no state was given", "<OMP-unknown>", "#8d99a6", "grey", StateKind::kOther},
    {"OVHD", "runtime", "the runtime's own work", "<OMP-overhead>", "#d0a1f3", "purple",
     StateKind::kRuntime},
    {"WORK", "work", "the program's own code in a region", "", "#2f8c72", "green",
     StateKind::kUseful},
    {"IBAR", "implicit barrier", "waiting in an implicit barrier", "<OMP-implicit_barrier>",
     "#efde74", "orange", StateKind::kBarrier},
    {"EBAR", "explicit barrier", "waiting in an explicit barrier", "<OMP-explicit_barrier>",
     "#998c16", "yellow", StateKind::kBarrier},
    {"IDLE", "idle", "a worker without a region", "<OMP-idle>", "#a2afae", "transparent",
     StateKind::kIdle},
    {"SERIAL", "serial", "outside any parallel region", "", "#697aee", "blue", StateKind::kUseful},
    {"REDUC", "reduction", "combining a reduction", "<OMP-reduction>", "#c582b7", "lightblue",
     StateKind::kReduction},
    {"LKWT", "lock wait", "waiting for a lock", "<OMP-lock_wait>", "#ef7291", "red",
     StateKind::kMutex},
    {"CTWT", "critical wait", "waiting for a critical region", "<OMP-critical_section_wait>",
     "#f1b6a2", "brown", StateKind::kMutex},
    {"ODWT", "ordered wait", "waiting for its turn (ordered)", "<OMP-ordered_section_wait>",
     "#b956b0", "magenta", StateKind::kMutex},
    {"ATWT", "atomic wait", "waiting for an atomic", "<OMP-atomic_wait>", "#dcd7d6", "lightred",
     StateKind::kMutex},
    {"ST12", "state 12", "", "<OMP-state_12>", "#8d99a6", "darkgrey", StateKind::kOther},
    {"ST13", "state 13", "", "<OMP-state_13>", "#8d99a6", "darkgrey", StateKind::kOther},
    {"ST14", "state 14", "", "<OMP-state_14>", "#8d99a6", "darkgrey", StateKind::kOther},
    {"ST15", "state 15", "", "<OMP-state_15>", "#8d99a6", "darkgrey", StateKind::kOther},
    {"ST16", "state 16", "", "<OMP-state_16>", "#8d99a6", "darkgrey", StateKind::kOther},
    {"NOPROC", "no processor", "ready to run, without a processor", "<no processor>", "#e13c66",
     "darkred", StateKind::kNoProcessor},
    {"ASLEEP", "asleep", "own code, asleep in a system call", "<asleep>", "#cae0f8", "darkblue",
     StateKind::kAsleep},
};
static_assert(std::size(kStates) == kStateColumns && THR_ATWT_STATE == 11);

constexpr unsigned kOrder[kStateColumns] = {
    THR_SERIAL_STATE,
    THR_WORK_STATE,
    THR_REDUC_STATE,
    THR_IBAR_STATE,
    THR_EBAR_STATE,
    THR_LKWT_STATE,
    THR_CTWT_STATE,
    THR_ODWT_STATE,
    THR_ATWT_STATE,
    THR_OVHD_STATE,
    kAsleepState,
    kNoProcessorState,
    THR_IDLE_STATE,
    12,
    13,
    14,
    15,
    16,
    0,
};

} // namespace

const State &state_at(unsigned number) {
    return kStates[number < kStateColumns ? number : 0];
}

const unsigned (&states_in_order())[kStateColumns] {
    return kOrder;
}

double total_wall(const StateTimes &times) {
    return std::accumulate(std::begin(times.wall), std::end(times.wall), 0.0);
}

double total_cpu(const StateTimes &times) {
    return std::accumulate(std::begin(times.cpu), std::end(times.cpu), 0.0);
}

void add_times(StateTimes &sum, const StateTimes &part) {
    for (unsigned state = 0; state < kStateColumns; ++state) {
        sum.wall[state] += part.wall[state];
        sum.cpu[state] += part.cpu[state];
    }
}

} // namespace ompcollect::report
