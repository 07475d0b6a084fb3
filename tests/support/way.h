// SPDX-License-Identifier: Apache-2.0
//
// way.h - the one place that knows how a test program is started. The default way is the
// launcher's: all that ompcollect preloads, in its order, with a collector of ours in place of its
// own. It is asked of the launcher itself (--dry-run), so no test can differ from what people run.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ocb_test {

enum class Way {
    kLauncher, // as ompcollect starts a program
    kBare,     // bridge and collector alone; OMPT in front of libgomp
};

// Without the folder compat/, and where a sanitizer must come first, there is no launcher.
#ifdef OCB_TEST_LAUNCHER
inline constexpr Way kDefaultWay = Way::kLauncher;
#else
inline constexpr Way kDefaultWay = Way::kBare;
#endif

// What the launcher is asked for.
struct LaunchWish {
    std::string program;   // a path
    std::string collector; // a library's name; empty: the launcher's own
    std::string runtime;   // for --runtime; empty: the launcher chooses
    std::string libraries; // LD_LIBRARY_PATH of launcher and program
    bool operator<(const LaunchWish &other) const;
};

// What the launcher would put into the program's environment: LD_PRELOAD with it. Asked once for
// each wish. A refusal throws std::runtime_error with the launcher's line.
const std::map<std::string, std::string> &launch_environment(const LaunchWish &wish);

// The variables of a dry run's output, a shell's command that begins with them.
std::map<std::string, std::string> variables_of(const std::string &dry_run);

} // namespace ocb_test
