/* SPDX-License-Identifier: Apache-2.0
 *
 * What the stubs' code and the C behind it share of the marks.
 */
#ifndef OCB_FRONT_MARKS_H
#define OCB_FRONT_MARKS_H

#include "omp_collector_bridge.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OCB_FRONT_HIDDEN __attribute__((visibility("hidden")))

/* The offset from the thread pointer at which a thread finds its omp_collector_bridge_front. At
 * first it is that of a null pointer of the front; once there is a bridge it is the bridge's, for
 * good. */
OCB_FRONT_HIDDEN extern ptrdiff_t ocb_front_place;
OCB_FRONT_HIDDEN extern void (*ocb_front_note_fork)(const void *function,
                                                    const void *return_address);

/* Whether any call is bound to a stub, and what the objects call (OMP_COLLECTOR_FRONT_TASKS and so
 * on). The binder writes them. */
OCB_FRONT_HIDDEN extern unsigned ocb_front_is_bound, ocb_front_calls;

/* Exported; omp_collector_bridge.h describes it. */
const unsigned *omp_collector_front_connect(omp_collector_bridge_front **own_front,
                                            void (*note_fork)(const void *, const void *));

/* Before the first call comes through a stub. */
OCB_FRONT_HIDDEN void ocb_front_begin_marks(void);

/* Whether all calls that the calling thread makes from here on are marked. */
OCB_FRONT_HIDDEN int ocb_front_marks_here(void);

/* Behind __kmpc_reduce and __kmpc_reduce_nowait, with their result. */
OCB_FRONT_HIDDEN void ocb_front_reduce(omp_collector_bridge_front *front, int method);
OCB_FRONT_HIDDEN void ocb_front_reduce_nowait(omp_collector_bridge_front *front, int method);

#ifdef __cplusplus
}
#endif
#endif
