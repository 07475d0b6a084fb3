/* SPDX-License-Identifier: Apache-2.0
 *
 * The front's stubs on aarch64: front_x86_64.S has what they do and why. What differs:
 * A call leaves its return address in x30, so the stub writes it where omp_collector_bridge_front
 * has it, below the frame. Eight arguments are in registers. A fork notes one word of arguments,
 * whatever their number: its copies lie below the noted address.
 *
 * The frame of an entry, from x29: x29, x30, a free word, the runtime's return address unless
 * arguments are copied, then the two words of the mark. That of a fork: x29, x30, a free word, the
 * runtime's return address, a free word, 1, the function, x29, and the mark.
 *
 * Registers that a call of an entry may change: x9 to x17. x16 has the slot.
 */
#ifdef __aarch64__

#include "front_any_machine.S"

#define IN_REGISTERS    8

#define MARK_OF_ENTRY 32 /* from x29 */
#define MARK_OF_FORK  64

/* What is noted behind a call; the thread's front is in x11, the outer mark in x12. */
/* A task that the bridge has seen begin inside of the call goes on behind it. */
.macro AFTER_TASK_BEGUN
        ldr     x9, [x11, COVERED]
        add     x10, x29, MARK_OF_ENTRY
        cmp     x9, x10
        b.ne    3f
        str     x12, [x11, COVERED]
3:
.endm
.macro AFTER_COMBINED
        str     xzr, [x11, COMBINES_UNTIL]
.endm
.macro AFTER_TASKGROUP
        ldr     x9, [x11, TASKGROUPS]
        lsl     x9, x9, 1
        str     x9, [x11, TASKGROUPS]
.endm
.macro AFTER_TASKGROUP_REDUCES
        ldr     x9, [x11, TASKGROUPS]
        orr     x9, x9, 1
        str     x9, [x11, TASKGROUPS]
.endm
.macro AFTER_TASKGROUP_OVER
        ldr     x9, [x11, TASKGROUPS]
        lsr     x9, x9, 1
        str     x9, [x11, TASKGROUPS]
.endm
.macro AFTER_REDUCE_NOWAIT
        AFTER_CALLING ocb_front_reduce_nowait
.endm
.macro AFTER_CALLING function
        str     x0, [x29, 16]
        mov     w1, w0
        mov     x0, x11
        bl      \function
        ldr     x0, [x29, 16]
.endm

/* The thread's front to the register. */
.macro LOAD_FRONT register
        adrp    x9, ocb_front_place
        ldr     x9, [x9, :lo12:ocb_front_place]
        mrs     \register, tpidr_el0
        ldr     \register, [\register, x9]
.endm

.macro SHARED name
        .type   \name, %function
        .balign 16
\name:
        .cfi_startproc
.endm
/* Where the thread has no front. */
.macro END_SHARED name
1:
        ldr     x17, [x16]
        br      x17
        .cfi_endproc
        .size   \name, . - \name
.endm

/* The frame, x29 at its low end; the outer mark in x12. */
.macro ENTER mark
        ldr     x12, [x11, INNERMOST]
        stp     x29, x30, [sp, -(\mark + 16)]!
        .cfi_def_cfa_offset \mark + 16
        .cfi_offset x29, -(\mark + 16)
        .cfi_offset x30, -(\mark + 8)
        mov     x29, sp
        .cfi_def_cfa_register x29
        stp     x12, x30, [sp, \mark]
.endm
/* Calls the runtime; its return address is noted so far from x29. */
.macro CALL_RUNTIME place
        adr     x9, 7f
        stur    x9, [x29, \place]
        ldr     x17, [x16]
        blr     x17
7:
.endm
/* Takes the mark back. */
.macro UNMARK mark
        LOAD_FRONT x11
        ldr     x12, [x29, \mark]
        str     x12, [x11, INNERMOST]
.endm
.macro LEAVE mark
        mov     sp, x29
        .cfi_def_cfa_register sp
        ldp     x29, x30, [sp], \mark + 16
        .cfi_def_cfa_offset 0
        .cfi_restore x29
        .cfi_restore x30
        ret
        .cfi_def_cfa_offset 0
.endm

/* The most dimensions of a doacross loop yet: so many arguments its waits may have. */
.macro NOTE_DIMENSIONS
        adrp    x9, ocb_front_dimensions
        add     x9, x9, :lo12:ocb_front_dimensions
