// SPDX-License-Identifier: Apache-2.0
//
// The truth checker itself, on logs made by hand: what it must complain of, at its very limits, and
// what it must let pass.
#include "story.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ocb_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Verdict of_samples(unsigned right, unsigned wrong) {
    Story story = work_in_region();
    story.sample(10 * kMs, THR_WORK_STATE, kRegion, right);
    story.sample(10 * kMs, THR_OVHD_STATE, kRegion, wrong);
    end_of_region(story);
    return verdict_of(story);
}

TEST(Checker, LetsARightLogPass) {
    const Verdict verdict = of_samples(100, 0);
    EXPECT_THAT(verdict.all_complaints(), IsEmpty());
    EXPECT_EQ(verdict.samples, 100u);
    EXPECT_EQ(verdict.region_right, 100u);
    EXPECT_EQ(verdict.summary(), "100.0 % WORK");
    EXPECT_EQ(verdict.states.at("WORK").inside, 100u);
    EXPECT_EQ(verdict.states.at("WORK").judged_ns, 19 * kMs - 600 * kUs);
}

TEST(Checker, WantsNineteenOfTwentySamples) {
    EXPECT_THAT(of_samples(95, 5).complaints, IsEmpty());
    EXPECT_THAT(of_samples(95, 5).states.at("WORK").inside_right, 95u);
    const auto of = [](unsigned right, unsigned wrong) {
        return of_samples(right, wrong).all_complaints();
    };
    EXPECT_THAT(of(95, 5), Not(Contains(HasSubstr("samples show WORK"))));
    EXPECT_THAT(of(94, 6), Contains("only 94.0 % of 100 samples show WORK"));
    EXPECT_EQ(of_samples(94, 6).summary(), "94.0 % WORK");
}

TEST(Checker, ToleratesOneStraySampleBesideTwoRightOnes) {
    const auto of = [](unsigned right, unsigned wrong) {
        return of_samples(right, wrong).all_complaints();
    };
    EXPECT_THAT(of(5, 1), Not(Contains(HasSubstr("show WORK"))));
    EXPECT_THAT(of(2, 1), Not(Contains(HasSubstr("show WORK"))));
    EXPECT_THAT(of(1, 1), Contains(HasSubstr("of 2 samples show WORK")));
    EXPECT_THAT(of(5, 2), Contains(HasSubstr("of 7 samples show WORK")));
}

TEST(Checker, TellsTooFewSamplesFromWrongOnes) {
    EXPECT_THAT(of_samples(1, 1).too_few_samples(),
                ElementsAre(HasSubstr("only 2 samples in"), HasSubstr("of 2 samples show WORK")));
    EXPECT_THAT(of_samples(3, 0).too_few_samples(), ElementsAre(HasSubstr("only 3 samples in")));
    EXPECT_THAT(of_samples(0, 0).too_few_samples(), Contains("no samples"));
    EXPECT_THAT(of_samples(5, 2).too_few_samples(), IsEmpty());
}

TEST(Checker, WantsSamplesWhereAStateLastsLong) {
    EXPECT_THAT(of_samples(4, 0).all_complaints(), IsEmpty());
    EXPECT_THAT(of_samples(3, 0).all_complaints(),
                ElementsAre("only 3 samples in 18400 us of WORK"));
    EXPECT_THAT(of_samples(0, 0).all_complaints(), Contains("no samples"));
    EXPECT_EQ(of_samples(0, 0).summary(), "no samples");
    Verdict verdict = of_samples(3, 0);
    verdict.long_ns = verdict.states.at("WORK").judged_ns;
    EXPECT_THAT(verdict.all_complaints(), Contains(HasSubstr("only 3 samples")));
    verdict.long_ns += 1;
    EXPECT_THAT(verdict.all_complaints(), IsEmpty());
}

TEST(Checker, AtMostOneOfAHundredOthersMayShowAState) {
    const auto of = [](unsigned outside) {
        Story story = work_in_region();
        story.sample(10 * kMs, THR_WORK_STATE, kRegion, 1000 - outside);
        story.sample(10 * kMs, THR_ODWT_STATE, kRegion, outside);
        end_of_region(story);
        return verdict_of(story).all_complaints();
    };
    EXPECT_THAT(of(10), IsEmpty());
    EXPECT_THAT(of(11), ElementsAre("11 of 1000 samples outside show ODWT"));
    // Those of its own phases are not among the others.
    Story story = barrier_up_to_join();
    story.sample(5 * kMs, THR_IBAR_STATE, kRegion, 100);
    story.sample(15 * kMs, THR_IBAR_STATE, kRegion, 2);
    story.sample(15 * kMs, THR_OVHD_STATE, kRegion, 100);
    EXPECT_THAT(verdict_of(story).all_complaints(),
                ElementsAre("2 of 102 samples outside show IBAR"));
}

