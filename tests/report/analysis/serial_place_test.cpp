// SPDX-License-Identifier: Apache-2.0
//
// Whose time it is outside regions, and who calls MPI there.
#include "serial_place.h"

#include "made_runs.h"
#include "region_figures.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

using ompcollect::kAsleepState;
using ompcollect::kNoProcessorState;

class SerialPlaces : public testing::Test {
  protected:
    // Node 0 is main.
    SerialPlaces() { made_.function("main", 1); }
    Cell &serial(int node, double seconds, unsigned state = THR_SERIAL_STATE, double cpu = -1) {
        made_.time(0, node, state, seconds, cpu);
        made_.process.cells.back().within = state == THR_SERIAL_STATE ? 0 : THR_SERIAL_STATE;
        return made_.process.cells.back();
    }
    [[nodiscard]] std::vector<SerialPlace> places() const { return serial_places(made_.process); }
    int of_library(const char *name, int parent, const char *module) {
        const int node = made_.function(name, 5, parent);
        made_.process.nodes.back().module = module;
        return node;
    }
    static constexpr const char *kLibc = "/lib/x86_64-linux-gnu/libc.so.6";

    MadeProcess made_{2, 10};
};

TEST_F(SerialPlaces, AreFunctionsThatOneCalls) {
    const int parse = made_.function("parse", 2, 0);
    const int copy = made_.function("copy", 3, parse);
    serial(copy, 1);
    ASSERT_EQ(places().size(), 1U);
    EXPECT_EQ(places()[0].node, copy);
    // Another one calls it: it is a helper, and so is what it calls.
    const int write = made_.function("write", 4, 0);
    const int other = made_.function("copy", 3, write);
    const int inner = made_.function("inner", 6, other);
    serial(inner, 2);
    serial(of_library("memcpy", inner, kLibc), 0.5);
    ASSERT_EQ(places().size(), 2U);
    EXPECT_EQ(places()[0].node, write);
    EXPECT_NEAR(places()[0].seconds, 2.5, 1e-12);
    EXPECT_EQ(places()[1].node, parse);
    // Helpers all the way: the outermost function.
    made_.process.nodes[0].function = "copy";
    serial(0, 4);
    EXPECT_EQ(places()[0].node, 0);
    EXPECT_NEAR(places()[0].seconds, 4 + 1 + 2.5, 1e-12);
}

TEST_F(SerialPlaces, OfTheSameTimeAreInTheOrderOfTheTree) {
    const int one = made_.function("one", 2, 0);
    const int two = made_.function("two", 3, 0);
    serial(two, 1);
    serial(one, 1);
    ASSERT_EQ(places().size(), 2U);
    EXPECT_EQ(places()[0].node, one);
    // Of calls in which it sleeps the same, too.
    made_.process.calls = {"read", "write"};
    serial(one, 2, kAsleepState, 0).call = 1;
    serial(one, 2, kAsleepState, 0).call = 0;
    EXPECT_EQ(places()[0].cause, Cause::kSerialAsleep);
    EXPECT_EQ(places()[0].call, 0);
}

// MPI has of what has no path the part that it has of what has one.
TEST_F(SerialPlaces, OfMpiHaveAPartOfWhatHasNoPath) {
    made_.time(1, 0, THR_WORK_STATE, 100);
    const TimeClasses none(made_.process);
    EXPECT_EQ(mpi_outside(made_.process, none).share, 0);
    serial(kOutside, 2, kNoProcessorState, 0.5); // 2 s, whatever its clock has
    EXPECT_EQ(mpi_outside(made_.process, none).all(), 0);
    EXPECT_NEAR(places()[0].seconds, 2, 1e-12);
    serial(of_library("MPI_Send", 0, "/usr/lib/libmpi.so.40"), 3);
    serial(0, 1);
    serial(0, 7, kNoProcessorState, 0); // it waits for a processor, and is no code
    serial(kOutside, 2, THR_SERIAL_STATE, 1.5);
    serial(kOutside, 1, THR_SERIAL_STATE, 1.25).cpu = 1.5; // clocks differ
    const TimeClasses classes(made_.process);
    const MpiOutside mpi = mpi_outside(made_.process, classes);
    EXPECT_NEAR(mpi.with_path, 3, 1e-12);
    EXPECT_NEAR(mpi.pathless, 2.5, 1e-12);
    EXPECT_NEAR(mpi.share, 0.75, 1e-12);
    EXPECT_NEAR(mpi.all(), 3 + 0.75 * 2.5, 1e-12);
    double of_mpi = 0;
    double pathless = 0;
    for (const SerialPlace &place : places()) {
        of_mpi += place.cause == Cause::kMpi ? place.seconds : 0;
        pathless += place.node == kOutside ? place.seconds : 0;
    }
    EXPECT_NEAR(of_mpi, 3 + 0.75 * 2.5, 1e-12);
    EXPECT_NEAR(pathless, 2 + 2 + 1 - 0.75 * 2.5, 1e-12);
}

