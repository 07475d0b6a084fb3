// SPDX-License-Identifier: Apache-2.0
#include "saved_runs.h"

#include "failure.h"
#include "job_file.h"
#include "job_merge.h"
#include "run_binary.h"
#include "run_file.h"
#include "written_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

namespace ompcollect::report {
namespace {

namespace fs = std::filesystem;

// Of the ranks that lie in a folder; empty: there are none, but raw profiles perhaps.
Run saved_runs_of(const std::string &folder, const RawReader &read_raw) {
    Run run;
    const JobInputs inputs = job_inputs({folder});
    for (const std::string &file : inputs.files) {
        std::ifstream in(file, std::ios::binary);
        if (is_binary_run(in)) {
            Run more = read_binary(in, file);
            std::move(more.processes.begin(), more.processes.end(),
                      std::back_inserter(run.processes));
        }
    }
    for (const std::string &live : inputs.folders) {
        if (!run.processes.empty() && read_raw) {
            Run more = read_raw(live);
            std::move(more.processes.begin(), more.processes.end(),
                      std::back_inserter(run.processes));
        }
    }
    return run;
}

} // namespace

Run load_run(const std::string &path, const RawReader &read_raw) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        Run run = saved_runs_of(path, read_raw);
        if (!run.processes.empty()) {
            return run;
        }
        if (read_raw) {
            return read_raw(path);
        }
        throw Failure(path + " is a folder; give the file of a saved run");
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw Failure(path + ": " + strerror(errno) + "; give the file of a saved run");
    }
    if (is_binary_run(in)) {
        return read_binary(in, path);
    }
    char begin[12] = {};
    in.read(begin, sizeof begin);
    if (is_job_file({begin, static_cast<size_t>(in.gcount())})) {
        throw Failure(path + ": a merged job has no single processes; give the folder of its "
                             "ranks");
    }
    in.clear();
    in.seekg(0);
    if (in.peek() != '{' && read_raw) {
        return read_raw(path);
    }
    std::ostringstream text;
    text << in.rdbuf();
    return read_run(text.str(), path);
}

void save_run(const Run &run, const std::string &path) {
    write_whole(path, [&](std::ostream &out) { write_binary(run, out); });
}

std::string newest_run(const std::string &folder) {
    std::string newest;
    fs::file_time_type time;
    std::error_code ignored;
    for (const auto &entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().extension() == kRunSuffix) {
            const fs::file_time_type its = entry.last_write_time(ignored);
            if (newest.empty() || its > time) {
                newest = entry.path();
                time = its;
            }
        }
    }
    return newest;
}

} // namespace ompcollect::report
