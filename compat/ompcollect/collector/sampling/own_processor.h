// SPDX-License-Identifier: Apache-2.0
//
// The processor that the sampling thread runs on. It cannot tell there whether a thread waits for
// others or for us. On a busy machine the kernel may leave us where the threads are bound, and
// then nobody would ever be met while it waits. Of the sampling thread alone.
#pragma once

namespace ompcollect {

// A thread waits for this processor, ours, for long: the next move goes elsewhere.
void shun_processor(int processor);

// Behind a tick: what it has found holds for where it was made. False: there is no other processor
// to go to.
bool move_if_shunned();

// To wherever the process might run at its begin.
void return_to_all_processors();

} // namespace ompcollect
