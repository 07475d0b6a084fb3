// SPDX-License-Identifier: Apache-2.0
//
// The formats that a run can be written in: one row each, in formats.cpp. A format is a stream of
// text or of bytes, or a folder; `about` is what --help and the manual print.
#pragma once

#include "run.h"
#include "text_style.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace ompcollect::report {

// Files that are read back, or name files to open, have the names as they are.
enum class Names : unsigned { kAsTheyAre, kPrintable };

struct Format {
    const char *name;
    const char *about;
    const char *suffix; // of the file or folder where none is named
    Names names;
    bool is_text;      // false: nothing for a terminal
    bool has_warnings; // the file itself shows what should make its reader doubt
    // One of the two.
    void (*write)(const Run &run, const TextStyle &style, std::ostream &out);
    void (*write_folder)(const Run &run, const std::string &path);
};

const std::vector<Format> &formats();
// Throws Failure that lists the names.
const Format &format_named(const std::string &name);
// By the longest suffix that the file's name has; null: it is no format's.
const Format *format_of_file(const std::string &path);

// The writers.
void write_text(const Run &run, const TextStyle &style, std::ostream &out);
void write_html(const Run &run, const TextStyle &style, std::ostream &out);
void write_collapsed(const Run &run, std::ostream &out);
void write_csv(const Run &run, std::ostream &out);
void write_callgrind(const Run &run, std::ostream &out);
void write_firefox(const Run &run, std::ostream &out);
void write_pprof(const Run &run, std::ostream &out);
void write_perfetto(const Run &run, std::ostream &out);
void write_sqlite(const Run &run, std::ostream &out);
void write_gprofng(const Run &run, const std::string &folder);

} // namespace ompcollect::report
