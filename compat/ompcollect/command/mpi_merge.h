// SPDX-License-Identifier: Apache-2.0
//
// The processes that merge together, where `ompcollect merge` was started by mpirun. The module
// that speaks MPI is loaded then and only then (job/mpi); without it this process merges alone.
#pragma once

#include "job.h"

#include <string>
#include <vector>

namespace ompcollect::report {

// The MPIs whose module was built, "Open MPI, MPICH"; "no MPI" for none.
std::string mpis_built_for();

class MpiProcesses {
  public:
    // Throws Failure where there are others, and no module to speak with them.
    MpiProcesses();
    ~MpiProcesses();
    MpiProcesses(const MpiProcesses &) = delete;
    MpiProcesses &operator=(const MpiProcesses &) = delete;

    [[nodiscard]] unsigned own() const { return own_; }
    [[nodiscard]] unsigned count() const { return count_; }

    // Process 0 gets the sum of all jobs and all complaints; the others have nothing afterwards.
    void reduce(Job &job, std::vector<std::string> &complaints) const;

  private:
    void *module_ = nullptr;
    unsigned own_ = 0;
    unsigned count_ = 1;
};

} // namespace ompcollect::report