TEST(Checker, NinetyNineOfAHundredMustNameTheRegion) {
    const auto of = [](unsigned wrong) {
        Story story = work_in_region();
        story.sample(10 * kMs, THR_WORK_STATE, kRegion, 100 - wrong);
        story.sample(10 * kMs, THR_WORK_STATE, kRegion + 1, wrong);
        end_of_region(story);
        return verdict_of(story).all_complaints();
    };
    EXPECT_THAT(of(1), IsEmpty());
    EXPECT_THAT(of(2), ElementsAre("the region is right in only 98.0 %"));
}

TEST(Checker, SamplesNearAPhasesLimitsAreOfNeither) {
    const auto judged_at = [](std::uint64_t time, std::uint64_t used) {
        Story story = work_in_region();
        story.sample(time, THR_WORK_STATE, kRegion);
        story.thread.samples.back().used = used;
        end_of_region(story);
        return verdict_of(story).samples;
    };
    const std::uint64_t first = kMs + 300 * kUs;
    const std::uint64_t last = 20 * kMs - 300 * kUs;
    EXPECT_EQ(judged_at(first, first), 1u);
    EXPECT_EQ(judged_at(first - 1, first), 0u);
    EXPECT_EQ(judged_at(last, last), 1u);
    EXPECT_EQ(judged_at(last + 1, last), 0u);
    // Held up on its way from the mark to the construct.
    EXPECT_EQ(judged_at(10 * kMs, kMs + 50 * kUs), 1u);
    EXPECT_EQ(judged_at(10 * kMs, kMs + 50 * kUs - 1), 0u);
}

TEST(Checker, AnInvalidStateIsComplainedOf) {
    const auto of = [](int state, int result) {
        Story story = work_in_region();
        story.sample(10 * kMs, state, kRegion);
        story.thread.samples.back().answers.result = result;
        end_of_region(story);
        return verdict_of(story).complaints;
    };
    const auto invalid = HasSubstr("a sample shows no valid state (in \"WORK\")");
    EXPECT_THAT(of(THR_OVHD_STATE, 0), IsEmpty());
    EXPECT_THAT(of(THR_ATWT_STATE, 0), IsEmpty());
    EXPECT_THAT(of(THR_OVHD_STATE - 1, 0), ElementsAre(invalid));
    EXPECT_THAT(of(THR_ATWT_STATE + 1, 0), ElementsAre(invalid));
    EXPECT_THAT(of(THR_WORK_STATE, -1), ElementsAre(invalid));
}

TEST(Checker, AMissingEventIsNamed) {
    Story story;
    story.mark(0, "any FORK", THR_SERIAL_STATE, 0).mark(kMs, "SERIAL", THR_SERIAL_STATE, 0);
    EXPECT_THAT(verdict_of(story).complaints,
                ElementsAre("thread 0: missing: FORK (in \"any FORK\")"));
    Story lenient;
    lenient.mark(0, "any FORK? JOIN?", THR_SERIAL_STATE, 0);
    EXPECT_THAT(verdict_of(lenient).complaints, IsEmpty());
}

TEST(Checker, AnEventThatNobodyWantsIsNamedButWhereAllAreBorne) {
    const auto of = [](const std::string &label) {
        Story story;
        story.mark(0, label, THR_SERIAL_STATE, 0)
            .event(1, OMP_EVENT_THR_BEGIN_MASTER, THR_WORK_STATE, 0)
            .event(2, OMP_EVENT_THR_END_MASTER, THR_WORK_STATE, 0);
        return verdict_of(story).complaints;
    };
    EXPECT_THAT(of("any BEGIN_MASTER END_MASTER"), IsEmpty());
    EXPECT_THAT(of("any *"), IsEmpty());
    EXPECT_THAT(of("any FORK? BEGIN_MASTER END_MASTER"), IsEmpty());
    EXPECT_THAT(of("any BEGIN_MASTER"), ElementsAre(HasSubstr("not wanted here: END_MASTER")));
    EXPECT_THAT(of("any END_MASTER BEGIN_MASTER"),
                Contains(HasSubstr("not wanted here: BEGIN_MASTER")));
}

