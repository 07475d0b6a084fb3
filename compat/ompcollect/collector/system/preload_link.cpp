// SPDX-License-Identifier: Apache-2.0
#include "preload_link.h"

#include <dlfcn.h>

namespace ompcollect {
namespace {

constinit const ompcollect_preload_services *services = nullptr;

} // namespace

void find_preload() {
    if (const auto find =
            reinterpret_cast<ompcollect_preload_t>(dlsym(RTLD_DEFAULT, "ompcollect_preload"))) {
        services = find();
    }
}

const ompcollect_preload_services *preload_services() {
    return services;
}

bool is_before_runtime() {
    return services && services->runtime_has_asked == 0;
}

} // namespace ompcollect
