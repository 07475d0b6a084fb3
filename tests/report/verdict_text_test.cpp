// SPDX-License-Identifier: Apache-2.0
//
// The verdict's text, word by word, of figures and findings that are given here.
#include "made_runs.h"
#include "verdict.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ocb_test {
namespace {

// 10 s of four threads, of which 3 % are lost; regions r0 to r4.
class Given {
  public:
    Given() : process_(made()), conclusions_(process_) {
        conclusions_.findings.clear();
        Figures &figures = conclusions_.figures;
        figures = {};
        figures.samples = 1000;
        figures.losses.push_back({Cause::kCritical, 0, 0.3, 1.2, 30, false});
        efficiency().elapsed = 10;
        efficiency().threads = 4;
        efficiency().serial = 2;
        efficiency().serialisation = 0.8;
        efficiency().load_balance = 0.75;
        efficiency().scheduling = 0.7;
        efficiency().parallel = 0.42;
    }
    Process &process() { return process_; }
    [[nodiscard]] const Conclusions &conclusions() const { return conclusions_; }
    Figures &figures() { return conclusions_.figures; }
    Efficiency &efficiency() { return conclusions_.figures.efficiency; }
    // With places in that many regions.
    Finding &find(Cause cause, size_t places) {
        Finding &finding = conclusions_.findings.emplace_back();
        finding.cause = cause;
        finding.seconds = 2;
        finding.share = 0.2;
        finding.least_share = 0.16;
        finding.most_share = 0.24;
        finding.samples = 100;
        finding.evidence = "the evidence";
        for (int node = 0; static_cast<size_t>(node) < places; ++node) {
            finding.places.push_back({node, "r" + std::to_string(node), 2, 0.2 - 0.01 * node, 50});
        }
        return finding;
    }
    void clear() { conclusions_.findings.clear(); }
    std::string whole(size_t top = 10) {
        TextStyle style;
        style.parts = kAllParts;
        style.top = top;
        return verdict_text(process_, conclusions_, style);
    }
    std::string brief(size_t cures = 1) {
        return brief_verdict_text(process_, conclusions_, {}, {cures, 3});
    }

