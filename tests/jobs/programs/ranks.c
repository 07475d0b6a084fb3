/* SPDX-License-Identifier: Apache-2.0
 *
 * ranks STEPS MILLISECONDS [kill]: an MPI program with two threads a rank, in which rank 3 computes
 * twice as long as the others. Its work lasts by the clock, whatever else the machine does. With
 * "kill" rank 1 kills itself in the middle.
 */
#include <mpi.h>
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

int main(int count, char **words) {
    int provided = 0;
    int rank = 0;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int steps = count > 1 ? atoi(words[1]) : 4;
    const double seconds = count > 2 ? atof(words[2]) * 1e-3 : 0.1;
    const int kills = count > 3 && strcmp(words[3], "kill") == 0;
    double computing = 0;
    for (int step = 0; step < steps; ++step) {
        const double begin = now();
        if (rank == 3) {
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
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    double mean = 0;
    double most = 0;
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Reduce(&computing, &mean, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&computing, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%.6f\n", most - mean / ranks); /* what even ranks would take less */
    }
    MPI_Finalize();
    return 0;
}
