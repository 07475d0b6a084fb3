// SPDX-License-Identifier: Apache-2.0
//
// See collector_answers.h: the process that asks the bridge.
#include "collector_answers.h"

#include "failure.h"
#include "library_search.h"

#include "omp_collector_api.h"
#include "omp_collector_bridge.h"

#include <cstring>
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

void ignore_event(OMP_COLLECTORAPI_EVENT) {}

// One request with up to 12 bytes of memory, packed; returns its error code.
int issue(OMP_COLLECTOR_API_FUNCTION api, int request, int number,
          OMP_COLLECTORAPI_CALLBACK callback) {
    constexpr int kSize = OMP_COLLECTOR_HEADER_SIZE + 12;
    int list[kSize / 4 + 1] = {kSize, request, OMP_ERRCODE_ERROR, 0, number};
    std::memcpy(&list[5], &callback, sizeof callback);
    api(list);
    return list[2];
}

const char *kind_name(omp_collector_bridge_kind kind) {
    switch (kind) {
    case OMP_COLLECTOR_BRIDGE_REQUEST:
        return "request";
    case OMP_COLLECTOR_BRIDGE_EVENT:
        return "event";
    case OMP_COLLECTOR_BRIDGE_STATE:
        return "state";
    }
    return "?";
}

const char *status_name(omp_collector_bridge_status status) {
    switch (status) {
    case OMP_COLLECTOR_BRIDGE_EXACT:
        return "exact";
    case OMP_COLLECTOR_BRIDGE_SYNTHESISED:
        return "synthesised";
    case OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE:
        return "impossible";
    }
    return "?";
}

} // namespace

int print_bridge_rows(const std::string &runtime) {
    // The bridge first: so the runtime finds its entry points, and START finds the runtime.
    void *bridge = loaded(ompcollect::own_library("libomp-collector-bridge.so"));
    loaded(runtime);
    const auto api = function_of<OMP_COLLECTOR_API_FUNCTION>(bridge, OMP_COLLECTOR_API);
    const auto row_here = function_of<omp_collector_bridge_capability_here_t>(
        bridge, "omp_collector_bridge_capability_here");
    issue(api, OMP_REQ_START, 0, nullptr);
    omp_collector_bridge_capability row{};
    for (size_t i = 0; row_here(i, &row) != 0; ++i) {
        if (row.kind == OMP_COLLECTOR_BRIDGE_EVENT) {
            issue(api, OMP_REQ_REGISTER, row.number, ignore_event);
        }
    }
    issue(api, OMP_REQ_STATE, 0, nullptr);
    for (size_t i = 0; row_here(i, &row) != 0; ++i) {
        std::cout << kind_name(row.kind) << '\t' << row.number << '\t' << row.name << '\t'
                  << status_name(row.status) << '\t' << row.reason << '\n';
    }
    issue(api, OMP_REQ_STOP, 0, nullptr);
    std::cout.flush();
    // What the runtime does at its end is not asked here.
    _exit(0);
}

} // namespace compliance
