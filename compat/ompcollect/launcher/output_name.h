// SPDX-License-Identifier: Apache-2.0
//
// What follows --output: a name in which %p is the process, %h the host, %r the rank, %q{NAME} a
// variable of the environment and %% a percent sign. And which rank of a job the caller is.
#pragma once

#include <string>

namespace ompcollect {

// Who a report is of.
struct ReportOf {
    long pid = 0;
    std::string host;
    std::string rank; // empty: not part of an MPI job
};

bool is_pattern(const std::string &name);

// A rank that is not known is 0, a variable that is not set nothing. Throws Failure for other
// letters.
std::string expanded_name(const std::string &pattern, const ReportOf &process);

// Rank and size of the job that this process is part of, as its launcher's variables tell.
struct JobRank {
    std::string rank; // empty: no job
    unsigned ranks = 0;
    std::string job; // its name; empty: not known

    [[nodiscard]] bool several() const { return ranks > 1; }
};
JobRank own_job_rank();

std::string own_host();

} // namespace ompcollect
