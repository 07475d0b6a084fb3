// SPDX-License-Identifier: Apache-2.0
#include "tr2/ids.h"

namespace ocb::ompt_tr2 {

constinit ompt::IdTable<10> regions;
constinit ompt::IdTable<14> tasks;

} // namespace ocb::ompt_tr2
