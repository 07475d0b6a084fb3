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

// Seconds that each stretch of the line stands for: the time of its thread, node and state in the
// cells, by length. What a viewer adds up is then what every other report says, also where samples
// came late.
std::vector<double> weights_of(const Process &process, const std::vector<Stretch> &line);

// Seconds from the first process's begin to that of another, so that processes stand where they
// were on one axis of time.
double begins_after_first(const Run &run, const Process &process);

inline constexpr char kOrderUnknown[] = " (sums; order unknown)";

// Texts may hold bytes that are no UTF-8.
inline std::string text_of(const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace ompcollect::report
