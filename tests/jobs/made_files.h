// SPDX-License-Identifier: Apache-2.0
//
// The saved runs of ranks that never ran, and what they are merged to.
#pragma once

#include "made_job.h"
#include "process.h"

#include "command.h"
#include "job_file.h"
#include "job_merge.h"

#include <fstream>
#include <string>
#include <vector>

namespace ocb_test {

inline ompcollect::report::Run load(const std::string &path) {
    return ompcollect::report::load_run(path, {});
}

// A file for each rank.
class MadeFiles {
  public:
    explicit MadeFiles(const MadeJob &job) {
        for (unsigned rank = 0; rank < job.ranks; ++rank) {
            add(made_rank(job, rank), "rank-" + std::to_string(rank) + ".ompc");
        }
    }
    std::string add(const ompcollect::report::Process &process, const std::string &name) {
        files.push_back(folder.file(name));
        ompcollect::report::save_run({{process}}, files.back());
        return files.back();
    }
    ompcollect::report::Job merged(const std::vector<std::string> &names) {
        return ompcollect::report::merge(ompcollect::report::job_inputs(names), load, complaints);
    }
    std::string bytes(const std::vector<std::string> &names) {
        return ompcollect::report::job_bytes(merged(names));
    }
    std::string saved(const std::vector<std::string> &names, const std::string &name) {
        std::string path = folder.file(name);
        std::ofstream(path, std::ios::binary) << bytes(names);
        return path;
    }

    TemporaryFolder folder;
    std::vector<std::string> files;
    std::vector<std::string> complaints;
};

} // namespace ocb_test
