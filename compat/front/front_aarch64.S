/* SPDX-License-Identifier: Apache-2.0
 *
 * The front's stubs without marks: a jump through the stub's slot (front_x86_64.S has the rest).
 */
#ifdef __aarch64__

        .text
        .globl  ocb_front_call_of_row
        .hidden ocb_front_call_of_row
        .type   ocb_front_call_of_row, %function
        .balign 16
ocb_front_call_of_row: /* x16: the slot */
        .cfi_startproc
        adrp    x17, :gottprel:ocb_front_called_slot
        ldr     x17, [x17, :gottprel_lo12:ocb_front_called_slot]
        mrs     x15, tpidr_el0
        str     x16, [x15, x17]
        ldr     x17, [x16, 8]
        br      x17
        .cfi_endproc
        .size   ocb_front_call_of_row, . - ocb_front_call_of_row

.macro STUB
        .balign 16
        adrp    x16, ocb_front_slots + 16 * ocb_stub
        add     x16, x16, :lo12:(ocb_front_slots + 16 * ocb_stub)
        ldr     x17, [x16]
        br      x17
        .set    ocb_stub, ocb_stub + 1
.endm

        .globl  ocb_front_stubs
        .hidden ocb_front_stubs
        .type   ocb_front_stubs, %function
        .balign 16
        .set    ocb_stub, 0
ocb_front_stubs:
        .cfi_startproc
.macro ROW
#define FORK(name, function, words)         STUB;
#define ENTRY(name, kind, words, after)     STUB;
#define PLAIN(name)                         STUB;
#define OLD_ENTRY(name, kind, words, after) STUB;
#define OLD_PLAIN(name)                     STUB;
#include "entries.h"
.endm
.rept OCB_FRONT_ROWS
        ROW
.endr
        .cfi_endproc
        .size   ocb_front_stubs, . - ocb_front_stubs

        .globl  ocb_front_dlopen
        .hidden ocb_front_dlopen
        .type   ocb_front_dlopen, %function
        .balign 16
ocb_front_dlopen: /* w1: the flags */
        .cfi_startproc
        adrp    x17, :gottprel:ocb_front_opened_with
        ldr     x17, [x17, :gottprel_lo12:ocb_front_opened_with]
        mrs     x15, tpidr_el0
        str     w1, [x15, x17]
        adrp    x17, ocb_front_real_dlopen
        ldr     x17, [x17, :lo12:ocb_front_real_dlopen]
        br      x17
        .cfi_endproc
        .size   ocb_front_dlopen, . - ocb_front_dlopen
#endif

        .section .note.GNU-stack, "", %progbits
