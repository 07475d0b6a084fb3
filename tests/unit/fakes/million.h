// SPDX-License-Identifier: Apache-2.0
//
// How often a thing is done that must not get dearer, or take more memory, with the million: a
// sanitizer, under which each takes long, sees the same code in a tenth of it.
#pragma once

namespace ocb::test {

#ifdef OCB_IS_SANITIZED
constexpr int kMillion = 100000;
#else
constexpr int kMillion = 1000000;
#endif

} // namespace ocb::test
