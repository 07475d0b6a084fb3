/* SPDX-License-Identifier: Apache-2.0
 *
 * What the front's stubs have alike on each machine (front_x86_64.S has what they do and why): the
 * kinds of marks, the members of omp_collector_bridge_front, how functions begin and end, and what is
 * noted by other macros. For inclusion alone.
 */

        .set    IN_RUNTIME, 0
        .set    IN_REDUCTION, 1
        .set    IN_DOACROSS, 2
        .set    IN_TASKGROUP_END, 3
#define FORKS            12

/* omp_collector_bridge_front */
#define INNERMOST      0
#define COVERED        8
#define TASKGROUPS     16
#define COMBINES_UNTIL 24

#define MOST_DIMENSIONS 70 /* of a doacross loop whose waits are marked */

/* What is noted behind a call. The machine's file has the others. */
.macro AFTER_NOTHING
.endm
.macro AFTER_DIMENSIONS
.endm
.macro AFTER_REDUCING_TASKGROUP
        AFTER_TASKGROUP
        AFTER_TASKGROUP_REDUCES
.endm
.macro AFTER_REDUCE
        AFTER_CALLING ocb_front_reduce
.endm

/* A stub for each entry of one runtime, by the machine's STUB. */
.macro ROW
#define FORK(name, function, words)         STUB .Lfork_##function##_##words;
#define ENTRY(name, kind, words, after)     STUB .Lentry_##kind##_##words##_##after;
#define PLAIN(name)                         STUB .Lplain;
#define OLD_ENTRY(name, kind, words, after) ENTRY(name, kind, words, after)
#define OLD_PLAIN(name)                     PLAIN(name)
#include "entries.h"
.endm

.macro FUNCTION name
        .globl  \name
        .hidden \name
        .type   \name, %function
        .balign 16
\name:
        .cfi_startproc
.endm
.macro END_FUNCTION name
        .cfi_endproc
        .size   \name, . - \name
.endm

/* All stubs, one behind the other. */
.macro STUBS
        .set    ocb_stub, 0
        FUNCTION ocb_front_stubs
.rept OCB_FRONT_ROWS
        ROW
.endr
        .balign 16
        END_FUNCTION ocb_front_stubs
.endm
