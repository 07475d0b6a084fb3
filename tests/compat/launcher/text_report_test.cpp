// SPDX-License-Identifier: Apache-2.0
//
// The text report and its parts: what it shows, how it fits a line, names as people know them.
#include "job_reports.h"
#include "people.h"
#include "process.h"
#include "report_parts.h"
#include "symbol_names.h"
#include "text_layout.h"
#include "text_report.h"
#include "verdict.h"
#include "warnings.h"

#include "omp_collector_api.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace ompcollect {
namespace {

using report::Process;
using report::TextStyle;

TextStyle all_parts() {
    TextStyle style;
    style.parts = report::kAllParts;
    return style;
}

std::string report_of(const Process &process, const TextStyle &style = all_parts()) {
    return report::visible(report::text_report(process, style));
}

size_t widest_line(const std::string &text) {
    std::istringstream lines(text);
    size_t widest = 0;
    for (std::string line; std::getline(lines, line);) {
        widest = std::max(widest, line.size());
    }
    return widest;
}

void expect_all(const std::string &text, const std::vector<const char *> &parts) {
    for (const char *part : parts) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
}

// Two threads, two regions, a lock.
Process sample() {
    Process process;
    process.pid = 42;
    process.program = "/a b/program";
    process.rate = 100;
    process.seconds = 1.5;
    process.cpu_seconds = 1.25;
    process.most_threads = 2;
    process.processors_online = 8;
    process.processors = 4;
    process.affinity = "0-3";
    process.has_cpu_times = true;
    process.late_samples = 3;
    process.lost_samples = 1;
    process.events.resize(kEventNumbers);
    process.events[OMP_EVENT_FORK] = {OMP_ERRCODE_OK, 7};
    process.events[OMP_EVENT_THR_BEGIN_ATWT] = {OMP_ERRCODE_UNSUPPORTED, 0};
    process.threads.resize(2);
    process.threads[0].tid = 42;
    process.threads[0].is_initial = true;
    process.threads[0].samples = 100;
    process.threads[0].voluntary_switches = 10;
    process.threads[0].involuntary_switches = 20;
    process.threads[1].involuntary_switches = 1000;
    process.threads[1].number = 1;
    process.threads[1].tid = 43;
    process.threads[1].samples = 100;
    process.nodes.resize(2);
    process.nodes[0].entries = 5;
    process.nodes[0].module = "/bin/x y";
    process.nodes[0].offset = 0x1234;
    process.nodes[0].function = "outer";
    process.nodes[1].entries = 2;
    process.nodes[1].parent = 0;
    process.cells = {{0, 0, THR_WORK_STATE, 1, 0.75, 100},
                     {1, 1, THR_CTWT_STATE, 0.5, 0, 50},
                     {1, report::kOutside, THR_IDLE_STATE, 0.5, 0, 50}};
    process.locks.resize(1);
    process.locks[0].state = THR_CTWT_STATE;
    process.locks[0].wait_id = 0xfeedf00d;
    process.locks[0].waits = 9;
    process.locks[0].wall = 0.5;
    process.locks[0].first_wait.name = "x+0x99";
    return process;
}

TEST(TextReport, ShowsEachTable) {
    expect_all(report_of(sample()),
               {
                   "== OpenMP profile of /a b/program ==",
                   "\n  pid 42\n",
                   "elapsed 1.50 s, processor 1.25 s",
                   "2 OpenMP threads on 4 of 8 processors (0-3)",
                   "  state       wall s     cpu s   share\n",
                   "  WORK          1.00      0.75   50.0%",
                   "  all           2.00      0.75\n",
                   "  all                         2.00   50.0   25.0   25.0\n",
                   "switches: 10 voluntary, 1,020 involuntary (1,000 of these in thread 1)\n",
                   "outer x y+0x1234",
                   "inside outer x y+0x1234",
                   "outside any region, besides SERIAL",
                   "0xfeedf00d",
                   "x+0x99",
                   "FORK 7",
                   "BEGIN_ATWT not offered (UNSUPPORTED)",
                   "Samples\n  200, late 3, lost 1; 100 a second",
               });
}

// Where the clock of processors alone was measured, no figure is one of the other clock.
TEST(TextReport, NamesTheClockOfItsTimes) {
    Process process = sample();
    process.has_wall_times = process.has_cpu_times = false;
    const std::string report = report_of(process);
    expect_all(report, {"  state        cpu s   share\n", "     cpu s   WORK",
                        "of processor time outside"});
    EXPECT_EQ(report.find("wall s"), std::string::npos) << report;
    EXPECT_EQ(report.find("by the clock"), std::string::npos) << report;
}

TEST(TextReport, LeavesOutWhatIsEmpty) {
    Process process = sample();
    process.locks.clear();
    process.nodes.clear();
    process.cells = {{0, report::kOutside, THR_IDLE_STATE, 0.5, 0, 50}};
    const std::string report = report_of(process);
    for (const char *absent :
         {"locks", "Parallel regions", "SERIAL", "EBAR", "warning", "runtime /"}) {
        EXPECT_EQ(report.find(absent), std::string::npos) << absent << "\n" << report;
    }
}

TEST(TextReport, SaysHowTheRunWasAndEnded) {
    Process process = sample();
    process.arguments = {"./program", "-x", "\x1b[31mred"};
    process.environment = {"OMP_NUM_THREADS=2", "OMP_PLACES=cores"};
    process.host = "node7";
    process.rank = "3";
    process.runtime_file = "/lib/libomp.so.5";
    process.how_it_ended = "killed by signal 9 (Killed)";
    process.runtime_note = "in place of libgomp";
    const std::string report = report_of(process);
    expect_all(report,
               {"== OpenMP profile of ./program -x \\x1b[31mred ==", "pid 42 on node7, rank 3\n",
                "; killed by signal 9 (Killed)", "runtime /lib/libomp.so.5 in place of libgomp",
                "OMP_NUM_THREADS=2 OMP_PLACES=cores"});
    EXPECT_EQ(report.find('\x1b'), std::string::npos);
}

TEST(TextReport, WarnsOfWhatSpoilsNumbers) {
    report::Process process;
    EXPECT_TRUE(report::warnings_of(process).empty());
    process.threads.resize(2);
    process.threads[0].samples = process.threads[1].samples = 100;
    process.processors = 4;
    process.most_threads = 5;
    process.late_samples = 150;
    process.stood_still_seconds = process.set_back_seconds = 5.25;
    process.signal_taken = true;
    process.threads_without_timer = 3;
    process.missing = "no space left on device";
    process.unplaced = 1.25;
    process.unplaced_lock_waits = 8;
    process.unplaced_lock_time = 0.5;
    process.forgotten_regions = 6;
    process.forgotten_modules = 2;
    process.arguments_cut = true;
    process.is_partial = true;
    std::string names;
    std::string all;
    for (const report::Warning &warning : report::warnings_of(process)) {
        names += std::string(warning.name) + " ";
        all += warning.text + "\n";
    }
    EXPECT_EQ(names,
              "oversubscribed late_samples stood_still set_back signal_taken threads_without_timer "
              "rows_missing unplaced_time locks_missing regions_forgotten modules_forgotten "
              "command_cut cut_file ");
    expect_all(all, {"5 threads on 4 processors", "43 % of the samples that were due came late",
                     "stood still for 5.25 s besides", "set back by 5.25 s", "--signal",
                     "3 threads got no timer", "rows are missing: no space left on device",
                     "1.25 thread seconds found no row", "8 waits (0.50 thread seconds)",
                     "6 regions found no place", "2 loaded objects found no place",
                     "the command was too long", "cut or damaged"});
    process.threads_on_one_cpu = 4;
    EXPECT_STREQ(report::warnings_of(process)[0].name, "threads_on_one_processor");
    EXPECT_EQ(report::warnings_of(process).size(), 13U);
    process.sample_step = 4;
    process.lines_left_out = 7;
    process.samples_end_early = "no space left on device";
    process.ending = Ending::kNone;
    process.how_it_ended = "killed by signal 9 (Killed)";
    process.has_wall_times = false;
    std::string notes;
    for (const report::Warning &warning : report::warnings_of(process)) {
        notes += warning.severity < report::Severity::kDoubt ? warning.text + "\n" : "";
    }
    EXPECT_EQ(notes, "the time line has one in 4 of the samples, as their file has a limit "
                     "(OMPCOLLECT_SAMPLES_MB); the tables have all\n"
                     "the time line is not whole: 0 samples had no room, no space left on device; "
                     "the tables have all of them\n"
                     "7 source lines with little time are not in the table of lines\n"
                     "time asleep was not measured (--clock cpu)\n"
                     "the end was not seen: killed by signal 9 (Killed)\n");
    process.ending = Ending::kExec;
    EXPECT_STREQ(report::warnings_of(process).back().name, "became_another_program");
    process.ending = Ending::kStopped;
    EXPECT_STREQ(report::warnings_of(process).back().name, "session_stopped");
}

TEST(TextReport, ShowsEachWarning) {
    Process process = sample();
    process.arguments_cut = true;
    process.is_partial = true;
    process.lines_missing = "no source lines of x";
    process.python_missing = "no lines of Python: a reason";
    expect_all(report_of(process),
               {"  warning: no source lines of x\n", "  warning: no lines of Python: a reason\n",
                "  warning: the command was too long to be kept whole\n",
                "  warning: the profile's file is cut or damaged"});
}

TEST(TextReport, SaysWhyThereIsNothing) {
    Process refused;
    refused.program = "p";
    refused.start_code = OMP_ERRCODE_SEQUENCE_ERR;
    expect_all(report_of(refused), {"refused with SEQUENCE_ERR"});
    Process unused;
    unused.program = "p";
    unused.rate = 97;
    expect_all(report_of(unused), {"no parallel region was forked"});
}

TEST(TextReport, FitsTheLine) {
    Process process = sample();
    const std::string name = "very::long::name<" + std::string(300, 'x') + ">::operator()(int)";
    const std::string argument(500, 'a');
    process.arguments = {"./program", argument};
    process.environment = {argument, "OMP_PLACES=cores"};
    process.runtime_file = argument;
    process.most_threads = 100;
    process.signal_taken = true;
    process.cells.clear();
    for (unsigned state = 0; state < kStateColumns; ++state) {
        process.cells.push_back({0, 0, state, 1.0 + state, 0, 1});
    }
    for (report::Node &node : process.nodes) {
        node.module = argument;
        node.function = name;
        node.source = "a_rather_long_file_name.cpp:1";
    }
    process.locks[0].object.name = name;
    process.locks[0].object.source = "a_rather_long_file_name.cpp:1";
    process.locks[0].holders.resize(1);
    process.locks[0].holders[0].place = process.locks[0].object;
    for (unsigned event = 1; event < kEventNumbers; ++event) {
        process.events[event] = {OMP_ERRCODE_OK, 123456};
    }
    TextStyle style;
    for (const report::Parts parts : {report::kBrief, report::kAllParts}) {
        for (const unsigned width : {80U, 132U, 200U}) {
            style.parts = parts;
            style.width = width;
            const std::string report = report_of(process, style);
            EXPECT_LE(widest_line(report), width) << report;
        }
    }
    // The tables, in a narrow window too.
    const report::StateTables tables(process);
    style.width = 60;
    const std::string report = header_text(process, style) + states_text(process, tables, style) +
                               threads_text(process, tables, style) +
                               regions_text(process, tables, style) + locks_text(process, style) +
                               events_text(process, style);
    EXPECT_LE(widest_line(report), style.width) << report;
}

// 200 threads of three kinds; the initial one stays alone.
Process many_threads() {
    Process process;
    process.program = "p";
    process.threads.resize(200);
    process.nodes.resize(40);
    for (unsigned i = 0; i < process.threads.size(); ++i) {
        process.threads[i].number = i;
        process.cells.push_back(
            {i, static_cast<int>(i % 40), THR_WORK_STATE, i % 2 ? 1.0 : 3.0, 0, 1});
        process.cells.push_back({i, report::kOutside, THR_IDLE_STATE, 1 + 0.0001 * i, 0, 1});
    }
    process.threads[0].is_initial = true;
    for (report::Node &region : process.nodes) {
        region.entries = 1;
    }
    return process;
}

TEST(TextReport, CondensesManyThreads) {
    const Process many = many_threads();
    expect_all(report_of(many), {"  0 initial", "  100 threads like 1 ", "  99 threads like 2 "});
    TextStyle style;
    style.take_options(0, true, report::kBrief);
    EXPECT_EQ(report_of(many, style).find("threads like"), std::string::npos);
    expect_all(report_of(many, style), {"\n  199 "});
}

TEST(TextReport, ShowsAsManyRowsAsAsked) {
    const Process many = many_threads();
    const auto rows = [&](const TextStyle &style) {
        const std::string report = report_of(many, style);
        return ocb_test::count(report.substr(report.find("Parallel regions")), "(not in any file)");
    };
    EXPECT_EQ(rows(all_parts()), 15U);
    expect_all(report_of(many), {"and 25 more regions (--top N or --all shows them)"});
    TextStyle style;
    style.take_options(3, false, report::kAllParts);
    EXPECT_EQ(rows(style), 3U);
    style.take_options(3, true, report::kBrief);
    EXPECT_EQ(rows(style), 40U);
}

using report::shortened_name;

TEST(Layout, ShortensNamesFromTheLeastTelling) {
    EXPECT_EQ(shortened_name("f", 10), "f");
    EXPECT_EQ(shortened_name("space::function(int, double)", 20), "space::function");
    EXPECT_EQ(shortened_name("std::vector<int, std::allocator<int> >::push_back(int)", 25),
              "std::vector<>::push_back");
    EXPECT_EQ(shortened_name("a::(anonymous namespace)::g(int)", 31),
              "a::(anonymous namespace)::g");
    EXPECT_EQ(shortened_name("Functor<double>::operator()(int) const", 30),
              "Functor<double>::operator()");
    EXPECT_EQ(shortened_name("void Tree::walk<Vec4d, 4>(int, Node*) const", 20),
              "Tree::walk<Vec4d, 4>");
    EXPECT_EQ(shortened_name("std::map<int, A b> f<int>(A b)", 10), "f<int>");
    EXPECT_EQ(shortened_name("abcdefghijklmnopqrstuvwxyz", 11), "abcd...wxyz");
    EXPECT_LE(shortened_name("bool operator< <int>(A<int> const&, A<int> const&)", 20).size(), 20U);
}

// What a reader opens in an editor is the file and the line.
TEST(Layout, KeepsTheLineOfAPlace) {
    const std::string name = "very::long::name<int>::operator()(std::vector<double> const&) const";
    EXPECT_EQ(report::shortened_place("f", "made.c:13", 40), "f made.c:13");
    EXPECT_EQ(report::shortened_place("", "made.c:13", 40), "made.c:13");
    EXPECT_EQ(report::shortened_place("f", "", 40), "f");
    EXPECT_EQ(report::shortened_place(name, "made.cpp:1234", 44),
              "very::long::name<>::operator() made.cpp:1234");
    for (size_t columns = 24; columns < 60; ++columns) {
        const std::string shown =
            report::shortened_place(name, "a/path/that/is/rather/long/made.cpp:1234", columns);
        EXPECT_LE(shown.size(), columns);
        EXPECT_TRUE(shown.ends_with(":1234")) << shown;
    }
}

TEST(TextReport, TheVerdictKeepsTheLine) {
    Process process = sample();
    for (report::Node &node : process.nodes) {
        node.function = "very::long::name<" + std::string(300, 'x') + ">::operator()(int)";
        node.source = "made.cpp:1234";
    }
    const report::Conclusions conclusions(process);
    const std::string text = report::verdict_text(process, conclusions, {}) +
                             report::gains_text(process, conclusions.figures, {});
    EXPECT_EQ(ocb_test::count(text, "at:"), 1U) << text;
    EXPECT_EQ(ocb_test::count(text, " made.cpp:1234"), 3U) << text; // and two regions
    EXPECT_LE(widest_line(text), 80U) << text;
}

// WORK is time by the clock, so the work of threads in processor time has its label.
TEST(TextReport, ProcessorTimeHasItsLabel) {
    Process process = sample();
    EXPECT_NE(report_of(process).find("cpu work"), std::string::npos);
    process.has_cpu_times = false;
    EXPECT_EQ(report_of(process).find("cpu work"), std::string::npos);
}

TEST(TextReport, WarnsOfLostSamples) {
    Process process = sample(); // 200 samples
    process.lost_samples = 2;
    EXPECT_EQ(report_of(process).find("are lost"), std::string::npos);
    process.lost_samples = 3;
    expect_all(report_of(process), {"3 samples of threads that were ending are lost"});
}

TEST(Layout, ShowsControlCharactersAsText) {
    EXPECT_EQ(report::printable("a\x1b[31mb\nc\td\x7f \xc3\xa9 \xc2\x9b!"),
              "a\\x1b[31mb\\x0ac\\x09d\\x7f \xc3\xa9 \\xc2\\x9b!");
    EXPECT_EQ(report::columns_of(
                  report::shortened("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 5)),
              5U);
}

struct NameCase {
    const char *symbol;
    const char *shown;
};

TEST(SymbolNames, AreThoseOfTheSource) {
    const NameCase cases[] = {
        {"main", "main"},
        {"f", "f"},
        {"_ZN1a1bEv", "a::b()"},
        {"main._omp_fn.0", "main"},
        {"_ZN1a1bEv._omp_fn.12", "a::b()"},
        {"main.omp_outlined", "main"},
        {"main.omp_outlined_debug__", "main"},
        {"_ZN1a1bEv.omp_outlined.3", "a::b()"},
        {"step.constprop.0", "step"},
        {"step.isra.0.cold", "step"},
        {"__solver_MOD_step", "solver::step"},
        {"__solver_MOD_step._omp_fn.1", "solver::step"},
        {"_QMsolverPstep..omp_par.2", "solver::step"},
        {"MAIN__", "MAIN__"},
        {"_QMsolverPstep", "solver::step"},
        {"_QPstep", "step"},
        {"__omp_offloading_fd00_1234abcd_main_l12", "main"},
        {"__omp_offloading_fd00_1234abcd__ZN1a1bEv_l12", "a::b()"},
        {".omp_outlined.", ".omp_outlined."},
        {"_Zbroken", "_Zbroken"},
    };
    for (const NameCase &test : cases) {
        EXPECT_EQ(display_name(test.symbol), test.shown) << test.symbol;
    }
    EXPECT_TRUE(is_nameless_part(".omp_outlined..3"));
    EXPECT_FALSE(is_nameless_part("main.omp_outlined"));
}

TEST(LineWidth, IsTheTerminalsOrColumnsOr80) {
    unsetenv("COLUMNS");
    EXPECT_EQ(report::line_width(-1), 80U);
    setenv("COLUMNS", "132", 1);
    EXPECT_EQ(report::line_width(-1), 132U);
    setenv("COLUMNS", "nonsense", 1);
    EXPECT_EQ(report::line_width(-1), 80U);
    unsetenv("COLUMNS");
}

} // namespace
} // namespace ompcollect
