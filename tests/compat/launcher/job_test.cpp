// SPDX-License-Identifier: Apache-2.0
//
// A job around the program: wrappers, several processes, output files.
#include "command.h"
#include "job_runs.h"
#include "run.h"

#include "omp_collector_api.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

struct WrapperCase {
    const char *name;
    const char *command; // $1 is the program, $2 the folder of the tests' programs' sources
    int exit_code;
    const char *needs = "sh"; // a program of the system
    size_t reports = 1;
};

class Wrapper : public testing::TestWithParam<WrapperCase> {};

// "$0" is the launcher.
TEST_P(Wrapper, IsSeenThrough) {
    OCB_SKIP_IF_SANITIZED();
    if (!run_shell("command -v \"$1\"", {GetParam().needs}).succeeded()) {
        GTEST_SKIP() << GetParam().needs << " is not installed";
    }
    for (const std::string &program : {kClangEnding, kGccEnding}) {
        const Outcome outcome = run_shell(std::string("\"$0\" ") + GetParam().command,
                                          {program, OCB_TEST_SOURCES "/programs"});
        EXPECT_EQ(outcome.exit_code, GetParam().exit_code) << outcome.describe();
        EXPECT_EQ(count(outcome.err, kReportHead), GetParam().reports) << outcome.describe();
        EXPECT_NE(outcome.err.find("region ending.c:"), std::string::npos) << outcome.describe();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Launcher, Wrapper,
    testing::Values(
        WrapperCase{"taskset", "taskset -c 0 \"$1\" exit 3", 3},
        WrapperCase{"nice", "nice -n 1 \"$1\" exit 3", 3},
        WrapperCase{"timeout", "timeout 60 \"$1\" exit 3", 3},
        WrapperCase{"env", "env A=b \"$1\" exit 3", 3},
        WrapperCase{"setsid", "setsid -w \"$1\" exit 3", 3},
        WrapperCase{"nohup", "nohup \"$1\" exit 3", 3},
        WrapperCase{"stdbuf", "stdbuf -o0 \"$1\" exit 3", 3},
        WrapperCase{"xargs", "xargs -a /dev/null \"$1\" exit", 0},
        WrapperCase{"bash", "bash -c \"'$1' exit 3; exit 4\"", 4},
        WrapperCase{"sh_exec", "sh -c \"exec '$1' exit 3\"", 3},
        WrapperCase{"wrapped_twice", "nice env taskset -c 0 \"$1\" exit 3", 3},
        WrapperCase{"time", "/usr/bin/time -o /dev/null \"$1\" exit 3", 3, "/usr/bin/time"},
        WrapperCase{"srun", "\"$2\"/stand-in/srun -n 2 \"$1\" exit", 0, "sh", 2},
        WrapperCase{"Rscript", "Rscript -e \"quit(status = system('\\\"$1\\\" exit 3'))\"", 3,
                    "Rscript"},
        WrapperCase{"mpirun",
                    "env OMPI_ALLOW_RUN_AS_ROOT=1 "
                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                    "mpirun --oversubscribe -n 2 \"$1\" exit",
                    0, "mpirun"}), // one report of both ranks
    [](const auto &row) { return row.param.name; });

TEST(Job, PluginsBringTheirRuntime) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string host = OCB_TEST_PROGRAMS "/gcc/plugin_host";
    for (const char *plugin :
         {OCB_TEST_PROGRAMS "/gcc/plugin.so", OCB_TEST_PROGRAMS "/clang/plugin.so"}) {
        const Outcome outcome = launch({host, plugin});
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_NE(outcome.err.find("work plugin.c:"), std::string::npos) << outcome.describe();
    }
}