  private:
    static Process made() {
        MadeProcess made(4, 10);
        for (int line = 0; line < 5; ++line) {
            made.region("r" + std::to_string(line), line, 1);
        }
        return made.process;
    }
    Process process_;
    Conclusions conclusions_;
};

constexpr char kFactors[] = "  = serialisation 80 % x load balance 75 % x scheduling 70 %\n";
constexpr char kNothing[] =
    "  No time is lost in waits (3.0 %). Slow code is not seen here: ompcollect scale\n"
    "  -t 1,4 shows what memory, caches and false sharing cost.\n";
constexpr char kCure[] =
    "   cure:  use a reduction, an atomic or a copy per thread; do less inside, "
    "name\n          critical regions apart that have nothing in common\n";

TEST(Verdict, BeginsWithTheEfficiencies) {
    Given given;
    EXPECT_EQ(given.whole(),
              std::string("Verdict: parallel efficiency 42 %\n") + kFactors +
                  "  10.00 s elapsed, 4 threads, 2.00 s of it outside parallel regions\n" +
                  kNothing);
    EXPECT_EQ(given.brief(),
              std::string("Verdict: parallel efficiency 42 %, 4 threads, 2.00 s of 10.00 s outside "
                          "regions\n") +
                  kFactors + kNothing);
    given.efficiency().error = 0.044;
    EXPECT_NE(given.whole().find("x scheduling 70 %, product +-4.4 %\n"), std::string::npos);
    EXPECT_NE(given.brief().find("x scheduling 70 %, product +-4.4 %\n"), std::string::npos);
    given.efficiency().threads = 2;
    EXPECT_NE(given.whole().find("elapsed, 2 threads, 2.00 s"), std::string::npos);
    EXPECT_NE(given.brief().find("42 %, 2 threads, 2.00 s"), std::string::npos);
    given.efficiency().threads = 1;
    EXPECT_NE(given.whole().find("elapsed, 1 thread, 2.00 s"), std::string::npos);
    EXPECT_EQ(given.brief().find("Verdict: nobody to wait for, 1 thread, 2.00 s of 10.00 s outside "
                                 "regions\n  One thread alone"),
              0U)
        << given.brief();
    given.efficiency().mpi = 0.5;
    EXPECT_NE(given.brief().find("42 %, 1 thread, 2.00 s"), std::string::npos);
}

TEST(Verdict, SaysWhereNoCauseHasEnoughSamples) {
    Given given;
    given.figures().losses.front().seconds = 0.5; // a twentieth
    EXPECT_NE(given.whole().find("  Of no cause are there 10 samples: 5.0 % are lost, and of 1,000 "
                                 "samples nobody\n"),
              std::string::npos)
        << given.whole();
}

// By the processor's clock nobody knows why a thread did not run.
TEST(Verdict, IsNotCalmWhereTimeWasNotSeen) {
    Given given;
    Process &process = given.process();
    process.has_wall_times = false;
    process.cells.clear();
    process.seconds = 10;
    ASSERT_EQ(process.threads.size(), 4U);
    for (unsigned thread = 0; thread < 4; ++thread) {
        process.threads[thread].begin = 0;
        process.threads[thread].end = 10;
        for (const double seconds : {4.0, 5.6}) { // in two states
            Cell &cell = process.cells.emplace_back();
            cell.thread = thread;
            cell.wall = seconds;
        }
    }
    EXPECT_NE(given.whole().find(kNothing), std::string::npos) << given.whole();
    process.cells.back().wall = 0;
    EXPECT_EQ(given.whole().find("No time is lost"), std::string::npos);
    EXPECT_NE(given.whole().find("  In the mean each thread had no processor for 1.80 s of 10.00 "
                                 "s, and --clock\n"),
              std::string::npos)
        << given.whole();
    given.find(Cause::kImbalance, 1);
    EXPECT_NE(given.whole().find("in the mean 1.80 s of each thread are missing."),
              std::string::npos)
        << given.whole();
    EXPECT_EQ(given.whole().find("In the mean each"), std::string::npos);
    given.clear();
    process.has_wall_times = true;
    EXPECT_NE(given.whole().find(kNothing), std::string::npos);
}

TEST(Verdict, IsNoneOfOneSampleOrTwo) {
    Given given;
    given.figures().samples = 1;
    EXPECT_EQ(given.whole(), "Verdict: none\n  Of 1 sample nobody can tell where the time goes (a "
                             "longer run, or --rate).\n");
    given.figures().samples = 2;
    EXPECT_NE(given.whole().find("  Of 2 samples nobody can tell"), std::string::npos);
}

TEST(Verdict, ShowsThreePlacesOfAFinding) {
    Given given;
    given.find(Cause::kCritical, 5);
    const std::string head =
        "\n1. saves 2.00 s of 10.00 s (20 %, +-4.0 %): contended-critical, queues for a\n   "
        "critical region\n   at:    r0 made.c:0, 20 %\n"
        "   at:    r1 made.c:1, 19 %\n   at:    r2 made.c:2, 18 %\n";
    const std::string tail = std::string("   cause: the evidence (100 samples)\n") + kCure;
    const auto findings = [&](size_t top) {
        const std::string text = given.whole(top);
        return text.substr(text.find("\n\n") + 1);
    };
    EXPECT_EQ(findings(10), head + "          and 2 more places (--all)\n" + tail);
    EXPECT_EQ(findings(1), findings(10));
    EXPECT_EQ(findings(0),
              head + "   at:    r3 made.c:3, 17 %\n   at:    r4 made.c:4, 16 %\n" + tail);
}

TEST(Verdict, ShowsAFindingOfThreePlacesWhole) {
    Given given;
    Finding &finding = given.find(Cause::kCritical, 3);
    EXPECT_EQ(given.whole().find("more places"), std::string::npos);
    finding.samples = 1;
    EXPECT_NE(given.whole().find("the evidence (1 sample)\n"), std::string::npos);
    finding.samples = 2;
    EXPECT_NE(given.whole().find("the evidence (2 samples)\n"), std::string::npos);
    finding.is_measured = true;
    EXPECT_NE(given.whole().find(" (20 %, measured): "), std::string::npos);
}

TEST(Verdict, IsShortInABriefReport) {
    Given given;
    given.find(Cause::kCritical, 1);
    given.find(Cause::kOrdered, 2);
    given.find(Cause::kAtomic, 3);
    given.find(Cause::kLocks, 1);
    const std::string text = given.brief();
    EXPECT_EQ(
        text.substr(text.find("1. ")),
        std::string("1. saves 2.00 s of 10.00 s (20 %, +-4.0 %): queues for a critical region\n"
                    "   at:    r0 made.c:0, 20 %\n   cause: the evidence\n") +
            kCure +
            "2. saves 2.00 s of 10.00 s (20 %, +-4.0 %): waiting for the turn (ordered)\n"
            "   at:    r0 made.c:0, 20 %; and 1 more place\n   cause: the evidence\n"
            "3. saves 2.00 s of 10.00 s (20 %, +-4.0 %): queues for atomics\n"
            "   at:    r0 made.c:0, 20 %; and 2 more places\n   cause: the evidence\n");
    EXPECT_NE(given.brief(2).find("2. "), std::string::npos);
    EXPECT_NE(given.brief(2).find("schedule(static,1)"), std::string::npos);
}

// Below the place, in its columns.
TEST(Verdict, ShowsWhatCallsAFunctionThatIsAPlace) {
    Given given;
    given.find(Cause::kSerial, 1).places[0].caller = 2;
    EXPECT_NE(given.brief().find(
                  "   at:    r0 made.c:0, 20 %\n          called by r2 made.c:2\n   cause:"),
              std::string::npos)
        << given.brief();
    given.find(Cause::kLocks, 1).places[0].caller = 0;
    EXPECT_NE(given.brief().find("          called by r0 made.c:0\n"), std::string::npos);
}

TEST(Verdict, FitsItsLinesHoweverLongItsNumbersAre) {
    Given given;
    given.efficiency().elapsed = 123456.5;
    given.efficiency().serial = 12345.5;
    given.efficiency().threads = 100000;
    const std::string text = given.brief();
    EXPECT_EQ(text.find("Verdict: parallel efficiency 42 %, "), 0U) << text;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        EXPECT_LE(line.size(), 80U) << line;
    }
    TextStyle style;
    style.colour = true;
    const std::string bold =
        brief_verdict_text(given.process(), given.conclusions(), style, {1, 3});
    EXPECT_EQ(bold.find("\033[1mVerdict: parallel efficiency 42 %\033["), 0U) << bold;
}

