/* SPDX-License-Identifier: Apache-2.0
 *
 * The front: stands before a runtime's entries (entries.h). In assembly, because the calls take any
 * arguments, which are handed on in their registers as they came.
 *
 * Calls are marked as long as they last (omp_collector_bridge_front): they leave a frame of two
 * words, call the runtime with the stack's arguments copied, and take the mark back. A fork call is
 * noted for the bridge too; it may have any number of arguments, so its frame tells how many.
 * Unwinders see an ordinary frame. The runtime sees a return address of ours, which the bridge
 * changes back to the program's where OMPT reports it. A call that finds no mark to write, or comes
 * from inside the runtime, goes on with a jump too. So do all calls before the bridge is there.
 *
 * Elsewhere than on x86-64 there is no front.
 */
#ifdef __x86_64__

#define IN_RUNTIME       0
#define IN_REDUCTION     1
#define IN_DOACROSS      2
#define IN_TASKGROUP_END 3
#define FORKS            12

/* omp_collector_bridge_front */
#define INNERMOST      0
#define COVERED        8
#define TASKGROUPS     16
#define COMBINES_UNTIL 24

/* What is noted behind a call; the thread's front is in %r11. */
.macro AFTER_NOTHING
.endm
.macro AFTER_REGION_OVER
.endm
.macro AFTER_COMBINED
        movq    $0, COMBINES_UNTIL(%r11)
.endm
.macro AFTER_TASKGROUP
        shlq    TASKGROUPS(%r11)
.endm
.macro AFTER_TASKGROUP_REDUCES
        orq     $1, TASKGROUPS(%r11)
.endm
.macro AFTER_REDUCING_TASKGROUP
        AFTER_TASKGROUP
        AFTER_TASKGROUP_REDUCES
.endm
.macro AFTER_TASKGROUP_OVER
        shrq    TASKGROUPS(%r11)
.endm
.macro AFTER_CALLING function
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        movq    %r11, %rdi
        movl    %eax, %esi
        call    \function
        popq    %rax
        .cfi_adjust_cfa_offset -8
.endm
.macro AFTER_REDUCE
        AFTER_CALLING ocb_front_reduce
.endm
.macro AFTER_REDUCE_NOWAIT
        AFTER_CALLING ocb_front_reduce_nowait
.endm

/* The struct front_entry, and where its first call goes. */
.macro ENTRY_DATA name
        .type   .Lfind_\name, @function
.Lfind_\name:
        .cfi_startproc
        endbr64
        leaq    .Lentry_\name(%rip), %r11
        jmp     .Lfind
        .cfi_endproc
        .section .rodata.str1.1, "aMS", @progbits, 1
.Lname_\name:
        .string "\name"
        .section .data.rel.local, "aw", @progbits
        .balign 8
.Lentry_\name:
        .quad   .Lname_\name
        .quad   .Lfind_\name
        .text
.endm

.macro BEGIN name
        .globl  \name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
        endbr64
.endm
.macro END name
        .cfi_endproc
        .size   \name, . - \name
        ENTRY_DATA \name
.endm

.macro ENTRY_OF name, kind, words, after
        BEGIN \name
        movq    ocb_front_place(%rip), %r11
        testq   %r11, %r11
        je      1f
        movq    %fs:(%r11), %r11
        testq   %r11, %r11
        je      1f
        movq    INNERMOST(%r11), %r10
        cmpq    COVERED(%r11), %r10
        jne     1f
        pushq   %r10
        .cfi_adjust_cfa_offset 8
.if \words == 0
        leaq    \kind(%rsp), %r10
.elseif \words == 6
        leaq    \kind + 4(%rsp), %r10
.else
        leaq    \kind + 8(%rsp), %r10
.endif
        movq    %r10, INNERMOST(%r11)
.if \words
        /* Each push moves the next word to the same place. */
.rept \words
        pushq   8 * \words + 8(%rsp)
        .cfi_adjust_cfa_offset 8
.endr
.endif
        call    *8 + .Lentry_\name(%rip)
.if \words
        addq    $8 * \words, %rsp
        .cfi_adjust_cfa_offset -8 * \words
.endif
        movq    ocb_front_place(%rip), %r11
        movq    %fs:(%r11), %r11
        popq    %r10
        .cfi_adjust_cfa_offset -8
        testq   %r11, %r11
        je      2f
.ifc \after, REGION_OVER
        /* Called by the runtime inside of a fork: the region is over, and the fork is not. The
         * function returns nothing. */
        movl    %r10d, %eax
        notl    %eax
        testb   $FORKS, %al
        je      3f
