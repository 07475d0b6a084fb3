// SPDX-License-Identifier: Apache-2.0
//
// What the program's own time was spent on, by its call paths: MPI and which call, waits that
// OpenMP knows nothing of and for whom, sleep, waiting for a processor, its own code. For serial
// code and for WORK in regions alike. Made of the model alone, of a run whose places have names: no
// function of MPI or libc is interposed.
#pragma once

#include "run.h"

#include <string>
#include <vector>

namespace ompcollect::report {

enum class TimeClass : unsigned {
    kCode,        // the program's own code and its libraries
    kUnobserved,  // outside regions, but in a region of a runtime that is not observed
    kMpi,         // in a function of MPI, whatever the thread did there: run, sleep or wait to run
    kLock,        // for a lock of the program or of libc, whatever it did there
    kOwnThread,   // for another thread of the program: its end, or that it signals
    kAsleep,      // asleep for another reason: call_name() has the system call
    kNoProcessor, // ready to run, without a processor
    kRuntime,     // in a state of the OpenMP runtime: it waits, is idle, or the runtime works
};

class TimeClasses {
  public:
    // The process outlives this.
    explicit TimeClasses(const Process &process);

    [[nodiscard]] TimeClass of(const Cell &cell) const;
    // The outermost frame of MPI at or above a node: the call. Below 0: none.
    [[nodiscard]] int mpi_node(int node) const {
        return node < 0 ? -1 : mpi_[static_cast<size_t>(node)];
    }
    // The outermost frame that waits at or above a node. Below 0: none.
    [[nodiscard]] int wait_node(int node) const {
        return node < 0 ? -1 : waits_[static_cast<size_t>(node)];
    }
    // "MPI_Allreduce", from C and from Fortran. Empty: no frame of MPI.
    [[nodiscard]] std::string mpi_call(int node) const;

  private:
    const Process &process_;
    std::vector<int> mpi_;            // by node
    std::vector<int> waits_;          // by node
    std::vector<TimeClass> is_wait_;  // by node; kCode: it waits for nobody
    std::vector<bool> is_asleep_;     // by node: that is known only of who sleeps there
    std::vector<bool> is_unobserved_; // by node
    int futex_ = kNoCall;             // index of the call
};

// Thread seconds in regions of runtimes that are not observed.
double unobserved_seconds(const Process &process);

} // namespace ompcollect::report
