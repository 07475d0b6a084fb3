// SPDX-License-Identifier: Apache-2.0
//
// Figures of one process: what each parallel region costs, all that is lost, and how well threads
// were used. Thread seconds add up over threads; elapsed seconds are those of the clock on the
// wall.
//
// The efficiencies are the field's (POP, TALP): of elapsed time x threads,
//   serialisation   what is left when one thread works alone outside regions,
//   load balance    of that, what is left when some threads of a region wait for others,
//   scheduling      of that, what is left when threads queue, or the runtime works.
// Their product is the parallel efficiency. It is one minus the share of all losses (losses.h).
#pragma once

#include "region_figures.h"

namespace ompcollect::report {

Figures figures_of(const Process &process);

} // namespace ompcollect::report