TEST(Checker, PairsAreStrict) {
    Story twice;
    twice.mark(0, "any *", THR_SERIAL_STATE, 0)
        .event(1, OMP_EVENT_THR_BEGIN_EBAR, THR_EBAR_STATE, 0)
        .event(2, OMP_EVENT_THR_BEGIN_EBAR, THR_EBAR_STATE, 0)
        .event(3, OMP_EVENT_THR_END_EBAR, THR_EBAR_STATE, 0);
    EXPECT_THAT(verdict_of(twice).complaints, ElementsAre(HasSubstr("begun twice: BEGIN_EBAR")));
    Story without;
    without.mark(0, "any *", THR_SERIAL_STATE, 0)
        .event(1, OMP_EVENT_THR_END_EBAR, THR_EBAR_STATE, 0);
    EXPECT_THAT(verdict_of(without).complaints,
                ElementsAre(HasSubstr("ended without begin: END_EBAR")));
    Story open;
    open.mark(0, "any *", THR_SERIAL_STATE, 0)
        .event(1, OMP_EVENT_THR_BEGIN_EBAR, THR_EBAR_STATE, 0);
    EXPECT_THAT(verdict_of(open).complaints, ElementsAre(HasSubstr("left open: EBAR")));
    Story idle(1);
    idle.event(1, OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0);
    EXPECT_THAT(verdict_of(idle).complaints, IsEmpty());
}

TEST(Checker, AnEventShowsItsState) {
    const auto of = [](int event, int end, int state) {
        Story story;
        story.mark(0, "any *", THR_SERIAL_STATE, 0)
            .event(1, event, state, 0)
            .event(2, end, state, 0);
        return verdict_of(story).complaints;
    };
    EXPECT_THAT(of(OMP_EVENT_THR_BEGIN_LKWT, OMP_EVENT_THR_END_LKWT, THR_LKWT_STATE), IsEmpty());
    EXPECT_THAT(of(OMP_EVENT_THR_BEGIN_LKWT, OMP_EVENT_THR_END_LKWT, THR_WORK_STATE),
                ElementsAre(HasSubstr("BEGIN_LKWT shows state WORK"),
                            HasSubstr("END_LKWT shows state WORK")));
    for (const auto &[begin, end] :
         {std::pair{OMP_EVENT_THR_BEGIN_MASTER, OMP_EVENT_THR_END_MASTER},
          std::pair{OMP_EVENT_THR_BEGIN_SINGLE, OMP_EVENT_THR_END_SINGLE},
          std::pair{OMP_EVENT_THR_BEGIN_ORDERED, OMP_EVENT_THR_END_ORDERED}}) {
        EXPECT_THAT(of(begin, end, THR_OVHD_STATE), IsEmpty());
    }
    Story fork;
    fork.mark(0, "any FORK", THR_SERIAL_STATE, 0).event(1, OMP_EVENT_FORK, THR_WORK_STATE, kRegion);
    EXPECT_THAT(verdict_of(fork).complaints, ElementsAre(HasSubstr("FORK shows state WORK")));
}

// On the way from the mark to the event qemu translates: what samples show there is of no phase.
TEST(Checker, SamplesMayCountFromTheEventThatBeginsTheState) {
    Story story;
    story.mark(0, "any FORK", THR_SERIAL_STATE, 0)
        .fork(1)
        .mark(kMs, "IBAR BEGIN_IBAR END_IBAR JOIN", THR_WORK_STATE, kRegion)
        .event(5 * kMs, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE, kRegion)
        .sample(3 * kMs, THR_WORK_STATE, kRegion, 10)
        .sample(10 * kMs, THR_IBAR_STATE, kRegion, 10)
        .event(15 * kMs, OMP_EVENT_THR_END_IBAR, THR_IBAR_STATE, kRegion)
        .join(20 * kMs)
        .mark(30 * kMs, "any", THR_SERIAL_STATE, 0);
    const Log log = log_of({story});
    EXPECT_THAT(check(log, From::kMark).all_complaints(),
                Contains("only 50.0 % of 20 samples show IBAR"));
    EXPECT_THAT(check(log, From::kEvent).all_complaints(), IsEmpty());
    EXPECT_EQ(check(log, From::kEvent).states.at("IBAR").inside, 10U);
}

