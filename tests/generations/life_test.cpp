// SPDX-License-Identifier: Apache-2.0
// The library's life on a runtime of each generation: found or refused with the right words,
// controlled by the program, taken along into a forked child, asked what it can do.
#include "openmp_test.h"
#include "runtimes.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <set>

namespace ocb_test {
namespace {

const std::string kStartPrograms = OCB_TEST_START_PROGRAMS;
const std::string kOwnPrograms = OCB_TEST_PROGRAM_FOLDER;

bool is_before_tr6(const Generation &generation) {
    const std::string name = generation.name;
    return name != "5" && name != "tr6";
}

std::string generation_name(const testing::TestParamInfo<Generation> &info) {
    return test_name(info.param);
}

class Life : public testing::TestWithParam<Generation> {
  protected:
    void run(const std::string &folder, const std::string &program, const Options &options = {}) {
        run_ = run_program(folder, program, GetParam().runtime, options);
        ASSERT_TRUE(run_.outcome.succeeded()) << run_.outcome.describe();
    }
    [[nodiscard]] std::string out() const { return run_.outcome.out; }
    [[nodiscard]] std::string err() const { return run_.outcome.err; }
    [[nodiscard]] const Log &log() const { return run_.log; }

    // What START was answered, by the fake collector's log.
    [[nodiscard]] std::string start() const {
        for (const ThreadLog &thread : run_.log.threads) {
            for (const Record &record : thread.records) {
                if (record.kind == RecordKind::kRequest && record.number == OMP_REQ_START) {
                    return error_name(record.ec);
                }
            }
        }
        return "none";
    }

