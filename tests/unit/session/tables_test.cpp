// SPDX-License-Identifier: Apache-2.0
// What the library says of itself: the version, a row for every request, event and state of the
// contract, a row for every option; and that the guide's table of options says the same.
#include "omp_collector_api.h"
#include "omp_collector_bridge.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace ocb::test {
namespace {

struct ContractRow {
    omp_collector_bridge_kind kind;
    int number;
    const char *name;
};

#define OCB_REQUEST(name)                                                                          \
    { OMP_COLLECTOR_BRIDGE_REQUEST, name, #name }
#define OCB_EVENT(name)                                                                            \
    { OMP_COLLECTOR_BRIDGE_EVENT, name, #name }
#define OCB_STATE(name)                                                                            \
    { OMP_COLLECTOR_BRIDGE_STATE, name, #name }

// clang-format off
constexpr ContractRow kContract[] = {
    OCB_REQUEST(OMP_REQ_START),
    OCB_REQUEST(OMP_REQ_REGISTER),
    OCB_REQUEST(OMP_REQ_UNREGISTER),
    OCB_REQUEST(OMP_REQ_STATE),
    OCB_REQUEST(OMP_REQ_CURRENT_PRID),
    OCB_REQUEST(OMP_REQ_PARENT_PRID),
    OCB_REQUEST(OMP_REQ_STOP),
    OCB_REQUEST(OMP_REQ_PAUSE),
    OCB_REQUEST(OMP_REQ_RESUME),
    OCB_REQUEST(OMP_REQ_TASK_ID),
    OCB_REQUEST(OMP_REQ_TASK_PID),
    OCB_EVENT(OMP_EVENT_FORK),
    OCB_EVENT(OMP_EVENT_JOIN),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_IDLE),
    OCB_EVENT(OMP_EVENT_THR_END_IDLE),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_IBAR),
    OCB_EVENT(OMP_EVENT_THR_END_IBAR),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_EBAR),
    OCB_EVENT(OMP_EVENT_THR_END_EBAR),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_LKWT),
    OCB_EVENT(OMP_EVENT_THR_END_LKWT),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_CTWT),
    OCB_EVENT(OMP_EVENT_THR_END_CTWT),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_ODWT),
    OCB_EVENT(OMP_EVENT_THR_END_ODWT),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_MASTER),
    OCB_EVENT(OMP_EVENT_THR_END_MASTER),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_SINGLE),
    OCB_EVENT(OMP_EVENT_THR_END_SINGLE),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_ORDERED),
    OCB_EVENT(OMP_EVENT_THR_END_ORDERED),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_ATWT),
    OCB_EVENT(OMP_EVENT_THR_END_ATWT),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_CREATE_TASK),
    OCB_EVENT(OMP_EVENT_THR_END_CREATE_TASK_IMM),
    OCB_EVENT(OMP_EVENT_THR_END_CREATE_TASK_DEL),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_SCHD_TASK),
    OCB_EVENT(OMP_EVENT_THR_END_SCHD_TASK),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_SUSPEND_TASK),
    OCB_EVENT(OMP_EVENT_THR_END_SUSPEND_TASK),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_STEAL_TASK),
    OCB_EVENT(OMP_EVENT_THR_END_STEAL_TASK),
    OCB_EVENT(OMP_EVENT_THR_FETCHED_TASK),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_EXEC_TASK),
    OCB_EVENT(OMP_EVENT_THR_BEGIN_FINISH_TASK),
    OCB_EVENT(OMP_EVENT_THR_END_FINISH_TASK),
    OCB_EVENT(OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED),
    OCB_STATE(THR_OVHD_STATE),
    OCB_STATE(THR_WORK_STATE),
    OCB_STATE(THR_IBAR_STATE),
    OCB_STATE(THR_EBAR_STATE),
    OCB_STATE(THR_IDLE_STATE),
    OCB_STATE(THR_SERIAL_STATE),
    OCB_STATE(THR_REDUC_STATE),
    OCB_STATE(THR_LKWT_STATE),
    OCB_STATE(THR_CTWT_STATE),
    OCB_STATE(THR_ODWT_STATE),
    OCB_STATE(THR_ATWT_STATE),
    OCB_STATE(THR_TASK_CREATE_STATE),
    OCB_STATE(THR_TASK_SCHEDULE_STATE),
    OCB_STATE(THR_TASK_SUSPEND_STATE),
    OCB_STATE(THR_TASK_STEAL_STATE),
    OCB_STATE(THR_TASK_FINISH_STATE),
};
// clang-format on

TEST(Tables, CapabilitiesHaveARowForEverythingInOrder) {
    std::size_t count = 0;
    const omp_collector_bridge_capability *rows = omp_collector_bridge_capabilities(&count);
    ASSERT_EQ(count, std::size(kContract));
    for (std::size_t i = 0; i < count; ++i) {
        SCOPED_TRACE(kContract[i].name);
        EXPECT_EQ(rows[i].kind, kContract[i].kind);
        EXPECT_EQ(rows[i].number, kContract[i].number);
        EXPECT_STREQ(rows[i].name, kContract[i].name);
    }
}

