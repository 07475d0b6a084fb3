// SPDX-License-Identifier: Apache-2.0
//
// Where reports go: stderr, or files whose names tell processes apart. Each report is written
// whole, so that those of several processes and launchers never mix.
#pragma once

#include <map>
#include <string>

namespace ompcollect {

// Who a report is of.
struct ReportOf {
    long pid = 0;
    std::string host;
    std::string rank; // empty: not part of an MPI job
};

// %p, %h, %r and %% replaced; a rank that is not known is 0. Throws Failure for other letters.
std::string expanded_name(const std::string &pattern, const ReportOf &process);

// Rank and size of the MPI job that this process is part of, as its launcher's variables tell.
struct JobRank {
    std::string rank; // empty: no job
    bool several = false;
};
JobRank own_job_rank();

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
