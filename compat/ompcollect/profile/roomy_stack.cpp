// SPDX-License-Identifier: Apache-2.0
#include "roomy_stack.h"

#include "own_stack.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <sys/mman.h>

#ifdef __x86_64__
// The caller's frame is found by the frame pointer, so unwinders pass through. The name is global,
// as a link-time optimiser may move its callers to another file.
__asm__(R"(
    .text
    .globl ompcollect_call_on
    .hidden ompcollect_call_on
    .type ompcollect_call_on, @function
ompcollect_call_on:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %rsp
    movq %rdx, %rdi
    callq *%rsi
    leaveq
    .cfi_def_cfa %rsp, 8
    retq
    .cfi_endproc
    .size ompcollect_call_on, . - ompcollect_call_on
)");
#elif defined(__aarch64__)
__asm__(R"(
    .text
    .globl ompcollect_call_on
    .hidden ompcollect_call_on
    .type ompcollect_call_on, %function
ompcollect_call_on:
    .cfi_startproc
    stp x29, x30, [sp, -16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    mov x29, sp
    .cfi_def_cfa_register x29
    mov sp, x0
    mov x0, x2
    blr x1
    mov sp, x29
    .cfi_def_cfa_register sp
    ldp x29, x30, [sp], 16
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size ompcollect_call_on, . - ompcollect_call_on
)");
#endif
#if defined(__x86_64__) || defined(__aarch64__)
#define OMPCOLLECT_CAN_CHANGE_STACKS
extern "C" __attribute__((visibility("hidden"))) void
ompcollect_call_on(void *stack_end, void (*function)(void *), void *data);
#endif

namespace ompcollect {
namespace {

constexpr uintptr_t kEnough = uintptr_t{64} * 1024;

} // namespace

bool stack_may_be_short() {
    const auto sp = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const StackBounds stack = own_stack();
    return sp < stack.low + kEnough || sp >= stack.high;
}

void call_with_room(void (*function)(void *), void *data) {
#ifdef OMPCOLLECT_CAN_CHANGE_STACKS
    constexpr size_t kSize = size_t{512} * 1024;
    constexpr size_t kGuard = 4096;
    void *memory = MAP_FAILED;
    if (stack_may_be_short()) {
        memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    }
    if (memory != MAP_FAILED) {
        mprotect(memory, kGuard, PROT_NONE);
        ompcollect_call_on(static_cast<char *>(memory) + kSize, function, data);
        const int saved_errno = errno;
        munmap(memory, kSize);
        errno = saved_errno;
        return;
    }
#endif
    function(data);
}

} // namespace ompcollect
