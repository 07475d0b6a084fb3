// SPDX-License-Identifier: Apache-2.0
//
// Where reports go: stderr, or files whose names tell processes apart. Each report is written
// whole, so that those of several processes and launchers never mix.
#pragma once

#include "output_name.h"

#include <map>
#include <string>

namespace ompcollect {

class ReportFiles {
  public:
    // An empty pattern: stderr. What can be opened before the program runs is opened, so that a
    // wrong name costs nothing: throws Failure.
    explicit ReportFiles(const std::string &pattern);
    ~ReportFiles();
    ReportFiles(const ReportFiles &) = delete;
    ReportFiles &operator=(const ReportFiles &) = delete;

    // Throws Failure if the text cannot be written.
    void write(const ReportOf &process, const std::string &text);
    // Files that are opened from now on keep what is in them.
    void keep_contents() { keep_contents_ = true; }
    // The descriptor whose terminal, if it is one, says how wide lines may be.
    [[nodiscard]] int terminal() const;

  private:
    int open_file(const std::string &name);

    std::string pattern_;
    std::map<std::string, int> files_; // open ones, by name
    bool keep_contents_ = false;
};

} // namespace ompcollect
