// SPDX-License-Identifier: Apache-2.0
//
// What the JSON export and the page of a job have in common.
#pragma once

#include "job.h"

#include <nlohmann/json.hpp>

#include <string>

namespace ompcollect::report {

using Json = nlohmann::ordered_json;

// Efficiencies, doubts, findings, ranks and regions.
Json job_summary(const Job &job);

// Of a region, the special places included.
std::string region_name_of(const Job &job, PlaceKey key);

} // namespace ompcollect::report
