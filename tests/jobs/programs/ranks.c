/* SPDX-License-Identifier: Apache-2.0
 *
 * ranks STEPS MILLISECONDS [kill|funnelled|multiple|varying|files]: an MPI program with two
 * threads a rank, in which rank 3 computes twice as long as the others. Its work lasts by the
 * clock, whatever else the machine does. With "kill" rank 1 kills itself in the middle. MPI is
 * called outside of regions, or in one: "funnelled" through the master, or by both threads.
 * "varying": each rank in turn has twice as much; it prints a rank's seconds in MPI in the mean.
 * "files": all have the same, and write as long into a file by MPI; it prints the seconds of that.
 */
#include <mpi.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static __attribute__((noinline)) void relax_grid(double seconds) {
#pragma omp parallel num_threads(2)
    {
        const double end = now() + seconds;
        while (now() < end) {
        }
    }
}

/* The one that is to be found. */
static __attribute__((noinline)) void relax_large_grid(double seconds) {
#pragma omp parallel num_threads(2)
    {
        const double end = now() + seconds;
        while (now() < end) {
        }
    }
}

/* Returns what the master has computed for. */
static __attribute__((noinline)) double relax_and_exchange(double seconds, MPI_Comm *comms,
                                                           int is_funnelled) {
    double computing = 0;
#pragma omp parallel num_threads(2)
    {
        const int thread = omp_get_thread_num();
        const double begin = now();
        while (now() < begin + seconds) {
        }
#pragma omp master
        computing = now() - begin;
        double own = 1;
        double all = 0;
        if (!is_funnelled) {
            MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comms[thread]);
        } else {
#pragma omp barrier
            if (thread == 0) {
                MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comms[thread]);
            }
        }
    }
    return computing;
}

/* Together, so that all ranks write as often. */
static double write_by_mpi(MPI_File file, int rank, double seconds) {
    static char bytes[1 << 18];
    const double begin = now();
    for (int goes_on = 1; goes_on;) {
        MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof bytes, bytes, sizeof bytes, MPI_CHAR,
                              MPI_STATUS_IGNORE);
        MPI_File_sync(file);
        goes_on = now() < begin + seconds;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return now() - begin;
}

/* A rank's in the mean, or what even ranks would take less. */
static void print_seconds(double own, int rank, int ranks, int is_mean) {
    double sum = 0;
    double most = 0;
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%.6f\n", is_mean ? sum / ranks : most - sum / ranks);
    }
}

int main(int count, char **words) {
    int provided = 0;
    int rank = 0;
    const char *const how = count > 3 ? words[3] : "";
    const int is_funnelled = strcmp(how, "funnelled") == 0;
    const int is_inside = is_funnelled || strcmp(how, "multiple") == 0;
    MPI_Init_thread(&count, &words, is_inside ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED,
                    &provided);
    MPI_Comm comms[2];
    for (int i = 0; i < 2; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int steps = count > 1 ? atoi(words[1]) : 4;
    const double seconds = count > 2 ? atof(words[2]) * 1e-3 : 0.1;
    const int kills = strcmp(how, "kill") == 0;
    const int is_varying = strcmp(how, "varying") == 0;
    const int has_files = strcmp(how, "files") == 0;
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_File file = MPI_FILE_NULL;
    if (has_files) {
        MPI_File_open(MPI_COMM_WORLD, words[4],
                      MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file);
    }
    double computing = 0;
    double in_mpi = 0;
    for (int step = 0; step < steps; ++step) {
        const double begin = now();
        if (is_inside) {
            computing += relax_and_exchange(rank == 3 ? 2 * seconds : seconds, comms, is_funnelled);
            continue;
        }
        const int late = is_varying ? step % ranks : 3;
        if (rank == late && !has_files) {
            relax_large_grid(2 * seconds);
        } else {
            relax_grid(seconds);
        }
        computing += now() - begin;
        if (kills && rank == 1 && step == steps / 2) {
            raise(SIGKILL);
        }
        double own = rank;
        double all = 0;
        const double waits = now();
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        in_mpi += has_files ? write_by_mpi(file, rank, seconds) : now() - waits;
    }
    if (has_files) {
        MPI_File_close(&file);
    }
    const int waits_count = is_varying || has_files;
    print_seconds(waits_count ? in_mpi : computing, rank, ranks, waits_count);
    MPI_Finalize();
    return 0;
}
