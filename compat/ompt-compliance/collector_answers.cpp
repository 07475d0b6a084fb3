// SPDX-License-Identifier: Apache-2.0
//
// See collector_answers.h: the process that asks the bridge.
#include "collector_answers.h"

#include "bridge_info.h"
#include "bridge_session.h"
#include "failure.h"
#include "libgomp.h"
#include "library_search.h"
#include "omp_collector_bridge.h"

#include <dlfcn.h>
#include <iostream>
#include <unistd.h>

namespace compliance {
namespace {

void *loaded(const std::string &library) {
    void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) {
        throw ompcollect::Failure(dlerror());
    }
    return handle;
}

template <typename Function> Function function_of(void *library, const char *name) {
    void *address = dlsym(library, name);
    if (address == nullptr) {
        throw ompcollect::Failure(std::string("the bridge lacks ") + name +
                                  "; install the whole project together");
    }
    return reinterpret_cast<Function>(address);
}

// In the words of this suite.
const char *status_name(omp_collector_bridge_status status) {
    return status == OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE ? "impossible"
                                                         : ompcollect::status_name(status);
}

} // namespace

int print_bridge_rows(const std::string &runtime) {
    // The bridge first: so the runtime finds its entry points, and START finds the runtime.
    void *bridge = loaded(ompcollect::own_library(OMP_COLLECTOR_BRIDGE_SONAME));
    loaded(library_of(runtime));
    const auto api = function_of<OMP_COLLECTOR_API_FUNCTION>(bridge, OMP_COLLECTOR_API);
    const auto row_here = function_of<omp_collector_bridge_capability_here_t>(
        bridge, "omp_collector_bridge_capability_here");
    const auto capabilities = function_of<omp_collector_bridge_capabilities_t>(
        bridge, "omp_collector_bridge_capabilities");
    size_t count = 0;
    const omp_collector_bridge_capability *rows = capabilities(&count);
    ompcollect::begin_full_session(api, {rows, count});
    omp_collector_bridge_capability row{};
    for (size_t i = 0; row_here(i, &row) != 0; ++i) {
        std::cout << ompcollect::kind_name(row.kind) << '\t' << row.number << '\t' << row.name
                  << '\t' << status_name(row.status) << '\t' << row.reason << '\n';
    }
    ompcollect::end_session(api);
    std::cout.flush();
    // What the runtime does at its end is not asked here.
    _exit(0);
}

} // namespace compliance
