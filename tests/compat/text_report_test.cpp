// SPDX-License-Identifier: Apache-2.0
//
// The text report and its parts: what it shows, how it fits a line, names as people know them.
#include "job_reports.h"
#include "process.h"
#include "profile.h"
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

bool append(void *data, const char *bytes, size_t count) {
    static_cast<std::string *>(data)->append(bytes, count);
    return true;
}

std::string report_of(const Profile &profile, const ReportStyle &style = {}) {
    std::string text;
    TextOutput out(append, &text);
    write_text_report(profile, out, style);
    out.flush();
    EXPECT_TRUE(out.good());
    return text;
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
struct Sample {
    ThreadRow threads[2] = {};
    RegionRow regions[2] = {};
    LockRow locks[1] = {};
    Profile profile;

    Sample() {
        profile.pid = 42;
        profile.program = "/a b/program";
        profile.rate = 100;
        profile.seconds = 1.5;
        profile.cpu_seconds = 1.25;
        profile.most_threads = 2;
        profile.processors = 8;
        profile.processors_free = 4;
        profile.affinity = "0-3";
        profile.off_processor = OffProcessor::kFromOutside;
        profile.late_samples = 3;
        profile.lost_samples = 1;
        profile.events[OMP_EVENT_FORK] = {OMP_ERRCODE_OK, 7};
        profile.events[OMP_EVENT_THR_BEGIN_ATWT] = {OMP_ERRCODE_UNSUPPORTED, 0};
        threads[0].tid = 42;
        threads[0].kind = ThreadKind::kInitial;
        threads[0].samples = 100;
        threads[0].times.wall[THR_WORK_STATE] = 1;
        threads[0].times.cpu[THR_WORK_STATE] = 0.75;
        threads[1].number = 1;
        threads[1].tid = 43;
        threads[1].samples = 100;
        threads[1].times.wall[THR_IDLE_STATE] = 0.5;
        threads[1].times.wall[THR_CTWT_STATE] = 0.5;
        regions[0].entries = 5;
        regions[0].place = {"/bin/x y", 0x1234, "outer", nullptr};
        regions[0].times.wall[THR_WORK_STATE] = 1;
        regions[1].entries = 2;
        regions[1].parent = 0;
        regions[1].times.wall[THR_CTWT_STATE] = 0.5;
        locks[0].state = THR_CTWT_STATE;
        locks[0].wait_id = 0xfeedf00d;
        locks[0].waits = 9;
        locks[0].wall = 0.5;
        locks[0].first_wait = {"/bin/x", 0x99, nullptr, nullptr};
        profile.serial.wall[THR_IDLE_STATE] = 0.5;
        profile.threads = threads;
        profile.thread_count = 2;
        profile.regions = regions;
        profile.region_count = 2;
        profile.locks = locks;
        profile.lock_count = 1;
    }
};

TEST(TextReport, ShowsEachTable) {
    const Sample sample;
    expect_all(report_of(sample.profile),
               {
                   "== OpenMP profile of /a b/program ==",
                   "\n  pid 42\n",
                   "elapsed 1.50 s, processor 1.25 s",
                   "2 OpenMP threads on 4 of 8 processors (0-3)",
                   "  state       wall s     cpu s   share\n",
                   "  WORK          1.00      0.75   50.0%",
                   "  all           2.00      0.75\n",
                   "  all                         2.00   50.0   25.0   25.0\n",
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

TEST(TextReport, LeavesOutWhatIsEmpty) {
    Sample sample;
    sample.profile.lock_count = 0;
    sample.profile.region_count = 0;
    const std::string report = report_of(sample.profile);
    for (const char *absent :
         {"locks", "Parallel regions", "SERIAL", "EBAR", "warning", "runtime /"}) {
        EXPECT_EQ(report.find(absent), std::string::npos) << absent << "\n" << report;
    }
}

TEST(TextReport, SaysHowTheRunWasAndEnded) {
    Sample sample;
    const char *arguments[] = {"./program", "-x", "\x1b[31mred"};
    const char *settings[] = {"OMP_NUM_THREADS=2", "OMP_PLACES=cores"};
    sample.profile.arguments = {arguments, 3};
    sample.profile.environment = {settings, 2};
    sample.profile.host = "node7";
    sample.profile.rank = "3";
    sample.profile.runtime_file = "/lib/libomp.so.5";
    ReportStyle style;
    style.how_it_ended = "killed by signal 9 (Killed)";
    style.runtime_note = "in place of libgomp";
    const std::string report = report_of(sample.profile, style);
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
    process.signal_taken = true;
    process.threads_without_timer = 3;
    process.missing = "no space left on device";
    process.unplaced = 1.25;
    process.unplaced_lock_waits = 8;
    process.unplaced_lock_time = 0.5;
    process.forgotten_regions = 6;
    process.arguments_cut = true;
    process.is_partial = true;
    std::string names;
    std::string all;
    for (const report::Warning &warning : report::warnings_of(process)) {
        names += warning.name + " ";
        all += warning.text + "\n";
    }
    EXPECT_EQ(names, "oversubscribed late_samples signal_taken threads_without_timer rows_missing "
                     "unplaced_time locks_missing regions_forgotten command_cut cut_file ");
    expect_all(all, {"5 threads on 4 processors", "75 % of the samples came late", "--signal",
                     "3 threads got no timer", "rows are missing: no space left on device",
                     "1.25 thread seconds found no row", "8 waits (0.50 thread seconds)",
                     "6 regions found no place", "the command was too long", "cut or damaged"});
    process.threads_on_one_cpu = 4;
    EXPECT_EQ(report::warnings_of(process)[0].name, "threads_on_one_processor");
    EXPECT_EQ(report::warnings_of(process).size(), 10U);
}

TEST(TextReport, ShowsEachWarning) {
    const Sample sample;
    const char *warnings[] = {"the first doubt", "another one"};
    ReportStyle style;
    style.warnings = warnings;
    style.warning_count = 2;
    expect_all(report_of(sample.profile, style),
               {"  warning:\n    the first doubt\n", "  warning:\n    another one\n"});
}

TEST(TextReport, SaysWhyThereIsNothing) {
    Profile refused;
    refused.program = "p";
    refused.start_code = OMP_ERRCODE_SEQUENCE_ERR;
    expect_all(report_of(refused), {"refused with SEQUENCE_ERR"});
    Profile unused;
    unused.program = "p";
    unused.rate = 97;
    expect_all(report_of(unused), {"no parallel region was forked"});
}

TEST(TextReport, FitsTheLine) {
    Sample sample;
    const std::string name = "very::long::name<" + std::string(300, 'x') + ">::operator()(int)";
    const std::string argument(500, 'a');
    const char *arguments[] = {"./program", argument.c_str()};
    const char *settings[] = {argument.c_str(), "OMP_PLACES=cores"};
    sample.profile.arguments = {arguments, 2};
    sample.profile.environment = {settings, 2};
    sample.profile.runtime_file = argument.c_str();
    sample.profile.most_threads = 100;
    sample.profile.signal_taken = true;
    for (unsigned state = 0; state < kStateColumns; ++state) {
        sample.threads[0].times.wall[state] = 1 + state;
        sample.regions[0].times.wall[state] = 1 + state;
    }
    sample.regions[0].place = {argument.c_str(), 1, name.c_str(), "a_rather_long_file_name.cpp:1"};
    sample.regions[1].place = sample.regions[0].place;
    sample.locks[0].object = sample.regions[0].place;
    for (unsigned event = 1; event < kEventNumbers; ++event) {
        sample.profile.events[event] = {OMP_ERRCODE_OK, 123456};
    }
    for (const unsigned width : {60U, 80U, 132U, 200U}) {
        ReportStyle style;
        style.width = width;
        const std::string report = report_of(sample.profile, style);
        EXPECT_LE(widest_line(report), width) << report;
    }
}

// 200 threads of three kinds; the initial one stays alone.
struct ManyThreads {
    std::vector<ThreadRow> threads;
    std::vector<RegionRow> regions;
    Profile profile;

    ManyThreads() : threads(200), regions(40) {
        for (unsigned i = 0; i < threads.size(); ++i) {
            threads[i].number = i;
            threads[i].times.wall[THR_WORK_STATE] = i % 2 ? 1 : 3;
            threads[i].times.wall[THR_IDLE_STATE] = 1 + 0.0001 * i;
        }
        threads[0].kind = ThreadKind::kInitial;
        for (RegionRow &region : regions) {
            region.entries = 1;
            region.times.wall[THR_WORK_STATE] = 1;
        }
        profile.program = "p";
        profile.threads = threads.data();
        profile.thread_count = threads.size();
        profile.regions = regions.data();
        profile.region_count = regions.size();
    }
};

TEST(TextReport, CondensesManyThreads) {
    const ManyThreads many;
    const std::string report = report_of(many.profile);
    expect_all(report, {"  0 initial", "  100 threads like 1 ", "  99 threads like 2 "});
    ReportStyle style;
    style.all = true;
    EXPECT_EQ(report_of(many.profile, style).find("threads like"), std::string::npos);
    expect_all(report_of(many.profile, style), {"\n  199 "});
}

TEST(TextReport, ShowsAsManyRowsAsAsked) {
    const ManyThreads many;
    const std::string row = "(not in any file)";
    EXPECT_EQ(ocb_test::count(report_of(many.profile), row), 15U);
    expect_all(report_of(many.profile), {"and 25 more regions (--top N or --all shows them)"});
    ReportStyle style;
    style.rows = 3;
    EXPECT_EQ(ocb_test::count(report_of(many.profile, style), row), 3U);
    style.all = true;
    EXPECT_EQ(ocb_test::count(report_of(many.profile, style), row), 40U);
}

std::string shortened(const char *name, size_t columns) {
    Text text;
    append_shortened_name(text, name, columns);
    return text.c_str();
}

TEST(Layout, ShortensNamesFromTheLeastTelling) {
    EXPECT_EQ(shortened("f", 10), "f");
    EXPECT_EQ(shortened("space::function(int, double)", 20), "space::function");
    EXPECT_EQ(shortened("std::vector<int, std::allocator<int> >::push_back(int)", 25),
              "std::vector<>::push_back");
    EXPECT_EQ(shortened("a::(anonymous namespace)::g(int)", 31), "a::(anonymous namespace)::g");
    EXPECT_EQ(shortened("Functor<double>::operator()(int) const", 30),
              "Functor<double>::operator()");
    EXPECT_EQ(shortened("void Tree::walk<Vec4d, 4>(int, Node*) const", 20), "Tree::walk<Vec4d, 4>");
    EXPECT_EQ(shortened("std::map<int, A b> f<int>(A b)", 10), "f<int>");
    EXPECT_EQ(shortened("abcdefghijklmnopqrstuvwxyz", 11), "abcd...wxyz");
    EXPECT_LE(shortened("bool operator< <int>(A<int> const&, A<int> const&)", 20).size(), 20U);
}

TEST(Layout, ShowsControlCharactersAsText) {
    Text text;
    append_printable(text, "a\x1b[31mb\nc\td\x7f \xc3\xa9 \xc2\x9b!");
    EXPECT_STREQ(text.c_str(), "a\\x1b[31mb\\x0ac\\x09d\\x7f \xc3\xa9 \\xc2\\x9b!");
    Text narrow;
    append_shortened(narrow, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 5);
    EXPECT_EQ(narrow.columns(), 5U);
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
