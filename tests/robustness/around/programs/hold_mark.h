/* SPDX-License-Identifier: Apache-2.0
 *
 * hold_mark.h - what a program under trace_and_hold() (tracer.h) tells the tracer, by a system call
 * that the kernel would refuse.
 */
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

enum { kHoldFirst = 0x6f636201 };

/* From here on. *caught becomes 1 once a thread is held. False: nobody traces. */
static inline int hold_first_other_thread(volatile int *caught) {
    return (int)syscall(SYS_prctl, kHoldFirst, caught, 0, 0, 0) == 0;
}
