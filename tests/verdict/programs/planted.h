/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs with one problem each, or two, or none. A program knows by its construction what is
 * wrong with it, and prints a line for each problem:
 *   truth cause=CAUSE[,CAUSE...] place=FUNCTION line=LINE gain=PERCENT
 * Several causes mean the same thing, or cannot be told apart with two threads. A line "truth
 * also=CAUSE" names another one that is true of the last problem. Line 0: any line of the function.
 * PLANTED_TIMES=3 makes all three times as long. The gain is the share of the elapsed time that
 * would be saved without the problem. A healthy one prints "truth healthy". NAME-repaired is NAME
 * without its problem, and healthy: docs/START.md shows both. Work is measured in
 * processor time.
 * On a shared machine the parts of a program take longer, and not all of them alike. So a
 * gain is what is lost of a part by its construction, of the time that the part took in this run.
 */
#pragma once

enum { kThreads = 2 };

typedef void (*Problem)(void);
struct Planted {
    const char *name;
    Problem run;
};
#define PLANTED static __attribute__((noinline)) void

/* Seconds of the calling thread's processor, and of the clock. */
double processor_time(void);
double wall_time(void);
/* Executes for so many milliseconds of processor time. */
void work(double milliseconds);
/* What that takes, in seconds of a processor. */
double seconds_of_work(double milliseconds);
/* The program begins anew with this in its environment, where it has not: runtimes read that when
 * they begin. */
void need_setting(const char *name, const char *value);
/* Sleeps until the time has passed, in one system call or more. */
void rest(double milliseconds);
/* As often as the environment's PLANTED_TIMES wants it; work and rest are longer by themselves. */
double longer(double count);
/* About a nanosecond of the processor for each. The result keeps the loop. */
double steps(long count);
/* The processor cannot begin with these before the number is known, as that of the runtime's next
 * iteration. Else they would take no time beside the runtime's. */
double steps_for(long number, long count);
/* Seconds of the processor that so many of them take now. */
double seconds_of_steps(long count);
/* Seconds as percent of all the time since the program's begin. */
double share_of(double seconds_lost);
/* Adds what the statement takes by the clock. */
#define CLOCKED(seconds, statement)                                                                \
    do {                                                                                           \
        const double clocked_begin = wall_time();                                                  \
        statement;                                                                                 \
        (seconds) += wall_time() - clocked_begin;                                                  \
    } while (0)
/* Processors that others have left of those of the program since its begin. */
double processors_left(void);
/* Of all time since then in which its threads ran or wanted to run: the part in which they ran. */
double pace(void);

/* The pragma of the problem's region is on the line below the call. */
#define TRUTH(causes, gain) truth(causes, __func__, __LINE__ + 1, gain)
void truth(const char *causes, const char *place, int line, double gain);

extern const struct Planted kBalance[], kWaits[], kOutside[], kSystem[], kPairs[], kOthers[],
    kHealthy[];