4:
        ldxr    w10, [x9]
        cmp     w0, w10
        b.ls    5f
        stxr    w11, w0, [x9]
        cbnz    w11, 4b
5:
.endm

/* Copies the stack's arguments, of even number in x10, below the frame of the mark. */
.macro COPY_ARGUMENTS mark
        sub     sp, sp, x10, lsl 3
        add     x13, x29, \mark + 16
        mov     x14, sp
8:
        cbz     x10, 9f
        ldp     x9, x15, [x13], 16
        stp     x9, x15, [x14], 16
        sub     x10, x10, 2
        b       8b
9:
.endm

.macro SHARED_ENTRY kind, words, after
        SHARED .Lentry_\kind\()_\words\()_\after
.ifc \after, DIMENSIONS
        NOTE_DIMENSIONS
.endif
        LOAD_FRONT x11
        cbz     x11, 1f
        ENTER   MARK_OF_ENTRY
.if \words == 0
        add     x9, x29, MARK_OF_ENTRY + IN_\kind
.else
        /* The noted address lies where it would with so many words below the mark. */
        sub     sp, sp, 8 * \words - MARK_OF_ENTRY + 16
        mov     x10, \words
        COPY_ARGUMENTS MARK_OF_ENTRY
.if \words == 6
        add     x9, x29, MARK_OF_ENTRY + IN_\kind + 4
.else
        add     x9, x29, MARK_OF_ENTRY + IN_\kind + 8
.endif
.endif
        str     x9, [x11, INNERMOST]
        CALL_RUNTIME MARK_OF_ENTRY - 8 * \words - 8
        UNMARK  MARK_OF_ENTRY
        AFTER_\after
        LEAVE   MARK_OF_ENTRY
        END_SHARED .Lentry_\kind\()_\words\()_\after
.endm

/* The wait of a doacross loop: an argument a dimension, none of which is a vector. */
.macro SHARED_WAIT
        SHARED  .Lentry_DOACROSS_ANY_NOTHING
        LOAD_FRONT x11
        cbz     x11, 1f
        adrp    x10, ocb_front_dimensions
        ldr     w10, [x10, :lo12:ocb_front_dimensions]
        cmp     w10, MOST_DIMENSIONS
        b.hi    1f
        sub     w10, w10, IN_REGISTERS - 1
        and     x10, x10, 0x7ffffffe
        ENTER   MARK_OF_ENTRY
        COPY_ARGUMENTS MARK_OF_ENTRY
        add     x9, x29, MARK_OF_ENTRY + IN_DOACROSS
        str     x9, [x11, INNERMOST]
        CALL_RUNTIME MARK_OF_ENTRY - 8
        UNMARK  MARK_OF_ENTRY
        LEAVE   MARK_OF_ENTRY
        END_SHARED .Lentry_DOACROSS_ANY_NOTHING
.endm

/* Of __kmpc_fork_call(location, count, function, ...): those that no register holds. */
.macro WORDS_COUNTED
        sxtw    x10, w1
        subs    x10, x10, IN_REGISTERS - 3
        csel    x10, x10, xzr, gt
        add     x10, x10, 1
        and     x10, x10, -2
        COPY_ARGUMENTS MARK_OF_FORK
.endm
.macro WORDS_NONE
.endm

.macro SHARED_FORK name, function, words
        SHARED  \name
        LOAD_FRONT x11
        cbz     x11, 1f
        ENTER   MARK_OF_FORK
        mov     x9, 1
        stp     x9, \function, [x29, MARK_OF_FORK - 24]
        ldr     x9, [x29]
        str     x9, [x29, MARK_OF_FORK - 8]
        WORDS_\words
        add     x9, x29, MARK_OF_FORK + FORKS
        str     x9, [x11, INNERMOST]
        CALL_RUNTIME MARK_OF_FORK - 40
        UNMARK  MARK_OF_FORK
        /* The region that it has begun goes on behind it (GOMP_parallel_start). */
        add     x10, x29, MARK_OF_FORK + FORKS
        ldr     x9, [x11, COVERED]
        cmp     x9, x10
        b.ne    6f
        str     x12, [x11, COVERED]
