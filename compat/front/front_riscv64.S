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

        FUNCTION ocb_front_call_of_row
        la.tls.ie t2, ocb_front_called_slot
        add     t2, t2, tp
        sd      t1, 0(t2)
        ld      t2, 8(t1)
        jr      t2
        END_FUNCTION ocb_front_call_of_row

.macro STUB label
        .balign 16
        lla     t1, ocb_front_slots + 16 * ocb_stub
        ld      t2, 0(t1)
        jr      t2
        .set    ocb_stub, ocb_stub + 1
.endm

        STUBS

        FUNCTION ocb_front_dlopen /* a1: the flags */
        la.tls.ie t2, ocb_front_opened_with
        add     t2, t2, tp
        sw      a1, 0(t2)
        lla     t1, ocb_front_real_dlopen
        ld      t2, 0(t1)
        jr      t2
        END_FUNCTION ocb_front_dlopen

#endif

        .section .note.GNU-stack, "", %progbits
