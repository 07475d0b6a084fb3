// SPDX-License-Identifier: Apache-2.0
// For what exactly one thread has to do: exchange(1) returns 0 to the first. A word and not a bool,
// as gcc 12 on riscv64 exchanges bytes by libatomic, and the library needs libc alone.
#pragma once

#include <atomic>

namespace ocb {

using OnceFlag = std::atomic<unsigned>;

} // namespace ocb
