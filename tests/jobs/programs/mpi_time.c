/* SPDX-License-Identifier: Apache-2.0
 *
 * mpi_time [STEPS MILLISECONDS THREADS]: an MPI program in which ranks wait for each other in
 * several calls, with its own clock around each: a wrapper by the profiling interface of MPI. Rank
 * 0 prints a line for each call: its name, and the seconds of all ranks. With another word alone it
 * does nothing.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kInit, kAllreduce, kBarrier, kSendrecv, kCalls };
static const char *const names[kCalls] = {"MPI_Init_thread", "MPI_Allreduce", "MPI_Barrier",
                                          "MPI_Sendrecv"};
static double times[kCalls];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int add(int call, double begin, int result) {
    times[call] += now() - begin;
    return result;
}

int MPI_Init_thread(int *count, char ***words, int required, int *provided) {
    const double begin = now();
    return add(kInit, begin, PMPI_Init_thread(count, words, required, provided));
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    const double begin = now();
    return add(kAllreduce, begin, PMPI_Allreduce(from, to, count, type, op, comm));
}

int MPI_Barrier(MPI_Comm comm) {
    const double begin = now();
    return add(kBarrier, begin, PMPI_Barrier(comm));
}

int MPI_Sendrecv(const void *from, int count, MPI_Datatype type, int dest, int tag, void *to,
                 int to_count, MPI_Datatype to_type, int source, int to_tag, MPI_Comm comm,
                 MPI_Status *status) {
    const double begin = now();
    return add(kSendrecv, begin,
               PMPI_Sendrecv(from, count, type, dest, tag, to, to_count, to_type, source, to_tag,
                             comm, status));
}

/* So much work, however long it takes: none that lasts by the clock. */
static __attribute__((noinline)) double work(double milliseconds, int threads) {
    double sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        for (long i = 0; i < (long)(milliseconds * 300000); ++i) {
            sum += 1.0 / (double)(i + 1);
        }
    }
    return sum;
}

static __attribute__((noinline)) double serial_work(double milliseconds) {
    double sum = 0;
    for (long i = 0; i < (long)(milliseconds * 300000); ++i) {
        sum += 1.0 / (double)(i + 1);
    }
    return sum;
}

int main(int count, char **words) {
    if (count == 2) {
        return 0;
    }
    int provided = 0;
    int rank = 0;
    int ranks = 1;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int steps = count > 1 ? atoi(words[1]) : 10;
    const double length = count > 2 ? atof(words[2]) : 50;
    const int threads = count > 3 ? atoi(words[3]) : 2;
    double own = 0;
    for (int step = 0; step < steps; ++step) {
        const int late = step % 2 == 0 ? ranks - 1 : 0;
        own += work(rank == late ? 3 * length : length, threads);
        double all = 0;
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        own += serial_work(rank == late ? length : length / 4);
        MPI_Barrier(MPI_COMM_WORLD);
        own += work(rank == late ? 2 * length : length, threads);
        double beside = 0;
        MPI_Sendrecv(&own, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, &beside, 1, MPI_DOUBLE,
                     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    double sums[kCalls];
    double sum = 0;
    PMPI_Reduce(times, sums, kCalls, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int call = 0; call < kCalls; ++call) {
            printf("%s %.6f\n", names[call], sums[call]);
        }
        printf("sum %g\n", sum); /* so that the work is done */
    }
    MPI_Finalize();
    return 0;
}
