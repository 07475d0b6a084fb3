// SPDX-License-Identifier: Apache-2.0
//
// stepping.h - executes code with a function called at its instructions, in a signal's handler. On
// x86-64 the processor stops at each one. On aarch64 it does not for its own process: another
// thread's signals come as fast as they can while the code runs again and again. Under qemu with
// -singlestep they come at any instruction.
#pragma once

#include <csignal>
#include <functional>

#ifndef __x86_64__
#include <atomic>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ocb_test {

using OnStep = void (*)(const void *context);
inline OnStep on_step = nullptr;

#ifdef __x86_64__

inline bool steps_are_on = false;

inline void on_trap(int, siginfo_t *info, void *context) {
    constexpr long long kTrapFlag = 0x100;
    auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    if (info->si_code != TRAP_TRACE && info->si_code != TRAP_HWBKPT) {
        steps_are_on = !steps_are_on; // a breakpoint of step()
    } else {
        on_step(context);
    }
    registers[REG_EFL] =
        steps_are_on ? registers[REG_EFL] | kTrapFlag : registers[REG_EFL] & ~kTrapFlag;
}

__attribute__((noinline)) inline void step(const std::function<void()> &code) {
    __asm__ volatile("int3");
    code();
    __asm__ volatile("int3");
}

#else

struct Interruption {
    std::atomic<bool> is_on;
    pid_t thread;
};
inline std::atomic<unsigned> traps{0};

inline void on_trap(int, siginfo_t *, void *context) {
    traps.fetch_add(1);
    on_step(context);
}

inline void *interrupt(void *data) {
    auto &interruption = *static_cast<Interruption *>(data);
    while (interruption.is_on.load()) {
        const unsigned before = traps.load();
        syscall(SYS_tgkill, getpid(), interruption.thread, SIGTRAP);
        while (traps.load() == before && interruption.is_on.load()) {
            sched_yield();
        }
    }
    return nullptr;
}

__attribute__((noinline)) inline void step(const std::function<void()> &code) {
    constexpr unsigned kEnough = 3000;
    Interruption interruption = {true, static_cast<pid_t>(syscall(SYS_gettid))};
    pthread_t thread = 0;
    if (pthread_create(&thread, nullptr, interrupt, &interruption) != 0) {
        return;
    }
    for (const unsigned first = traps.load(); traps.load() - first < kEnough;) {
        code();
    }
    interruption.is_on = false;
    pthread_join(thread, nullptr);
}

#endif

inline void catch_traps(OnStep function, int flags) {
    on_step = function;
    struct sigaction action = {};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(SIGTRAP, &action, nullptr);
}

} // namespace ocb_test
