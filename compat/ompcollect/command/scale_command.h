// SPDX-License-Identifier: Apache-2.0
//
// ompcollect scale: runs the program with several numbers of threads, keeps the runs, and shows how
// it scales.
#pragma once

#include "saved_runs.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace ompcollect::report {

struct ScaleOptions {
    std::string threads; // "1,2,4"
    unsigned each = 3;
    unsigned rate = 0;  // 0: the launcher's own
    std::string folder; // of the runs
    std::string size;   // "n={t}*1000"
    std::string kept;   // a folder of runs that are there already
    std::string format = "text";
    std::string output;
    size_t top = 5;
    bool all = false;
    bool any_output = false;
    bool help = false;
    std::vector<std::string> command;
};

std::unique_ptr<CLI::App> scale_parser(ScaleOptions &options);

// What --threads and --size say; Failure with exit code 2 where that is nothing.
std::vector<unsigned> thread_list(const std::string &text);
// The program's words with each {NAME} of the size replaced.
std::vector<std::string> sized(const std::vector<std::string> &command, const std::string &size,
                               unsigned threads);

// Wrong options: exit code 2, and nothing is run. `launcher`: path of this program.
int scale_command(const std::vector<std::string> &words, const std::string &launcher,
                  const RawReader &read_raw);

} // namespace ompcollect::report
