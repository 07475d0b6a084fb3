// SPDX-License-Identifier: Apache-2.0
//
// The function of the same name behind ours, found at its first use.
#pragma once

#include <atomic>
#include <dlfcn.h>

namespace ompcollect {

// One per function, constant-initialised.
template <class Function> class Real {
  public:
    constexpr explicit Real(const char *name) : name_(name) {}

    // Null where no library has it.
    Function get() {
        void *found = found_.load(std::memory_order_relaxed);
        if (!found) {
            found = dlsym(RTLD_NEXT, name_);
            found_.store(found, std::memory_order_relaxed);
        }
        return reinterpret_cast<Function>(found);
    }

  private:
    const char *name_;
    std::atomic<void *> found_{nullptr};
};

} // namespace ompcollect

#define OMPCOLLECT_INTERPOSED extern "C" __attribute__((visibility("default")))
