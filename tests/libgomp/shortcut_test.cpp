// SPDX-License-Identifier: Apache-2.0
// Without a tool, a program's calls lead straight to libgomp after the first one of each function.
#include "libgomp_run.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ocb_test {
namespace {

class Shortcut : public testing::TestWithParam<const char *> {};

std::string case_name(const testing::TestParamInfo<const char *> &info) {
    return info.param;
}

// lazy: the linker binds a function at its first call; now: all before the program begins, in
// memory that is read-only then.
INSTANTIATE_TEST_SUITE_P(Slots, Shortcut, testing::Values("slots_lazy", "slots_now"), case_name);

// A region, a critical section's two, a barrier, a lock's two: each is called.
constexpr std::size_t kFewest = 6;

// Where the program's calls lead, and the rest of its output.
struct Shown {
    std::map<std::string, std::string> files;
    std::string rest;
};

Shown shown_by(const std::string &program, const LibgompRun &run) {
    const Recorded recorded = run_recorded(program_path(program), run);
    EXPECT_TRUE(recorded.outcome.succeeded()) << recorded.outcome.describe();
    Shown shown;
    std::istringstream lines(recorded.outcome.out);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name, file;
        words >> name >> file;
        if (name.find("GOMP_") == 0 || name.find("omp_") == 0) {
            shown.files[name] = file;
        } else {
            shown.rest += line + "\n";
        }
    }
    return shown;
}

TEST_P(Shortcut, LeadsToTheRuntimeWithoutATool) {
    const Shown alone = shown_by(GetParam(), {});
    EXPECT_LE(kFewest, alone.files.size());
    EXPECT_NE(std::string::npos, alone.rest.find("protected memory is read-only\n")) << alone.rest;
    const LibgompRun ways[] = {
        {{OCB_LIBGOMP_OMPT}, {}, {}},
        {{OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {{"OMP_TOOL", "disabled"}}, {}}};
    for (const LibgompRun &way : ways) {
        const Shown with = shown_by(GetParam(), way);
        EXPECT_EQ(alone.rest, with.rest);
        EXPECT_EQ(alone.files, with.files);
    }
}

// It may want events at any time.
TEST_P(Shortcut, LeadsThroughTheLibraryWithATool) {
    for (const char *variable : {"OCB_RECORD_NOTHING", "OCB_RECORD_LATE", "OCB_NONE"}) {
        SCOPED_TRACE(variable);
        const Shown with =
            shown_by(GetParam(), {{OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {{variable, "1"}}, {}});
        EXPECT_LE(kFewest, with.files.size());
        for (const auto &[name, file] : with.files) {
            EXPECT_NE(std::string::npos, file.find("libgomp-ompt")) << name;
        }
    }
}

// A plugin that is opened in between is bound as ever.
TEST_P(Shortcut, DoesNotMindAPlugin) {
    const LibgompRun plain{{}, {}, {program_path("plugin.so")}};
    LibgompRun with = plain;
    with.preload = {OCB_LIBGOMP_OMPT};
    const Shown alone = shown_by(GetParam(), plain);
    EXPECT_NE(std::string::npos, alone.rest.find("plugin 20\n")) << alone.rest;
    EXPECT_EQ(alone.rest, shown_by(GetParam(), with).rest);
}

} // namespace
} // namespace ocb_test
