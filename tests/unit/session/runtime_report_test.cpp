// SPDX-License-Identifier: Apache-2.0
// omp_collector_bridge.h about the runtime at hand: what it is, what it answered to the
// registration of each callback, and what follows for each capability.
#include "base/kept_text.h"
#include "fresh_process.h"
#include "scene.h"

#include "omp_collector_bridge.h"

#include <array>
#include <dlfcn.h>
#include <string>

extern "C" ocb::ompt5::ompt_start_tool_result_t *ompt_start_tool(unsigned, const char *);

namespace ocb::test {
namespace {

omp_collector_bridge_runtime_info runtime_info() {
    omp_collector_bridge_runtime_info info{};
    omp_collector_bridge_runtime(&info);
    return info;
}

std::string answer_to(const std::string &callback) {
    std::array<omp_collector_bridge_callback, 64> rows{};
    const std::size_t count = omp_collector_bridge_callbacks(rows.data(), rows.size());
    for (std::size_t i = 0; i < count && i < rows.size(); ++i) {
        if (callback == rows[i].name) {
            return std::to_string(rows[i].result) + " " + rows[i].result_name;
        }
    }
    return "no row";
}

omp_collector_bridge_capability here(const std::string &name) {
    omp_collector_bridge_capability row{};
    for (std::size_t i = 0; omp_collector_bridge_capability_here(i, &row) == 1; ++i) {
        if (name == row.name) {
            return row;
        }
    }
    ADD_FAILURE() << "no row " << name;
    return row;
}

OCB_FRESH_TEST(RuntimeReport, NothingIsThere) {
    EXPECT_EQ(runtime_info().status, OMP_COLLECTOR_BRIDGE_NO_RUNTIME);
    EXPECT_STREQ(runtime_info().file, "");
    EXPECT_STREQ(runtime_info().version, "");
    EXPECT_EQ(answer_to("parallel_begin"), "-1 not asked");
    EXPECT_EQ(here("OMP_EVENT_FORK").status, OMP_COLLECTOR_BRIDGE_EXACT);
}

OCB_FRESH_TEST(RuntimeReport, WhatTheRuntimeSaysOfItself) {
    const Scene scene;
    EXPECT_EQ(runtime_info().status, OMP_COLLECTOR_BRIDGE_ATTACHED);
    EXPECT_STREQ(runtime_info().version, "LLVM OMP version: 5.0.20140926");
    EXPECT_EQ(runtime_info().omp_version, 201611U);
    Dl_info self; // where the fake runtime is
    ASSERT_NE(dladdr(reinterpret_cast<void *>(&runtime_info), &self), 0);
    EXPECT_STREQ(runtime_info().file, self.dli_fname);
}

// Another runtime comes, and the caller still has what it was given of the first.
OCB_FRESH_TEST(RuntimeReport, TextsStayAsTheyWere) {
    constexpr const char *kVersion = "LLVM OMP version: 5.0.20140926";
    FakeRuntime first(Flavour::kLibomp19);
    ASSERT_TRUE(first.attach());
    const omp_collector_bridge_runtime_info info = runtime_info();
    ASSERT_STREQ(info.version, kVersion);
    first.finalize();
    ASSERT_NE(ompt_start_tool(201811, "another runtime"), nullptr);
    EXPECT_STREQ(info.version, kVersion);
}

TEST(KeptText, IsKeptOnce) {
    constexpr std::size_t kAll = 1000;
    const std::string text = "a name", longer = "a name and more";
    const char *kept = kept_text(text.c_str(), kAll);
    EXPECT_STREQ(kept, "a name");
    EXPECT_NE(kept, text.c_str());
    EXPECT_EQ(kept_text(text.c_str(), kAll), kept);
    EXPECT_EQ(kept_text(longer.c_str(), text.size()), kept);
    EXPECT_STREQ(kept_text(longer.c_str(), kAll), "a name and more");
    EXPECT_STREQ(kept_text("", kAll), "");
    EXPECT_STREQ(kept_text("a", 0), "");
}

OCB_FRESH_TEST_WITH(RuntimeReport, AnswersComeWithTheRequests, "OCB_OBSERVE=registered") {
    const Scene scene;
    EXPECT_EQ(answer_to("parallel_begin"), "5 always");
    EXPECT_EQ(answer_to("mutex_acquire"), "-1 not asked");
    record_events({OMP_EVENT_THR_BEGIN_LKWT});
    EXPECT_EQ(answer_to("mutex_acquire"), "5 always");
    EXPECT_EQ(answer_to("masked"), "-1 not asked");
}

// As libomp 8 and 9 do: one state is missing, not STATE.
OCB_FRESH_TEST(RuntimeReport, RuntimeWithoutReductionsHasStates) {
    FakeRuntime runtime(Flavour::kLibomp14);
    runtime.never_call(ompt5::ompt_callback_reduction);
    ASSERT_TRUE(runtime.attach());
    const Session session;
    EXPECT_EQ(here("THR_REDUC_STATE").status, OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
    EXPECT_EQ(here("OMP_REQ_STATE").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
}

// A lock that comes in the place of a held one is the only thing that it costs.
OCB_FRESH_TEST(RuntimeReport, RuntimeThatDoesNotReportNewLocksHasWaits) {
    FakeRuntime runtime(Flavour::kLibomp19);
    runtime.never_call(ompt5::ompt_callback_lock_init);
    ASSERT_TRUE(runtime.attach());
    const Session session;
    EXPECT_EQ(answer_to("lock_init"), "1 never");
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_LKWT").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
}

OCB_FRESH_TEST(RuntimeReport, RefusedCallbackShowsInTheRowsThatNeedIt) {
    FakeRuntime runtime(Flavour::kLibomp19);
    runtime.never_call(ompt5::ompt_callback_masked);
    ASSERT_TRUE(runtime.attach());
    const Session session;
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_MASTER").status, OMP_COLLECTOR_BRIDGE_EXACT)
        << "nobody has asked yet";
    record_events({OMP_EVENT_THR_BEGIN_MASTER});
    EXPECT_EQ(answer_to("masked"), "1 never");
    for (const char *name : {"OMP_EVENT_THR_BEGIN_MASTER", "OMP_EVENT_THR_END_MASTER"}) {
        const omp_collector_bridge_capability row = here(name);
        EXPECT_EQ(row.status, OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
        EXPECT_STREQ(row.reason, "the runtime answered the registration of masked with: never");
    }
    EXPECT_EQ(here("OMP_EVENT_FORK").status, OMP_COLLECTOR_BRIDGE_EXACT);
    EXPECT_EQ(here("THR_IDLE_STATE").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
}

OCB_FRESH_TEST(RuntimeReport, RowsAreThoseOfTheLibrary) {
    std::size_t count = 0;
    const omp_collector_bridge_capability *rows = omp_collector_bridge_capabilities(&count);
    omp_collector_bridge_capability row{};
    for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(omp_collector_bridge_capability_here(i, &row), 1);
        EXPECT_STREQ(row.name, rows[i].name);
    }
    EXPECT_EQ(omp_collector_bridge_capability_here(count, &row), 0);
}

} // namespace
} // namespace ocb::test
