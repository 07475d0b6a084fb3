// SPDX-License-Identifier: Apache-2.0
// What the matrix does not show: wait ids, how often contention is judged wrong, what the two ways
// of announcing idleness make of a program, large region ids, and a program that nobody here wrote.
// Figures are printed; docs/TRUTH.md quotes them.
#include "idle_shares.h"
#include "known_failures.h"
#include "long_form.h"
#include "matrix_run.h"

#include "omp_collector_api.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace ocb_test {
namespace {

class Beyond : public testing::TestWithParam<Runtime> {
  protected:
    void SetUp() override { OCB_SKIP_KNOWN_FAILURE(); }

    ProgramRun run(const std::string &program, const Options &options) {
        ProgramRun result = run_program(OCB_TRUTH_PROGRAM_FOLDER, program, GetParam(), options);
        EXPECT_TRUE(result.outcome.succeeded()) << result.outcome.describe();
        EXPECT_TRUE(result.log.complete);
        EXPECT_EQ("", verify_runtime(result, GetParam()));
        return result;
    }
};

std::string runtime_name(const testing::TestParamInfo<Runtime> &info) {
    return name_of(info.param);
}

// With the bare bridge in the long form (CMakeLists.txt).
INSTANTIATE_TEST_SUITE_P(Runtimes, Beyond, testing::ValuesIn(in_both_ways()), runtime_name);

// Nobody has asked for anything but samples, and the first of them falls into the wait.
TEST_P(Beyond, ASamplersFirstWaitHasItsName) {
    struct Wait {
        const char *program, *argument;
        int state;
    };
    const int explicit_barrier =
        GetParam().compiler == Compiler::kClang ? THR_EBAR_STATE : THR_IBAR_STATE;
    const Wait waits[] = {{"mutexes", "critical", THR_CTWT_STATE},
                          {"mutexes", "atomic", THR_ATWT_STATE},
                          {"mutexes", "lock", THR_LKWT_STATE},
                          {"worksharing", "explicit", explicit_barrier}};
    for (const Wait &wait : waits) {
        Options options;
        options.arguments = {wait.argument};
        options.environment = {{"OCB_TEST_SAMPLE_HZ", "20"},
                               {"OCB_TRUTH_MS", "50"},
                               {"OCB_TEST_EVENTS", ""},
                               {"OCB_TEST_MARKS", "silent"},
                               {"KMP_BLOCKTIME", "5"}};
        std::map<int, int> in_wait;
        for (const ThreadLog &thread : run(wait.program, options).log.threads) {
            for (const Sample &sample : thread.samples) {
                if (sample.answers.wait_id != 0) {
                    ++in_wait[sample.answers.state];
                }
            }
        }
        EXPECT_LT(0, in_wait[wait.state]) << wait.argument;
        for (const int other : {THR_EBAR_STATE, THR_LKWT_STATE, THR_CTWT_STATE, THR_ATWT_STATE}) {
            EXPECT_TRUE(other == wait.state || in_wait[other] == 0)
                << wait.argument << " as " << state_name(other);
        }
    }
}

// "name value name value ..." as the watchers print it.
std::map<std::string, long> figures(const std::string &text) {
    std::istringstream words(text);
    std::map<std::string, long> result;
    std::string name;
    for (long value = 0; words >> name >> value;) {
        result[name] = value;
    }
    return result;
}

TEST_P(Beyond, LockWaitIdsAreTheLocksAddresses) {
    const ProgramRun result = run("wait_ids", {});
    std::map<std::string, long> addresses = figures(result.outcome.out);
    std::set<std::uint64_t> wait_ids;
    for (const ThreadLog &thread : result.log.threads) {
        for (const Record &record : events_of(thread, OMP_EVENT_THR_BEGIN_LKWT)) {
            wait_ids.insert(record.answers.wait_id);
        }
    }
    const std::set<std::uint64_t> wanted = {static_cast<std::uint64_t>(addresses["lock"]),
                                            static_cast<std::uint64_t>(addresses["nest"])};
    EXPECT_EQ(wanted, wait_ids);
}

TEST_P(Beyond, BarrierIdsAreTheTeamsAndTheBarriers) {
    const ProgramRun result = run("wait_ids", {});
    struct Barrier {
        std::set<std::uint64_t> regions;
        std::multiset<int> threads;
    };
    std::map<std::uint64_t, Barrier> barriers;
    std::map<std::uint64_t, std::set<int>> teams; // by region
    for (const ThreadLog &thread : result.log.threads) {
        for (const int event : {OMP_EVENT_THR_BEGIN_IBAR, OMP_EVENT_THR_BEGIN_EBAR}) {
            for (const Record &record : events_of(thread, event)) {
                Barrier &barrier = barriers[record.answers.wait_id];
                barrier.regions.insert(record.answers.region);
                barrier.threads.insert(thread.index);
                teams[record.answers.region].insert(thread.index);
            }
        }
    }
    // Two explicit barriers, the loop's, the single's and the region's, twice; and one region's.
    // gcc leaves the single's out, as the region's follows at once.
    EXPECT_EQ(GetParam().compiler == Compiler::kGcc ? 9U : 11U, barriers.size());
    for (const auto &[id, barrier] : barriers) {
        ASSERT_EQ(1U, barrier.regions.size()) << "barrier " << id << " of two regions";
        const std::set<int> &team = teams[*barrier.regions.begin()];
        EXPECT_EQ(std::multiset<int>(team.begin(), team.end()), barrier.threads)
            << "barrier " << id << " is not one for each thread of its team";
    }
}

// However libomp's workers wait: in a gap behind a region with tasks all of them have been
// announced as idle, and not when the next region wakes them.
TEST(WaitPolicies, WorkersAreAnnouncedAsIdleInTime) {
    const std::pair<const char *, const char *> policies[] = {
        {"KMP_BLOCKTIME", "5"},        {"KMP_BLOCKTIME", "0"},
        {"KMP_BLOCKTIME", "infinite"}, {"OMP_WAIT_POLICY", "passive"},
        {"OMP_WAIT_POLICY", "active"}, {"KMP_LIBRARY", "turnaround"}};
    for (const int version : {13, 14, 15, 16, 19}) {
        for (const auto &[name, value] : policies) {
            SCOPED_TRACE(std::to_string(version) + " " + name + "=" + value);
            Options options;
            options.arguments = {"tasks_of_worker"};
            options.environment = {{name, value}};
            const ProgramRun run =
                run_program(OCB_TRUTH_PROGRAM_FOLDER, "idle", {version, Compiler::kClang}, options);
            ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
            const ThreadLog *master = thread_with_mark(run.log, "gap ends");
            ASSERT_NE(nullptr, master);
            std::uint64_t end = 0;
            for (const Record &record : master->records) {
                end = record.label == "gap ends" ? record.sequence : end;
            }
            int idle = 0;
            for (const ThreadLog *thread : other_threads(run.log)) {
                int last = 0;
                for (const Record &record : thread->records) {
                    if (record.kind == RecordKind::kEvent && record.sequence < end) {
                        last = record.number;
                    }
                }
                idle += last == OMP_EVENT_THR_BEGIN_IDLE;
            }
            EXPECT_EQ(2, idle);
        }
    }
}

// libomp makes threads of its own for target tasks, and a team of them: neither is the program's.
class RuntimesOwnThreads : public Beyond {};
INSTANTIATE_TEST_SUITE_P(Runtimes, RuntimesOwnThreads,
                         testing::ValuesIn(in_both_ways({{13, Compiler::kClang},
                                                         {14, Compiler::kClang},
                                                         {15, Compiler::kClang},
                                                         {16, Compiler::kClang},
                                                         {19, Compiler::kClang}})),
                         runtime_name);

// The region's id; there is one fork, and no master that is not the program's.
std::uint64_t only_region(const Log &log) {
    std::uint64_t region = 0;
    int forks = 0;
    for (const ThreadLog &thread : log.threads) {
        EXPECT_TRUE(events_of(thread, OMP_EVENT_THR_BEGIN_MASTER).empty());
        for (const Record &fork : events_of(thread, OMP_EVENT_FORK)) {
            region = fork.answers.region;
            ++forks;
        }
    }
    EXPECT_EQ(1, forks);
    return region;
}

void expect_idle_or_in_target_body(const ThreadLog &thread, std::uint64_t region) {
    unsigned idle = 0, work = 0;
    for (const Sample &sample : thread.samples) {
        idle += sample.answers.state == THR_IDLE_STATE && sample.answers.region == 0;
        work += sample.answers.state == THR_WORK_STATE && sample.answers.region == region;
    }
    // A thread's first moments belong to nobody yet.
    EXPECT_LE(thread.samples.size(), idle + work + 2) << "thread " << thread.index;
    for (const Record &record : thread.records) {
        EXPECT_EQ("target body", record.label);
        EXPECT_EQ(THR_WORK_STATE, record.answers.state);
        EXPECT_EQ(region, record.answers.region);
        EXPECT_LT(0U, work);
    }
}

TEST_P(RuntimesOwnThreads, AreIdleAndTheirTasksAreTheRegionsWork) {
    Options options;
    options.environment = {{"OCB_TEST_SAMPLE_HZ", "1000"}, {"KMP_BLOCKTIME", "5"}};
    const ProgramRun result = run("hidden_helper", options);
    const std::uint64_t region = only_region(result.log);
    int own_threads = 0;
    // Besides the master and the worker, which has events.
    for (const ThreadLog &thread : result.log.threads) {
        if (thread.index != 0 && events_of(thread, OMP_EVENT_THR_BEGIN_IDLE).empty()) {
            ++own_threads;
            expect_idle_or_in_target_body(thread, region);
        }
    }
    EXPECT_NE(nullptr, thread_with_mark(result.log, "target body"));
    EXPECT_LT(1, own_threads);
}

// What a barrier's id is made of must not show: all of a thread's events in it name the same, and
// at the region's end both threads do, also where they have not met the same barriers before.
TEST_P(Beyond, BarrierIdsHoldInCancelledRegionsAndReductions) {
    const std::pair<const char *, std::map<std::string, std::string>> forms[] = {
        {"cancel", {{"OMP_CANCELLATION", "true"}}},
        {"cancel_tasks", {{"OMP_CANCELLATION", "true"}}},
        {"combiner", {{"KMP_FORCE_REDUCTION", "tree"}}}};
    for (const auto &[form, environment] : forms) {
        Options options;
        options.arguments = {form};
        options.environment = environment;
        const ProgramRun result = run("barrier_ids", options);
        std::set<std::uint64_t> last_ids;
        std::map<std::uint64_t, std::set<int>> threads; // by barrier
        for (const ThreadLog &thread : result.log.threads) {
            SCOPED_TRACE(std::string(form) + ", thread " + std::to_string(thread.index));
            std::uint64_t id = 0;
            bool is_open = false;
            std::set<std::uint64_t> behind;
            for (const Record &record : thread.records) {
                if (record.kind != RecordKind::kEvent) {
                    continue;
                }
                const bool begins = record.number == OMP_EVENT_THR_BEGIN_IBAR ||
                                    record.number == OMP_EVENT_THR_BEGIN_EBAR;
                if (begins) {
                    EXPECT_FALSE(is_open);
                    is_open = true;
                    // A thread may leave a barrier for a task and come back, but to no former one.
                    if (record.answers.wait_id != id) {
                        EXPECT_TRUE(behind.insert(id).second);
                    }
                    id = record.answers.wait_id;
                    EXPECT_EQ(0U, behind.count(id));
                    threads[id].insert(thread.index);
                }
                if (record.number == OMP_EVENT_THR_END_IBAR ||
                    record.number == OMP_EVENT_THR_END_EBAR) {
                    EXPECT_TRUE(is_open);
                    is_open = false;
                    EXPECT_EQ(id, record.answers.wait_id);
                }
            }
            EXPECT_FALSE(is_open);
            EXPECT_NE(0U, id);
            last_ids.insert(id);
        }
        EXPECT_EQ(2U, result.log.threads.size());
        EXPECT_EQ(1U, last_ids.size()) << form;
        // The barrier that is broken off is the waiting thread's alone in gcc's form.
        for (const auto &[id, those] : threads) {
            EXPECT_TRUE(those.size() == 2 || std::string(form) != "combiner") << form << " " << id;
        }
    }
}

TEST_P(Beyond, RegionIdsMayExceed31Bits) {
    constexpr std::uint64_t kFirst = (1ULL << 31) + 5;
    Options options;
    options.arguments = {"two"};
    options.environment = {{"OMP_MAX_ACTIVE_LEVELS", "2"},
                           {"OCB_TEST_SAMPLE_HZ", "1000"},
                           {"KMP_BLOCKTIME", "5"},
                           {"OCB_FIRST_REGION_ID", std::to_string(kFirst)}};
    const ProgramRun result = run("nested", options);
    const Verdict verdict = check(result.log);
    for (const std::string &complaint : verdict.all_complaints()) {
        ADD_FAILURE() << complaint;
    }
    int forks = 0;
    for (const ThreadLog &thread : result.log.threads) {
        for (const Record &fork : events_of(thread, OMP_EVENT_FORK)) {
            EXPECT_LE(kFirst, fork.answers.region);
            ++forks;
        }
    }
    EXPECT_EQ(3, forks);
}

// A program with 30 % serial time and 10 % imbalance. Samples have their tries (matrix_run.h).
TEST_P(Beyond, IdleEventsArePromptOrDeferredAndStateIsExact) {
    constexpr double kPercentagePoints = 6; // samples are some hundred, and the machine is shared
    for (const bool is_prompt : {true, false}) {
        Options options;
        options.environment = {{"OCB_IDLE_EVENTS", is_prompt ? "prompt" : "deferred"},
                               {"OCB_TEST_SAMPLE_HZ", "1000"},
                               {"KMP_BLOCKTIME", "5"}};
        double distance = 0;
        for (int i = 0; i < kTries; ++i) {
            distance = distance_from_truth(run("idle_share", with_longer_phases(options, i)),
                                           GetParam(), is_prompt);
            if (HasFailure() || distance <= kPercentagePoints) {
                break;
            }
        }
        EXPECT_LE(distance, kPercentagePoints);
    }
}

std::map<std::string, long> contention(const Runtime &runtime, int threads, const char *events) {
    Options options = with_idle_collector();
    options.environment["OCB_WAIT_EVENTS"] = events;
    Command command;
    command.arguments = {OCB_CONTENTION_PROGRAM, std::to_string(threads), "500"};
    command.environment = environment_for(command.arguments[0], runtime, options);
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    std::printf("%s %s: %s", name_of(runtime).c_str(), events, outcome.out.c_str());
    return figures(outcome.out);
}

TEST(Contention, IsJudgedRightAlmostAlways) {
    constexpr long kEnoughWaits = 100;
    constexpr int kMostRuns = 20;
    for (const int version : {14, 19}) {
        for (const int threads : {2, 4, 8}) {
            // Two threads may have the mutex by turns and hardly ever wait: such a run says little.
            long waits = 0;
            long missed = 0;
            for (int i = 0; i < kMostRuns && waits < kEnoughWaits; ++i) {
                auto count = contention({version, Compiler::kClang}, threads, "contended");
                EXPECT_EQ(500 * threads, count["acquisitions"]);
                EXPECT_LE(count["false"], count["acquisitions"] / 20);
                waits += count["waits"];
                missed += count["missed"];
            }
            EXPECT_GE(waits, kEnoughWaits);
            EXPECT_LE(missed, waits / 20);
        }
    }
}

TEST(Contention, AllMeansEveryAcquisition) {
    auto count = contention({14, Compiler::kClang}, 2, "all");
    EXPECT_EQ(count["acquisitions"], count["told"]);
    EXPECT_EQ(1000, count["acquisitions"]);
}

// A child goes on measuring on its own, and the parent is not disturbed. On libgomp a child hangs
// in its first region if there was a team, without us too.
class BeyondOnLibomp : public Beyond {};
INSTANTIATE_TEST_SUITE_P(Runtimes, BeyondOnLibomp,
                         testing::ValuesIn(in_both_ways(libomp_runtimes())), runtime_name);

TEST_P(BeyondOnLibomp, ForkedChildrenMeasureOn) {
    const TemporaryFolder temporary;
    Options options;
    options.collector = "libocb-strict-collector.so";
    options.environment["OCB_STRICT_REPORT"] = temporary.file("report");
    Command command;
    command.arguments = {std::string(OCB_TRUTH_PROGRAM_FOLDER) + "/" +
                         name_of(GetParam().compiler) + "/forks"};
    command.environment = environment_for(command.arguments[0], GetParam(), options);
    const Outcome outcome = ocb_test::run(command);
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    // Five regions before the fork, then seven in the child and three in the parent.
    const std::pair<const char *, long> wanted[] = {{"report", 8}, {"report.child", 12}};
    for (const auto &[file, regions] : wanted) {
        std::stringstream text;
        text << std::ifstream(temporary.file(file)).rdbuf();
        auto count = figures(text.str());
        EXPECT_EQ(regions, count["forks"]) << file;
        EXPECT_EQ(regions, count["joins"]) << file;
        EXPECT_LT(0, count["samples"]) << file;
        for (const char *defect : {"unpaired", "wrong_state", "invalid", "misfit"}) {
            EXPECT_EQ(0, count[defect]) << file << " " << defect;
        }
    }
}

// clustalo, built by gcc, as Debian has it, on a third of the demo's input; OCB_TEST_LONG: on all
// of it, for minutes.
TEST(RealProgram, EveryEventIsPairedAndEverySampleValid) {
    const TemporaryFolder temporary;
    Command make_input;
    make_input.arguments = {"/bin/sh", "-c",
                            std::string("sh '") + OCB_FASTA_SCRIPT + "' | awk '/^>/ { ++n } n <= " +
                                (is_long() ? "60" : "12") + "' > '" + temporary.file("in") + "'"};
    ASSERT_TRUE(run(make_input).succeeded());
    const int rounds = is_long() ? 60 : 1;
    constexpr int kMostRounds = 10;
    const long enough = is_long() ? 6000 : 300;
    for (const int version : {14, 19}) {
        Options options;
        options.collector = "libocb-strict-collector.so";
        options.environment["OCB_STRICT_REPORT"] = temporary.file("report");
        Command command;
        command.arguments = {"/usr/bin/clustalo", "--threads=4", "--force",
                             "--infile=" + temporary.file("in"),
                             "--outfile=" + temporary.file("out")};
        command.environment =
            environment_for(command.arguments[0], {version, Compiler::kGcc}, options);
        command.time_limit_s = 1500;
        std::map<std::string, long> sum;
        // Few samples are none to judge a share of one in a hundred by.
        const auto are_enough = [&sum, enough] {
            return sum["samples"] >= enough && sum["idle_in_region"] <= sum["samples"] / 100;
        };
        for (int round = 0; round < rounds || (round < kMostRounds && !are_enough()); ++round) {
            const Outcome outcome = run(command);
            ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
            std::stringstream report;
            report << std::ifstream(temporary.file("report")).rdbuf();
            for (const auto &[name, value] : figures(report.str())) {
                sum[name] += value;
            }
        }
        std::printf("libomp %d: events %ld, regions %ld, samples %ld\n", version, sum["events"],
                    sum["forks"], sum["samples"]);
        EXPECT_LT(0, sum["forks"]);
        EXPECT_LE(enough, sum["samples"]);
        EXPECT_EQ(sum["forks"], sum["joins"]);
        EXPECT_EQ(0, sum["unpaired"]);
        EXPECT_EQ(0, sum["wrong_state"]);
        EXPECT_EQ(0, sum["invalid"]);
        EXPECT_EQ(0, sum["misfit"]);
        EXPECT_LE(sum["idle_in_region"], sum["samples"] / 100);
    }
}

} // namespace
} // namespace ocb_test
