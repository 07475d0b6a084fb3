// SPDX-License-Identifier: Apache-2.0
//
// See preload_link.h.
#include "preload_link.h"

#include <dlfcn.h>

namespace ompcollect {
namespace {

constinit const ompcollect_preload_services *g_services = nullptr;

} // namespace

void find_preload() {
    if (const auto find =
            reinterpret_cast<ompcollect_preload_t>(dlsym(RTLD_DEFAULT, "ompcollect_preload"))) {
        g_services = find();
    }
}

const ompcollect_preload_services *preload_services() {
    return g_services;
}

} // namespace ompcollect
