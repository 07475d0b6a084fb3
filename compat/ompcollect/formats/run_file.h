// SPDX-License-Identifier: Apache-2.0
//
// The export of a run: one JSON document with everything that reports are made from, described in
// docs/FORMATS.md, and the figures and findings. It can be read back; runs were saved so before
// there was run_binary.h.
#pragma once

#include "findings.h"
#include "run.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace ompcollect::report {

inline constexpr char kRunFormat[] = "ompcollect-run";
inline constexpr int kRunVersion = 1;

// kPage: what the page takes. Samples are left out, as what is made of them is in the page. Nodes
// are columns, with each text once, as there may be many.
enum class RunForm : unsigned { kExport, kPage };

// With figures and findings, which a reader of the file can use and a report makes anew. What was
// made of samples is written in any case.
void write_run(const Run &run, std::ostream &out);
// With conclusions that the caller has made, a process each.
void write_run(const Run &run, const std::vector<Conclusions> &conclusions, std::ostream &out,
               RunForm form);

// Throws Failure that says what is wrong with the text. `name` is that of the file.
Run read_run(const std::string &text, const std::string &name);

} // namespace ompcollect::report
