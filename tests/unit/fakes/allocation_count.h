// SPDX-License-Identifier: Apache-2.0
// How often the calling thread has called malloc, calloc, realloc or free since this was made. The
// test program's own definitions stand before libc's; under a sanitizer, which brings its own, its
// hooks count.
#pragma once

namespace ocb::test {

class AllocationCount {
  public:
    AllocationCount();
    [[nodiscard]] unsigned count() const;

  private:
    unsigned before_;
};

} // namespace ocb::test
