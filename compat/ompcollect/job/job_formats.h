// SPDX-License-Identifier: Apache-2.0
//
// The formats of a job; those that tell its ranks apart in other ways are made of single ranks.
#pragma once

#include "job.h"
#include "text_style.h"

#include <iosfwd>
#include <string>

namespace ompcollect::report {

struct JobFormat {
    const char *name;
    void (*write)(const Job &job, const TextStyle &style, std::ostream &out);
};
// Null: there is none of this name.
const JobFormat *job_format(const std::string &name);

void write_job_csv(const Job &job, const TextStyle &style, std::ostream &out);
void write_job_json(const Job &job, const TextStyle &style, std::ostream &out);
void write_job_html(const Job &job, const TextStyle &style, std::ostream &out);

} // namespace ompcollect::report
