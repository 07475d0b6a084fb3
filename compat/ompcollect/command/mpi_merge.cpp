// SPDX-License-Identifier: Apache-2.0
//
// A binomial tree: in each round half of the processes that are left give what they have to the
// other half. As sums do not depend on grouping, the same comes out for any number of processes.
#include "mpi_merge.h"

#include "failure.h"
#include "job_file.h"
#include "job_merge.h"
#include "job_variables.h"
#include "library_search.h"
#include "mpi_module.h"

#include <cstring>
#include <dlfcn.h>
#include <sstream>

namespace ompcollect::report {
namespace {

const MpiModule &functions(void *module) {
    return *static_cast<const MpiModule *>(module);
}

void check(int error, const char *what) {
    if (error != 0) {
        throw Failure(std::string("MPI failed to ") + what + " (error " + std::to_string(error) +
                      "); without mpirun one process merges alone");
    }
}

std::string with_newlines(const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines) {
        text += line + "\n";
    }
    return text;
}

std::string received(const MpiModule &mpi, unsigned from) {
    size_t size = 0;
    check(mpi.receive_size(&size, static_cast<int>(from)), "receive");
    std::string bytes(size, '\0');
    check(mpi.receive(bytes.data(), size, static_cast<int>(from)), "receive");
    return bytes;
}

void send(const MpiModule &mpi, const std::string &bytes, unsigned to) {
    check(mpi.send(bytes.data(), bytes.size(), static_cast<int>(to)), "send");
}

// The launchers whose MPI a module of ours speaks.
struct ModuleOf {
    const char *launcher;
    const char *library;
    const char *mpi;
};
constexpr ModuleOf kModules[] = {
    {"Open MPI", "libompcollect-mpi-openmpi.so", "Open MPI"},
    {"PMI", "libompcollect-mpi-mpich.so", "MPICH"},
};

void *load_module(const std::string &launcher) {
    for (const ModuleOf &known : kModules) {
        if (launcher != known.launcher) {
            continue;
        }
        const std::string path = own_library_if_there(known.library);
        void *library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
        void *found = library ? dlsym(library, "ompcollect_mpi_module") : nullptr;
        if (found) {
            return found;
        }
        const char *why = path.empty() ? "it was not built" : dlerror();
        throw Failure(std::string(known.library) + " cannot be loaded (" + (why ? why : "") +
                      "); build ompcollect where " + known.launcher +
                      "'s compiler is, or merge without mpirun");
    }
    throw Failure("ranks started by " + launcher +
                  " cannot merge together; use Open MPI or MPICH, "
                  "or merge without mpirun");
}

} // namespace

std::string mpis_built_for() {
    std::string names;
    for (const ModuleOf &known : kModules) {
        if (!own_library_if_there(known.library).empty()) {
            names += (names.empty() ? "" : ", ") + std::string(known.mpi);
        }
    }
    return names.empty() ? "no MPI" : names;
}

MpiProcesses::MpiProcesses() {
    const JobVariables *const job = own_job_variables();
    if (!job || atoi(job_size_value(*job)) < 2) {
        return;
    }
    module_ = load_module(job->launcher);
    int own = 0;
    int count = 1;
    check(functions(module_).begin(&own, &count), "begin");
    own_ = static_cast<unsigned>(own);
    count_ = static_cast<unsigned>(count);
}

MpiProcesses::~MpiProcesses() {
    if (module_) {
        functions(module_).end();
    }
}

void MpiProcesses::reduce(Job &job, std::vector<std::string> &complaints) const {
    for (unsigned step = 1; step < count_; step *= 2) {
        const MpiModule &mpi = functions(module_);
        if (own_ % (2 * step) != 0) {
            send(mpi, job_bytes(job), own_ - step);
            send(mpi, with_newlines(complaints), own_ - step);
            job = {};
            complaints.clear();
            return;
        }
        const unsigned from = own_ + step;
        if (from >= count_) {
            continue;
        }
        const std::string name = "process " + std::to_string(from) + " of the merge";
        add_to(job, job_of_bytes(received(mpi, from), name), name, complaints);
        std::istringstream lines(received(mpi, from));
        for (std::string line; std::getline(lines, line);) {
            complaints.push_back(line);
        }
    }
}

} // namespace ompcollect::report
