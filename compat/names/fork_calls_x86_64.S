/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in front of the runtime's fork calls (fork_calls.c says why). In assembly, because
 * __kmpc_fork_call takes any number of arguments: all registers and the stack are handed on as they
 * came, and the jump leaves the return address the program's. Their arguments are integers and
 * addresses. Elsewhere than on x86-64 there are none, and the outlined function is not known.
 */
#ifdef __x86_64__

        .text

/* FORK_CALL name, register that holds the outlined function */
.macro FORK_CALL name, function
        .globl  \name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
        endbr64
        leaq    .Lcall_\name(%rip), %r11
        movq    \function, %r10
        jmp     .Lnote_and_go_on
        .cfi_endproc
        .size   \name, . - \name

        .section .rodata.str1.1, "aMS", @progbits, 1
.Lname_\name:
        .string "\name"
        .section .data.rel.local, "aw", @progbits
        .balign 8
.Lcall_\name:
        .quad   .Lname_\name
        .quad   0
        .text
.endm

        .type   .Lnote_and_go_on, @function
.Lnote_and_go_on:
        .cfi_startproc
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        pushq   %rcx
        .cfi_adjust_cfa_offset 8
        pushq   %r8
        .cfi_adjust_cfa_offset 8
        pushq   %r9
        .cfi_adjust_cfa_offset 8
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        movq    %r10, %rdi
        movq    56(%rsp), %rsi
        movq    %r11, %rdx
        call    ocb_fork_call
        movq    %rax, %r11
        popq    %rax
        .cfi_adjust_cfa_offset -8
        popq    %r9
        .cfi_adjust_cfa_offset -8
        popq    %r8
        .cfi_adjust_cfa_offset -8
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%r11
        .cfi_endproc

/* LLVM: (location, count, function, ...). */
        FORK_CALL __kmpc_fork_call, %rdx
        FORK_CALL __kmpc_fork_call_if, %rdx

/* GNU: (function, data, ...). */
        FORK_CALL GOMP_parallel, %rdi
        FORK_CALL GOMP_parallel_start, %rdi
        FORK_CALL GOMP_parallel_sections, %rdi
        FORK_CALL GOMP_parallel_sections_start, %rdi
        FORK_CALL GOMP_parallel_loop_static, %rdi
        FORK_CALL GOMP_parallel_loop_static_start, %rdi
        FORK_CALL GOMP_parallel_loop_dynamic, %rdi
        FORK_CALL GOMP_parallel_loop_dynamic_start, %rdi
        FORK_CALL GOMP_parallel_loop_guided, %rdi
        FORK_CALL GOMP_parallel_loop_guided_start, %rdi
        FORK_CALL GOMP_parallel_loop_runtime, %rdi
        FORK_CALL GOMP_parallel_loop_runtime_start, %rdi
        FORK_CALL GOMP_parallel_loop_nonmonotonic_dynamic, %rdi
        FORK_CALL GOMP_parallel_loop_nonmonotonic_guided, %rdi
        FORK_CALL GOMP_parallel_loop_nonmonotonic_runtime, %rdi
        FORK_CALL GOMP_parallel_loop_maybe_nonmonotonic_runtime, %rdi
        FORK_CALL GOMP_parallel_reductions, %rdi

#endif

        .section .note.GNU-stack, "", @progbits