TEST(Verdict, ShowsThreeFindings) {
    Given given;
    for (int i = 0; i < 3; ++i) {
        given.find(Cause::kCritical, 1);
    }
    EXPECT_EQ(given.whole().find("smaller ones"), std::string::npos);
    given.find(Cause::kOrdered, 1);
    given.find(Cause::kOrdered, 1);
    for (const size_t top : {size_t{10}, size_t{1}}) {
        EXPECT_NE(given.whole(top).find("\n3. "), std::string::npos);
        EXPECT_EQ(given.whole(top).find("\n4. "), std::string::npos);
        EXPECT_TRUE(given.whole(top).ends_with("\n   and 2 smaller ones (--all)\n"));
    }
    EXPECT_NE(given.whole(0).find("\n5. "), std::string::npos);
    EXPECT_EQ(given.whole(0).find("smaller ones"), std::string::npos);
}

TEST(Verdict, SaysWhatIsABound) {
    Given given;
    Finding &finding = given.find(Cause::kForeignLock, 1);
    EXPECT_NE(given.whole().find("1. saves at least 2.00 s of 10.00 s (20 %, +-4.0 %)"),
              std::string::npos)
        << given.whole();
    finding.is_at_most = true;
    EXPECT_NE(given.whole().find("1. saves up to 2.00 s of 10.00 s (20 %): "), std::string::npos)
        << given.whole();
}

TEST(Verdict, DoubtsWhatIsNotWholeOrWasNotMeasured) {
    Given given;
    EXPECT_EQ(given.whole().find("Note: "), std::string::npos);
    given.process().has_wall_times = false;
    given.find(Cause::kCritical, 1);
    EXPECT_NE(given.whole().find("  Note: time was taken by the processor's clock"),
              std::string::npos);
    given.clear();
    given.process().has_wall_times = true;
    given.process().is_partial = true;
    EXPECT_NE(given.whole().find("  Note: the profile is not whole.\n"), std::string::npos);
    EXPECT_EQ(given.brief().find("not whole"), std::string::npos); // the head has it
    given.process().is_partial = false;
    given.process().missing = "no space";
    EXPECT_NE(given.whole().find("  Note: the profile is not whole: no space.\n"),
              std::string::npos);
}

// Of a terminal that has so many columns; -1: there is none.
unsigned width_of(int columns, const char *variable) {
    const char *before = getenv("COLUMNS");
    const std::string kept = before ? before : "";
    variable ? setenv("COLUMNS", variable, 1) : unsetenv("COLUMNS");
    int terminal = -1;
    if (columns >= 0) {
        terminal = posix_openpt(O_RDWR | O_NOCTTY);
        struct winsize size = {};
        size.ws_col = static_cast<unsigned short>(columns);
        EXPECT_EQ(ioctl(terminal, TIOCSWINSZ, &size), 0);
    }
    const unsigned width = line_width(terminal);
    if (terminal >= 0) { // the descriptor 0 is one, too
        const int input = dup(STDIN_FILENO);
        dup2(terminal, STDIN_FILENO);
        EXPECT_EQ(line_width(STDIN_FILENO), width);
        input >= 0 ? dup2(input, STDIN_FILENO) : close(STDIN_FILENO);
        close(input);
        close(terminal);
    }
    before ? setenv("COLUMNS", kept.c_str(), 1) : unsetenv("COLUMNS");
    return width;
}

TEST(LineWidth, IsThatOfTheTerminal) {
    EXPECT_EQ(width_of(100, "60"), 100U);
    EXPECT_EQ(width_of(41, nullptr), 41U);
    EXPECT_EQ(width_of(40, nullptr), 40U);
    EXPECT_EQ(width_of(39, nullptr), 40U);
    EXPECT_EQ(width_of(1, "60"), 40U);
    EXPECT_EQ(width_of(0, "60"), 60U); // a terminal that does not know it
}

TEST(LineWidth, IsTheVariableElse) {
    EXPECT_EQ(width_of(-1, nullptr), 80U);
    EXPECT_EQ(width_of(-1, "40"), 40U);
    EXPECT_EQ(width_of(-1, "39"), 80U);
    EXPECT_EQ(width_of(-1, "1000"), 1000U);
    EXPECT_EQ(width_of(-1, "1001"), 80U);
    EXPECT_EQ(width_of(-1, "wide"), 80U);
}

} // namespace
} // namespace ocb_test
