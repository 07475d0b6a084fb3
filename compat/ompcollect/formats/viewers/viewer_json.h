// SPDX-License-Identifier: Apache-2.0
//
// What the JSON formats of viewers share.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace ompcollect::report {

using Json = nlohmann::ordered_json;

// Texts may hold bytes that are no UTF-8.
inline std::string text_of(const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace ompcollect::report
