// SPDX-License-Identifier: Apache-2.0
// The mini-runtime against itself: programs on it have right results, each generation offers the
// tool its part as its document says, tells what happens in order and knows every thread's state.
#include "../../support/process.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace {

using ocb_test::Command;
using ocb_test::Outcome;
using Lines = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

const std::string kFolder = OCB_MINI_FOLDER;
const char *const kServed[] = {"5", "tr6", "tr2-001", "tr2-000", "2014"};

bool has_words(const std::string &generation) {
    return generation == "5" || generation == "tr6";
}

struct Played {
    Outcome outcome;
    Lines lines; // of the recorder

    // What the recorder wrote for a thread, without the notes of the program.
    [[nodiscard]] Lines of_thread(int thread) const {
        Lines found;
        const std::string prefix = std::to_string(thread) + " ";
        for (const std::string &line : lines) {
            if (line.compare(0, prefix.size(), prefix) == 0 &&
                line.find(" note ") == std::string::npos) {
                found.push_back(line.substr(prefix.size()));
            }
        }
        return found;
    }
    [[nodiscard]] bool has(const std::string &text) const {
        for (const std::string &line : lines) {
            if (line.find(text) != std::string::npos) {
                return true;
            }
        }
        return false;
    }
};

// A scene on a generation, with the recorder unless `extra` says otherwise.
Played play(const std::string &generation, const Lines &arguments, const Environment &extra = {}) {
    const ocb_test::TemporaryFolder folder;
    Command command;
    command.arguments = {kFolder + "/mini-scenes"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    // LD_PRELOAD takes no path with a space, so the recorder is found by name.
    const std::filesystem::path recorder = OCB_MINI_RECORDER;
    command.environment = {
        {"LD_LIBRARY_PATH", kFolder + "/" + generation + ":" + recorder.parent_path().string()},
        {"LD_PRELOAD", recorder.filename()},
        {"MINI_RECORD", folder.file("record")},
        // The recorder comes before a sanitizer's library, and what a runtime keeps until the
        // process ends is no leak (after a fork LeakSanitizer does not see where it is kept).
        {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}};
    for (const auto &[name, value] : extra) {
        command.environment[name] = value;
    }
    Played run{ocb_test::run(command), {}};
    std::ifstream file(folder.file("record"));
    for (std::string line; std::getline(file, line);) {
        run.lines.push_back(line);
    }
    return run;
}

std::string all_of(const Played &run) {
    std::ostringstream text;
    text << run.outcome.describe() << '\n';
    for (const std::string &line : run.lines) {
        text << line << '\n';
    }
    return text.str();
}

class OnGeneration : public testing::TestWithParam<const char *> {};

std::string test_name(const testing::TestParamInfo<const char *> &generation) {
    std::string name = generation.param;
    for (char &character : name) {
        if (character == '-') {
            character = '_';
        }
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(Mini, OnGeneration, testing::ValuesIn(kServed), test_name);

// Results ----------------------------------------------------------------------------------------

TEST_P(OnGeneration, ProgramsHaveRightResults) {
    for (const char *scene : {"loops", "mutexes", "tasks", "nested"}) {
        const Played with_tool = play(GetParam(), {scene});
        EXPECT_TRUE(with_tool.outcome.succeeded()) << scene << with_tool.outcome.describe();
        const Played without = play(GetParam(), {scene}, {{"LD_PRELOAD", ""}});
        EXPECT_TRUE(without.outcome.succeeded()) << scene << without.outcome.describe();
        EXPECT_TRUE(without.lines.empty());
    }
}

TEST_P(OnGeneration, AWorkerMayEndTheProcess) {
    const Played run = play(GetParam(), {"exit_inside"});
    EXPECT_TRUE(run.outcome.succeeded()) << all_of(run);
}

TEST(Scenes, AnUnknownOneFails) {
    EXPECT_EQ(play("5", {"no such scene"}).outcome.exit_code, 100);
}

// Registration -----------------------------------------------------------------------------------

TEST_P(OnGeneration, OffersTheToolItsPart) {
    const std::map<std::string, Lines> expected = {
        {"5", {"start_tool 202111", "initialize 5"}},
        {"tr6", {"start_tool 201611", "initialize tr6"}},
        {"tr2-001", {"tool", "initialize version 2 of 2015"}},
        {"tr2-000", {"tool", "initialize version 2 of TR2"}},
        {"2014", {"initialize version 1 of 2014"}},
    };
    const Played run = play(GetParam(), {"region"});
    Lines first = run.of_thread(0);
    const Lines &own = expected.at(GetParam());
    ASSERT_GT(first.size(), own.size()) << all_of(run);
    EXPECT_EQ(first[own.size()], "thread_begin 1");
    first.resize(own.size());
    EXPECT_EQ(first, own);
    EXPECT_FALSE(run.has("answer")) << all_of(run); // every event was accepted
    EXPECT_EQ(run.lines.back(), "0 finalize");
}

TEST(Registration, Tr4IsToldByTheAddressOfTheResult) {
    const Played run = play("tr4", {"region"});
    EXPECT_TRUE(run.outcome.succeeded());
    EXPECT_EQ(run.lines, (Lines{"0 start_tool 201511", "0 initialize tr4"})) << all_of(run);
}

TEST(Registration, Tr2HasBothOrdersOfArguments) {
    for (const char *order : {"lookup-first", "version-first"}) {
        const Played run = play("tr2-001", {"region"}, {{"MINI_OMP_ARGUMENT_ORDER", order}});
        EXPECT_TRUE(run.outcome.succeeded()) << order << all_of(run);
        EXPECT_TRUE(run.has("initialize version 2 of 2015")) << order << all_of(run);
        EXPECT_TRUE(run.has("parallel_begin")) << order << all_of(run);
    }
}

// TR2 and the draft have the tool asked again in the child, the others leave it as it is there.
TEST_P(OnGeneration, AForkedChildHasATool) {
    const Played run = play(GetParam(), {"forked"});
    ASSERT_TRUE(run.outcome.succeeded()) << all_of(run);
    int initializations = 0, regions = 0, ends = 0;
    for (const std::string &line : run.lines) {
        initializations += line.find("initialize") != std::string::npos;
        regions += line.find("parallel_begin") != std::string::npos;
        ends += line.find("finalize") != std::string::npos;
    }
    const bool begins_anew = std::string(GetParam()).find("tr2") == 0;
    EXPECT_EQ(initializations, begins_anew ? 2 : 1) << all_of(run);
    EXPECT_EQ(regions, 2) << all_of(run);
    EXPECT_EQ(ends, 2) << all_of(run);
}

TEST_P(OnGeneration, OmpToolDecides) {
    for (const char *value : {"enabled", "ENABLED", " Enabled\t"}) {
        EXPECT_TRUE(play(GetParam(), {"region"}, {{"OMP_TOOL", value}}).has("initialize")) << value;
    }
    for (const char *value : {"disabled", "DISABLED", " Disabled\t"}) {
        const Played run = play(GetParam(), {"region"}, {{"OMP_TOOL", value}});
        EXPECT_TRUE(run.outcome.succeeded()) << value;
        EXPECT_TRUE(run.lines.empty()) << value << all_of(run);
    }
    const Played other = play(GetParam(), {"region"}, {{"OMP_TOOL", "yes"}});
    EXPECT_TRUE(other.lines.empty()) << all_of(other);
    EXPECT_NE(other.outcome.err.find("OMP_TOOL"), std::string::npos);
    EXPECT_EQ(other.outcome.exit_code, has_words(GetParam()) ? 0 : 1);
}

TEST(Registration, OmpToolLibrariesNamesTools) {
    for (const char *generation : kServed) {
        const Played run =
            play(generation, {"region"},
                 {{"LD_PRELOAD", ""},
                  {"OMP_TOOL_LIBRARIES", std::string("/no/such:") + OCB_MINI_RECORDER}});
        EXPECT_TRUE(run.outcome.succeeded()) << generation;
        EXPECT_EQ(run.has("initialize"), has_words(generation)) << generation << all_of(run);
    }
}

// Events -----------------------------------------------------------------------------------------

Lines barrier_and_end(const std::string &generation, int num) {
    if (!has_words(generation)) {
        return {"event 39", "wait_barrier begin", "wait_barrier end", "event 40", "event 23"};
    }
    const std::string kind = generation == "5" ? "9" : "1";
    return {"sync_region " + kind + " begin region 1", "sync_wait " + kind + " begin",
            "sync_wait " + kind + " end", "sync_region " + kind + " end region 0",
            "implicit_task end implicit size 0 num " + std::to_string(num) + " region 0"};
}

Lines operator+(Lines a, const Lines &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

TEST_P(OnGeneration, ARegionsEventsInOrder) {
    const std::string generation = GetParam();
    const bool words = has_words(generation);
    const Played run = play(generation, {"region"});
    ASSERT_TRUE(run.outcome.succeeded()) << all_of(run);

    const Lines initial = generation == "5"     ? Lines{"implicit_task begin initial size 1 num 1 "
                                                        "region 1"}
                          : generation == "tr6" ? Lines{"task_create 0x1"}
                                                : Lines{};
    const Lines initial_end = generation == "5" ? Lines{"implicit_task end initial size 0 num 1 "
                                                        "region 0"}
                                                : Lines{};
    const auto begin = [&](int num) {
        return words
                   ? "implicit_task begin implicit size 2 num " + std::to_string(num) + " region 1"
                   : std::string("event 22");
    };
    Lines master = run.of_thread(0);
    while (!master.empty() && master.front() != "thread_begin 1") {
        master.erase(master.begin());
    }
    const Lines of_master = Lines{"thread_begin 1"} + initial +
                            Lines{"parallel_begin 2", begin(0)} + barrier_and_end(generation, 0) +
                            Lines{"parallel_end"} + initial_end +
                            Lines{words ? "thread_end" : "thread_end 1", "finalize"};
    EXPECT_EQ(master, of_master) << all_of(run);

    const Lines idle = generation == "5" ? Lines{} : Lines{"idle begin", "idle end"};
    const Lines of_worker = Lines{"thread_begin 2", begin(1)} + barrier_and_end(generation, 1) +
                            idle + Lines{words ? "thread_end" : "thread_end 2"};
    EXPECT_EQ(run.of_thread(1), of_worker) << all_of(run);
}

TEST(Events, AWorkersImplicitTaskEndsBeforeTheNextRegion) {
    const Played run = play("5", {"idle"});
    std::size_t second_fork = 0, first_end = 0, forks = 0;
    for (std::size_t i = 0; i < run.lines.size(); ++i) {
        if (run.lines[i] == "0 parallel_begin 2" && ++forks == 2) {
            second_fork = i;
        }
        if (first_end == 0 && run.lines[i].find("1 implicit_task end") == 0) {
            first_end = i;
        }
    }
    ASSERT_EQ(forks, 2U) << all_of(run);
    EXPECT_GT(first_end, 0U) << all_of(run);
    EXPECT_LT(first_end, second_fork) << all_of(run);
}

TEST(Events, AnUndeferredTask) {
    const Lines created = {"task_create 0x8000004", "task_schedule 7", "task_schedule 1"};
    const Lines begun = {"task_begin", "task_switch from a task", "task_end",
                         "task_switch from none"};
    for (const char *generation : kServed) {
        const Played run = play(generation, {"task_events"});
        Lines tasks;
        for (const std::string &line : run.of_thread(0)) {
            if (line.find("task_") == 0 && line != "task_create 0x1") {
                tasks.push_back(line);
            }
        }
        Lines expected = has_words(generation) ? created : begun;
        if (std::string(generation) == "tr6") {
            expected[1] = "task_schedule 4";
        }
        EXPECT_EQ(tasks, expected) << generation << all_of(run);
        // The task that created it is one level out.
        EXPECT_TRUE(run.has("note task state 0x1 wait none region 1 size 1 task 1 outer 1"))
            << generation << all_of(run);
    }
}

Lines mutex_events(const Played &run, int thread) {
    Lines found;
    for (const std::string &line : run.of_thread(thread)) {
        if (line.find("mutex_") == 0 || line == "event 48" || line == "event 54" ||
            line == "event 19") {
            found.push_back(line);
        }
    }
    return found;
}

TEST_P(OnGeneration, ACriticalRegionThatIsHeld) {
    const std::string kind = std::string(GetParam()) == "5" ? "5" : "19";
    const Lines words = {"mutex_acquire " + kind, "mutex_acquired " + kind,
                         "mutex_released " + kind};
    // With ids only the thread that has to wait is told of as waiting.
    const Lines held = has_words(GetParam()) ? words : Lines{"event 54", "event 19"};
    const Lines waited = has_words(GetParam()) ? words : Lines{"event 48"} + held;
    Played run = play(GetParam(), {"contention"});
    for (int tries = 1; mutex_events(run, 1) != waited && tries < 3; ++tries) {
        run = play(GetParam(), {"contention"});
    }
    EXPECT_EQ(mutex_events(run, 0), held) << all_of(run);
    EXPECT_EQ(mutex_events(run, 1), waited) << all_of(run);
}

TEST_P(OnGeneration, ControlReachesTheTool) {
    const Played run = play(GetParam(), {"control"});
    EXPECT_TRUE(run.has("control 1 17")) << all_of(run);
    EXPECT_EQ(run.outcome.out, has_words(GetParam()) ? "answer 42\n" : "answer 0\n");
    const Played without = play(GetParam(), {"control"}, {{"LD_PRELOAD", ""}});
    EXPECT_EQ(without.outcome.out, has_words(GetParam()) ? "answer -2\n" : "answer 0\n");
}

// States -----------------------------------------------------------------------------------------

struct StateRow {
    const char *name;
    unsigned ids, words;
    bool has_wait_id, has_region;
};

constexpr StateRow kStates[] = {
    {"serial", 0x00, 0x00, false, false},   {"parallel", 0x01, 0x01, false, true},
    {"reduction", 0x02, 0x02, false, true}, {"explicit", 0x42, 0x14, false, true},
    {"implicit", 0x41, 0x11, false, true},  {"workshare", 0x41, 0x12, false, true},
    {"taskwait", 0x50, 0x20, false, true},  {"taskgroup", 0x51, 0x21, false, true},
    {"lock", 0x60, 0x41, true, true},       {"nest_lock", 0x61, 0x41, true, true},
    {"critical", 0x62, 0x42, true, true},   {"atomic", 0x63, 0x43, true, true},
    {"ordered", 0x64, 0x44, true, true},    {"idle", 0x10, 0x100, false, false},
};

// What is wrong with the samples of a run, empty if nothing is.
std::string wrong_samples(const std::string &generation, const StateRow &row) {
    const Played run = play(generation, {"state", row.name});
    if (!run.outcome.succeeded()) {
        return run.outcome.describe();
    }
    std::ostringstream state, region;
    state << "note sample state " << std::showbase << std::hex
          << (has_words(generation) ? row.words : row.ids) << " wait "
          << (row.has_wait_id ? "some" : "none");
    region << " region " << row.has_region << ' ';
    int samples = 0;
    for (const std::string &line : run.lines) {
        if (line.find("note sample") == std::string::npos) {
            continue;
        }
        ++samples;
        if (line.find(state.str()) == std::string::npos ||
            line.find(region.str()) == std::string::npos) {
            return line;
        }
    }
    return samples > 0 ? "" : "no sample";
}

// A thread may be held up on its way to where it is to be sampled: three tries.
TEST_P(OnGeneration, StatesInASignalHandler) {
    for (const StateRow &row : kStates) {
        std::string wrong = wrong_samples(GetParam(), row);
        for (int tries = 1; !wrong.empty() && tries < 3; ++tries) {
            wrong = wrong_samples(GetParam(), row);
        }
        EXPECT_EQ(wrong, "") << row.name;
    }
}

// Defects ----------------------------------------------------------------------------------------

TEST(Defects, AnUnknownOneIsRefusedWithTheKnownOnes) {
    for (const char *variable : {"MINI_OMP_BREAK", "MINI_OMP_WITHOUT"}) {
        const Played run = play("5", {"region"}, {{variable, "no-such-rule"}});
        EXPECT_EQ(run.outcome.exit_code, 2);
        EXPECT_NE(run.outcome.err.find("parallel-begin"), std::string::npos);
        EXPECT_EQ(run.outcome.err.find('\n'), run.outcome.err.size() - 1) << "one line";
    }
}

TEST_P(OnGeneration, NoDefectSpoilsResults) {
    const Played list = play(GetParam(), {"region"}, {{"MINI_OMP_BREAK", "list"}});
    ASSERT_EQ(list.outcome.exit_code, 0);
    std::istringstream lines(list.outcome.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        const std::string name = line.substr(0, line.find(' '));
        for (const char *scene : {"loops", "tasks", "nested"}) {
            const Played run = play(GetParam(), {scene}, {{"MINI_OMP_BREAK", name}});
            EXPECT_TRUE(run.outcome.succeeded()) << name << ' ' << scene << all_of(run);
        }
    }
    EXPECT_GT(count, 60);
}

TEST(Defects, OneOfEachKindIsSeen) {
    const auto broken = [](const char *name, const Lines &arguments) {
        return play("tr2-001", arguments, {{"MINI_OMP_BREAK", name}});
    };
    EXPECT_TRUE(broken("state-lock.overhead", {"state", "lock"}).has("sample state 0x20"));
    EXPECT_TRUE(broken("task-frame.reenter", {"region"}).has("without a reenter frame"));
    EXPECT_TRUE(broken("thread-begin.missing", {"region"}).of_thread(1).front() == "event 22");
    EXPECT_FALSE(broken("control.missing", {"control"}).has("control 1"));
    const Played left_out = play("tr2-001", {"region"}, {{"MINI_OMP_WITHOUT", "parallel-begin"}});
    EXPECT_TRUE(left_out.has("event 1: answer 2")) << all_of(left_out);
    EXPECT_FALSE(left_out.has("parallel_begin")) << all_of(left_out);
}

} // namespace
