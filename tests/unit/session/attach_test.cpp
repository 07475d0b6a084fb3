// SPDX-License-Identifier: Apache-2.0
// Runtime and library meet: before or after START, a second one, one that cannot serve us, one that
// ends and comes back. (Which of the loaded libraries is asked, and what START answers where the
// tool cannot attach, is tested on real ones in tests/integration/.)
#include "fresh_process.h"
#include "scene.h"

#include <algorithm>

extern "C" ocb::ompt5::ompt_start_tool_result_t *ompt_start_tool(unsigned, const char *);

namespace ocb::test {
namespace {

using testing::internal::GetCapturedStderr;

void expect_region_is_observed() {
    record_events({OMP_EVENT_FORK, OMP_EVENT_JOIN});
    FakeRegion region(1);
    region.begin_on_master();
    EXPECT_EQ(state(), THR_WORK_STATE);
    region.end_on_master();
    EXPECT_EQ(take_names(), "FORK JOIN");
}

TEST(Attach, RuntimeComesAfterStart) {
    const Session session;
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    EXPECT_EQ(region(), 0U);
    FakeRuntime runtime(Flavour::kLibomp19);
    ASSERT_TRUE(runtime.attach());
    user_thread_begins();
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    expect_region_is_observed();
    user_thread_ends();
}

TEST(Attach, RuntimeComesBeforeStart) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    const Session session;
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    expect_region_is_observed();
}

TEST(Attach, RuntimeEndsAndComesBack) {
    Scene scene;
    user_thread_ends();
    scene.runtime.finalize();
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    EXPECT_EQ(region(), 0U);
    ASSERT_TRUE(scene.runtime.attach());
    user_thread_begins();
    expect_region_is_observed();
}

OCB_FRESH_TEST(Attach, SecondRuntimeIsRefusedWithOneLine) {
    const Scene scene;
    capture_stderr();
    EXPECT_EQ(ompt_start_tool(0, "another runtime"), nullptr);
    EXPECT_EQ(ompt_start_tool(0, "a third one"), nullptr);
    const std::string said = GetCapturedStderr();
    EXPECT_NE(said.find("a second OpenMP runtime"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    expect_region_is_observed();
}

OCB_FRESH_TEST_WITH(Attach, WithoutStartTheRuntimeIsDeclined, "OCB_ATTACH=started") {
    FakeRuntime runtime(Flavour::kLibomp19);
    EXPECT_FALSE(runtime.attach());
    EXPECT_EQ(FakeRuntime::count_of_callbacks(), 0);
    // The next one, after START, is welcome.
    const Session session;
    ASSERT_TRUE(runtime.attach());
    user_thread_begins();
    expect_region_is_observed();
    user_thread_ends();
}

OCB_FRESH_TEST_WITH(Attach, AfterStartTheRuntimeIsWelcome, "OCB_ATTACH=started") {
    const Scene scene;
    expect_region_is_observed();
}

class AttachWithout : public testing::TestWithParam<const char *> {};

TEST_P(AttachWithout, IsRefused) {
    in_fresh_process({}, [] {
        FakeRuntime runtime(Flavour::kLibomp19);
        runtime.leave_out(AttachWithout::GetParam());
        capture_stderr();
        EXPECT_FALSE(runtime.attach());
        const std::string said = GetCapturedStderr();
        EXPECT_NE(said.find("lacks a function"), std::string::npos) << said;
        EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
        // The program goes on without us.
        request(OMP_REQ_START);
        EXPECT_EQ(FakeRuntime::count_of_callbacks(), 0);
        EXPECT_EQ(state(), THR_SERIAL_STATE);
        EXPECT_EQ(region(), 0U);
    });
}
std::string name_of_entry_point(const testing::TestParamInfo<const char *> &info) {
    return info.param;
}
INSTANTIATE_TEST_SUITE_P(EntryPoint, AttachWithout,
                         testing::Values("ompt_set_callback", "ompt_get_state",
                                         "ompt_get_task_info", "ompt_get_thread_data"),
                         name_of_entry_point);

} // namespace
} // namespace ocb::test