TEST(Tables, CapabilitiesHaveAStatusAndAReason) {
    std::size_t count = 0;
    const omp_collector_bridge_capability *rows = omp_collector_bridge_capabilities(&count);
    ASSERT_NE(count, 0U);
    for (std::size_t i = 0; i < count; ++i) {
        SCOPED_TRACE(rows[i].name);
        EXPECT_GE(rows[i].status, OMP_COLLECTOR_BRIDGE_EXACT);
        EXPECT_LE(rows[i].status, OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
        ASSERT_NE(rows[i].reason, nullptr);
        EXPECT_STRNE(rows[i].reason, "");
    }
}

// The numbers that old collectors were compiled with, OpenUH's extension included.
TEST(Tables, NumbersAreThoseOfTheContract) {
    constexpr int kRequests = 11, kEvents = 22, kStates = 16, kErrors = 8;
    constexpr int kTaskEvents = 35, kFirstTaskRequest = 9, kFirstTaskState = 12;
    EXPECT_EQ(OMP_REQ_START, 0);
    EXPECT_EQ(OMP_REQ_LAST, kRequests);
    EXPECT_EQ(OMP_EVENT_FORK, 1);
    EXPECT_EQ(OMP_EVENT_THR_END_ATWT, kEvents);
    EXPECT_EQ(OMP_EVENT_THR_END_FINISH_TASK, kTaskEvents);
    EXPECT_EQ(OMP_REQ_TASK_ID, kFirstTaskRequest);
    EXPECT_EQ(THR_TASK_CREATE_STATE, kFirstTaskState);
    EXPECT_EQ(OMP_EVENT_THR_RESERVED_IMPL, 4096);
    EXPECT_EQ(THR_OVHD_STATE, 1);
    EXPECT_EQ(THR_LAST_STATE, kStates + 1);
    EXPECT_EQ(OMP_ERRCODE_OK, 0);
    EXPECT_EQ(OMP_ERRCODE_LAST, kErrors);
    EXPECT_STREQ(OMP_COLLECTOR_API, "__omp_collector_api");
}

TEST(Tables, VersionIsTheProjects) {
    EXPECT_STREQ(omp_collector_bridge_version(), OCB_PROJECT_VERSION);
}

std::vector<omp_collector_bridge_option> option_rows() {
    std::size_t count = 0;
    const omp_collector_bridge_option *rows = omp_collector_bridge_options(&count);
    return {rows, rows + count};
}

TEST(Tables, OptionsAreComplete) {
    std::set<std::string> names;
    for (const omp_collector_bridge_option &row : option_rows()) {
        ASSERT_NE(row.name, nullptr);
        SCOPED_TRACE(row.name);
        EXPECT_EQ(std::string(row.name).rfind("OCB_", 0), 0U);
        EXPECT_TRUE(names.insert(row.name).second);
        for (const char *text : {row.values, row.default_value, row.sentence}) {
            ASSERT_NE(text, nullptr);
            EXPECT_STRNE(text, "");
        }
        EXPECT_EQ(row.sentence[std::string(row.sentence).size() - 1], '.');
    }
    EXPECT_FALSE(names.empty());
}

// Where the values are alternatives, the default is one of them.
TEST(Tables, DefaultsAreAmongTheValues) {
    for (const omp_collector_bridge_option &row : option_rows()) {
        const std::string values = row.values;
        if (values.find('|') == std::string::npos) {
            continue;
        }
        EXPECT_NE(("|" + values + "|").find("|" + std::string(row.default_value) + "|"),
                  std::string::npos)
            << row.name;
    }
}

std::vector<std::string> lines_of_guide() {
    std::ifstream file(OCB_SOURCE_DIR "/docs/COLLECTOR-GUIDE.md");
    EXPECT_TRUE(file.is_open());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    return lines;
}

// As it stands in a cell of a table.
std::string escaped(const std::string &text) {
    std::string result;
    for (const char c : text) {
        if (c == '|') {
            result += '\\';
        }
        result += c;
    }
    return result;
}

TEST(Tables, GuideListsTheOptionsAndNoOthers) {
    std::vector<std::string> in_guide;
    for (const std::string &line : lines_of_guide()) {
        if (line.rfind("| `OCB_", 0) == 0) {
            in_guide.push_back(line);
        }
    }
    std::vector<std::string> expected;
    for (const omp_collector_bridge_option &row : option_rows()) {
        expected.push_back("| `" + std::string(row.name) + "` | `" + escaped(row.values) + "` | `" +
                           escaped(row.default_value) + "` | " + escaped(row.sentence) + " |");
    }
    EXPECT_EQ(in_guide, expected);
}

// Whatever the text around the table calls an option is one.
TEST(Tables, ReadmeNamesNoOptionThatThereIsNot) {
    std::set<std::string> names;
    for (const omp_collector_bridge_option &row : option_rows()) {
        names.insert(row.name);
    }
    for (const std::string &line : lines_of_guide()) {
        for (std::size_t at = 0; (at = line.find("OCB_", at)) != std::string::npos;) {
            const std::size_t end = line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at);
            const std::string name = line.substr(at, end - at);
            const bool is_for_cmake = at >= 2 && line.compare(at - 2, 2, "-D") == 0;
            EXPECT_TRUE(is_for_cmake || names.count(name) == 1) << name << " in: " << line;
            at += name.size();
        }
    }
}

} // namespace
} // namespace ocb::test
