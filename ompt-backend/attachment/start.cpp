// SPDX-License-Identifier: Apache-2.0
// START on the runtime's side, downwards:
//
//   find      the loaded runtime that has OMPT                        runtime_search.h
//   ask       make it initialise: it asks for a tool                  entry.cpp
//   claim     the first runtime that asks gets the bridge             attachment.h
//   register  its generation's adapter, then the callbacks            attachment.h
//
// Where the program's first use of OpenMP makes the runtime initialise, it begins with the second.
#include "attachment/attachment.h"
#include "attachment/entry.h"
#include "attachment/runtime_search.h"
#include "base/log.h"
#include "base/options.h"
#include "runtime.h"

#include <cstdlib>
#include <cstring>
#include <strings.h>

namespace ocb::runtime {
namespace {

using ompt::ObjectPath;
using ompt::RuntimeSearch;

// Today's runtimes go on without a tool for any value but this and the ones that enable it; those
// of before OpenMP 5 say so themselves, or end the program. Blanks around it and its case do not
// count, by the documents.
bool tool_is_disabled(const char *value) {
    if (value == nullptr) {
        return false;
    }
    value += std::strspn(value, " \t");
    const std::size_t length = std::strcspn(value, " \t");
    constexpr char kEnabled[] = "enabled";
    return length != 0 &&
           (length != sizeof kEnabled - 1 || strncasecmp(value, kEnabled, length) != 0);
}

void explain_refusal(const RuntimeSearch &search) {
    ObjectPath path;
    if (const char *value = getenv("OMP_TOOL"); tool_is_disabled(value)) {
        log_once(LogCause::kToolDisabled, value);
    } else if (ompt::has_declined()) {
        log_once(LogCause::kDeclined);
    } else if (other_tool_is_in_front(search.entry, path)) {
        log_once(LogCause::kOtherTool, path.text);
    } else if (std::strcmp(search.entry, ompt::kEntryNames[0]) != 0) {
        log_once(LogCause::kInitialisedEarlier,
                 ", or stands before it: its tools interface is older than OpenMP 5.0 and looks "
                 "for a tool in front of itself only",
                 ", first in LD_PRELOAD");
    } else {
        log_once(LogCause::kInitialisedEarlier, "", " (LD_PRELOAD, OMP_TOOL_LIBRARIES or linking)");
    }
}

AttachResult without_ompt(const RuntimeSearch &search) {
    if (!search.has_other) {
        log_once(LogCause::kNoRuntimeYet);
        return AttachResult::kNoRuntimeYet;
    }
    log_once(LogCause::kNoOmptRuntime, search.other_path.text);
    return AttachResult::kNeverPossible;
}

// The runtime initialises inside the call, unless it has before, and so do claim and register.
AttachResult ask(const RuntimeSearch &search) {
    ompt::pin_and_make_global();
    // Negative: another thread is at it, and may wait for ours (libgomp_ompt.h).
    if (search.initialise() < 0) {
        return AttachResult::kNoRuntimeYet;
    }
    if (is_attached()) {
        return AttachResult::kAttached;
    }
    if (ompt::was_rejected()) {
        return AttachResult::kNeverPossible;
    }
    explain_refusal(search);
    return AttachResult::kTooLate;
}

} // namespace

AttachResult attach() {
    if (is_attached()) {
        return AttachResult::kAttached;
    }
    // START from inside the runtime's initialisation (a library that it loads for a client tool):
    // to make it initialise would be to wait for ourselves.
    if (ompt::is_being_asked()) {
        return AttachResult::kNoRuntimeYet;
    }
    const RuntimeSearch search = ompt::find_runtimes();
    if (!search.has_ompt) {
        return without_ompt(search);
    }
    if (options().init == InitMode::kLazy) {
        return AttachResult::kNoRuntimeYet;
    }
    const ompt::HeldObject held(search.path);
    // Another thread has unloaded it since.
    if (!held.is_held()) {
        return AttachResult::kNoRuntimeYet;
    }
    return ask(search);
}

} // namespace ocb::runtime
