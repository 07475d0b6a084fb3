// SPDX-License-Identifier: Apache-2.0
// What our libraries export beside the runtimes' own symbols.
#include "process.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>

namespace ocb_test {
namespace {

std::set<std::string> exports_of(const std::string &library) {
    Command command;
    command.arguments = {"/usr/bin/env", "nm", "-D", "--defined-only", library};
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    std::istringstream text(outcome.out);
    std::set<std::string> names;
    std::string address, kind, name;
    while (text >> address >> kind >> name) {
        if (kind != "A") {
            names.insert(name.substr(0, name.find('@')));
        }
    }
    return names;
}

bool is_of_a_runtime(const std::string &name) {
    return name.rfind("GOMP_", 0) == 0 || name.rfind("omp_get_", 0) == 0 ||
           name.rfind("omp_set_", 0) == 0 || name.rfind("__kmpc_", 0) == 0;
}

const char *const kPreloaded[] = {"libomp-collector-front.so", "libomp-collector-bridge.so",
                                  "libompcollect-preload.so", "libompcollect-placement.so",
                                  "libompcollect-default.so"};

TEST(Exports, OfTheFront) {
    const std::set<std::string> expected = {"__gmon_start__", "libgomp_ompt_initialize",
                                            "omp_collector_front_connect", "omp_control_tool"};
    EXPECT_EQ(expected,
              exports_of(std::string(OCB_FRONT_LIBRARIES) + "/libomp-collector-front.so"));
}

// libgomp-ompt.so is the same file: whoever preloads both has one.
TEST(Exports, LibgompOmptIsAnotherName) {
    const std::filesystem::path folder = OCB_FRONT_LIBRARIES;
    EXPECT_TRUE(std::filesystem::equivalent(folder / "libgomp-ompt.so",
                                            folder / "libomp-collector-front.so"));
}

TEST(Exports, NoSymbolOfARuntimeIsDefinedTwice) {
    std::set<std::string> runtimes = exports_of(OCB_FRONT_LIBGOMP);
    ASSERT_LT(300U, runtimes.size());
    runtimes.merge(exports_of(std::string(OCB_FRONT_LIBOMPS) + "/19/lib/libomp.so.5"));
    std::map<std::string, std::string> definers;
    for (const char *library : kPreloaded) {
        const std::string file = std::string(OCB_FRONT_LIBRARIES) + "/" + library;
        ASSERT_TRUE(std::filesystem::exists(file)) << file;
        for (const std::string &name : exports_of(file)) {
            EXPECT_FALSE(is_of_a_runtime(name)) << library << " defines " << name;
            if (runtimes.count(name) != 0 && name != "ompt_start_tool") { // a tool's
                EXPECT_TRUE(definers.emplace(name, library).second)
                    << library << " and " << definers[name] << " define " << name;
            }
        }
    }
}

} // namespace
} // namespace ocb_test
