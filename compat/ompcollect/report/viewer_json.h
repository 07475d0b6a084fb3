// SPDX-License-Identifier: Apache-2.0
//
// What the JSON formats of viewers share: colours and words of states, and the time line of a
// thread. Without samples that have times, time is laid out by the sums of the cells: lengths are
// right, the order means nothing, and the file says so in its names.
#pragma once

#include "frames.h"

#include <nlohmann/json.hpp>

namespace ompcollect::report {

using Json = nlohmann::ordered_json;

// Stretches in the order of time; the sums one after the other if there are no samples with times.
std::vector<Stretch> line_of(const Process &process);

inline constexpr char kOrderUnknown[] = " (sums; order unknown)";

// Texts may hold bytes that are no UTF-8.
inline std::string text_of(const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace ompcollect::report
