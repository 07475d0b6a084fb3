// SPDX-License-Identifier: Apache-2.0
//
// session_test.cpp - sessions that begin, pause, end and change while regions are running: what
// each thread is told, from its first to its last event. Lines as in sequences_test.cpp.
#include "openmp_test.h"

namespace ocb_test {
namespace {

class Session : public OpenmpTest {
  protected:
    static Options started_by_program(std::vector<std::string> arguments = {}) {
        Options options;
        options.arguments = std::move(arguments);
        options.environment["OCB_TEST_START"] = "program";
        return options;
    }
};

INSTANTIATE_TEST_SUITE_P(On, Session, testing::ValuesIn(OCB_TEST_RUNTIMES), runtime_name);

const Sequence kSecondRegionOfMaster = {
    "between: SERIAL 0 in 0",  "FORK OVHD r2 in 0",     "second: WORK r2 in 0",
    "BEGIN_IBAR IBAR r2 in 0", "END_IBAR IBAR r2 in 0", "JOIN OVHD r2 in 0",
    "after: SERIAL 0 in 0",
};

const Sequence kSecondRegionOfWorker = {
    "END_IDLE IDLE r2", "second: WORK r2",   "BEGIN_IBAR IBAR r2",
    "END_IBAR IBAR r2", "BEGIN_IDLE IDLE 0",
};

// The region has an id at first sight; its FORK was before START, so there is no JOIN.
TEST_P(Session, StartedByTheMasterInsideARegion) {
    ASSERT_NO_FATAL_FAILURE(run("start_inside", started_by_program({"master"})));
    EXPECT_EQ(lines(Sequence{"START OK", "first: WORK r1 in 0", "BEGIN_IBAR IBAR r1 in 0",
                             "END_IBAR IBAR r1 in 0"} +
                    kSecondRegionOfMaster),
              lines(master()));
    EXPECT_EQ(lines(Sequence{"first: WORK r1", "BEGIN_IBAR IBAR r1", "END_IBAR IBAR r1",
                             "BEGIN_IDLE IDLE 0"} +
                    kSecondRegionOfWorker),
              lines(worker()));
}

TEST_P(Session, StartedByAWorkerInsideARegion) {
    ASSERT_NO_FATAL_FAILURE(run("start_inside", started_by_program({"worker"})));
    EXPECT_EQ(
        lines(Sequence{"first: WORK r1 in 0", "BEGIN_IBAR IBAR r1 in 0", "END_IBAR IBAR r1 in 0"} +
              kSecondRegionOfMaster),
        lines(master()));
    EXPECT_EQ(lines(Sequence{"START OK", "first: WORK r1", "BEGIN_IBAR IBAR r1", "END_IBAR IBAR r1",
                             "BEGIN_IDLE IDLE 0"} +
                    kSecondRegionOfWorker),
              lines(worker()));
}

// The worker was idle at START; its BEGIN_IDLE comes when it is first seen.
TEST_P(Session, StartedBetweenTwoRegions) {
    ASSERT_NO_FATAL_FAILURE(run("start_between", started_by_program()));
    EXPECT_EQ(lines({
                  "first: SEQUENCE_ERR",
                  "START OK",
                  "FORK OVHD r1 in 0",
                  "second: WORK r1 in 0",
                  "BEGIN_IBAR IBAR r1 in 0",
                  "END_IBAR IBAR r1 in 0",
                  "JOIN OVHD r1 in 0",
              }),
              lines(master()));
    EXPECT_EQ(lines({
                  "first: SEQUENCE_ERR",
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r1",
                  "second: WORK r1",
                  "BEGIN_IBAR IBAR r1",
                  "END_IBAR IBAR r1",
                  "BEGIN_IDLE IDLE 0",
              }),
              lines(worker()));
}

// Queries go on while paused. What a pause cuts in two is not delivered in its second half either.
TEST_P(Session, PausedAndResumedInsideRegions) {
    ASSERT_NO_FATAL_FAILURE(run("pause"));
    EXPECT_EQ(lines({
                  "START OK",
                  "FORK OVHD r1 in 0",
                  "first: WORK r1 in 0",
                  "PAUSE OK",
                  "paused: SERIAL 0 in 0",
                  "second: WORK r2 in 0",
                  "RESUME OK",
                  "BEGIN_IBAR IBAR r2 in 0",
                  "END_IBAR IBAR r2 in 0",
                  "resumed: SERIAL 0 in 0",
                  "FORK OVHD r3 in 0",
                  "third: WORK r3 in 0",
                  "BEGIN_IBAR IBAR r3 in 0",
                  "END_IBAR IBAR r3 in 0",
                  "JOIN OVHD r3 in 0",
                  "after: SERIAL 0 in 0",
              }),
              lines(master()));
    EXPECT_EQ(lines({
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r1",
                  "first: WORK r1",
                  "second: WORK r2",
                  "BEGIN_IBAR IBAR r2",
                  "END_IBAR IBAR r2",
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r3",
                  "third: WORK r3",
                  "BEGIN_IBAR IBAR r3",
                  "END_IBAR IBAR r3",
                  "BEGIN_IDLE IDLE 0",
              }),
              lines(worker()));
}

TEST_P(Session, StoppedAndStartedAgainInsideRegions) {
    ASSERT_NO_FATAL_FAILURE(run("stop_start"));
    EXPECT_EQ(lines({
                  "START OK",
                  "FORK OVHD r1 in 0",
                  "first: WORK r1 in 0",
                  "STOP OK",
                  "stopped: SEQUENCE_ERR",
                  "second: SEQUENCE_ERR",
                  "START OK",
                  "BEGIN_IBAR IBAR r2 in 0",
                  "END_IBAR IBAR r2 in 0",
                  "started: SERIAL 0 in 0",
                  "FORK OVHD r3 in 0",
                  "third: WORK r3 in 0",
                  "BEGIN_IBAR IBAR r3 in 0",
                  "END_IBAR IBAR r3 in 0",
                  "JOIN OVHD r3 in 0",
                  "after: SERIAL 0 in 0",
              }),
              lines(master()));
    EXPECT_EQ(lines({
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r1",
                  "first: WORK r1",
                  "second: SEQUENCE_ERR",
                  "BEGIN_IBAR IBAR r2",
                  "END_IBAR IBAR r2",
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r3",
                  "third: WORK r3",
                  "BEGIN_IBAR IBAR r3",
                  "END_IBAR IBAR r3",
                  "BEGIN_IDLE IDLE 0",
              }),
              lines(worker()));
}

TEST_P(Session, WithEventsCancelledAndAskedForAgain) {
    ASSERT_NO_FATAL_FAILURE(run("unregister"));
    EXPECT_EQ(lines({
                  "START OK",
                  "FORK OVHD r1 in 0",
                  "first: WORK r1 in 0",
                  "BEGIN_IBAR IBAR r1 in 0",
                  "END_IBAR IBAR r1 in 0",
                  "JOIN OVHD r1 in 0",
                  "UNREGISTER OK JOIN",
                  "UNREGISTER OK BEGIN_IBAR",
                  "UNREGISTER OK END_IBAR",
                  "FORK OVHD r2 in 0",
                  "second: WORK r2 in 0",
                  "FORK OVHD r3 in 0",
                  "third: WORK r3 in 0",
                  "BEGIN_IBAR IBAR r3 in 0",
                  "END_IBAR IBAR r3 in 0",
                  "JOIN OVHD r3 in 0",
              }),
              lines(master()));
    EXPECT_EQ(lines({
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r1",
                  "first: WORK r1",
                  "BEGIN_IBAR IBAR r1",
                  "END_IBAR IBAR r1",
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r2",
                  "second: WORK r2",
                  "BEGIN_IDLE IDLE 0",
                  "END_IDLE IDLE r3",
                  "third: WORK r3",
                  "BEGIN_IBAR IBAR r3",
                  "END_IBAR IBAR r3",
                  "BEGIN_IDLE IDLE 0",
              }),
              lines(worker()));
}

} // namespace
} // namespace ocb_test
