// SPDX-License-Identifier: Apache-2.0
// OCB_FRONT=trace: a line on stderr for each reference that is bound to a stub: who calls, what,
// and whose function it is.
#pragma once

#include "objects.h"
#include "references.h"

namespace ocb::front {

void trace_binding(const ObjectList &objects, const Object &caller, const Reference &reference,
                   const void *definition);

} // namespace ocb::front