TEST(Job, AWheelsRuntimeIsFound) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome =
        launch({OCB_TEST_PROGRAMS "/gcc/plugin_host", OCB_TEST_PROGRAMS "/wheel/plugin.so"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_NE(outcome.err.find("work plugin.c:"), std::string::npos) << outcome.describe();
}

TEST(Job, AddressSanitizerComesFirst) {
    OCB_SKIP_IF_SANITIZED();
    for (const char *program : {OCB_TEST_PROGRAMS "/asan", OCB_TEST_PROGRAMS "/asan-clang"}) {
        const Outcome outcome = launch({program, "exit", "3"});
        EXPECT_EQ(outcome.exit_code, 3) << outcome.describe();
        EXPECT_NE(outcome.err.find("region ending.c:"), std::string::npos) << outcome.describe();
    }
}

// A worker that has not come to its first event is no thread without OpenMP.
TEST(Job, ThreadsWithoutOpenMpAreCounted) {
    OCB_SKIP_IF_SANITIZED();
    constexpr char kOne[] = "outside of these sums: 1 thread without OpenMP, processor ";
    for (const char *program :
         {OCB_TEST_PROGRAMS "/clang/late_threads", OCB_TEST_PROGRAMS "/gcc/late_threads"}) {
        const Outcome bystander = launch({program, "bystander"});
        EXPECT_NE(bystander.err.find(kOne), std::string::npos) << bystander.describe();
        const Outcome worker = launch({program, "worker"});
        EXPECT_NE(worker.out.find("late"), std::string::npos) << worker.describe();
        EXPECT_EQ(count(worker.err, kReportHead), 1U) << worker.describe();
        EXPECT_EQ(worker.err.find("without OpenMP"), std::string::npos) << worker.describe();
    }
}

TEST(Job, WritesAFileForEachProcess) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const Outcome outcome = launch({"-o", folder.file("a %p.txt"), kClangEnding, "fork"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.err, "");
    size_t files = 0;
    for (const auto &entry : fs::directory_iterator(folder.file(""))) {
        const std::string text = file_text(entry.path());
        const std::string name = entry.path().filename();
        EXPECT_EQ(count(text, kReportHead), 1U);
        EXPECT_NE(text.find("pid " + name.substr(2, name.find('.') - 2)), std::string::npos)
            << name << text;
        ++files;
    }
    EXPECT_EQ(files, 2U);
}

// As mpirun does: a launcher for each rank, all with the same words.
TEST(Job, RanksDoNotOverwriteEachOther) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = R"SH(
        for rank in 0 1 2; do
            OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 "$0" -o "$2" "$1" &
        done
        wait
    )SH";
    const Outcome outcome = run_shell(script, {kClangEnding, folder.file("out")});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    for (const char *name : {"out.0", "out.1", "out.2"}) {
        EXPECT_EQ(count(file_text(folder.file(name)), kReportHead), 1U) << name;
    }
}

struct OwnTimes {
    int rank;
    double serial;
    double parallel;
};

std::vector<OwnTimes> own_times(const std::string &printed) {
    std::vector<OwnTimes> times;
    std::istringstream in(printed);
    for (OwnTimes rank; in >> rank.rank >> rank.serial >> rank.parallel;) {
        times.push_back(rank);
    }
    return times;
}

// By the clock: waiting for a processor and sleeping are within.
double serial_seconds(const ompcollect::report::Process &process) {
    double seconds = 0;
    for (const ompcollect::report::Cell &cell : process.cells) {
        seconds += state_within(cell) == THR_SERIAL_STATE ? cell.wall : 0;
    }
    return seconds;
}

