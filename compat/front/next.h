/* SPDX-License-Identifier: Apache-2.0
 *
 * What front_x86_64.S and the C behind it share.
 */
#ifndef OCB_FRONT_NEXT_H
#define OCB_FRONT_NEXT_H

#include "omp_collector_bridge.h"

#include <stddef.h>

/* One for each entry, laid out in front_x86_64.S. */
struct front_entry {
    const char *name;
    void *next; /* where its calls go on to: at first to a stub that asks ocb_front_next */
};

#define OCB_FRONT_HIDDEN __attribute__((visibility("hidden")))

/* The runtime's definition of an entry; kept in it where every caller would find the same one.
 * `return_address`: where the stack's top leads, in the program or in this library. */
OCB_FRONT_HIDDEN void *ocb_front_next(struct front_entry *entry, const void *return_address);

/* Where a thread finds its omp_collector_bridge_front, from the thread pointer. */
OCB_FRONT_HIDDEN extern ptrdiff_t ocb_front_place;
OCB_FRONT_HIDDEN extern void (*ocb_front_note_fork)(const void *function,
                                                    const void *return_address);
/* Null: nobody asks for marks. */
OCB_FRONT_HIDDEN omp_collector_bridge_front *ocb_front_of_caller(void);

/* Behind __kmpc_reduce and __kmpc_reduce_nowait, with their result. */
OCB_FRONT_HIDDEN void ocb_front_reduce(omp_collector_bridge_front *front, int method);
OCB_FRONT_HIDDEN void ocb_front_reduce_nowait(omp_collector_bridge_front *front, int method);

#endif
