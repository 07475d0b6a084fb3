/* SPDX-License-Identifier: Apache-2.0
 *
 * The front's stubs. The binder writes a stub's address where an object of the process calls a
 * runtime's entry (binder.h). There is one stub for each runtime and entry. It loads the address of
 * its slot (stubs.h), which has the function that the call goes on to, and jumps to the code that
 * its kind of entry shares. This is assembly, because the calls take any arguments, which are
 * handed on in their registers as they came.
 *
 * A call is marked as long as it lasts (omp_collector_bridge_front): it leaves a frame of two words,
 * calls the runtime with the stack's arguments copied, and takes the mark back. A fork call is noted
 * for the bridge too; it may have any number of arguments, so its frame has their number.
 * Unwinders see an ordinary frame. The runtime sees a return address of ours, which the bridge
 * changes back to the program's where OMPT reports it. A call that finds no mark to write goes on
 * with a jump. So do all calls before the bridge is there.
 *
 * Registers that a call of an entry may change: %r10, %r11, and %rax but in FORK and ANY, where it
 * has the number of vector registers of a call with any arguments. %r11 has the slot.
 */
#ifdef __x86_64__

#include "front_any_machine.S"

#define IN_REGISTERS    6

/* What is noted behind a call; the thread's front is in %r11. */
/* A task that the bridge has seen begin inside of the call goes on behind it. */
.macro AFTER_TASK_BEGUN
        leaq    -8(%rsp), %r10
        cmpq    %r10, COVERED(%r11)
        jne     3f
        movq    INNERMOST(%r11), %r10
        movq    %r10, COVERED(%r11)
3:
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
.macro AFTER_TASKGROUP_OVER
        shrq    TASKGROUPS(%r11)
.endm
/* Of how the program combines, in %eax: 2 alone needs the clock (reduce.c). */
.macro AFTER_REDUCE_NOWAIT
        cmpl    $2, %eax
        je      3f
        cmpl    $1, %eax
        sbbq    %r10, %r10
        notq    %r10
        movq    %r10, COMBINES_UNTIL(%r11)
        ret
3:
        AFTER_CALLING ocb_front_reduce_nowait
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

/* The thread's front to %r10; jumps to 1 where the thread has none. */
.macro FIND_FRONT
        movq    ocb_front_place(%rip), %r10
        movq    %fs:(%r10), %r10
        testq   %r10, %r10
        je      1f
.endm

/* Marks the call. The outer mark is on the stack. */
.macro MARK kind
        pushq   INNERMOST(%r10)
        .cfi_adjust_cfa_offset 8
        leaq    \kind(%rsp), %rax
        movq    %rax, INNERMOST(%r10)
.endm

/* Behind the call: the thread's front to %r11. There is one still, though it may be another. */
.macro FIND_FRONT_AGAIN
        movq    ocb_front_place(%rip), %r11
        movq    %fs:(%r11), %r11
.endm
.macro UNMARK
        FIND_FRONT_AGAIN
        popq    INNERMOST(%r11)
        .cfi_adjust_cfa_offset -8
.endm

.macro SHARED name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
.endm
.macro END_SHARED name
1:
        jmp     *(%r11)
        .cfi_endproc
        .size   \name, . - \name
.endm

/* The most dimensions of a doacross loop yet: so many arguments its waits may have. */
.macro NOTE_DIMENSIONS
4:
        movl    ocb_front_dimensions(%rip), %eax
        cmpl    %eax, %edi
        jbe     5f
        lock cmpxchgl %edi, ocb_front_dimensions(%rip)
        jne     4b
5:
.endm

.macro SHARED_ENTRY kind, words, after
        SHARED .Lentry_\kind\()_\words\()_\after
.ifc \after, DIMENSIONS
        NOTE_DIMENSIONS
.endif
        FIND_FRONT
.if \words == 0
        MARK    IN_\kind
.elseif \words == 6
        MARK    IN_\kind + 4
.else
        MARK    IN_\kind + 8
.endif
.if \words
        /* Each push moves the next word to the same place. */
.rept \words
        pushq   8 * \words + 8(%rsp)
        .cfi_adjust_cfa_offset 8
.endr
.endif
        call    *(%r11)
.if \words
        addq    $8 * \words, %rsp
        .cfi_adjust_cfa_offset -8 * \words
.endif
        UNMARK
        AFTER_\after
        ret
        END_SHARED .Lentry_\kind\()_\words\()_\after
