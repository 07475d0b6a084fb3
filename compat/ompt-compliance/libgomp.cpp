// SPDX-License-Identifier: Apache-2.0
#include "libgomp.h"

#include "failure.h"
#include "library_search.h"

#include <dlfcn.h>

namespace compliance {

std::string library_of(const std::string &runtime) {
    if (runtime != kLibgomp) {
        return runtime;
    }
    if (dlopen(ompcollect::own_library("libgomp-ompt.so").c_str(), RTLD_NOW | RTLD_GLOBAL) ==
        nullptr) {
        throw ompcollect::Failure(dlerror());
    }
    return "libgomp.so.1";
}

} // namespace compliance