.endif
        movq    %r10, COVERED(%r11)
3:
        movq    %r10, INNERMOST(%r11)
        AFTER_\after
2:
        ret
1:
        jmp     *8 + .Lentry_\name(%rip)
        END \name
.endm

.macro SAVE register
        pushq   \register
        .cfi_adjust_cfa_offset 8
.endm
.macro RESTORE register
        popq    \register
        .cfi_adjust_cfa_offset -8
.endm
.macro SAVE_ARGUMENTS
        SAVE %rdi
        SAVE %rsi
        SAVE %rdx
        SAVE %rcx
        SAVE %r8
        SAVE %r9
        SAVE %rax
.endm
.macro RESTORE_ARGUMENTS
        RESTORE %rax
        RESTORE %r9
        RESTORE %r8
        RESTORE %rcx
        RESTORE %rdx
        RESTORE %rsi
        RESTORE %rdi
.endm

/* Of __kmpc_fork_call(location, count, function, ...): those behind the first three that no
 * register holds. */
.macro WORDS_COUNTED
        movslq  %esi, %r10
        subq    $3, %r10
        jns     2f
        xorl    %r10d, %r10d
2:
        incq    %r10
        andq    $-2, %r10
.endm
.macro WORDS_NONE
        xorl    %r10d, %r10d
.endm
.macro WORDS_TWO
        movl    $2, %r10d
.endm

/* The words below the frame are of even number, and one more than there are arguments does no harm.
 * %rax tells a function of any arguments about its vector registers. */
.macro FORK_OF name, function, words
        BEGIN \name
        SAVE_ARGUMENTS
        movq    \function, %rdi
        movq    56(%rsp), %rsi
        call    *ocb_front_note_fork(%rip)
        RESTORE_ARGUMENTS
        movq    ocb_front_place(%rip), %r11
        testq   %r11, %r11
        je      1f
        movq    %fs:(%r11), %r11
        testq   %r11, %r11
        je      1f
        movq    INNERMOST(%r11), %r10
        cmpq    COVERED(%r11), %r10
        jne     1f
        pushq   %r10
        .cfi_adjust_cfa_offset 8
        leaq    FORKS(%rsp), %r10
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        movq    %r10, INNERMOST(%r11)
        WORDS_\words
        pushq   %r10
        jmp     4f
3:
        pushq   16(%rbp,%r10,8)
        decq    %r10
4:
        testq   %r10, %r10
        jne     3b
        call    *8 + .Lentry_\name(%rip)
        leave
        .cfi_def_cfa %rsp, 16
        .cfi_restore %rbp
        movq    ocb_front_place(%rip), %r11
        movq    %fs:(%r11), %r11
        popq    %r10
        .cfi_adjust_cfa_offset -8
        testq   %r11, %r11
        je      5f
        movq    %r10, COVERED(%r11)
        movq    %r10, INNERMOST(%r11)
5:
        ret
1:
        jmp     *8 + .Lentry_\name(%rip)
        END \name
.endm

/* Where a thread finds its mark, from the thread pointer; 0 as long as there is no bridge, and never
 * again once there is one (connect.c). */
        .section .data.rel.local, "aw", @progbits
        .balign 8
        .globl  ocb_front_place
        .hidden ocb_front_place
ocb_front_place:
        .quad   0
        .size   ocb_front_place, 8
        .globl  ocb_front_note_fork
        .hidden ocb_front_note_fork
ocb_front_note_fork:
        .quad   .Lnote_nothing
        .size   ocb_front_note_fork, 8

        .text
        .type   .Lnote_nothing, @function
.Lnote_nothing:
        .cfi_startproc
        endbr64
        ret
        .cfi_endproc

/* The first call of an entry, its struct in %r11. The arguments of all entries are integers and
 * addresses. */
        .type   .Lfind, @function
.Lfind:
        .cfi_startproc
        SAVE_ARGUMENTS
        movq    %r11, %rdi
        movq    56(%rsp), %rsi
        call    ocb_front_next
        movq    %rax, %r11
        RESTORE_ARGUMENTS
        jmp     *%r11
        .cfi_endproc

#define FORK(name, function, words)      FORK_OF name, function, words;
#define ENTRY(name, kind, words, after) ENTRY_OF name, IN_##kind, words, after;
#include "entries.h"

#endif

        .section .note.GNU-stack, "", @progbits