.endm

/* The wait of a doacross loop: an argument a dimension, none of which is a vector. */
.macro SHARED_WAIT
        SHARED  .Lentry_DOACROSS_ANY_NOTHING
        FIND_FRONT
        cmpl    $MOST_DIMENSIONS, ocb_front_dimensions(%rip)
        ja      6f
        MARK    IN_DOACROSS
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        leaq    24(%rsp), %r10
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        movl    ocb_front_dimensions(%rip), %eax
        subl    $IN_REGISTERS - 1, %eax
        andl    $-2, %eax
        subq    $8, %rsp
4:
        pushq   -8(%r10,%rax,8)
        decl    %eax
        jne     4b
        call    *(%r11)
        leave
        .cfi_def_cfa %rsp, 16
        .cfi_restore %rbp
        UNMARK
        ret
1:
6:
        xorl    %eax, %eax
        END_SHARED .Lentry_DOACROSS_ANY_NOTHING
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
        SAVE %r11
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
.endm
.macro RESTORE_ARGUMENTS
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        RESTORE %r11
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
        orq     $1, %r10
.endm
.macro WORDS_NONE
        movl    $1, %r10d
.endm
.macro WORDS_TWO
        movl    $3, %r10d
.endm

/* The words below the frame are of odd number, and one more than there are arguments does no harm.
 * The frame: the outer mark; below it the frame pointer, the function, and the number of words. A
 * call that cannot be marked is noted, as its thread's front may come with it. */
.macro SHARED_FORK function, words
        SHARED  .Lfork_\function\()_\words
        FIND_FRONT
        pushq   INNERMOST(%r10)
        .cfi_adjust_cfa_offset 8
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        leaq    FORKS + 8(%rsp), %rbp
        movq    %rbp, INNERMOST(%r10)
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        WORDS_\words
        pushq   %\function
        pushq   %r10
        jmp     4f
3:
        pushq   16(%rbp,%r10,8)
        decq    %r10
4:
        testq   %r10, %r10
        jne     3b
        call    *(%r11)
        leave
        .cfi_def_cfa %rsp, 16
        .cfi_restore %rbp
        FIND_FRONT_AGAIN
        leaq    FORKS(%rsp), %rcx
        popq    %r10
        .cfi_adjust_cfa_offset -8
        movq    %r10, INNERMOST(%r11)
        /* The region that it has begun goes on behind it (GOMP_parallel_start). */
        cmpq    %rcx, COVERED(%r11)
        jne     6f
        movq    %r10, COVERED(%r11)
6:
        ret
1:
        SAVE_ARGUMENTS
        movq    %\function, %rdi
        movq    72(%rsp), %rsi
        call    *ocb_front_note_fork(%rip)
        RESTORE_ARGUMENTS
        jmp     *(%r11)
        .cfi_endproc
        .size   .Lfork_\function\()_\words, . - .Lfork_\function\()_\words
.endm

        .text

/* Every kind of entry that entries.h has; one more is an undefined label in the stubs. */
        SHARED_FORK rdi, NONE
        SHARED_FORK rdi, TWO
        SHARED_FORK rdx, NONE
        SHARED_FORK rdx, COUNTED
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

/* The slot's other function, for which the slot is noted first: a thread-local names the runtime
 * that is called. */
        FUNCTION ocb_front_call_of_row
        movq    ocb_front_called_slot@gottpoff(%rip), %r10
        movq    %r11, %fs:(%r10)
        jmp     *8(%r11)
        END_FUNCTION ocb_front_call_of_row

.macro STUB label
        .balign 16
        leaq    ocb_front_slots + 16 * ocb_stub(%rip), %r11
        jmp     \label
        .set    ocb_stub, ocb_stub + 1
.endm

        STUBS

/* dlopen(name, flags): notes the flags for the calling thread. */
        FUNCTION ocb_front_dlopen
        endbr64
        movq    ocb_front_opened_with@gottpoff(%rip), %r11
        movl    %esi, %fs:(%r11)
        jmp     *ocb_front_real_dlopen(%rip)
        END_FUNCTION ocb_front_dlopen

        .data
        .balign 4
        .type   ocb_front_dimensions, @object
ocb_front_dimensions: /* not less than what the frames of any wait can hold */
        .long   16 + IN_REGISTERS
        .size   ocb_front_dimensions, 4

#endif

        .section .note.GNU-stack, "", @progbits
