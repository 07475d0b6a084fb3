// SPDX-License-Identifier: Apache-2.0
// From the ids that a runtime of before OpenMP 5 deals to what we keep with a region or a task.
#pragma once

#include "id_table.h"

namespace ocb::ompt_tr2 {

using ompt::IdNode;
using ompt::kIdInWork;
using ompt::kNoId;

// Regions: the word is the tracker's, the owner the id of the thread that forked it.
extern constinit ompt::IdTable<10> regions;
// Explicit tasks: the word is the tracker's.
extern constinit ompt::IdTable<14> tasks;

} // namespace ocb::ompt_tr2
