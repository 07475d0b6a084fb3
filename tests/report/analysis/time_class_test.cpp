// SPDX-License-Identifier: Apache-2.0
//
// What the program's own time was spent on, told by call paths and system calls; and the values of
// a run that were not measured.
#include "made_runs.h"
#include "processor_sets.h"
#include "time_class.h"

#include "process.h"
#include "run_binary.h"
#include "run_file.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ocb_test {
namespace {

using ompcollect::kAsleepState;
using ompcollect::kNoProcessorState;

// main calls each of them; all time is serial.
struct Frames {
    MadeProcess made{1, 10};
    int main = made.function("main", 1);

    int below(int parent, const char *name, const char *module) {
        const int node = made.function(name, 5, parent);
        made.process.nodes.back().module = module;
        return node;
    }
    Cell &add(int node, unsigned state, unsigned within = THR_SERIAL_STATE) {
        made.time(0, node, state, 1);
        made.process.cells.back().within = within;
        return made.process.cells.back();
    }
    // Of the last cell.
    TimeClass last() { return TimeClasses(made.process).of(made.process.cells.back()); }
};

TEST(TimeClass, IsMpiBelowTheOutermostFrameOfIt) {
    Frames frames;
    const int call = frames.below(frames.main, "PMPI_Allreduce", "/usr/lib/libmpich.so.12");
    const int poll = frames.below(call, "poll", "/lib/x86_64-linux-gnu/libc.so.6");
    const TimeClasses classes(frames.made.process);
    EXPECT_EQ(classes.mpi_node(poll), call);
    EXPECT_EQ(classes.mpi_call(poll), "MPI_Allreduce");
    EXPECT_EQ(classes.mpi_node(frames.main), -1);
    EXPECT_EQ(classes.mpi_call(frames.main), "");
    EXPECT_EQ(classes.mpi_node(kOutside), -1);

    for (const unsigned state :
         {unsigned{THR_SERIAL_STATE}, unsigned{THR_WORK_STATE}, kAsleepState, kNoProcessorState}) {
        frames.add(poll, state);
        EXPECT_EQ(frames.last(), TimeClass::kMpi) << state;
    }
    frames.add(poll, THR_IBAR_STATE);
    EXPECT_EQ(frames.last(), TimeClass::kRuntime);
}

TEST(TimeClass, KnowsTheModulesOfMpiAndTheNamesOfFortran) {
    for (const auto &[name, module, call] :
         {std::tuple{"mpi_allreduce_", "/x/app", "MPI_Allreduce"},
          std::tuple{"MPI_ALLTOALLV", "/x/app", "MPI_Alltoallv"},
          std::tuple{"PMPI_ALLREDUCE__", "/x/app", "MPI_Allreduce"},
          std::tuple{"MPI_", "/x/app", "MPI_"},
          std::tuple{"opal_progress", "/usr/lib/libopen-pal.so.40", "opal_progress"},
          std::tuple{"x", "/usr/lib/openmpi/mca_btl_vader.so", "x"},
          std::tuple{"MPI_Send", "/x/libmpi.so.40", "MPI_Send"},
          std::tuple{"f", "/x/libmpi-4.so", "f"}, std::tuple{"f", "/x/libmpiwrapped.so", ""},
          std::tuple{"f", "/x/libmpfr.so.6", ""}}) {
        Frames frames;
        const int node = frames.below(frames.main, name, module);
        EXPECT_EQ(TimeClasses(frames.made.process).mpi_call(node), call) << name << module;
    }
}

constexpr const char *kLibc = "/lib/x86_64-linux-gnu/libc.so.6";

// A mutex that is free costs the caller its own time; in the part for one that is not, all is
// waiting.
TEST(TimeClass, IsALockOfTheSystemsLibraries) {
    Frames frames;
    const int lock = frames.below(frames.main, "pthread_mutex_lock", kLibc);
    const int wait = frames.below(lock, "__lll_lock_wait", kLibc);
    const int wake =
        frames.below(frames.below(frames.main, "fputc", kLibc), "__lll_lock_wake_private", kLibc);
    for (const unsigned within : {THR_SERIAL_STATE, THR_WORK_STATE}) {
        frames.add(lock, within);
        EXPECT_EQ(frames.last(), TimeClass::kCode);
        frames.add(lock, kNoProcessorState, within);
        EXPECT_EQ(frames.last(), TimeClass::kNoProcessor);
        frames.add(lock, kAsleepState, within);
        EXPECT_EQ(frames.last(), TimeClass::kLock);
        for (const int node : {wait, wake}) {
            for (const unsigned state : {within, kAsleepState, kNoProcessorState}) {
                frames.add(node, state, within);
                EXPECT_EQ(frames.last(), TimeClass::kLock) << state;
            }
        }
    }
    frames.add(wait, THR_IBAR_STATE);
    EXPECT_EQ(frames.last(), TimeClass::kRuntime);
    frames.add(frames.below(frames.main, "__lll_lock_wait", "/x/app"), THR_WORK_STATE);
    EXPECT_EQ(frames.last(), TimeClass::kCode) << "the program's own";
    const TimeClasses classes(frames.made.process);
    EXPECT_EQ(classes.wait_node(wait), lock);
    EXPECT_EQ(classes.wait_node(frames.main), -1);
}

// Its function has no name: what Python waits for so is its one lock.
TEST(TimeClass, IsThePythonsLockWhereItWaitsForACondition) {
    for (const char *module : {"/usr/bin/python3.11", "/usr/lib/libpython3.13.so.1.0"}) {
        Frames frames;
        const int loop = frames.below(frames.main, "_PyEval_EvalFrameDefault", module);
        for (const char *wait : {"pthread_cond_timedwait@@GLIBC_2.3.2", "pthread_cond_clockwait"}) {
            frames.add(frames.below(loop, wait, kLibc), kAsleepState);
            EXPECT_EQ(frames.last(), TimeClass::kLock) << module;
        }
        frames.add(frames.below(loop, "pthread_join", kLibc), kAsleepState);
        EXPECT_EQ(frames.last(), TimeClass::kOwnThread);
        frames.add(frames.below(frames.main, "pthread_cond_clockwait", kLibc), kAsleepState);
        EXPECT_EQ(frames.last(), TimeClass::kOwnThread);
    }
}

TEST(TimeClass, IsAnotherThreadOfTheProgram) {
    Frames frames;
    const int join = frames.below(frames.main, "std::thread::join()", "/usr/lib/libstdc++.so.6");
    frames.add(frames.below(join, "pthread_join", kLibc), kAsleepState);
    EXPECT_EQ(frames.last(), TimeClass::kOwnThread);
    const int condition = frames.below(frames.main, "pthread_cond_wait@@GLIBC_2.3.2", kLibc);
    frames.add(frames.below(condition, "__lll_lock_wait", kLibc), THR_WORK_STATE);
    EXPECT_EQ(frames.last(), TimeClass::kOwnThread) << "the outermost wait says for what";
    frames.add(condition, THR_WORK_STATE);
    EXPECT_EQ(frames.last(), TimeClass::kCode);
}

// Its workers are nobody's, and its regions look like serial code.
TEST(TimeClass, IsUnobservedInTheRegionOfAnotherRuntime) {
    Frames frames;
    const std::string name = std::string("part") + ompcollect::report::kUnobservedRegion;
    const int forks = frames.below(frames.main, "part", "/x/libpart.so");
    const int other = frames.below(forks, "prepare", "/x/libpart.so");
    const int part = frames.below(forks, name.c_str(), "/x/libpart.so");
    const int work = frames.below(part, "work", "/x/libpart.so");
    frames.add(work, kNoProcessorState);
    EXPECT_EQ(frames.last(), TimeClass::kUnobserved);
    frames.add(work, THR_SERIAL_STATE);
    EXPECT_EQ(frames.last(), TimeClass::kUnobserved);
    EXPECT_EQ(unobserved_seconds(frames.made.process), 2);
    frames.add(work, THR_WORK_STATE);
    EXPECT_EQ(frames.last(), TimeClass::kCode) << "in an observed region that is around it";
    frames.add(forks, kAsleepState);
    EXPECT_EQ(frames.last(), TimeClass::kUnobserved) << "waits for its end";
    for (const int node : {frames.main, other}) {
        frames.add(node, THR_SERIAL_STATE);
        EXPECT_EQ(frames.last(), TimeClass::kCode);
    }
    EXPECT_EQ(unobserved_seconds(frames.made.process), 3);
}

TEST(OtherRuntimes, AreThoseThatAreNotObserved) {
    const auto others = [](const char *observed) {
        return other_runtimes({"/lib/libc.so.6", "/lib/libgomp.so.1", "/lib/libomp.so.5",
                               "/lib/libgomp.so.1", "/x/libomp-collector-front.so"},
                              observed);
    };
    EXPECT_EQ(others("/x/libomp-collector-front.so"), "/lib/libomp.so.5");
    EXPECT_EQ(others("/lib/libomp.so.5"), "/lib/libgomp.so.1");
    EXPECT_EQ(others("/other/libomp.so.5"), "/lib/libgomp.so.1, /lib/libomp.so.5");
    EXPECT_EQ(others(""), "") << "none is observed";
}

TEST(TimeClass, IsSleepByTheSystemCall) {
    Frames frames;
    frames.made.process.calls = {"read", "futex"};
    frames.add(frames.below(frames.main, "read", kLibc), kAsleepState).call = 0;
    EXPECT_EQ(frames.last(), TimeClass::kAsleep);
    EXPECT_EQ(call_name(frames.made.process, frames.made.process.cells.back()), "read");
    frames.add(frames.main, kAsleepState).call = 1;
    EXPECT_EQ(frames.last(), TimeClass::kOwnThread) << "where no function is known";
    frames.add(frames.main, kAsleepState);
    EXPECT_EQ(frames.last(), TimeClass::kAsleep);
    EXPECT_EQ(call_name(frames.made.process, frames.made.process.cells.back()), "");
}

TEST(TimeClass, IsWaitingForAProcessorInAnyState) {
    Frames frames;
    for (const unsigned within : {THR_SERIAL_STATE, THR_WORK_STATE, THR_IBAR_STATE}) {
        const Cell &cell = frames.add(frames.main, kNoProcessorState, within);
        EXPECT_EQ(state_within(cell), within);
        EXPECT_EQ(frames.last(), TimeClass::kNoProcessor);
    }
    frames.add(frames.main, THR_SERIAL_STATE, 0);
    EXPECT_EQ(state_within(frames.made.process.cells.back()), unsigned{THR_SERIAL_STATE});
}

TEST(Unmeasured, IsNoNumberInAnyFile) {
    Process process = made_imbalance();
    process.threads[1].has_cpu_times = false;
    process.locks.push_back({THR_LKWT_STATE, 7, {"lock", ""}, {}, 0, 3, 0.5, 0});
    process.events[OMP_EVENT_THR_BEGIN_LKWT].registered = OMP_ERRCODE_UNSUPPORTED;
    forget_unmeasured(process);
    EXPECT_FALSE(process.has_cpu_times);
    EXPECT_FALSE(knows_waits(process, process.locks[0]));
    Lock other = process.locks[0];
    other.state = THR_CTWT_STATE;
    EXPECT_FALSE(knows_waits(process, other)); // it was seen waiting
    other.waits = 1;
    EXPECT_TRUE(knows_waits(process, other));
    EXPECT_FALSE(is_known(process.locks[0].cpu));
    for (const Cell &cell : process.cells) {
        EXPECT_EQ(is_known(cell.cpu), cell.thread != 1);
    }

    std::ostringstream json;
    write_run({{process}}, json);
    EXPECT_NE(json.str().find("\"waits\":null"), std::string::npos);
    EXPECT_NE(json.str().find("\"waited_for_own\":null"), std::string::npos);
    std::stringstream binary;
    write_binary({{process}}, binary);
    EXPECT_FALSE(read_binary(binary, "run").processes.front().threads[1].has_cpu_times);
    const Process again = read_run(json.str(), "run.json").processes.front();
    EXPECT_FALSE(is_known(again.waited_for_own));
    EXPECT_FALSE(is_known(again.threads[0].cpu_seconds));
    EXPECT_FALSE(again.threads[1].has_cpu_times);
    ASSERT_EQ(again.cells.size(), process.cells.size());
    for (size_t i = 0; i < again.cells.size(); ++i) {
        EXPECT_EQ(is_known(again.cells[i].cpu), is_known(process.cells[i].cpu));
    }
}

TEST(Unmeasured, IsWhatAnOldRunSaysWasNotMeasuredApart) {
    Process process = made_imbalance();
    process.has_cpu_times = false;
    forget_unmeasured(process);
    EXPECT_FALSE(is_known(process.cells[0].cpu));
    EXPECT_FALSE(process.threads[0].has_cpu_times);

    // By the clock of processors alone both are the same.
    process = made_imbalance();
    process.has_cpu_times = false;
    process.has_wall_times = false;
    forget_unmeasured(process);
    EXPECT_TRUE(is_known(process.cells[0].cpu));
}

TEST(Processors, AreRangesForPeople) {
    EXPECT_EQ(processors_text({0, 3, 8, 8}), "0-3,8");
    EXPECT_EQ(processors_in({0, 3, 8, 8}), 5U);
    EXPECT_EQ(processors_text({}), "");
    EXPECT_EQ(processors_in({}), 0U);
    EXPECT_EQ(ranges_of_bits({0x10f, 1}), (std::vector<uint64_t>{0, 3, 8, 8, 64, 64}));
}

// As by OMP_PROC_BIND: each thread has its own, and together they have both.
TEST(Processors, OfAProcessAreThoseOfAllItsThreads) {
    Process process = made_healthy();
    EXPECT_EQ(processors_of(process.threads), 0U);
    for (Thread &thread : process.threads) {
        thread.fewest_processors = {thread.number % 2, thread.number % 2};
    }
    EXPECT_EQ(processors_of(process.threads), 2U);
    process.threads[3].last_processors = {0, 7}; // it was bound for a part of the run
    EXPECT_EQ(processors_of(process.threads), 8U);
}

TEST(Processors, AreSharedByThreadsOfTheSameTime) {
    Process process = made_healthy();
    for (Thread &thread : process.threads) {
        thread.fewest_processors = {3, 3};
    }
    EXPECT_EQ(most_on_one_processor(process.threads), 4U);
    process.threads[0].end = process.threads[1].begin = 0.5; // one after the other
    process.threads[2].fewest_processors = {2, 2};
    process.threads[3].fewest_processors = {2, 3};
    EXPECT_EQ(most_on_one_processor(process.threads), 1U);
    process.threads[0].end = 0.6;
    EXPECT_EQ(most_on_one_processor(process.threads), 2U);
}

} // namespace
} // namespace ocb_test
