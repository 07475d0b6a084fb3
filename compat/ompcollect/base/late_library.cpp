// SPDX-License-Identifier: Apache-2.0
#include "late_library.h"

#include "failure.h"

#include <dlfcn.h>

namespace ompcollect::report {

LateLibrary::LateLibrary(const char *soname, const char *package)
    : soname_(soname), library_(dlopen(soname, RTLD_NOW | RTLD_LOCAL)) {
    if (!library_) {
        const char *why = dlerror();
        throw Failure(std::string(soname) + " cannot be opened (" + (why ? why : "no cause") +
                      "); install it (Debian: " + package + ")");
    }
}

void *LateLibrary::look_up(const char *name) const {
    void *address = dlsym(library_, name);
    if (!address) {
        throw Failure(std::string(soname_) + " has no " + name +
                      "; install the version that ompcollect was built with");
    }
    return address;
}

} // namespace ompcollect::report
