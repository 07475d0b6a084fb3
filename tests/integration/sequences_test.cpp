// SPDX-License-Identifier: Apache-2.0
//
// sequences_test.cpp - what each thread of a program is told, from its first to its last event,
// construct by construct. A line is an event or a mark of the program, then STATE and CURRENT_PRID,
// and PARENT_PRID where it has an answer (log.h, to_text).
#include "openmp_test.h"

#include "omp_collector_api.h"

#include <set>

namespace ocb_test {
namespace {

class Events : public OpenmpTest {};

INSTANTIATE_TEST_SUITE_P(On, Events, testing::ValuesIn(OCB_TEST_RUNTIMES), runtime_name);

TEST_P(Events, OfTwoRegionsInARow) {
    ASSERT_NO_FATAL_FAILURE(run("two_regions"));
    EXPECT_EQ(lines({
                  "START OK",
                  "before: SERIAL 0 in 0",
                  "FORK OVHD r1 in 0",
                  "body: WORK r1 in 0",
                  "BEGIN_IBAR IBAR r1 in 0",
                  "END_IBAR IBAR r1 in 0",
                  "JOIN OVHD r1 in 0",
                  "between: SERIAL 0 in 0",
                  "FORK OVHD r2 in 0",
                  "body: WORK r2 in 0",
                  "BEGIN_IBAR IBAR r2 in 0",
                  "END_IBAR IBAR r2 in 0",
                  "JOIN OVHD r2 in 0",
                  "after: SERIAL 0 in 0",
              }),
              lines(master()));
    EXPECT_EQ(lines({
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r1",
                  "body: WORK r1",
                  "BEGIN_IBAR IBAR r1",
                  "END_IBAR IBAR r1",
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r2",
                  "body: WORK r2",
                  "BEGIN_IBAR IBAR r2",
                  "END_IBAR IBAR r2",
                  "BEGIN_IDLE IDLE 0",
              }),
              lines(worker()));
}

TEST_P(Events, OfANestedRegionWithATeamOfItsOwn) {
    Options options;
    options.environment["OMP_MAX_ACTIVE_LEVELS"] = "2";
    ASSERT_NO_FATAL_FAILURE(run("nested", options));
    EXPECT_EQ(lines({
                  "START OK",
                  "FORK OVHD r1 in 0",
                  "outer: WORK r1 in 0",
                  "BEGIN_IBAR IBAR r1 in 0",
                  "END_IBAR IBAR r1 in 0",
                  "JOIN OVHD r1 in 0",
                  "after: SERIAL 0 in 0",
              }),
              lines(master()));
    EXPECT_EQ(lines({
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r1",
                  "outer: WORK r1",
                  "FORK OVHD r2 in r1",
                  "inner master: WORK r2 in r1",
                  "BEGIN_IBAR IBAR r2 in r1",
                  "END_IBAR IBAR r2 in r1",
                  "JOIN OVHD r2 in r1",
                  "outer again: WORK r1",
                  "BEGIN_IBAR IBAR r1",
                  "END_IBAR IBAR r1",
                  "BEGIN_IDLE IDLE 0",
              }),
              lines(thread_of("inner master")));
    EXPECT_EQ(lines({
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r2",
                  "inner worker: WORK r2",
                  "BEGIN_IBAR IBAR r2",
                  "END_IBAR IBAR r2",
                  "BEGIN_IDLE IDLE 0",
              }),
              lines(thread_of("inner worker")));
}

TEST_P(Events, OfANestedRegionThatIsSerialized) {
    Options options;
    options.environment["OMP_MAX_ACTIVE_LEVELS"] = "1";
    ASSERT_NO_FATAL_FAILURE(run("nested", options));
    EXPECT_EQ(lines({
                  "START OK",
                  "FORK OVHD r1 in 0",
                  "outer: WORK r1 in 0",
                  "BEGIN_IBAR IBAR r1 in 0",
                  "END_IBAR IBAR r1 in 0",
                  "JOIN OVHD r1 in 0",
                  "after: SERIAL 0 in 0",
              }),
              lines(master()));
    EXPECT_EQ(lines({
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r1",
                  "outer: WORK r1",
                  "FORK OVHD r2 in r1",
                  "inner master: WORK r2 in r1",
                  "JOIN OVHD r2 in r1",
                  "outer again: WORK r1",
                  "BEGIN_IBAR IBAR r1",
                  "END_IBAR IBAR r1",
                  "BEGIN_IDLE IDLE 0",
              }),
              lines(worker()));
}

TEST_P(Events, OfRegionsWithOneThread) {
    ASSERT_NO_FATAL_FAILURE(run("serialized"));
    EXPECT_EQ(lines({
                  "START OK",
                  "FORK OVHD r1 in 0",
                  "if(0): WORK r1 in 0",
                  "JOIN OVHD r1 in 0",
                  "between: SERIAL 0 in 0",
                  "FORK OVHD r2 in 0",
                  "num_threads(1): WORK r2 in 0",
                  "JOIN OVHD r2 in 0",
                  "between: SERIAL 0 in 0",
                  "FORK OVHD r3 in 0",
                  "outer: WORK r3 in 0",
                  "FORK OVHD r4 in r3",
                  "inner: WORK r4 in r3",
                  "JOIN OVHD r4 in r3",
                  "outer again: WORK r3 in 0",
                  "JOIN OVHD r3 in 0",
                  "after: SERIAL 0 in 0",
              }),
              lines(master()));
    EXPECT_TRUE(other_threads(log()).empty());
}

TEST_P(Events, OfExplicitAndImplicitBarriers) {
    ASSERT_NO_FATAL_FAILURE(run("barriers"));
    EXPECT_EQ(lines(Sequence{"START OK", "FORK OVHD r1 in 0", "before barrier: WORK r1 in 0"} +
                    explicit_barrier("r1 in 0") +
                    Sequence{"before loop: WORK r1 in 0", "iteration: WORK r1 in 0"} +
                    implicit_barrier("r1 in 0") + Sequence{"after loop: WORK r1 in 0"} +
                    implicit_barrier("r1 in 0") + Sequence{"JOIN OVHD r1 in 0"}),
              lines(master()));
    EXPECT_EQ(lines(Sequence{"BEGIN_IDLE IDLE 0", "END_IDLE IDLE r1", "before barrier: WORK r1"} +
                    explicit_barrier("r1") +
                    Sequence{"before loop: WORK r1", "iteration: WORK r1"} +
                    implicit_barrier("r1") + Sequence{"after loop: WORK r1"} +
                    implicit_barrier("r1") + Sequence{"BEGIN_IDLE IDLE 0"}),
              lines(worker()));
}

TEST_P(Events, NameABarrierByOneIdInTheWholeTeam) {
    ASSERT_NO_FATAL_FAILURE(run("barriers"));
    std::vector<std::vector<std::uint64_t>> ids; // per thread, in order
    for (const ThreadLog &thread : log().threads) {
        std::vector<std::uint64_t> &own = ids.emplace_back();
        for (const Record &record : thread.records) {
            const int state = record.answers.state;
            if (record.kind == RecordKind::kEvent &&
                (state == THR_IBAR_STATE || state == THR_EBAR_STATE)) {
                own.push_back(record.answers.wait_id);
            }
        }
    }
    ASSERT_EQ(2U, ids.size());
    ASSERT_EQ(6U, ids[0].size()); // BEGIN and END of three barriers
    EXPECT_EQ(ids[0], ids[1]);
    for (std::size_t i = 0; i < ids[0].size(); i += 2) {
        EXPECT_EQ(ids[0][i], ids[0][i + 1]);
    }
    EXPECT_EQ(3U, std::set<std::uint64_t>(ids[0].begin(), ids[0].end()).size());
    EXPECT_NE(0U, ids[0][0]);
}

TEST_P(Events, OfAContendedCriticalRegion) {
    ASSERT_NO_FATAL_FAILURE(run("critical"));
    EXPECT_EQ(lines(Sequence{"START OK", "FORK OVHD r1 in 0", "master inside: WORK r1 in 0"} +
                    explicit_barrier("r1 in 0") + implicit_barrier("r1 in 0") +
                    Sequence{"JOIN OVHD r1 in 0"}),
              lines(master()));
    EXPECT_EQ(lines(Sequence{"BEGIN_IDLE IDLE 0", "END_IDLE IDLE r1", "BEGIN_CTWT CTWT r1",
                             "END_CTWT CTWT r1", "worker inside: WORK r1"} +
                    explicit_barrier("r1") + Sequence{"worker inside: WORK r1"} +
                    implicit_barrier("r1") + Sequence{"BEGIN_IDLE IDLE 0"}),
              lines(worker()));
    const ThreadLog *thread = thread_with_mark(log(), "worker inside");
    ASSERT_NE(nullptr, thread);
    const auto begin = events_of(*thread, OMP_EVENT_THR_BEGIN_CTWT);
    const auto end = events_of(*thread, OMP_EVENT_THR_END_CTWT);
    ASSERT_EQ(1U, begin.size());
    ASSERT_EQ(1U, end.size());
    EXPECT_NE(0U, begin[0].answers.wait_id);
    EXPECT_EQ(begin[0].answers.wait_id, end[0].answers.wait_id);
}

TEST_P(Events, OfContendedLocks) {
    ASSERT_NO_FATAL_FAILURE(run("lock"));
    // The marks with the addresses come after START.
    std::vector<std::uint64_t> addresses;
    Sequence initial = master();
    ASSERT_GE(initial.size(), 3U);
    for (std::size_t i = 1; i <= 2; ++i) {
        const std::string &label = log().threads[0].records[i].label;
        addresses.push_back(std::stoull(label.substr(label.rfind(' ')), nullptr, 16));
    }
    initial.erase(initial.begin() + 1, initial.begin() + 3);
    EXPECT_EQ(lines(Sequence{"START OK", "FORK OVHD r1 in 0"} + explicit_barrier("r1 in 0") +
                    explicit_barrier("r1 in 0") + explicit_barrier("r1 in 0") +
                    implicit_barrier("r1 in 0") + Sequence{"JOIN OVHD r1 in 0"}),
              lines(initial));
    EXPECT_EQ(
        lines(Sequence{"BEGIN_IDLE IDLE 0", "END_IDLE IDLE r1", "BEGIN_LKWT LKWT r1",
                       "END_LKWT LKWT r1", "worker inside: WORK r1"} +
              explicit_barrier("r1") + Sequence{"worker inside: WORK r1"} + explicit_barrier("r1") +
              Sequence{"BEGIN_LKWT LKWT r1", "END_LKWT LKWT r1", "worker inside twice: WORK r1"} +
              explicit_barrier("r1") + Sequence{"tested: WORK r1"} + implicit_barrier("r1") +
              Sequence{"BEGIN_IDLE IDLE 0"}),
        lines(worker()));
    const ThreadLog *thread = thread_with_mark(log(), "worker inside");
    ASSERT_NE(nullptr, thread);
    std::vector<std::uint64_t> begin;
    std::vector<std::uint64_t> end;
    for (const Record &record : events_of(*thread, OMP_EVENT_THR_BEGIN_LKWT)) {
        begin.push_back(record.answers.wait_id);
    }
    for (const Record &record : events_of(*thread, OMP_EVENT_THR_END_LKWT)) {
        end.push_back(record.answers.wait_id);
    }
    EXPECT_EQ(addresses, begin);
    EXPECT_EQ(addresses, end);
}

// The runtime does not say whether a thread has to wait for its turn, so every ordered region of a
// team begins with a wait.
TEST_P(Events, OfAnOrderedLoop) {
    ASSERT_NO_FATAL_FAILURE(run("ordered"));
    const std::string state = in_callback();
    EXPECT_EQ(lines(Sequence{"START OK", "FORK OVHD r1 in 0", "BEGIN_ODWT ODWT r1 in 0",
                             "END_ODWT ODWT r1 in 0", "BEGIN_ORDERED " + state + " r1 in 0",
                             "ordered: WORK r1 in 0", "END_ORDERED " + state + " r1 in 0"} +
                    implicit_barrier("r1 in 0") + Sequence{"after loop: WORK r1 in 0"} +
                    implicit_barrier("r1 in 0") + Sequence{"JOIN OVHD r1 in 0"}),
              lines(master()));
    EXPECT_EQ(lines(Sequence{"BEGIN_IDLE IDLE 0", "END_IDLE IDLE r1", "BEGIN_ODWT ODWT r1",
                             "END_ODWT ODWT r1", "BEGIN_ORDERED " + state + " r1",
                             "ordered: WORK r1", "END_ORDERED " + state + " r1"} +
                    implicit_barrier("r1") + Sequence{"after loop: WORK r1"} +
                    implicit_barrier("r1") + Sequence{"BEGIN_IDLE IDLE 0"}),
              lines(worker()));
}

TEST_P(Events, OfSingleAndMaster) {
    ASSERT_NO_FATAL_FAILURE(run("single_master"));
    const ThreadLog *executor = thread_with_mark(log(), "single");
    ASSERT_NE(nullptr, executor);
    const std::string state = in_callback();
    const auto single = [&](bool by_master) {
        const std::string where = by_master ? "r1 in 0" : "r1";
        return (executor->index == 0) == by_master
                   ? Sequence{"BEGIN_SINGLE " + state + " " + where, "single: WORK " + where,
                              "END_SINGLE " + state + " " + where}
                   : Sequence{};
    };
    // gcc compiles a master construct into a comparison of the thread's number.
    const Sequence master_construct =
        is_gcc() ? Sequence{"master: WORK r1 in 0"}
                 : Sequence{"BEGIN_MASTER " + state + " r1 in 0", "master: WORK r1 in 0",
                            "END_MASTER " + state + " r1 in 0"};
    EXPECT_EQ(lines(Sequence{"START OK", "FORK OVHD r1 in 0"} + single(true) +
                    implicit_barrier("r1 in 0") + master_construct + implicit_barrier("r1 in 0") +
                    Sequence{"JOIN OVHD r1 in 0"}),
              lines(master()));
    EXPECT_EQ(lines(Sequence{"BEGIN_IDLE IDLE 0", "END_IDLE IDLE r1"} + single(false) +
                    implicit_barrier("r1") + implicit_barrier("r1") +
                    Sequence{"BEGIN_IDLE IDLE 0"}),
              lines(worker()));
}

TEST_P(Events, OfAThreadThatLeavesOpenmpAlone) {
    Options options;
    options.arguments = {"plain"};
    ASSERT_NO_FATAL_FAILURE(run("foreign", options));
    EXPECT_EQ(lines({"START OK", "before: SERIAL 0 in 0", "after: SERIAL 0 in 0"}),
              lines(master()));
    EXPECT_EQ(lines({"foreign: SERIAL 0"}), lines(worker()));
}

TEST_P(Events, OfARegionInAForeignThread) {
    Options options;
    options.arguments = {"openmp"};
    ASSERT_NO_FATAL_FAILURE(run("foreign", options));
    EXPECT_EQ(lines({"START OK", "before: SERIAL 0 in 0", "after: SERIAL 0 in 0"}),
              lines(master()));
    EXPECT_EQ(lines({
                  "foreign: SERIAL 0",
                  "FORK OVHD r1 in 0",
                  "foreign master: WORK r1 in 0",
                  "BEGIN_IBAR IBAR r1 in 0",
                  "END_IBAR IBAR r1 in 0",
                  "JOIN OVHD r1 in 0",
                  "foreign after: SERIAL 0",
              }),
              lines(thread_of("foreign")));
    EXPECT_EQ(lines({
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r1",
                  "foreign worker: WORK r1",
                  "BEGIN_IBAR IBAR r1",
                  "END_IBAR IBAR r1",
                  "BEGIN_IDLE IDLE 0",
              }),
              lines(thread_of("foreign worker")));
}

// Old collectors keep 31 bits of an id.
TEST_P(Events, NameRegionsBySmallDistinctNumbers) {
    Options options;
    options.environment["OMP_MAX_ACTIVE_LEVELS"] = "2";
    ASSERT_NO_FATAL_FAILURE(run("nested", options));
    std::vector<std::uint64_t> ids;
    for (const ThreadLog &thread : log().threads) {
        for (const Record &record : events_of(thread, OMP_EVENT_FORK)) {
            ids.push_back(record.answers.region);
        }
    }
    ASSERT_EQ(2U, ids.size());
    EXPECT_EQ(1U, ids[0]);
    EXPECT_NE(ids[0], ids[1]);
    EXPECT_LT(ids[1], 1000U);
}

} // namespace
} // namespace ocb_test
