// SPDX-License-Identifier: Apache-2.0
#include "output_name.h"

#include "failure.h"
#include "job_variables.h"

#include <charconv>
#include <cstdlib>
#include <unistd.h>

namespace ompcollect {
namespace {

[[noreturn]] void refuse(const std::string &pattern) {
    throw Failure(pattern + ": after a percent sign p, h, r, q{NAME} or another percent sign is "
                            "wanted; check what follows --output");
}

// The value of the variable in q{NAME}; `at` moves to its last character.
std::string variable_at(const std::string &pattern, size_t &at) {
    const size_t end = pattern.find('}', at);
    if (at + 1 >= pattern.size() || pattern[at + 1] != '{' || end == std::string::npos) {
        refuse(pattern);
    }
    const std::string name = pattern.substr(at + 2, end - at - 2);
    at = end;
    return job_value(name.c_str());
}

} // namespace

bool is_pattern(const std::string &name) {
    return name.find('%') != std::string::npos;
}

std::string expanded_name(const std::string &pattern, const ReportOf &process) {
    std::string name;
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            name += pattern[i];
            continue;
        }
        switch (++i < pattern.size() ? pattern[i] : 0) {
        case 'p':
            name += std::to_string(process.pid);
            break;
        case 'h':
            name += process.host;
            break;
        case 'r':
            name += process.rank.empty() ? "0" : process.rank;
            break;
        case 'q':
            name += variable_at(pattern, i);
            break;
        case '%':
            name += '%';
            break;
        default:
            refuse(pattern);
        }
    }
    return name;
}

JobRank own_job_rank() {
    const JobVariables *const known = own_job_variables();
    if (!known) {
        return {};
    }
    JobRank own;
    own.rank = job_value(known->rank);
    const std::string size = job_size_value(*known);
    std::from_chars(size.data(), size.data() + size.size(), own.ranks);
    own.job = job_value(known->job[0]);
    const std::string second = job_value(known->job[1]);
    own.job += own.job.empty() || second.empty() ? second : "." + second;
    return own;
}

std::string own_host() {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    return host;
}

} // namespace ompcollect
