// SPDX-License-Identifier: Apache-2.0
#include "bridge_info.h"

#include "failure.h"
#include "wrapped_text.h"

#include <algorithm>
#include <dlfcn.h>
#include <sstream>

namespace ompcollect {
namespace {

constexpr size_t kWidth = 92;

template <typename Function> Function function_in(void *library, const char *name) {
    void *address = dlsym(library, name);
    if (!address) {
        throw Failure(std::string("the bridge lacks ") + name +
                      "; launcher and bridge are of different versions, install both together");
    }
    return reinterpret_cast<Function>(address);
}

std::string padded(std::string text, size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

} // namespace

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
        return "not observable";
    }
    return "?";
}

BridgeInfo::BridgeInfo(const std::string &path) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        throw Failure(std::string("the bridge cannot be loaded: ") + dlerror() +
                      "; build or install it again");
    }
    version_ = function_in<omp_collector_bridge_version_t>(library, "omp_collector_bridge_version");
    options_ = function_in<omp_collector_bridge_options_t>(library, "omp_collector_bridge_options");
    capabilities_ = function_in<omp_collector_bridge_capabilities_t>(
        library, "omp_collector_bridge_capabilities");
}

std::string BridgeInfo::version() const {
    return version_();
}

std::span<const omp_collector_bridge_option> BridgeInfo::options() const {
    size_t count = 0;
    const omp_collector_bridge_option *rows = options_(&count);
    return {rows, count};
}

std::span<const omp_collector_bridge_capability> BridgeInfo::capabilities() const {
    size_t count = 0;
    const omp_collector_bridge_capability *rows = capabilities_(&count);
    return {rows, count};
}

std::string options_text(std::span<const omp_collector_bridge_option> options) {
    std::ostringstream text;
    text << "Environment of the bridge:\n";
    for (const auto &option : options) {
        text << "  " << option.name << '=' << option.values
             << "  (default: " << option.default_value << ")\n"
             << wrapped(option.sentence, 6, kWidth);
    }
    return text.str();
}

std::string capabilities_text(std::span<const omp_collector_bridge_capability> capabilities) {
    size_t name_width = 0;
    for (const auto &row : capabilities) {
        name_width = std::max(name_width, std::string(row.name).size());
    }
    std::ostringstream text;
    text << padded("kind", 8) << padded("number", 7) << padded("name", name_width + 1)
         << padded("status", 15) << "reason\n";
    for (const auto &row : capabilities) {
        text << padded(kind_name(row.kind), 8) << padded(std::to_string(row.number), 7)
             << padded(row.name, name_width + 1) << padded(status_name(row.status), 15)
             << row.reason << '\n';
    }
    return text.str();
}

} // namespace ompcollect