  private:
    ProgramRun run_;
};
INSTANTIATE_TEST_SUITE_P(On, Life, testing::ValuesIn(kGenerations), generation_name);

int count_events(const Log &log, int event) {
    int count = 0;
    for (const ThreadLog &thread : log.threads) {
        count += static_cast<int>(events_of(thread, event).size());
    }
    return count;
}

TEST_P(Life, IsFoundAndNamed) {
    ASSERT_NO_FATAL_FAILURE(run(kOwnPrograms, "capabilities"));
    EXPECT_EQ("OK", start());
    EXPECT_NE(std::string::npos,
              out().find(std::string("generation ") + GetParam().reported + "\n"))
        << out();
}

// Callback numbers and what follows for the answers; 0 exact, 1 synthesised, 2 not observable.
TEST_P(Life, CapabilitiesAreThoseOfTheGeneration) {
    ASSERT_NO_FATAL_FAILURE(run(kOwnPrograms, "capabilities"));
    const std::string name = GetParam().name;
    std::vector<std::string> wanted;
    if (is_before_tr6(GetParam())) {
        wanted = {"callback 1 parallel_begin: always",
                  "callback 9 idle_begin: always",
                  "callback 46 wait_lock: always",
                  "OMP_EVENT_THR_BEGIN_IDLE 0",
                  "THR_IDLE_STATE 0",
                  "OMP_EVENT_THR_BEGIN_LKWT 0",
                  "OMP_EVENT_THR_BEGIN_EBAR 1",
                  "THR_REDUC_STATE 1",
                  "OMP_EVENT_THR_END_CREATE_TASK_IMM 2"};
    } else if (name == "tr6") {
        wanted = {"callback 3 parallel_begin: always", "callback 31 idle: always",
                  "OMP_EVENT_THR_BEGIN_IDLE 1", "OMP_EVENT_THR_BEGIN_EBAR 1", "THR_REDUC_STATE 2"};
    } else {
        wanted = {"callback 3 parallel_begin: always", "OMP_EVENT_THR_BEGIN_EBAR 0",
                  "OMP_EVENT_THR_BEGIN_LKWT 1", "THR_REDUC_STATE 1"};
    }
    for (const std::string &line : wanted) {
        EXPECT_NE(std::string::npos, out().find(line + "\n")) << line << "\n" << out();
    }
}

// Every generation, in the manner of libomp too, and the versions at hand (runtimes.h).
std::vector<Generation> all_generations() {
    std::vector<Generation> all(std::begin(kGenerations), std::end(kGenerations));
    all.insert(all.end(), std::begin(kMannered), std::end(kMannered));
    all.insert(all.end(), old_libomps().begin(), old_libomps().end());
    return all;
}

class Threads : public testing::TestWithParam<Generation> {
  protected:
    ProgramRun run(const char *program, const char *argument) {
        Options options;
        options.arguments = {argument};
        options.environment = {{"OCB_TEST_SAMPLE_HZ", "1000"}, {"OCB_TEST_START", "program"}};
        if (GetParam().manner != nullptr) {
            options.environment["MINI_OMP_MANNER"] = GetParam().manner;
        }
        ProgramRun run =
            run_program(OCB_TRUTH_PROGRAM_FOLDER, program, GetParam().runtime, options);
        EXPECT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
        return run;
    }
};
INSTANTIATE_TEST_SUITE_P(On, Threads, testing::ValuesIn(all_generations()), generation_name);

const Record *mark_of(const ThreadLog &thread, const std::string &label) {
    for (const Record &record : thread.records) {
        if (record.kind == RecordKind::kMark && record.label == label) {
            return &record;
        }
    }
    return nullptr;
}

bool has_late_worker(const ProgramRun &run) {
    return std::any_of(run.log.threads.begin(), run.log.threads.end(), [](const ThreadLog &thread) {
        return thread.index != 0 && !thread.records.empty();
    });
}

// START finds workers of before. The runtime's own threads are none of them and may be serial. On a
// busy machine a worker may reach the region's end behind START; then it is no worker of before.
TEST_P(Threads, OfARegionBeforeStartAreIdleWorkers) {
    ProgramRun result = run("late_start", "idle");
    for (int again = 0; again < 20 && has_late_worker(result); ++again) {
        result = run("late_start", "idle");
    }
    ASSERT_FALSE(result.log.threads.empty());
    const ThreadLog &initial = result.log.threads[0];
    const Record *started = mark_of(initial, "started"), *ends = mark_of(initial, "ends");
    ASSERT_TRUE(started != nullptr && ends != nullptr);
    int workers = 0;
    for (const ThreadLog &thread : result.log.threads) {
        if (thread.index == 0) {
            continue;
        }
        unsigned idle = 0, serial = 0, other = 0;
        for (const Sample &sample : thread.samples) {
            if (sample.time < started->time || sample.time > ends->time) {
                continue;
            }
            const Answers &answers = sample.answers;
            EXPECT_EQ(0U, answers.region);
            idle += answers.state == THR_IDLE_STATE;
            serial += answers.state == THR_SERIAL_STATE;
            other += answers.state != THR_IDLE_STATE && answers.state != THR_SERIAL_STATE;
        }
        EXPECT_EQ(0U, other) << "thread " << thread.index;
        EXPECT_TRUE(idle == 0 || serial == 0) << "thread " << thread.index;
        workers += idle != 0;
        EXPECT_TRUE(thread.records.empty()) << "thread " << thread.index;
    }
    EXPECT_EQ(1, workers);
}

// And workers in a region of before are no masters of it.
TEST_P(Threads, OfARunningRegionAreWorkersAndMaster) {
    const ProgramRun result = run("late_start", "inside_worker");
    int marks = 0;
    for (const ThreadLog &thread : result.log.threads) {
        for (const Record &record : thread.records) {
            if (record.kind == RecordKind::kMark && record.label == "WORK @") {
                ++marks;
                EXPECT_NE(0U, record.answers.region);
                EXPECT_EQ(thread.index == 0 ? "OK" : "THREAD_ERR",
                          error_name(record.answers.parent_ec));
            }
        }
    }
    EXPECT_EQ(2, marks);
}

// libomp 3.7 and 3.8, and the mini-runtime in their manner, have a thread that watches over the
// workers. It is no OpenMP thread of the program: it gets no event, and answers like any thread
// that the runtime does not know.
bool has_monitor(const Generation &generation) {
    const std::string name = generation.name;
    return name == "libomp37" || name == "libomp38" || name == "2014-libomp" ||
           name == "tr2-001-libomp";
}
TEST_P(Threads, ThatWatchOverOthersAreOutsideOfOpenMP) {
    const ProgramRun result = run("late_start", "between");
    const Record *started = mark_of(result.log.threads.at(0), "SERIAL");
    ASSERT_NE(nullptr, started);
    int monitors = 0;
    for (const ThreadLog &thread : result.log.threads) {
        if (thread.index == 0 || !thread.records.empty()) {
            continue;
        }
        ++monitors;
        std::set<std::string> answers;
        for (const Sample &sample : thread.samples) {
            if (sample.time > started->time) {
                answers.insert(state_name(sample.answers.state) + " " +
                               std::to_string(sample.answers.region));
            }
        }
        EXPECT_EQ(std::set<std::string>{"SERIAL 0"}, answers);
    }
    EXPECT_EQ(has_monitor(GetParam()) ? 1 : 0, monitors);
}

TEST_P(Life, ProgramControlsTheSession) {
    ASSERT_NO_FATAL_FAILURE(run(kOwnPrograms, "control"));
    ASSERT_TRUE(log().complete);
    EXPECT_EQ("", out());
    std::string seen;
    for (const Record &record : log().threads.at(0).records) {
        if (record.kind == RecordKind::kMark) {
            seen += record.label + " ";
        } else if (record.kind == RecordKind::kEvent && record.number == OMP_EVENT_FORK) {
            seen += "FORK ";
        }
    }
    EXPECT_EQ("first FORK paused flushed resumed FORK ended end ", seen);
}

TEST_P(Life, GoesOnInAForkedChild) {
    ASSERT_NO_FATAL_FAILURE(run(kOwnPrograms, "forked"));
    EXPECT_EQ("before 0\nchild 0\nafter 0\n", out()) << err();
    EXPECT_EQ(std::string::npos, err().find("a second OpenMP runtime")) << err();
}

TEST_P(Life, StartIsRefusedWhereToolsAreDisabled) {
    for (const char *value : {"disabled", "DISABLED", " disabled "}) {
        // The form of 2014 is compared to the letter.
        if (std::string(GetParam().name) == "2014" && std::string(value) != "disabled") {
            continue;
        }
        Options options;
        options.environment["OMP_TOOL"] = value;
        ASSERT_NO_FATAL_FAILURE(run(kStartPrograms, "two_regions", options));
        EXPECT_EQ("SEQUENCE_ERR", start()) << value;
        EXPECT_NE(std::string::npos,
                  err().find(std::string("takes no tool because OMP_TOOL=") + value + " is set"))
            << err();
        EXPECT_EQ(0, count_events(log(), OMP_EVENT_FORK));
    }
}

TEST_P(Life, EnabledToolsAreTaken) {
    Options options;
    options.environment["OMP_TOOL"] = "enabled";
    ASSERT_NO_FATAL_FAILURE(run(kStartPrograms, "two_regions", options));
    EXPECT_EQ("OK", start()) << err();
    EXPECT_EQ(2, count_events(log(), OMP_EVENT_FORK));
}

TEST_P(Life, StartIsRefusedWhereTheRuntimeWasFirst) {
    Options options;
    options.preload_only({});
    options.arguments = {kBridge, kCollector};
    ASSERT_NO_FATAL_FAILURE(run(kStartPrograms, "late_load", options));
    EXPECT_EQ("SEQUENCE_ERR", start()) << err();
    EXPECT_NE(std::string::npos, err().find("was initialised before this library was loaded"))
        << err();
    EXPECT_EQ(is_before_tr6(GetParam()), err().find("older than OpenMP 5.0") != std::string::npos)
        << err();
}

// Nobody starts a session: the program is left alone.
TEST_P(Life, WithoutASessionNothingIsSaid) {
    Options options;
    options.preload_only({kBridge});
    options.environment["OCB_LOG"] = "warn";
    ASSERT_NO_FATAL_FAILURE(run(kStartPrograms, "two_regions", options));
    EXPECT_EQ("", err());
}

// A further tool whose exported ompt_initialize is bound to the bridge's symbol of that name; on an
// older generation there is none, and one line says so.
TEST_P(Life, FurtherToolThatExportsItsInitializer) {
    const bool is_served = std::string(GetParam().name) == "5";
    for (const bool is_named : {true, false}) {
        Options options;
        if (is_named) {
            options.environment["OCB_TOOL_LIBRARIES"] = OCB_TEST_EXPORTING_TOOL;
        } else {
            options.preload_only({kBridge, kCollector, "libocb-exporting-tool.so"});
        }
        ASSERT_NO_FATAL_FAILURE(run(kStartPrograms, "two_regions", options));
        EXPECT_EQ("OK", start()) << err();
        EXPECT_EQ(2, count_events(log(), OMP_EVENT_FORK));
        EXPECT_EQ(is_served, out().find("tool begins 1 0\n") != std::string::npos) << out();
        EXPECT_EQ(is_served, out().find("tool ends 7\n") != std::string::npos) << out();
        EXPECT_EQ(!is_served, err().find("a client tool is left out") != std::string::npos)
            << err();
    }
}

// A runtime that does not define the symbol by which it asks, but needs it.
TEST(NeedingRuntime, IsFoundByWhatItNeeds) {
    Options options;
    options.preload_only({kBridge, "libocb-needing-runtime.so", kCollector});
    options.environment["OCB_LOG"] = "info";
    const ProgramRun run =
        run_program(kStartPrograms, "no_openmp", kGenerations[0].runtime, options);
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_NE(std::string::npos, run.outcome.err.find("attached to the OpenMP runtime: "))
        << run.outcome.err;
    EXPECT_NE(std::string::npos, run.outcome.err.find("(a runtime with a need)"))
        << run.outcome.err;
    EXPECT_EQ(std::string::npos, run.outcome.err.find("callbacks 0")) << run.outcome.err;
}

TEST(Tr4, IsRefusedWithOneLine) {
    const ProgramRun run =
        run_program(kStartPrograms, "two_regions", kRefusedGeneration.runtime, {});
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    const std::string line =
        "[omp-collector-bridge] error: the OpenMP runtime has OMPT in the form "
        "of technical report 4, which no release of a runtime has; run the "
        "program on LLVM libomp 8 or later\n";
    EXPECT_EQ(line, run.outcome.err);
    EXPECT_EQ(0, count_events(run.log, OMP_EVENT_FORK));
}

} // namespace
} // namespace ocb_test
