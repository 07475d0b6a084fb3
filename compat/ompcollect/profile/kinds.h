// SPDX-License-Identifier: Apache-2.0
//
// Numbers of profile files (profile_file.h), for the collector, which writes them, and for the
// reports. Values never change.
#pragma once

namespace ompcollect {

// State numbers of the contract, and room for those that later producers add (up to 16 is known).
// Number 0 is time in which the producer gave no usable state.
inline constexpr unsigned kContractStates = 17;
// Two more states of reports, for what the operating system did with a thread. They take precedence
// over the thread's OpenMP state (which is `within` of a cell in run.h).
inline constexpr unsigned kNoProcessorState = 17; // ready to run, and no processor ran it
inline constexpr unsigned kAsleepState = 18; // in the program's own code: waits in a system call
inline constexpr unsigned kStateColumns = 19;

// Event numbers of the contract, 1..22; 0 is not used.
inline constexpr unsigned kEventNumbers = 23;

enum class ThreadKind : unsigned {
    kInitial, // the thread the process began with
    kOpenMP,  // any other that took part in OpenMP
};

// How the time of threads that do not run was measured.
enum class OffProcessor : unsigned {
    kNotMeasured, // --clock cpu: wall and cpu are the same
    kFromOutside, // one sampling thread reads each thread's state: nobody is disturbed
    kBySignals,   // per-thread timers by the clock
};

// Which call stacks were kept.
enum class Stacks : unsigned {
    kOff,
    kForks, // where regions were forked
    kFull,  // those of samples too
};

enum class Ending : unsigned {
    kNone,     // the process runs, or was killed, or left by _exit
    kExit,     // exit() or the end of main
    kQuitFast, // _exit, _Exit or quick_exit
    kExec,     // became another program
    kStopped,  // somebody sent STOP
};

} // namespace ompcollect
