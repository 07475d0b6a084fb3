// SPDX-License-Identifier: Apache-2.0
// Each client's replay as a preloaded collector in real programs, on real libomp: the program does
// its work, START is answered with OK, the events come in the numbers that the program makes, the
// client is sampled, and no byte is wrong.
#include "openmp_run.h"
#include "replay.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace ocb_test {
namespace {

using ocb::clients::Client;

constexpr const char *kReplay = "libocb-replay-collector.so";
constexpr const char *kPrefix = "replay ";
// What programs/work.c does.
constexpr unsigned kRegions = 20, kThreads = 2, kTasks = 4;

struct Heard {
    int start = -1;
    std::map<int, unsigned> events;
    unsigned samples = 0, tasks = 0;
    int complaints = -1; // it did not come to its end
    std::string first_complaint;
};

// The runtime's file goes into the run's log, where verify_runtime looks for it.
Heard heard_in(ProgramRun &run) {
    Heard heard;
    for (const std::string &line : lines_with_prefix(run.outcome.err, kPrefix)) {
        std::istringstream in(line.substr(std::string(kPrefix).size()));
        std::string what;
        in >> what;
        if (what == "START") {
            in >> heard.start;
        } else if (what == "event") {
            int event = 0;
            in >> event;
            in >> heard.events[event];
        } else if (what == "samples") {
            in >> heard.samples;
        } else if (what == "tasks") {
            in >> heard.tasks;
        } else if (what == "library") {
            std::getline(in >> std::ws, run.log.libraries.emplace_back());
        } else if (what == "complaints") {
            in >> heard.complaints;
            std::getline(in, heard.first_complaint);
        }
    }
    return heard;
}

struct Case {
    Runtime runtime;
    const Client *client;
};

std::string name_of_case(const testing::TestParamInfo<Case> &info) {
    std::string name = name_of(info.param.runtime) + "_" + info.param.client->name;
    for (char &c : name) {
        if (c == '-') {
            c = '_';
        }
    }
    return name;
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const int libomp : {14, 19}) {
        for (const Compiler compiler : {Compiler::kClang, Compiler::kGcc}) {
            for (std::size_t i = 0; i < ocb::clients::kClientCount; ++i) {
                const Runtime runtime{libomp, compiler};
                cases.push_back({runtime, &ocb::clients::kClients[i]});
                if (kDefaultWay != Way::kBare) {
                    cases.push_back({bare(runtime), &ocb::clients::kClients[i]});
                }
            }
        }
    }
    return cases;
}

void PrintTo(const Case &each, std::ostream *out) {
    *out << name_of(each.runtime) << " " << each.client->name;
}

class Clients : public testing::TestWithParam<Case> {
  protected:
    void run() {
        Options options;
        options.collector = kReplay;
        options.environment["OCB_TEST_CLIENT"] = GetParam().client->name;
        run_ = run_program(OCB_TEST_PROGRAM_FOLDER, "work", GetParam().runtime, options);
        heard_ = heard_in(run_);
        ASSERT_TRUE(run_.outcome.succeeded()) << run_.outcome.describe();
        ASSERT_EQ("", verify_runtime(run_, GetParam().runtime));
    }
    unsigned count(int event) { return heard_.events[event]; }

    ProgramRun run_;
    Heard heard_;
};

INSTANTIATE_TEST_SUITE_P(On, Clients, testing::ValuesIn(all_cases()), name_of_case);

TEST_P(Clients, IsServed) {
    const Client &client = *GetParam().client;
    ASSERT_NO_FATAL_FAILURE(run());
    EXPECT_EQ(heard_.start, OMP_ERRCODE_OK);
    EXPECT_EQ(heard_.complaints, 0) << heard_.first_complaint;
    EXPECT_GT(heard_.samples, 0U);

    const unsigned if_heard = client.callback == ocb::clients::Callback::kWritten ? 1 : 0;
    const unsigned in_regions = if_heard * kRegions;
    const unsigned on_threads = in_regions * kThreads;
    EXPECT_EQ(count(OMP_EVENT_FORK), in_regions);
    EXPECT_EQ(count(OMP_EVENT_JOIN), in_regions);
    EXPECT_EQ(count(OMP_EVENT_THR_BEGIN_SINGLE), in_regions);
    EXPECT_EQ(count(OMP_EVENT_THR_BEGIN_ORDERED), on_threads);
    EXPECT_EQ(count(OMP_EVENT_THR_END_ORDERED), on_threads);
    // The thread that is to wait may come too late for it, but not each time.
    EXPECT_EQ(count(OMP_EVENT_THR_BEGIN_LKWT) > 0, if_heard > 0);
    EXPECT_EQ(count(OMP_EVENT_THR_BEGIN_LKWT), count(OMP_EVENT_THR_END_LKWT));
    EXPECT_LE(count(OMP_EVENT_THR_BEGIN_LKWT), in_regions);
    // A wait that is interrupted by a task comes in parts; in gcc-built programs EBAR shows as
    // IBAR.
    const unsigned barriers = count(OMP_EVENT_THR_BEGIN_IBAR) + count(OMP_EVENT_THR_BEGIN_EBAR);
    EXPECT_GE(barriers, 3 * on_threads);
    // The last region's end may come too late for the worker.
    EXPECT_LE(barriers - count(OMP_EVENT_THR_END_IBAR) - count(OMP_EVENT_THR_END_EBAR), if_heard);
    EXPECT_GE(count(OMP_EVENT_THR_END_IDLE), in_regions);

    const bool hears_tasks = client.last_event > OMP_EVENT_THR_END_ATWT;
    const unsigned tasks = hears_tasks ? kRegions * kTasks : 0;
    EXPECT_EQ(count(OMP_EVENT_THR_BEGIN_CREATE_TASK), tasks);
    EXPECT_EQ(count(OMP_EVENT_THR_END_CREATE_TASK_IMM) + count(OMP_EVENT_THR_END_CREATE_TASK_DEL),
              tasks);
    EXPECT_EQ(count(OMP_EVENT_THR_BEGIN_EXEC_TASK), tasks);
    EXPECT_EQ(count(OMP_EVENT_THR_BEGIN_FINISH_TASK), tasks);
    EXPECT_EQ(count(OMP_EVENT_THR_END_FINISH_TASK), tasks);
    EXPECT_EQ(heard_.tasks, client.asks_tasks ? tasks : 0);
    for (const int never : {OMP_EVENT_THR_BEGIN_SCHD_TASK, OMP_EVENT_THR_END_SCHD_TASK,
                            OMP_EVENT_THR_BEGIN_STEAL_TASK, OMP_EVENT_THR_END_STEAL_TASK,
                            OMP_EVENT_THR_FETCHED_TASK}) {
        EXPECT_EQ(count(never), 0U) << never;
    }
}

} // namespace
} // namespace ocb_test