// How far the run's SERIAL is from what each rank has measured itself, the worst of them.
double worst_serial_error(const std::string &program) {
    const TemporaryFolder folder;
    const Outcome outcome = run_shell(
        R"("$0" -o "$2" mpirun --oversubscribe -n 2 "$1")", {program, folder.file("run.ompc")},
        {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
    const std::vector<OwnTimes> times = own_times(outcome.out);
    EXPECT_TRUE(outcome.succeeded() && times.size() == 2) << outcome.describe();
    const auto run = ompcollect::report::load_run(folder.file("run.ompc"), {});
    EXPECT_EQ(run.processes.size(), 2U);
    double worst = 0;
    for (const OwnTimes &rank : times) {
        for (const ompcollect::report::Process &process : run.processes) {
            if (process.rank == std::to_string(rank.rank)) {
                worst = std::max(worst, std::abs(serial_seconds(process) / rank.serial - 1));
            }
        }
    }
    return worst;
}

// A thread of MPI's own or a program's is not in it. A busy machine gets some tries.
TEST(Job, SerialTimeIsThatOfEachRanksMaster) {
    OCB_SKIP_IF_SANITIZED();
    if (!run_shell("command -v mpirun", {}).succeeded()) {
        GTEST_SKIP() << "mpirun is not installed";
    }
    constexpr double kTolerance = 0.2;
    for (const char *compiler : {"/clang", "/gcc"}) {
        double error = 1;
        for (int tries = 0; tries < 5 && error > kTolerance; ++tries) {
            error = worst_serial_error(std::string(OCB_TEST_PROGRAMS) + compiler + "/serial_share");
        }
        EXPECT_LE(error, kTolerance);
    }
}

// Launchers that nothing tells apart, at the same time on one file and on one stderr.
TEST(Job, ReportsOfSeveralLaunchersAreWhole) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = R"SH(
        for i in 1 2 3 4; do "$0" --all -o "$2" "$1" & "$0" --all "$1" & done
        wait
    )SH";
    const Outcome outcome = run_shell(script, {kClangEnding, folder.file("out")});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    for (const std::string &text : {file_text(folder.file("out")), outcome.err}) {
        EXPECT_EQ(count(text, kReportHead), 4U) << text;
        std::string rest = text;
        for (int i = 0; i < 4; ++i) { // head, tables, and the last line, in this order
            const size_t head = rest.find(kReportHead);
            const size_t end = rest.find("\nSamples\n");
            ASSERT_NE(end, std::string::npos) << text;
            EXPECT_LT(head, end);
            EXPECT_EQ(rest.find(kReportHead, head + 1) > end, true) << text;
            rest = rest.substr(end + 1);
        }
    }
}

TEST(Job, AReportForAFullDiskGoesToStderr) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = launch({"-o", "/dev/full", kClangEnding});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(
        outcome.err.find("ompcollect: the profile could not be written to /dev/full: No space "
                         "left on device; it follows here\n"),
        0U)
        << outcome.err;
    EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.err;
}

// The program takes the folder away, so that nothing can be written there at the end.
TEST(Job, ARunThatCannotBeSavedIsKept) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const Outcome outcome = run_shell(R"SH(
        export TMPDIR=$2
        mkdir "$2/gone"
        "$0" -o "$2/gone/run.ompc" sh -c '"$0" exit 3; rmdir "$1/gone"; exit 3' "$1" "$2"
        echo $?
        "$0" report "$2"/ompcollect-run-*/run.ompc
    )SH",
                                      {kClangEnding, folder.file("")});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out.find("3\n"), 0U) << outcome.out;
    EXPECT_NE(outcome.out.find(kReportHead), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.err.find("/gone/run.ompc: No such file or directory"), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("the run is in " + folder.file("")), std::string::npos)
        << outcome.err;
}

TEST(Job, AReaderThatIsGoneIsNoCrash) {
    OCB_SKIP_IF_SANITIZED();
    // The program itself writes nothing to the pipe.
    const Outcome outcome = run_shell(
        R"SH({ "$0" "$1"; echo "code $?"; } 2> >(exec 0<&-; sleep 0) )SH", {kClangEnding});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.describe();
    EXPECT_NE(outcome.out.find("code "), std::string::npos) << outcome.describe();
    EXPECT_EQ(outcome.out.find("code 141"), std::string::npos) << outcome.describe();
}

TEST(Job, ClosedDescriptorsAndIgnoredChildrenAreNoTrouble) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string script = R"SH("$0" -o "$2" "$1" exit 5 <&- >&- 2>&-)SH";
    Outcome outcome = run_shell(script, {kClangEnding, folder.file("out")});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.describe();
    EXPECT_EQ(count(file_text(folder.file("out")), kReportHead), 1U);
    // Nowhere to print to.
    outcome = run_shell(R"SH("$0" "$1" exit 5 2>&-)SH", {kClangEnding});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.describe();
    outcome = run_shell(R"SH(trap '' CHLD; exec "$0" "$1" exit 5)SH", {kClangEnding});
    EXPECT_EQ(outcome.exit_code, 5) << outcome.describe();
    EXPECT_EQ(count(outcome.err, kReportHead), 1U) << outcome.err;
}