6:
        LEAVE   MARK_OF_FORK
        /* A call that cannot be marked is noted, as its thread's front may come with it. */
1:
        stp     x29, x30, [sp, -96]!
        .cfi_def_cfa_offset 96
        .cfi_offset x29, -96
        .cfi_offset x30, -88
        mov     x29, sp
        stp     x0, x1, [sp, 16]
        stp     x2, x3, [sp, 32]
        stp     x4, x5, [sp, 48]
        stp     x6, x7, [sp, 64]
        stp     x8, x16, [sp, 80]
        mov     x0, \function
        mov     x1, x30
        adrp    x9, ocb_front_note_fork
        ldr     x9, [x9, :lo12:ocb_front_note_fork]
        blr     x9
        ldp     x0, x1, [sp, 16]
        ldp     x2, x3, [sp, 32]
        ldp     x4, x5, [sp, 48]
        ldp     x6, x7, [sp, 64]
        ldp     x8, x16, [sp, 80]
        ldp     x29, x30, [sp], 96
        .cfi_def_cfa_offset 0
        .cfi_restore x29
        .cfi_restore x30
        ldr     x17, [x16]
        br      x17
        .cfi_endproc
        .size   \name, . - \name
.endm

        .text

/* Every kind of entry that entries.h has, which names the outlined function's register on x86-64;
 * one more is an undefined label in the stubs. */
        SHARED_FORK .Lfork_rdi_NONE, x0, NONE
        .set    .Lfork_rdi_TWO, .Lfork_rdi_NONE
        SHARED_FORK .Lfork_rdx_NONE, x2, NONE
        SHARED_FORK .Lfork_rdx_COUNTED, x2, COUNTED
        SHARED_ENTRY RUNTIME, 0, NOTHING
        SHARED_ENTRY RUNTIME, 6, NOTHING
        SHARED_ENTRY RUNTIME, 16, NOTHING
        SHARED_ENTRY RUNTIME, 0, DIMENSIONS
        SHARED_ENTRY RUNTIME, 6, DIMENSIONS
        SHARED_ENTRY RUNTIME, 0, TASK_BEGUN
        SHARED_ENTRY RUNTIME, 0, TASKGROUP
        SHARED_ENTRY RUNTIME, 0, TASKGROUP_REDUCES
        SHARED_ENTRY RUNTIME, 0, REDUCING_TASKGROUP
        SHARED_ENTRY TASKGROUP_END, 0, TASKGROUP_OVER
        SHARED_ENTRY DOACROSS, 0, NOTHING
        SHARED_ENTRY REDUCTION, 0, COMBINED
        SHARED_ENTRY REDUCTION, 6, REDUCE
        SHARED_ENTRY REDUCTION, 6, REDUCE_NOWAIT
        SHARED_WAIT
        SHARED  .Lplain
        END_SHARED .Lplain

        FUNCTION ocb_front_call_of_row /* x16: the slot */
        adrp    x17, :gottprel:ocb_front_called_slot
        ldr     x17, [x17, :gottprel_lo12:ocb_front_called_slot]
        mrs     x15, tpidr_el0
        str     x16, [x15, x17]
        ldr     x17, [x16, 8]
        br      x17
        END_FUNCTION ocb_front_call_of_row

.macro STUB label
        .balign 16
        adrp    x16, ocb_front_slots + 16 * ocb_stub
        add     x16, x16, :lo12:(ocb_front_slots + 16 * ocb_stub)
        b       \label
        .set    ocb_stub, ocb_stub + 1
.endm

        STUBS

        FUNCTION ocb_front_dlopen /* w1: the flags */
        adrp    x17, :gottprel:ocb_front_opened_with
        ldr     x17, [x17, :gottprel_lo12:ocb_front_opened_with]
        mrs     x15, tpidr_el0
        str     w1, [x15, x17]
        adrp    x17, ocb_front_real_dlopen
        ldr     x17, [x17, :lo12:ocb_front_real_dlopen]
        br      x17
        END_FUNCTION ocb_front_dlopen

        .data
        .balign 4
        .type   ocb_front_dimensions, %object
ocb_front_dimensions: /* not less than what the frames of any wait can hold */
        .word   16 + IN_REGISTERS
        .size   ocb_front_dimensions, 4

#endif

        .section .note.GNU-stack, "", %progbits
