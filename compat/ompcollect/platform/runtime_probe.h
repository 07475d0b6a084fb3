// SPDX-License-Identifier: Apache-2.0
//
// What am I running on? Asked in a process of its own, into which the launcher preloads what it
// would preload into the program: the bridge and the OpenMP runtime. A session is begun there and
// everything is asked for once, so that the runtime has answered every registration.
#pragma once

#include <string>

namespace ompcollect {

// The report: the runtime, its answers, and each request, event and state as it is on this runtime.
// `built_by_gcc`: with what gcc's code leaves out. Throws Failure where no bridge is preloaded.
std::string probe_runtime(bool built_by_gcc);

} // namespace ompcollect
