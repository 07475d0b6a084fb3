// SPDX-License-Identifier: Apache-2.0
// The options' values: what each one sets; and for a value that is none, the default and one line
// on stderr that says what is wrong and what would be right. Options are read once in a process.
#include "base/options.h"

#include "base/log.h"
#include "fresh_process.h"
#include "omp_collector_bridge.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace ocb::test {
namespace {

const omp_collector_bridge_option *row_of(const std::string &name) {
    std::size_t count = 0;
    const omp_collector_bridge_option *rows = omp_collector_bridge_options(&count);
    const auto *row = std::find_if(rows, rows + count,
                                   [&name](const auto &option) { return name == option.name; });
    return row != rows + count ? row : nullptr;
}

std::string name_of_environment(const testing::TestParamInfo<const char *> &info) {
    std::string name = std::to_string(info.index) + "_" + info.param;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

void expect_equal(const Options &left, const Options &right) {
    EXPECT_EQ(left.init, right.init);
    EXPECT_EQ(left.attach, right.attach);
    EXPECT_EQ(left.idle_events, right.idle_events);
    EXPECT_EQ(left.wait_events, right.wait_events);
    EXPECT_EQ(left.observe, right.observe);
    EXPECT_EQ(left.log_level, right.log_level);
    EXPECT_EQ(left.first_region_id, right.first_region_id);
    EXPECT_STREQ(left.tool_libraries, right.tool_libraries);
}

// What is said while the options are read for the first time.
std::string read_options() {
    capture_stderr();
    options();
    options();
    return testing::internal::GetCapturedStderr();
}

struct GoodRow {
    const char *environment;
    void (*change)(Options &expected);
};
const GoodRow kGoodRows[] = {
    {"OCB_INIT=auto", [](Options &) {}},
    {"OCB_INIT=force", [](Options &expected) { expected.init = InitMode::kForce; }},
    {"OCB_INIT=lazy", [](Options &expected) { expected.init = InitMode::kLazy; }},
    {"OCB_ATTACH=always", [](Options &) {}},
    {"OCB_ATTACH=started", [](Options &expected) { expected.attach = AttachMode::kStarted; }},
    {"OCB_IDLE_EVENTS=prompt", [](Options &) {}},
    {"OCB_IDLE_EVENTS=deferred",
     [](Options &expected) { expected.idle_events = IdleEvents::kDeferred; }},
    {"OCB_WAIT_EVENTS=contended", [](Options &) {}},
    {"OCB_WAIT_EVENTS=all", [](Options &expected) { expected.wait_events = WaitEvents::kAll; }},
    {"OCB_OBSERVE=all", [](Options &) {}},
    {"OCB_OBSERVE=registered", [](Options &expected) { expected.observe = Observe::kRegistered; }},
    {"OCB_LOG=off", [](Options &expected) { expected.log_level = LogLevel::kOff; }},
    {"OCB_LOG=error", [](Options &expected) { expected.log_level = LogLevel::kError; }},
    {"OCB_LOG=warn", [](Options &) {}},
    {"OCB_LOG=info", [](Options &expected) { expected.log_level = LogLevel::kInfo; }},
    {"OCB_LOG=debug", [](Options &expected) { expected.log_level = LogLevel::kDebug; }},
    {"OCB_FIRST_REGION_ID=1", [](Options &) {}},
    {"OCB_FIRST_REGION_ID=1099511627776",
     [](Options &expected) { expected.first_region_id = 1ULL << 40; }},
    {"OCB_TOOL_LIBRARIES=./libtool.so:other.so",
     [](Options &expected) { expected.tool_libraries = "./libtool.so:other.so"; }},
    // Set to nothing is not set.
    {"OCB_INIT=", [](Options &) {}},
    {"OCB_LOG=", [](Options &) {}},
    {"OCB_FIRST_REGION_ID=", [](Options &) {}},
    {"OCB_TOOL_LIBRARIES=", [](Options &) {}},
    {"OCB_OF_ANOTHER_PROGRAM=1", [](Options &) {}},
};

class GoodOption : public testing::TestWithParam<GoodRow> {};
std::string name_of_good_row(const testing::TestParamInfo<GoodRow> &info) {
    return name_of_environment({info.param.environment, info.index});
}
INSTANTIATE_TEST_SUITE_P(Each, GoodOption, testing::ValuesIn(kGoodRows), name_of_good_row);

TEST_P(GoodOption, IsTakenInSilence) {
    in_fresh_process({GetParam().environment}, [] {
        Options expected;
        GoodOption::GetParam().change(expected);
        EXPECT_EQ(read_options(), "");
        expect_equal(options(), expected);
    });
}

class BadOption : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(
    Each, BadOption,
    testing::Values("OCB_INIT=maybe", "OCB_INIT=FORCE", "OCB_INIT=lazy ", "OCB_INIT=force|lazy",
                    "OCB_ATTACH=never", "OCB_IDLE_EVENTS=late", "OCB_WAIT_EVENTS=none",
                    "OCB_OBSERVE=some", "OCB_LOG=loud", "OCB_LOG=2", "OCB_LOG=debug:",
                    "OCB_LOG=debug:everything", "OCB_LOG=debug:runtime,", "OCB_LOG=loud:runtime",
                    "OCB_LOG=runtime", "OCB_FIRST_REGION_ID=0", "OCB_FIRST_REGION_ID=-1",
                    "OCB_FIRST_REGION_ID=+1", "OCB_FIRST_REGION_ID=12a", "OCB_FIRST_REGION_ID= 1",
                    "OCB_FIRST_REGION_ID=0x10", "OCB_FIRST_REGION_ID=1099511627777",
                    "OCB_FIRST_REGION_ID=99999999999999999999999"),
    name_of_environment);

TEST_P(BadOption, LeavesTheDefaultAndSaysSoInOneLine) {
    in_fresh_process({GetParam()}, [] {
        const std::string environment = BadOption::GetParam();
        const std::string name = environment.substr(0, environment.find('='));
        // For tests, and so in no user's table.
        static const omp_collector_bridge_option kOfTests = {"OCB_FIRST_REGION_ID", "1..2^40", "1",
                                                             ""};
        const omp_collector_bridge_option *row = name == kOfTests.name ? &kOfTests : row_of(name);
        ASSERT_NE(row, nullptr);
        const std::string said = read_options();
        expect_equal(options(), Options());
        EXPECT_EQ(said.rfind("[omp-collector-bridge] warning: ", 0), 0U) << said;
        EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
        for (const char *part : {row->name, row->values, row->default_value}) {
            EXPECT_NE(said.find(part), std::string::npos) << part << " is missing in " << said;
        }
    });
}

// Of several the good ones hold.
OCB_FRESH_TEST_WITH(Options, OneBadOneAmongGoodOnes, "OCB_IDLE_EVENTS=deferred", "OCB_INIT=maybe",
                    "OCB_FIRST_REGION_ID=7") {
    EXPECT_NE(read_options().find("OCB_INIT"), std::string::npos);
    Options expected;
    expected.idle_events = IdleEvents::kDeferred;
    expected.first_region_id = 7;
    expect_equal(options(), expected);
}

OCB_FRESH_TEST_WITH(Options, BadValueIsNotMentionedWhereNothingIsToBeSaid, "OCB_INIT=maybe",
                    "OCB_LOG=off") {
    EXPECT_EQ(read_options(), "");
    EXPECT_EQ(options().init, InitMode::kAuto);
}

// The defaults of the rows are those of the code.
TEST(Options, RowsNameTheDefaults) {
    EXPECT_STREQ(row_of("OCB_INIT")->default_value, "auto");
    EXPECT_STREQ(row_of("OCB_ATTACH")->default_value, "always");
    EXPECT_STREQ(row_of("OCB_IDLE_EVENTS")->default_value, "prompt");
    EXPECT_STREQ(row_of("OCB_WAIT_EVENTS")->default_value, "contended");
    EXPECT_STREQ(row_of("OCB_OBSERVE")->default_value, "all");
    EXPECT_STREQ(row_of("OCB_LOG")->default_value, "warn");
    EXPECT_EQ(row_of("OCB_FIRST_REGION_ID"), nullptr) << "is for tests, in no user's table";
    EXPECT_STREQ(row_of("OCB_TOOL_LIBRARIES")->default_value, "none");
    const Options defaults;
    EXPECT_EQ(defaults.init, InitMode::kAuto);
    EXPECT_EQ(defaults.attach, AttachMode::kAlways);
    EXPECT_EQ(defaults.idle_events, IdleEvents::kPrompt);
    EXPECT_EQ(defaults.wait_events, WaitEvents::kContended);
    EXPECT_EQ(defaults.log_level, LogLevel::kWarn);
    EXPECT_EQ(defaults.first_region_id, 1U);
    EXPECT_EQ(defaults.tool_libraries, nullptr);
}

} // namespace
} // namespace ocb::test