TEST(Job, ALostCollectorIsAnError) {
    OCB_SKIP_IF_SANITIZED();
    const TemporaryFolder folder;
    const std::string library = folder.file("libcollector.so");
    Command command;
    command.arguments = {"/usr/bin/gcc",
                         "-shared",
                         "-fPIC",
                         "-x",
                         "c",
                         "/dev/null",
                         "-Wl,--no-as-needed",
                         "-o",
                         folder.file("libgone.so")};
    ASSERT_TRUE(run(command).succeeded());
    command.arguments = {"/usr/bin/gcc", "-shared", "-fPIC",
                         "-x",           "c",       "/dev/null",
                         "-x",           "none",    "-Wl,--no-as-needed",
                         "-o",           library,   "-L" + folder.file(""),
                         "-lgone"};
    ASSERT_TRUE(run(command).succeeded());
    fs::remove(folder.file("libgone.so"));
    for (const std::string &name : {library, std::string("libno-such-collector.so")}) {
        const Outcome outcome = launch({"--collector", name, kClangEnding});
        EXPECT_EQ(outcome.exit_code, 125) << outcome.describe();
        EXPECT_EQ(count(outcome.err, "\n"), 1U) << outcome.describe();
        EXPECT_NE(outcome.err.find("check what follows --collector"), std::string::npos);
    }
}

class Placement : public testing::TestWithParam<const char *> {};

// The masks of all threads, on each runtime that a program can get: those that this runtime gives
// without us. The two need not agree on what a core is (a virtual machine tells the kernel one
// thing and cpuid another).
TEST_P(Placement, IsThatOfARunWithoutUs) {
    OCB_SKIP_IF_SANITIZED();
    const std::string setting = GetParam();
    const size_t equal = setting.find('=');
    const std::map<std::string, std::string> environment = {
        {setting.substr(0, equal), setting.substr(equal + 1)}, {"OMP_NUM_THREADS", "2"}};
    const std::string on_libgomp = OCB_TEST_PROGRAMS "/gcc/masks";
    const std::string on_libomp = OCB_TEST_PROGRAMS "/clang/masks";
    const auto placed_without_us = [&](const std::string &program) {
        Command command;
        command.arguments = {program};
        command.environment = environment;
        const Outcome outcome = run(command);
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        return outcome.out;
    };
    struct Case {
        const std::string &program;
        const char *runtime;
        const std::string &same_as;
    };
    for (const auto &[program, runtime, same_as] :
         {Case{on_libgomp, "libgomp", on_libgomp}, Case{on_libgomp, "libomp", on_libomp},
          Case{on_libomp, "libgomp", on_libomp}, Case{on_libomp, "libomp", on_libomp}}) {
        const Outcome with = launch({"--runtime", runtime, program}, environment);
        EXPECT_EQ(with.out, placed_without_us(same_as))
            << program << " " << runtime << with.describe();
    }
}

INSTANTIATE_TEST_SUITE_P(Launcher, Placement,
                         testing::Values("OMP_PROC_BIND=true", "OMP_PROC_BIND=close",
                                         "OMP_PLACES=cores", "OMP_PLACES={0},{1}",
                                         "GOMP_CPU_AFFINITY=0-1", "OMP_DISPLAY_ENV=false"));

// gcc's libgomp does not know this one, libomp does: on libomp it is obeyed, and all processors
// are used.
TEST(PlacementOnLibomp, ObeysItsOwnVariable) {
    OCB_SKIP_IF_SANITIZED();
    const std::map<std::string, std::string> environment = {{"KMP_AFFINITY", "compact"},
                                                            {"OMP_NUM_THREADS", "2"}};
    Command command;
    command.arguments = {OCB_TEST_PROGRAMS "/clang/masks"};
    command.environment = environment;
    const std::string expected = run(command).out;
    EXPECT_EQ(launch({OCB_TEST_PROGRAMS "/clang/masks"}, environment).out, expected);
    const Outcome gcc =
        launch({"--runtime", "libomp", OCB_TEST_PROGRAMS "/gcc/masks"}, environment);
    EXPECT_EQ(gcc.out, expected) << gcc.describe();
}

} // namespace
} // namespace ocb_test