TEST(Checker, RegionsNest) {
    Story story;
    story.mark(0, "any FORK FORK JOIN JOIN", THR_SERIAL_STATE, 0)
        .fork(1, 7)
        .fork(2, 8, 7)
        .join(3, 8, 7)
        .join(4, 7);
    EXPECT_THAT(verdict_of(story).complaints, IsEmpty());
    Story wrong;
    wrong.mark(0, "any FORK FORK", THR_SERIAL_STATE, 0).fork(1, 7).fork(2, 8, 6);
    EXPECT_THAT(verdict_of(wrong).complaints, ElementsAre(HasSubstr("FORK names another parent")));
    Story refused;
    refused.mark(0, "any FORK", THR_SERIAL_STATE, 0).fork(1, 7);
    refused.thread.records.back().answers.parent_ec = OMP_ERRCODE_THREAD_ERR;
    EXPECT_THAT(verdict_of(refused).complaints,
                ElementsAre(HasSubstr("FORK names another parent")));
    Story other;
    other.mark(0, "any FORK JOIN", THR_SERIAL_STATE, 0).fork(1, 7).join(2, 8);
    EXPECT_THAT(verdict_of(other).complaints, ElementsAre(HasSubstr("JOIN shows region 8, not 7")));
    Story same;
    same.mark(0, "any *", THR_SERIAL_STATE, 0).fork(1, 7).join(2, 7).fork(3, 7).join(4, 7);
    EXPECT_THAT(verdict_of(same).complaints, Contains(HasSubstr("two regions have id 7")));
    Story alone;
    alone.mark(0, "any JOIN", THR_SERIAL_STATE, 0).join(1, 0);
    EXPECT_THAT(verdict_of(alone).complaints, IsEmpty());
}

TEST(Checker, AMarkShowsItsRegionAndState) {
    Story region = work_in_region();
    region.mark(2 * kMs, "any", THR_WORK_STATE, 9);
    EXPECT_THAT(verdict_of(region).complaints,
                ElementsAre(HasSubstr("the mark says region 9, the events say 7")));
    Story state = work_in_region();
    state.mark(2 * kMs, "any", THR_SERIAL_STATE, kRegion);
    EXPECT_THAT(verdict_of(state).complaints, ElementsAre(HasSubstr("the mark says state SERIAL")));
    Story serial;
    serial.mark(0, "any", THR_WORK_STATE, 0);
    EXPECT_THAT(verdict_of(serial).complaints, ElementsAre(HasSubstr("the mark says state WORK")));
    // Marks in a combiner are in the reduction already, or still.
    Story reduction = work_in_region();
    reduction.mark(2 * kMs, "REDUC", THR_REDUC_STATE, kRegion)
        .mark(3 * kMs, "WORK", THR_REDUC_STATE, kRegion);
    EXPECT_THAT(verdict_of(reduction).complaints, IsEmpty());
    reduction.mark(4 * kMs, "WORK", THR_REDUC_STATE, kRegion);
    EXPECT_THAT(verdict_of(reduction).complaints,
                ElementsAre(HasSubstr("the mark says state REDUC")));
}

TEST(Checker, ARegionFromBeforeTheSession) {
    Story story;
    story.mark(0, "WORK @", THR_WORK_STATE, 5)
        .mark(kMs, "WORK @", THR_WORK_STATE, 5)
        .mark(2 * kMs, "SERIAL", THR_SERIAL_STATE, 0);
    EXPECT_THAT(verdict_of(story).complaints, IsEmpty());
    EXPECT_THAT(verdict_of(story).unseen_regions, ElementsAre(5u));
    Story none;
    none.mark(0, "any @", THR_SERIAL_STATE, 0);
    EXPECT_THAT(verdict_of(none).complaints, Contains(HasSubstr("has no id")));
    Story changed;
    changed.mark(0, "WORK @", THR_WORK_STATE, 5).mark(kMs, "WORK @", THR_WORK_STATE, 6);
    EXPECT_THAT(verdict_of(changed).complaints,
                ElementsAre(HasSubstr("the region has changed its id"), HasSubstr("has two ids")));
    // It is in none by then.
    Story behind = story;
    behind.sample(5 * kMs, THR_SERIAL_STATE, 0).mark(9 * kMs, "any", THR_SERIAL_STATE, 0);
    EXPECT_EQ(verdict_of(behind).region_right, 1u);
    Story forks = story;
    forks.mark(3 * kMs, "any FORK", THR_SERIAL_STATE, 0)
        .fork(4 * kMs)
        .mark(5 * kMs, "any", THR_SERIAL_STATE, 0);
    EXPECT_THAT(verdict_of(forks).complaints, Contains(HasSubstr("the events say 7")));
    // Once it has been left, the next mark must be right again.
    story.mark(3 * kMs, "SERIAL", THR_SERIAL_STATE, 5);
    EXPECT_THAT(verdict_of(story).complaints, Contains(HasSubstr("the mark says region 5")));
    story.thread.records.pop_back();
    story.fork(3 * kMs).thread.records.back().label = "";
    EXPECT_THAT(verdict_of(story).complaints, ElementsAre(HasSubstr("not wanted here: FORK")));
    Story worker = work_in_region();
    worker.mark(2 * kMs, "SERIAL", THR_SERIAL_STATE, 0);
    EXPECT_THAT(verdict_of(worker).complaints,
                Contains(HasSubstr("the mark says region 0, the events say 7")));
}

} // namespace
} // namespace ocb_test
