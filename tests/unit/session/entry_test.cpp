// SPDX-License-Identifier: Apache-2.0
// How the generation of a runtime is told: every form of registration, with whatever may stand in
// the registers of arguments that are not passed, and arguments that fit no form or two. A form
// that is not certain is refused with one line, and nothing of the runtime's is called.
#include "fake_tr2.h"
#include "fresh_process.h"
#include "scene.h"

#include "spec/tr6.h"

#include "omp_collector_bridge.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

extern "C" void *ompt_start_tool(unsigned, const char *);
extern "C" int ompt_initialize(std::uintptr_t first, std::uintptr_t second, std::uintptr_t third);

namespace ocb::test {
namespace {

using testing::internal::GetCapturedStderr;

std::string generation() {
    omp_collector_bridge_runtime_info info{};
    omp_collector_bridge_runtime(&info);
    return info.generation;
}

std::string version() {
    omp_collector_bridge_runtime_info info{};
    omp_collector_bridge_runtime(&info);
    return info.version;
}

void expect_refusal(const std::string &said, const char *why) {
    EXPECT_NE(said.find(why), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_EQ(generation(), "");
    request(OMP_REQ_START);
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    EXPECT_EQ(region(), 0U);
}
template <class F> std::string name_of_form(const testing::TestParamInfo<F> &info) {
    return info.param.name;
}

constexpr const char *kNoForm = "in no form of OMPT that is known";

// ---- ompt_start_tool ---------------------------------------------------------------------------

using Initialize = int (*)(ompt5::ompt_function_lookup_t lookup, std::uintptr_t second,
                           std::uintptr_t third);
struct StartResult {
    Initialize initialize;
    void (*finalize)(void *);
    ompt5::ompt_data_t tool_data;
};

// A runtime with the entry points that 5.0 and TR6 share; what it calls its states is the test's.
const char *first_state = nullptr; // null: it has no names
bool knows_nothing = false;

int set_callback(int, ompt5::ompt_callback_t) {
    return 4; // "always" in TR6, "sometimes paired" in 5.0
}
int get_state(ompt5::ompt_wait_id_t *) {
    return 0;
}
int get_task_info(int, int *, ompt5::ompt_data_t **, ompt5::ompt_frame_t **, ompt5::ompt_data_t **,
                  int *) {
    return 0;
}
ompt5::ompt_data_t *get_thread_data() {
    return nullptr;
}
int enumerate_states(int current, int *next, const char **name) {
    if (current != ompt_tr6::omp_state_undefined) {
        return 0;
    }
    *next = 0;
    *name = first_state;
    return 1;
}

ompt5::ompt_interface_fn_t lookup(const char *name) {
    const struct {
        const char *name;
        void *function;
    } entries[] = {
        {"ompt_set_callback", reinterpret_cast<void *>(set_callback)},
        {"ompt_get_state", reinterpret_cast<void *>(get_state)},
        {"ompt_get_task_info", reinterpret_cast<void *>(get_task_info)},
        {"ompt_get_thread_data", reinterpret_cast<void *>(get_thread_data)},
        {"ompt_enumerate_states",
         first_state != nullptr ? reinterpret_cast<void *>(enumerate_states) : nullptr},
    };
    for (const auto &entry : entries) {
        if (!knows_nothing && std::strcmp(entry.name, name) == 0) {
            return reinterpret_cast<ompt5::ompt_interface_fn_t>(entry.function);
        }
    }
    return nullptr;
}

StartResult &ask() {
    auto *result = static_cast<StartResult *>(ompt_start_tool(201611, "a runtime"));
    EXPECT_NE(result, nullptr);
    return *result;
}
std::uintptr_t number(const void *address) {
    return reinterpret_cast<std::uintptr_t>(address);
}
constexpr std::uintptr_t kGarbage = 0xDEADBEEF00000007;

struct StartForm {
    const char *name;
    enum What { kResult, kData, kNumber, kRubbish } second, third;
    const char *states;
    const char *generation; // "": refused
};
void PrintTo(const StartForm &form, std::ostream *out) {
    *out << form.name;
}

const StartForm kStartForms[] = {
    {"Five", StartForm::kNumber, StartForm::kData, "ompt_state_undefined", "OpenMP 5"},
    {"FiveWithoutNames", StartForm::kNumber, StartForm::kData, nullptr, "OpenMP 5"},
    {"FiveWithRubbishAboveTheNumber", StartForm::kRubbish, StartForm::kData, nullptr, "OpenMP 5"},
    {"FiveWithTheDataAboveTheNumber", StartForm::kData, StartForm::kData, "ompt_state_undefined",
     "OpenMP 5"},
    {"Six", StartForm::kData, StartForm::kNumber, "omp_state_undefined", "TR6"},
    {"SixWithoutNames", StartForm::kData, StartForm::kNumber, nullptr, "TR6"},
    {"SixWithRubbishBehind", StartForm::kData, StartForm::kRubbish, nullptr, "TR6"},
    {"SixWithTheResultBehind", StartForm::kData, StartForm::kResult, nullptr, "TR6"},
    {"SixWithTheDataBehind", StartForm::kData, StartForm::kData, "omp_state_work_serial", "TR6"},
    {"Four", StartForm::kResult, StartForm::kNumber, nullptr, ""},
    {"FourWithTheDataBehind", StartForm::kResult, StartForm::kData, "ompt_state_undefined", ""},
    {"TwiceTheDataWithoutNames", StartForm::kData, StartForm::kData, nullptr, ""},
    {"TwiceTheDataWithOddNames", StartForm::kData, StartForm::kData, "state_1", ""},
    {"NeitherIsOurs", StartForm::kNumber, StartForm::kRubbish, nullptr, ""},
    {"NeitherIsOursButTheNamesAre", StartForm::kNumber, StartForm::kRubbish, "ompt_state_undefined",
     "OpenMP 5"},
};

class FormByStartTool : public testing::TestWithParam<StartForm> {};

TEST_P(FormByStartTool, IsToldOrRefused) {
    in_fresh_process({"OCB_LOG=warn"}, [] {
        const StartForm &form = GetParam();
        first_state = form.states;
        StartResult &result = ask();
        const auto value = [&](StartForm::What what) -> std::uintptr_t {
            switch (what) {
            case StartForm::kResult:
                return number(&result);
            case StartForm::kData:
                return number(&result.tool_data);
            case StartForm::kNumber:
                return 3;
            case StartForm::kRubbish:
                break;
            }
            return kGarbage;
        };
        capture_stderr();
        const int stays = result.initialize(lookup, value(form.second), value(form.third));
        const std::string said = GetCapturedStderr();
        EXPECT_EQ(generation(), form.generation);
        EXPECT_EQ(stays, *form.generation != '\0' ? 1 : 0);
        if (stays == 0) {
            expect_refusal(said,
                           form.second == StartForm::kResult ? "technical report 4" : kNoForm);
        } else {
            EXPECT_EQ(said, "");
        }
    });
}
INSTANTIATE_TEST_SUITE_P(Entry, FormByStartTool, testing::ValuesIn(kStartForms),
                         name_of_form<StartForm>);

OCB_FRESH_TEST(EntryByStartTool, LookupThatKnowsNothing) {
    knows_nothing = true;
    StartResult &result = ask();
    capture_stderr();
    EXPECT_EQ(result.initialize(lookup, 0, number(&result.tool_data)), 0);
    expect_refusal(GetCapturedStderr(), "lacks a function");
    // The place is free for the next.
    knows_nothing = false;
    StartResult &again = ask();
    EXPECT_EQ(again.initialize(lookup, number(&again.tool_data), 0), 1);
    EXPECT_EQ(generation(), "TR6");
}

OCB_FRESH_TEST(EntryByStartTool, AnswersToRegistrationAreOfTheGeneration) {
    ASSERT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
    StartResult &result = ask();
    ASSERT_EQ(result.initialize(lookup, number(&result.tool_data), 0), 1);
    omp_collector_bridge_callback rows[64];
    const std::size_t count = omp_collector_bridge_callbacks(rows, 64);
    ASSERT_GT(count, 0U);
    EXPECT_STREQ(rows[0].name, "thread_begin");
    EXPECT_STREQ(rows[0].result_name, "always") << "4 in TR6";
    EXPECT_EQ(rows[count - 1].number, 21);
    EXPECT_STREQ(rows[count - 1].name, "master");
}

// ---- ompt_tool and ompt_initialize -------------------------------------------------------------

const std::uintptr_t kLookup = reinterpret_cast<std::uintptr_t>(tr2::lookup);
const std::uintptr_t kText = reinterpret_cast<std::uintptr_t>(tr2::kVersion);
constexpr std::uintptr_t kUpperRubbish = 0xABCDEF0100000000;

// A page with `text` in it, all x behind, at whose end nothing is mapped.
std::uintptr_t page_with(const char *text, int protection) {
    const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    auto *page = static_cast<char *>(
        mmap(nullptr, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(page, 'x', size);
    std::memcpy(page, text, std::strlen(text) + 1);
    munmap(page + size, size);
    mprotect(page, size, protection);
    return number(page);
}

std::uintptr_t text_beside_code() {
    return page_with("version", PROT_READ | PROT_EXEC);
}
// kText lies beside code where a linker puts constants and code into one segment.
std::uintptr_t text_apart_from_code() {
    return page_with("version", PROT_READ);
}
std::uintptr_t text_without_end() {
    return page_with("", PROT_READ) + static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)) - 5;
}
std::uintptr_t unmapped() {
    const std::uintptr_t page = page_with("", PROT_READ);
    munmap(reinterpret_cast<void *>(page), static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
    return page;
}
std::uintptr_t unreadable() {
    return page_with("", PROT_NONE);
}
std::uintptr_t data_page() {
    return page_with("", PROT_READ | PROT_WRITE);
}

struct ToolForm {
    const char *name;
    std::uintptr_t (*first)();
    std::uintptr_t (*second)();
    std::uintptr_t (*third)();
    bool is_good;
    const char *version;
};
void PrintTo(const ToolForm &form, std::ostream *out) {
    *out << form.name;
}

// What may stand in a place of three.
std::uintptr_t the_lookup() {
    return kLookup;
}
std::uintptr_t the_text() {
    return kText;
}
std::uintptr_t two() {
    return 2;
}
std::uintptr_t none() {
    return 0;
}
std::uintptr_t two_below_rubbish() {
    return kUpperRubbish | 2;
}
std::uintptr_t high_number() {
    return 0x7FFFFFFF;
}

const ToolForm kToolForms[] = {
    {"First", the_lookup, the_text, two, true, tr2::kVersion},
    {"Last", the_text, two, the_lookup, true, tr2::kVersion},
    {"FirstWithRubbish", the_lookup, the_text, two_below_rubbish, true, tr2::kVersion},
    {"LastWithRubbish", the_text, two_below_rubbish, the_lookup, true, tr2::kVersion},
    {"FirstWithoutText", the_lookup, none, two, true, ""},
    {"LastWithoutText", none, two, the_lookup, true, ""},
    {"FirstWithTextBesideCode", the_lookup, text_beside_code, two, true, "version"},
    {"LastWithTextBesideCode", text_beside_code, two, the_lookup, true, "version"},
    {"FirstWithTextWithoutEnd", the_lookup, text_without_end, two, true, "xxxxx"},
    {"LastWithTextWithoutEnd", text_without_end, two, the_lookup, true, "xxxxx"},
    {"LastWithVersionNone", the_text, none, the_lookup, true, tr2::kVersion},
    {"FirstWithVersionNone", the_lookup, the_text, none, true, tr2::kVersion},
    {"TextUnmapped", the_lookup, unmapped, two, false, ""},
    {"TextUnreadable", the_lookup, unreadable, two, false, ""},
    {"VersionTooHigh", the_lookup, the_text, high_number, false, ""},
    {"LookupIsData", data_page, the_text, two, false, ""},
    {"LastLookupIsData", the_text, two, data_page, false, ""},
    {"LookupIsUnmapped", unmapped, the_text, two, false, ""},
    {"NoLookup", none, the_text, two, false, ""},
    {"Nothing", none, none, none, false, ""},
    {"Three", two, two, two, false, ""},
    {"LookupInTheMiddle", text_apart_from_code, the_lookup, two, false, ""},
    {"LookupTwice", the_lookup, the_text, the_lookup, false, ""},
};

class FormByTool : public testing::TestWithParam<ToolForm> {};

TEST_P(FormByTool, IsToldOrRefused) {
    in_fresh_process({"OCB_LOG=warn"}, [] {
        const ToolForm &form = GetParam();
        capture_stderr();
        tr2::initialize(form.first(), form.second(), form.third());
        const std::string said = GetCapturedStderr();
        EXPECT_EQ(generation(), form.is_good ? "TR2" : "");
        EXPECT_EQ(tr2::count_of_callbacks() > 0, form.is_good);
        if (form.is_good) {
            EXPECT_EQ(said, "");
            EXPECT_EQ(version(), form.version);
        } else {
            expect_refusal(said, kNoForm);
        }
    });
}
INSTANTIATE_TEST_SUITE_P(Entry, FormByTool, testing::ValuesIn(kToolForms), name_of_form<ToolForm>);

// The line is cut where the path would make it too long.
TEST(EntryWithClientTool, PathThatIsTooLongIsReported) {
    static const std::string kVariable = "OCB_TOOL_LIBRARIES=/" + std::string(1100, 'x');
    in_fresh_process({"OCB_LOG=warn", kVariable.c_str()}, [] {
        capture_stderr();
        ask();
        const std::string text = GetCapturedStderr();
        EXPECT_EQ(text.rfind("[omp-collector-bridge] warning: a client tool is not looked for: its "
                             "path is too long: /xxx",
                             0),
                  0U)
            << text;
    });
}

OCB_FRESH_TEST(EntryByTool, Draft) {
    tr2::settings.is_draft = true;
    ASSERT_TRUE(tr2::attach());
    EXPECT_EQ(generation(), "TR2 draft");
}

OCB_FRESH_TEST(EntryByTool, LookupThatKnowsNothing) {
    tr2::settings.answers_no_lookup = true;
    capture_stderr();
    EXPECT_FALSE(tr2::attach());
    expect_refusal(GetCapturedStderr(), "lacks a function that TR2 demands");
}

// Also what only later generations have: no runtime of before would.
OCB_FRESH_TEST(EntryByTool, LookupThatKnowsEverything) {
    tr2::settings.answers_every_lookup = true;
    capture_stderr();
    EXPECT_FALSE(tr2::attach());
    expect_refusal(GetCapturedStderr(), kNoForm);
}

OCB_FRESH_TEST(EntryByTool, SecondRuntimeIsRefused) {
    ASSERT_TRUE(tr2::attach());
    capture_stderr();
    EXPECT_EQ(ompt_start_tool(201611, "another"), nullptr);
    EXPECT_EQ(ompt_initialize(kLookup, kText, 1), 0);
    const std::string said = GetCapturedStderr();
    EXPECT_NE(said.find("a second OpenMP runtime"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_EQ(generation(), "TR2");
}

OCB_FRESH_TEST(EntryByInitialize, Stays) {
    ASSERT_TRUE(tr2::attach_2014());
    EXPECT_EQ(generation(), "TR2 2014");
    EXPECT_EQ(version(), tr2::kVersion);
}

// There is one order only.
OCB_FRESH_TEST(EntryByInitialize, OtherOrderIsRefused) {
    capture_stderr();
    EXPECT_EQ(ompt_initialize(kText, 1, kLookup), 0);
    expect_refusal(GetCapturedStderr(), kNoForm);
}

// A tool of OpenMP 5 whose own initializer has this name and is bound to ours: (lookup, device,
// tool_data). It is no runtime of 2014 that calls.
OCB_FRESH_TEST(EntryByInitialize, ToolsInitializerOfLaterIsRefused) {
    static ompt5::ompt_data_t tool_data{0};
    for (const std::uintptr_t device : {std::uintptr_t{0}, std::uintptr_t{2}, 0xFFFFFFF6UL}) {
        // The address is no number that a version may have.
        ASSERT_GT(static_cast<std::uint32_t>(number(&tool_data)), 0xFFFFU);
        EXPECT_EQ(
            ompt_initialize(number(reinterpret_cast<void *>(lookup)), device, number(&tool_data)),
            0);
    }
    EXPECT_EQ(generation(), "");
}

} // namespace
} // namespace ocb::test
