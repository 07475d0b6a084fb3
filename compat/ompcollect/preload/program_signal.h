// SPDX-License-Identifier: Apache-2.0
//
// The sampling signal as the program sees it: its own, with its own handling of it. Once the
// collector has taken the signal, the program's calls about it are answered from here.
#pragma once

#include "preload_services.h"

namespace ompcollect {

// As in ompcollect_preload_services.
int take_signal(int signal, ompcollect_handler handler);
void pass_on(int signal, siginfo_t *info, void *context);

// At the begin of the process, so that nothing is looked for in a handler or a forked child.
void find_signal_functions();
// In the child after fork(), before its other handlers.
void restart_signals_after_fork();

// What the program ignores is ignored by the program that it becomes: around exec.
void ignore_for_exec();
void heed_after_failed_exec();

} // namespace ompcollect
