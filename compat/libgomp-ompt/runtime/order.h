// SPDX-License-Identifier: Apache-2.0
// What libgomp orders between threads, for ThreadSanitizer, which cannot see it: libgomp waits by
// futexes and is not instrumented. Nothing elsewhere.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace ocb::gomp {

// What was done before this is seen by who says seen_behind of the same address later.
inline void done_before([[maybe_unused]] const void *address) {
#if defined(__SANITIZE_THREAD__)
    __tsan_release(const_cast<void *>(address));
#endif
}
inline void seen_behind([[maybe_unused]] const void *address) {
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(const_cast<void *>(address));
#endif
}

} // namespace ocb::gomp
