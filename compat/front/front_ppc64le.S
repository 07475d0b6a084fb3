/* SPDX-License-Identifier: Apache-2.0
 *
 * The front's stubs on ppc64le: front_x86_64.S has what they do. Here they mark nothing: a call goes on
 * by its slot, which gives libgomp its OMPT. Calls from other objects come with their target's address
 * in r12, and may change r2, r11 and r12. r11 has the slot.
 */
#if defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)

        .abiversion 2

#include "front_any_machine.S"

        .text

/* r2 for `name`, whose address is in r12. */
.macro OWN_TOC name
        addis   2, 12, .TOC. - \name@ha
        addi    2, 2, .TOC. - \name@l
.endm
/* The thread's `variable` as an operand of r9. */
.macro OWN_THREADS variable
        addis   9, 2, \variable@got@tprel@ha
        ld      9, \variable@got@tprel@l(9)
        add     9, 9, \variable@tls
.endm
.macro GO_ON
        mtctr   12
        bctr
.endm

        .type   .Lplain, @function
.Lplain:
        .cfi_startproc
        ld      12, 0(11)
        GO_ON
        .cfi_endproc
        .size   .Lplain, . - .Lplain

        FUNCTION ocb_front_call_of_row
        OWN_TOC ocb_front_call_of_row
        mr      0, 9
        OWN_THREADS ocb_front_called_slot
        std     11, 0(9)
        mr      9, 0
        ld      12, 8(11)
        GO_ON
        END_FUNCTION ocb_front_call_of_row

.macro STUB label
        .balign 16
98:
        addis   11, 12, ocb_front_slots + 16 * ocb_stub - 98b@ha
        addi    11, 11, ocb_front_slots + 16 * ocb_stub - 98b@l
        b       .Lplain
        .set    ocb_stub, ocb_stub + 1
.endm

        STUBS

        FUNCTION ocb_front_dlopen /* r4: the flags */
        OWN_TOC ocb_front_dlopen
        OWN_THREADS ocb_front_opened_with
        stw     4, 0(9)
        addis   12, 2, ocb_front_real_dlopen@toc@ha
        ld      12, ocb_front_real_dlopen@toc@l(12)
        GO_ON
        END_FUNCTION ocb_front_dlopen

#endif

        .section .note.GNU-stack, "", @progbits
