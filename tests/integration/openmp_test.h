// SPDX-License-Identifier: Apache-2.0
//
// openmp_test.h - the fixture of the tests that run an OpenMP program under the bridge and the fake
// collector, on every libomp version, from every compiler, and in both ways (way.h). It owns the
// run; what it hands out lives as long as the test.
#pragma once

#include "known_failures.h"
#include "openmp_run.h"

#include <gtest/gtest.h>

#include <string>

// The runtimes that a test is run on; tests/generations has others.
#ifndef OCB_TEST_RUNTIMES
#define OCB_TEST_RUNTIMES ocb_test::in_both_ways()
#endif

namespace ocb_test {

// Multi-line text, because gtest shows the difference of two of them line by line.
inline std::string lines(const Sequence &sequence) {
    std::string text;
    for (const std::string &line : sequence) {
        { text += line + "\n"; }
    }
    return text;
}

inline Sequence operator+(Sequence left, const Sequence &right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

inline std::string runtime_name(const testing::TestParamInfo<Runtime> &info) {
    return name_of(info.param);
}

class OpenmpTest : public testing::TestWithParam<Runtime> {
  protected:
    void SetUp() override { OCB_SKIP_KNOWN_FAILURE(); }

    [[nodiscard]] bool is_gcc() const { return GetParam().compiler == Compiler::kGcc; }
    [[nodiscard]] bool is_libgomp() const { return ocb_test::is_libgomp(GetParam()); }

    // STATE in the callback of an event that has no state of its own. The thread is inside of the
    // runtime then; the bare bridge does not know.
    [[nodiscard]] std::string in_callback() const {
        const bool is_seen = GetParam().way == Way::kLauncher;
        return is_seen && GetParam().folder == nullptr ? "OVHD" : "WORK";
    }

    // The program must end well, on the wanted libomp, with a complete log and nothing after it.
    void run(const std::string &program, const Options &options = {}) {
        run_ = run_program(OCB_TEST_PROGRAM_FOLDER, program, GetParam(), options);
        ASSERT_TRUE(run_.outcome.succeeded()) << run_.outcome.describe();
        ASSERT_TRUE(run_.log.complete) << "no complete log\n" << run_.outcome.describe();
        ASSERT_EQ("", verify_runtime(run_, GetParam()));
        EXPECT_TRUE(run_.log.late.empty())
            << "after the exit handlers: " << to_text(run_.log.late.front());
    }

    [[nodiscard]] const Log &log() const { return run_.log; }
    [[nodiscard]] const Outcome &outcome() const { return run_.outcome; }

    // The initial thread.
    [[nodiscard]] Sequence master() const {
        return sequence_of(run_.log.threads.at(0), name_regions(run_.log));
    }

    // The one thread besides the initial one.
    [[nodiscard]] Sequence worker() const {
        const auto threads = other_threads(run_.log);
        EXPECT_EQ(1U, threads.size());
        return threads.empty() ? Sequence{} : sequence_of(*threads.front(), name_regions(run_.log));
    }

    [[nodiscard]] Sequence thread_of(const std::string &mark) const {
        const ThreadLog *thread = thread_with_mark(run_.log, mark);
        EXPECT_NE(nullptr, thread) << "nobody passed " << mark;
        return thread == nullptr ? Sequence{} : sequence_of(*thread, name_regions(run_.log));
    }

    // An explicit barrier, which in a program built by gcc looks like an implicit one. `where` is
    // the rest of the line, "r1 in 0" or "r1".
    [[nodiscard]] Sequence explicit_barrier(const std::string &where) const {
        return is_gcc() ? implicit_barrier(where)
                        : Sequence{"BEGIN_EBAR EBAR " + where, "END_EBAR EBAR " + where};
    }

    static Sequence implicit_barrier(const std::string &where) {
        return {"BEGIN_IBAR IBAR " + where, "END_IBAR IBAR " + where};
    }

    static Sequence single_line(const std::string &line) { return {line}; }

  private:
    ProgramRun run_;
};

} // namespace ocb_test
