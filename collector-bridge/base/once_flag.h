// SPDX-License-Identifier: Apache-2.0
// What one thread of all is to do: exchange(1) is 0 for the first. A word and no bool: on riscv64
// gcc 12 exchanges a byte in libatomic, and the library needs none but libc.
#pragma once

#include <atomic>

namespace ocb {

using OnceFlag = std::atomic<unsigned>;

} // namespace ocb
