// SPDX-License-Identifier: Apache-2.0
// What the user may set from outside. The rows in options.cpp are the one source of the parser, of
// `ompcollect --help` and of the guide's table. Read once, at the first request or when the
// runtime comes, whichever is first; constant afterwards.
#pragma once

#include "base/compiler.h"
#include "base/log.h"

#include <cstdint>

namespace ocb {

enum class InitMode { kAuto, kForce, kLazy };
enum class AttachMode { kAlways, kStarted };
enum class IdleEvents { kPrompt, kDeferred };
enum class WaitEvents { kContended, kAll };
enum class Observe { kAll, kRegistered };

struct Options {
    InitMode init = InitMode::kAuto;
    AttachMode attach = AttachMode::kAlways;
    IdleEvents idle_events = IdleEvents::kPrompt;
    WaitEvents wait_events = WaitEvents::kContended;
    Observe observe = Observe::kAll;
    LogLevel log_level = kDefaultLogLevel;
    std::uint64_t first_region_id = 1;
    const char *tool_libraries = nullptr; // the environment's own text
};

// Any thread; the first call reads the environment (secure_getenv). Not for signal handlers.
const Options &options();

// For event paths: the options have been read when the runtime came.
extern constinit Options options_read OCB_INTERNAL;

} // namespace ocb
