/* SPDX-License-Identifier: Apache-2.0
 *
 * The front's stubs on riscv64: front_x86_64.S has what they do. Here they mark nothing: a call goes on
 * by its slot, which gives libgomp its OMPT. t1 has the slot; a call of an entry may change it and t2.
 */
#if defined(__riscv) && __riscv_xlen == 64

        .option norvc   /* a stub has its size */
        .option norelax

#include "front_any_machine.S"

        .text

        .globl  ocb_front_call_of_row
        .hidden ocb_front_call_of_row
        .type   ocb_front_call_of_row, %function
        .balign 16
ocb_front_call_of_row:
        .cfi_startproc
        la.tls.ie t2, ocb_front_called_slot
        add     t2, t2, tp
        sd      t1, 0(t2)
        ld      t2, 8(t1)
        jr      t2
        .cfi_endproc
        .size   ocb_front_call_of_row, . - ocb_front_call_of_row

.macro STUB label
        .balign 16
        lla     t1, ocb_front_slots + 16 * ocb_stub
        ld      t2, 0(t1)
        jr      t2
        .set    ocb_stub, ocb_stub + 1
.endm

        .globl  ocb_front_stubs
        .hidden ocb_front_stubs
        .type   ocb_front_stubs, %function
        .balign 16
        .set    ocb_stub, 0
ocb_front_stubs:
        .cfi_startproc
.rept OCB_FRONT_ROWS
        ROW
.endr
        .balign 16
        .cfi_endproc
        .size   ocb_front_stubs, . - ocb_front_stubs

        .globl  ocb_front_dlopen
        .hidden ocb_front_dlopen
        .type   ocb_front_dlopen, %function
        .balign 16
ocb_front_dlopen: /* a1: the flags */
        .cfi_startproc
        la.tls.ie t2, ocb_front_opened_with
        add     t2, t2, tp
        sw      a1, 0(t2)
        lla     t1, ocb_front_real_dlopen
        ld      t2, 0(t1)
        jr      t2
        .cfi_endproc
        .size   ocb_front_dlopen, . - ocb_front_dlopen

#endif

        .section .note.GNU-stack, "", %progbits
