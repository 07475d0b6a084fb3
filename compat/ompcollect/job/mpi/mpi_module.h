/* SPDX-License-Identifier: Apache-2.0
 *
 * What ompcollect asks of its module for MPI, one library for each MPI: bytes from one process to
 * another, and no more. The launcher itself needs no MPI.
 */
#ifndef OMPCOLLECT_MPI_MODULE_H
#define OMPCOLLECT_MPI_MODULE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct MpiModule {
    /* 0, or what MPI returned. */
    int (*begin)(int *own, int *count);
    int (*send)(const void *bytes, size_t size, int to);
    /* First the size, then as many bytes. */
    int (*receive_size)(size_t *size, int from);
    int (*receive)(void *bytes, size_t size, int from);
    void (*end)(void);
};

/* The module's one export. */
/* NOLINTNEXTLINE(readability-identifier-naming): a name of C */
extern const struct MpiModule ompcollect_mpi_module;

#ifdef __cplusplus
}
#endif

#endif
