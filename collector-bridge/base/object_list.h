// SPDX-License-Identifier: Apache-2.0
// The dynamic linker's list of loaded objects. glibc locks it for a look, and leaves the lock as it
// is in a forked child, whose next look would never end. So no process forks while a thread of it
// looks at the list for us. For all libraries inside the traced process; each has a list of looks
// of its own. Not for signal handlers.
#pragma once

#include <cstddef>
#include <link.h>

namespace ocb {

// As dl_iterate_phdr().
void look_at_objects(int (*visit)(dl_phdr_info *, std::size_t, void *), void *data);

} // namespace ocb
