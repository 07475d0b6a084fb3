// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ocb::gomp {

// Whether the program has had a target construct with nowait.
bool target_tasks_were_made();

} // namespace ocb::gomp
