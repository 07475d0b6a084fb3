// SPDX-License-Identifier: Apache-2.0
//
// Timers on a thread's processor time that are finer than the kernel's tick. The kernel looks at
// POSIX timers of processor time in its tick alone: at 250 ticks a second no such timer sends more
// signals. A perf event on the task clock has a timer of its own, which stands still while the
// thread does not run. It counts in user mode only, so no system call is interrupted by it.
//
// The sampling thread opens and closes them all, in its own table of descriptors. A thread only
// says whether it wants one, and waits at its end until it is closed.
#pragma once

#include "thread_slots.h"

#include <csignal>

namespace ompcollect {

// Of the sampling thread, before anybody is sampled: whether the rate needs fine timers, and can
// have them. Else the rate becomes what the tick delivers, and a line on stderr says so.
void choose_timers(bool has_own_table);
// Whoever starts that thread waits for its choice, where there is one to make: at other rates it
// makes no system call that a filter might not know. Without one there are no fine timers.
void await_choice_of_timers();
bool has_fine_timers();
unsigned ticks_per_second();

// Of the thread, or of who ends the session.
void want_fine_timer(ThreadSlot &slot);
void give_up_fine_timer(ThreadSlot &slot);

// Of the sampling thread: opens what is wanted, closes the others; and all of them at its end,
// for good or until the next one opens them again.
void tend_fine_timers();
void close_fine_timer(ThreadSlot &slot);
void close_fine_timers(bool for_good);

// The signal comes from the slot's fine timer.
bool is_of_fine_timer(const ThreadSlot &slot, const siginfo_t &info);

// In the child after fork(): no choice has been made.
void forget_choice_of_timers();

} // namespace ompcollect
