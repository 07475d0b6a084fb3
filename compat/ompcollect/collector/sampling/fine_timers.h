// SPDX-License-Identifier: Apache-2.0
//
// Timers on a thread's processor time that are finer than the kernel's tick. The kernel looks at
// POSIX timers of processor time in its tick alone: at 250 ticks a second no such timer sends more
// signals. A perf event on the task clock has a timer of its own, which stands still while the
// thread does not run. It counts in user mode only, so no system call is interrupted by it.
//
// The sampling thread opens and closes them all, in its own table of descriptors. A thread only
// sets whether it wants one, and waits at its end until it is closed.
#pragma once

#include "thread_slots.h"

#include <csignal>

namespace ompcollect {

// For the sampling thread, before the first sample. Decides whether the rate needs fine timers, and
// whether they can be used. If they cannot, the rate becomes the tick's, and a line on stderr has
// that.
void choose_timers(bool has_own_table);
// The starter of that thread waits for its decision, where one is needed. At other rates no system
// call is made that a seccomp filter might refuse. Without a decision there are no fine timers.
void await_choice_of_timers();
bool has_fine_timers();
unsigned ticks_per_second();

// For the slot's thread, or the thread that ends the session.
void want_fine_timer(ThreadSlot &slot);
void give_up_fine_timer(ThreadSlot &slot);

// For the sampling thread: opens the timers that are wanted, and closes the others. At its end it
// closes all, for good or until the next sampling thread opens them again.
void maintain_fine_timers();
void close_fine_timer(ThreadSlot &slot);
void close_fine_timers(bool for_good);

// The signal comes from the slot's fine timer.
bool is_of_fine_timer(const ThreadSlot &slot, const siginfo_t &info);

// In the child after fork(): nothing is decided.
void forget_choice_of_timers();

} // namespace ompcollect
