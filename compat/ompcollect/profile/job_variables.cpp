// SPDX-License-Identifier: Apache-2.0
#include "job_variables.h"

#include <cstdlib>

namespace ompcollect {

const char *job_value(const char *variable) {
    const char *value = variable ? getenv(variable) : nullptr;
    return value ? value : "";
}

const JobVariables *own_job_variables() {
    for (const JobVariables &known : kJobVariables) {
        const bool is_there = *job_value(known.rank) != 0;
        if (is_there && (!known.needs || *job_value(known.needs) != 0)) {
            return &known;
        }
    }
    return nullptr;
}

const char *job_size_value(const JobVariables &variables) {
    const char *first = job_value(variables.size[0]);
    return *first != 0 ? first : job_value(variables.size[1]);
}

} // namespace ompcollect
