// SPDX-License-Identifier: Apache-2.0
// START on the runtime's side, downwards:
//
//   find      the loaded runtime that has OMPT                        runtime_search.h
//   foresee   whether it will find the bridge, as it stands           forecast.h
//   ask       else make it initialise: it asks for a tool             entry.cpp
//   claim     the first runtime that asks gets the bridge             attachment.h
//   register  its generation's adapter, then the callbacks            attachment.h
//
// Where the program's first use of OpenMP makes the runtime initialise, it begins with the third.
#include "attachment/attached_runtime.h"
#include "attachment/attachment.h"
#include "attachment/entry_names.h"
#include "attachment/runtime_search.h"
#include "base/log.h"
#include "base/options.h"
#include "entry/forecast.h"
#include "runtime.h"

#include <cstdlib>
#include <cstring>

namespace ocb::runtime {
namespace {

using ompt::ObjectPath;
using ompt::RuntimeSearch;

void explain_refusal(const RuntimeSearch &search) {
    ObjectPath path;
    const char *value = getenv("OMP_TOOL");
    const bool is_disabled = ompt::tool_is_disabled(value);
    const bool is_old = std::strcmp(search.entry, ompt::kEntryNames[0]) != 0;
    if (!is_disabled && ompt::has_declined()) {
        log_once(LogCause::kDeclined);
    } else if (!is_disabled && !ompt::exports_entry(search.entry)) {
        log_once(LogCause::kNotExported, search.entry);
    } else if (!is_disabled && other_tool_is_in_front(search.entry, path)) {
        log_once(LogCause::kOtherTool, path.text);
    } else if (is_disabled || (!is_old && !ompt::llvm_takes_tool(value))) {
        log_once(LogCause::kToolDisabled, value);
    } else if (is_old) {
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

// The bridge was its tool until it ended: a session may still begin, and nothing comes from there.
bool is_over(const RuntimeSearch &search) {
    return ompt::was_detached() && std::strcmp(search.path.text, ompt::runtime_file()) == 0;
}

// The runtime initialises inside the call, unless it has before, and so do claim and register.
AttachResult ask(const RuntimeSearch &search) {
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
    if (is_over(search)) {
        return AttachResult::kNoRuntimeYet;
    }
    explain_refusal(search);
    return AttachResult::kTooLate;
}

// Whether START's answer needs the runtime's initialisation.
bool must_ask(const RuntimeSearch &search, ompt::Forecast forecast) {
    switch (options().init) {
    case InitMode::kForce:
        return true;
    case InitMode::kAuto:
        return forecast == ompt::Forecast::kUnknown || forecast == ompt::Forecast::kToolInFront;
    case InitMode::kLazy:
        return search.has_provider; // looks for a tool, and leaves libgomp alone
    }
    return true;
}

// A runtime has asked for a tool, and got the bridge.
bool has_asked() {
    return is_attached() || ompt::is_being_asked();
}

// START from inside the runtime's initialisation (a library that it loads for a client tool): to
// make it initialise would be to wait for ourselves.
AttachResult answer_of_asked() {
    return is_attached() ? AttachResult::kAttached : AttachResult::kNoRuntimeYet;
}

} // namespace

AttachResult attach() {
    if (has_asked()) {
        return answer_of_asked();
    }
    const RuntimeSearch search = ompt::find_runtimes();
    if (!search.has_ompt) {
        return without_ompt(search);
    }
    const ompt::HeldObject held(search.path);
    // Another thread has unloaded it since.
    if (!held.is_held()) {
        return AttachResult::kNoRuntimeYet;
    }
    // In the order of search the bridge has its place from here on.
    ompt::pin_and_make_global();
    const ompt::Forecast forecast = ompt::forecast_of(search);
    if (must_ask(search, forecast)) {
        return ask(search);
    }
    // By now another thread may have used OpenMP for the first time.
    if (has_asked()) {
        return answer_of_asked();
    }
    if (forecast == ompt::Forecast::kTooLate || forecast == ompt::Forecast::kToolInFront) {
        explain_refusal(search);
        return AttachResult::kTooLate;
    }
    return AttachResult::kNoRuntimeYet;
}

} // namespace ocb::runtime
