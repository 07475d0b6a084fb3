// SPDX-License-Identifier: Apache-2.0
//
// The one table of job launchers, with the variables in which each passes its rank to a process.
// The collector and ompcollect use the same row, so a rank has one name everywhere.
#pragma once

namespace ompcollect {

struct JobVariables {
    const char *launcher; // for people
    const char *rank;
    const char *size[2]; // number of ranks: the first that is set; null: there is none
    const char *job[2];  // together they name the job; null: there is none
    const char *needs;   // without it the rank is left over from elsewhere; null: nothing
};

// Rows of MPI come before those of batch systems, whose variables outlive a step. In the script of
// a batch job SLURM_PROCID is set without a step: that process is no rank. MPICH sets Intel MPI's
// variables, too. Local numbers (MPI_LOCALRANKID) are no ranks.
inline constexpr JobVariables kJobVariables[] = {
    {"Open MPI",
     "OMPI_COMM_WORLD_RANK",
     {"OMPI_COMM_WORLD_SIZE", nullptr},
     {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"},
     nullptr},
    {"MVAPICH2",
     "MV2_COMM_WORLD_RANK",
     {"MV2_COMM_WORLD_SIZE", nullptr},
     {"SLURM_JOB_ID", "SLURM_STEP_ID"},
     nullptr},
    {"jsrun",
     "JSM_NAMESPACE_RANK",
     {"JSM_NAMESPACE_SIZE", nullptr},
     {"LSB_JOBID", "JSM_NAMESPACE_ID"},
     nullptr},
    {"PALS", "PALS_RANKID", {"PMI_SIZE", nullptr}, {"PALS_APID", nullptr}, nullptr},
    {"Flux", "FLUX_TASK_RANK", {"FLUX_JOB_SIZE", nullptr}, {"FLUX_JOB_ID", nullptr}, nullptr},
    {"PMI", "PMI_RANK", {"PMI_SIZE", nullptr}, {"SLURM_JOB_ID", "SLURM_STEP_ID"}, nullptr},
    {"PMIx",
     "PMIX_RANK",
     {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
     {"PMIX_NAMESPACE", nullptr},
     nullptr},
    {"ALPS", "ALPS_APP_PE", {nullptr, nullptr}, {"PBS_JOBID", nullptr}, nullptr},
    {"Slurm",
     "SLURM_PROCID",
     {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
     {"SLURM_JOB_ID", "SLURM_STEP_ID"},
     "SLURM_STEP_ID"},
};

// The row by which the calling process is a rank, by its environment. Null: it is none.
const JobVariables *own_job_variables();

// What a variable holds; "" for null, and where it is not set.
const char *job_value(const char *variable);
// Of the job's size: the first that is set.
const char *job_size_value(const JobVariables &variables);

} // namespace ompcollect