TEST_F(SerialPlaces, OfAShortRunAreWhatThreadsWait) {
    made_.process.seconds = 0.5;
    made_.process.threads[1].events[OMP_EVENT_FORK] = 1;
    made_.process.threads[1].end = 0.25;
    serial(0, 0.5, kAsleepState, 0);
    ASSERT_EQ(places().size(), 1U);
    EXPECT_NEAR(places()[0].seconds, 0.25, 1e-12);
    made_.process.threads[0].events.clear(); // nothing is known of it
    EXPECT_EQ(ForkingThreads(made_.process).count(), 1U);
}

TEST_F(SerialPlaces, HaveNoRuntimeWithoutForks) {
    Figures figures;
    figures.efficiency.serial = 5;
    RegionFigures &region = figures.regions.emplace_back();
    region.node = made_.region("r", 9, 0);
    EXPECT_EQ(outside_regions(made_.process, figures, 1).part, 0);
    serial(0, 4);
    made_.time(0, kOutside, THR_OVHD_STATE, 2);
    EXPECT_TRUE(outside_regions(made_.process, figures, 1).runtime.empty());
    made_.process.nodes.back().entries = 1;
    const OutsideRegions outside = outside_regions(made_.process, figures, 1);
    EXPECT_NEAR(outside.part, 5 / 6.0, 1e-12);
    ASSERT_EQ(outside.runtime.count(region.node), 1U);
    EXPECT_NEAR(outside.runtime.at(region.node).own, 2 * 5 / 6.0, 1e-12);
}

TEST_F(SerialPlaces, WaitMostWhereThreadsDo) {
    const int one = made_.function("one", 2, 0);
    serial(one, 1, kAsleepState, 0);
    serial(0, 1, kAsleepState, 0);
    const TimeClasses classes(made_.process);
    EXPECT_EQ(waiting_place(made_.process, classes, kOutside, Cause::kAsleep), 0);
    serial(one, 0.5, kAsleepState, 0);
    EXPECT_EQ(waiting_place(made_.process, classes, kOutside, Cause::kAsleep), one);
    EXPECT_EQ(waiting_place(made_.process, classes, kOutside, Cause::kForeignLock), kOutside);
    // Nobody of the program is there.
    const int region = made_.region("r", 9, 1);
    const int poll = of_library("poll", region, kLibc);
    made_.time(0, poll, kAsleepState, 1, 0);
    made_.process.cells.back().within = THR_WORK_STATE;
    EXPECT_EQ(waiting_place(made_.process, TimeClasses(made_.process), region, Cause::kAsleep),
              region);
}

TEST_F(SerialPlaces, HaveCallers) {
    const int again = made_.function("main", 1, 0);
    const int inner = made_.function("inner", 2, again);
    const int region = made_.region("r", 9, 1, inner);
    const int body = made_.function("body", 3, of_library("memcpy", region, kLibc));
    EXPECT_EQ(caller_of_place(made_.process, kOutside), -1);
    EXPECT_EQ(caller_of_place(made_.process, 0), -1);
    EXPECT_EQ(caller_of_place(made_.process, again), -1); // it calls itself
    EXPECT_EQ(caller_of_place(made_.process, inner), again);
    EXPECT_EQ(caller_of_place(made_.process, region), -1);
    EXPECT_EQ(caller_of_place(made_.process, body), region);
    made_.process.nodes[0].kind = NodeKind::kRegion;
    EXPECT_EQ(caller_of_place(made_.process, 0), -1);
}

} // namespace
} // namespace ocb_test
