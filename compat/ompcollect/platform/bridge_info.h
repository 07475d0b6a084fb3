// SPDX-License-Identifier: Apache-2.0
//
// What the bridge says about itself, asked of the library that would be preloaded. The library
// stays loaded, so the rows stay valid.
#pragma once

#include "omp_collector_bridge.h"

#include <span>
#include <string>

namespace ompcollect {

class BridgeInfo {
  public:
    // Throws Failure if the library cannot be loaded or is not the bridge.
    explicit BridgeInfo(const std::string &path);

    [[nodiscard]] std::string version() const;
    [[nodiscard]] std::span<const omp_collector_bridge_option> options() const;
    [[nodiscard]] std::span<const omp_collector_bridge_capability> capabilities() const;

  private:
    omp_collector_bridge_version_t version_;
    omp_collector_bridge_options_t options_;
    omp_collector_bridge_capabilities_t capabilities_;
};

// In words: "event", "not observable".
const char *kind_name(omp_collector_bridge_kind kind);
const char *status_name(omp_collector_bridge_status status);

// The options as a section of --help.
std::string options_text(std::span<const omp_collector_bridge_option> options);

// A table with one line per request, event and state.
std::string capabilities_text(std::span<const omp_collector_bridge_capability> capabilities);

} // namespace ompcollect
