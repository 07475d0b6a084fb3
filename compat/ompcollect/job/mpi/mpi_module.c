/* SPDX-License-Identifier: Apache-2.0
 *
 * The module for one MPI. Both ways block: the one side waits for the other.
 */
#include "mpi_module.h"

#include <mpi.h>

enum { kTag = 1, kPart = 1 << 30 };

static int begin(int *own, int *count) {
    int error = MPI_Init(NULL, NULL);
    if (error == MPI_SUCCESS) {
        error = MPI_Comm_rank(MPI_COMM_WORLD, own);
    }
    return error == MPI_SUCCESS ? MPI_Comm_size(MPI_COMM_WORLD, count) : error;
}

/* A count of MPI is an int. */
static int part_of(size_t size) {
    return size < (size_t)kPart ? (int)size : (int)kPart;
}

static int send(const void *bytes, size_t size, int to) {
    unsigned long long whole = size;
    int error = MPI_Send(&whole, 1, MPI_UNSIGNED_LONG_LONG, to, kTag, MPI_COMM_WORLD);
    for (const char *at = bytes; size > 0 && error == MPI_SUCCESS;) {
        const int part = part_of(size);
        error = MPI_Send(at, part, MPI_BYTE, to, kTag, MPI_COMM_WORLD);
        at += part;
        size -= (size_t)part;
    }
    return error;
}

static int receive_size(size_t *size, int from) {
    unsigned long long whole = 0;
    const int error =
        MPI_Recv(&whole, 1, MPI_UNSIGNED_LONG_LONG, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *size = (size_t)whole;
    return error;
}

static int receive(void *bytes, size_t size, int from) {
    int error = MPI_SUCCESS;
    for (char *at = bytes; size > 0 && error == MPI_SUCCESS;) {
        const int part = part_of(size);
        error = MPI_Recv(at, part, MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        at += part;
        size -= (size_t)part;
    }
    return error;
}

static void end(void) {
    MPI_Finalize();
}

__attribute__((visibility("default")))
const struct MpiModule ompcollect_mpi_module = {begin, send, receive_size, receive, end};
