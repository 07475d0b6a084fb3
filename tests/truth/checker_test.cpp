// SPDX-License-Identifier: Apache-2.0
//
// The truth checker itself, on logs made by hand: what it must complain of, at its very limits, and
// what it must let pass.
#include "checker.h"

#include "omp_collector_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ocb_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kUs = 1'000;
constexpr std::uint64_t kRegion = 7;

// One thread's log; times are given in order.
class Story {
  public:
    explicit Story(int index = 0) { thread.index = index; }

    Story &mark(std::uint64_t time, const std::string &label, int state, std::uint64_t region) {
        Record record = answered(RecordKind::kMark, 0, time, state, region);
        record.label = label;
        record.used = time;
        thread.records.push_back(record);
        return *this;
    }
    Story &event(std::uint64_t time, int number, int state, std::uint64_t region,
                 std::uint64_t parent = 0) {
        Record record = answered(RecordKind::kEvent, number, time, state, region);
        record.answers.parent = parent;
        record.answers.parent_ec = OMP_ERRCODE_OK;
        thread.records.push_back(record);
        return *this;
    }
    Story &fork(std::uint64_t time, std::uint64_t region = kRegion, std::uint64_t parent = 0) {
        return event(time, OMP_EVENT_FORK, THR_OVHD_STATE, region, parent);
    }
    Story &join(std::uint64_t time, std::uint64_t region = kRegion, std::uint64_t parent = 0) {
        return event(time, OMP_EVENT_JOIN, THR_OVHD_STATE, region, parent);
    }
    Story &sample(std::uint64_t time, int state, std::uint64_t region, unsigned count = 1) {
        for (unsigned i = 0; i < count; ++i) {
            thread.samples.push_back({time, time, answers(state, region)});
        }
        return *this;
    }
    ThreadLog thread;

  private:
    static Answers answers(int state, std::uint64_t region) {
        Answers given;
        given.result = 0;
        given.state = state;
        given.region = region;
        return given;
    }
    static Record answered(RecordKind kind, int number, std::uint64_t time, int state,
                           std::uint64_t region) {
        Record record;
        record.kind = kind;
        record.number = number;
        record.time = time;
        record.sequence = time;
        record.answers = answers(state, region);
        return record;
    }
};

Log log_of(std::initializer_list<Story> stories) {
    Log log;
    for (const Story &story : stories) {
        log.threads.push_back(story.thread);
    }
    return log;
}

Verdict verdict_of(const Story &story) {
    return check(log_of({story}));
}

// A phase of WORK in a region, from 1 ms to 20 ms, and the samples that the test adds.
Story work_in_region() {
    return Story()
        .mark(0, "any FORK", THR_SERIAL_STATE, 0)
        .fork(kMs / 2)
        .mark(kMs, "WORK", THR_WORK_STATE, kRegion);
}

void end_of_region(Story &story, std::uint64_t time = 20 * kMs) {
    story.mark(time, "any JOIN", THR_WORK_STATE, kRegion).join(time + 1);
}

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

TEST(Checker, BearsOneStraySampleBesideTwoRightOnes) {
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

// A wait as a phase: BEGIN and END in it, and the runtime's time behind it up to JOIN.
Story barrier_up_to_join(std::uint64_t join = 20 * kMs) {
    return Story()
        .mark(0, "any FORK", THR_SERIAL_STATE, 0)
        .fork(1)
        .mark(kMs, "IBAR BEGIN_IBAR END_IBAR JOIN", THR_WORK_STATE, kRegion)
        .event(kMs + 1, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE, kRegion)
        .event(10 * kMs, OMP_EVENT_THR_END_IBAR, THR_IBAR_STATE, kRegion)
        .join(join)
        .mark(30 * kMs, "any", THR_SERIAL_STATE, 0);
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

// The master forks and joins; the worker leaves idle for the region and comes back.
Log with_worker(std::uint64_t named, std::uint64_t leaves_at, std::uint64_t joins_at = 10 * kMs) {
    Story master;
    master.mark(0, "any FORK JOIN", THR_SERIAL_STATE, 0).fork(kMs).join(joins_at);
    Story worker(1);
    worker.event(1, OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0)
        .event(leaves_at, OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, named);
    return log_of({master, worker});
}

TEST(Checker, AWorkerEntersARegionThatRuns) {
    EXPECT_THAT(check(with_worker(kRegion, 2 * kMs)).complaints, IsEmpty());
    EXPECT_THAT(check(with_worker(0, 2 * kMs)).complaints, IsEmpty());
    const auto not_running = HasSubstr("END_IDLE names a region that does not run");
    EXPECT_THAT(check(with_worker(kRegion, kMs)).complaints, ElementsAre(not_running));
    EXPECT_THAT(check(with_worker(kRegion, 10 * kMs)).complaints, ElementsAre(not_running));
    EXPECT_THAT(check(with_worker(kRegion + 1, 2 * kMs)).complaints, ElementsAre(not_running));
    EXPECT_THAT(check(with_worker(kRegion, 10 * kMs - 1)).complaints, IsEmpty());
    Story open;
    open.mark(0, "any FORK", THR_SERIAL_STATE, 0).fork(kMs);
    Story late(1);
    late.event(1, OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0)
        .event(kMs + 1, OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, kRegion);
    EXPECT_THAT(check(log_of({open, late})).complaints, IsEmpty());
}

TEST(Checker, AnIdleWorkerIsInNoRegion) {
    Log log = with_worker(kRegion, 2 * kMs);
    Story worker(1);
    worker.thread = log.threads[1];
    Story elsewhere = worker;
    elsewhere.mark(3 * kMs, "any", THR_SERIAL_STATE, 0);
    log.threads[1] = elsewhere.thread;
    EXPECT_THAT(check(log).complaints, Contains(HasSubstr("region 0, the events say 7")));
    worker.mark(3 * kMs, "any BEGIN_IDLE", THR_WORK_STATE, kRegion)
        .event(4 * kMs, OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, kRegion);
    log.threads[1] = worker.thread;
    EXPECT_THAT(check(log).complaints, ElementsAre(HasSubstr("BEGIN_IDLE shows region 7, not 0")));
    log.threads[1].records.back().answers.region = 0;
    EXPECT_THAT(check(log).complaints, IsEmpty());
}

// A worker at its region's end: in the barrier until the master has joined, then idle.
Verdict at_the_end(std::uint64_t time, int state, std::uint64_t region) {
    Log log = with_worker(kRegion, 2 * kMs);
    Story worker(1);
    worker.thread = log.threads[1];
    worker.mark(3 * kMs, "END", THR_WORK_STATE, kRegion).sample(time, state, region);
    worker.mark(20 * kMs, "any", THR_WORK_STATE, kRegion);
    log.threads[1] = worker.thread;
    return check(log);
}

TEST(Checker, TheEndOfARegionIsABarrierAndThenIdle) {
    const std::uint64_t end = 10 * kMs;
    const auto is_right = [](const Verdict &verdict) {
        return verdict.samples == 1 && verdict.region_right == 1 &&
               verdict.states.begin()->second.inside_right == 1;
    };
    EXPECT_TRUE(is_right(at_the_end(5 * kMs, THR_IBAR_STATE, kRegion)));
    EXPECT_FALSE(is_right(at_the_end(5 * kMs, THR_IDLE_STATE, 0)));
    EXPECT_TRUE(is_right(at_the_end(15 * kMs, THR_IDLE_STATE, 0)));
    EXPECT_FALSE(is_right(at_the_end(15 * kMs, THR_IBAR_STATE, kRegion)));
    EXPECT_TRUE(is_right(at_the_end(end - 300 * kUs, THR_IBAR_STATE, kRegion)));
    EXPECT_EQ(at_the_end(end - 300 * kUs + 1, THR_IBAR_STATE, kRegion).samples, 0u);
    EXPECT_EQ(at_the_end(end, THR_IBAR_STATE, kRegion).samples, 0u);
    EXPECT_EQ(at_the_end(end + 300 * kUs - 1, THR_IDLE_STATE, 0).samples, 0u);
    EXPECT_TRUE(is_right(at_the_end(end + 300 * kUs, THR_IDLE_STATE, 0)));
    EXPECT_EQ(at_the_end(5 * kMs, THR_IBAR_STATE, kRegion).states.count("END"), 0u);
}

TEST(Checker, AWaitLastsUntilItsEnd) {
    const auto judged_at = [](std::uint64_t time) {
        Story story = barrier_up_to_join();
        story.sample(time, THR_IBAR_STATE, kRegion);
        return verdict_of(story).states["IBAR"].inside;
    };
    EXPECT_EQ(judged_at(5 * kMs), 1u);
    EXPECT_EQ(judged_at(10 * kMs - 300 * kUs), 1u);
    EXPECT_EQ(judged_at(10 * kMs - 300 * kUs + 1), 0u);
    EXPECT_EQ(verdict_of(barrier_up_to_join()).states["IBAR"].judged_ns, 9 * kMs - 600 * kUs);
}

TEST(Checker, BehindItsLastBarrierAMasterIsInTheRuntime) {
    const auto judged_at = [](std::uint64_t time, std::uint64_t region) {
        Story story = barrier_up_to_join();
        story.sample(time, THR_OVHD_STATE, region);
        return verdict_of(story);
    };
    const std::uint64_t first = 10 * kMs + 50 * kUs + 1;
    const std::uint64_t last = 20 * kMs - 50 * kUs - 1;
    for (const std::uint64_t time : {first, 15 * kMs, last}) {
        EXPECT_EQ(judged_at(time, kRegion).states["OVHD"].inside_right, 1u) << time;
        EXPECT_EQ(judged_at(time, kRegion).region_right, 1u);
        EXPECT_EQ(judged_at(time, 0).region_right, 1u);
        EXPECT_EQ(judged_at(time, 9).region_right, 0u);
    }
    EXPECT_EQ(judged_at(first - 1, kRegion).samples, 0u);
    EXPECT_EQ(judged_at(last + 1, kRegion).samples, 0u);
    Story inner;
    inner.mark(0, "any FORK FORK", THR_SERIAL_STATE, 0)
        .fork(1, 6)
        .fork(2, kRegion, 6)
        .mark(kMs, "IBAR BEGIN_IBAR END_IBAR JOIN", THR_WORK_STATE, kRegion)
        .event(kMs + 1, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE, kRegion)
        .event(10 * kMs, OMP_EVENT_THR_END_IBAR, THR_IBAR_STATE, kRegion)
        .join(20 * kMs, kRegion, 6)
        .sample(15 * kMs, THR_OVHD_STATE, 6);
    EXPECT_EQ(verdict_of(inner).region_right, 1u);
}

TEST(Checker, TheLastPhaseEndsWithTheLastRecord) {
    const auto judged_at = [](std::uint64_t time) {
        Story story = work_in_region();
        story.event(5 * kMs, OMP_EVENT_THR_BEGIN_MASTER, THR_WORK_STATE, kRegion)
            .sample(time, THR_WORK_STATE, kRegion);
        return verdict_of(story).samples;
    };
    EXPECT_EQ(judged_at(5 * kMs - 300 * kUs), 1u);
    EXPECT_EQ(judged_at(5 * kMs - 300 * kUs + 1), 0u);
}

TEST(Checker, APhaseShorterThanItsLimitsIsNotJudged) {
    const auto judged_ns = [](std::uint64_t length) {
        Story story = work_in_region();
        end_of_region(story, kMs + length);
        return verdict_of(story).states["WORK"].judged_ns;
    };
    EXPECT_EQ(judged_ns(600 * kUs), 0u);
    EXPECT_EQ(judged_ns(600 * kUs - 1), 0u);
    EXPECT_EQ(judged_ns(600 * kUs + 1), 1u);
    EXPECT_EQ(judged_ns(700 * kUs), 100 * kUs);
}

// Ids begin with 1.
TEST(Checker, TheFirstRegionIsARegion) {
    Log log = with_worker(1, 2 * kMs);
    log.threads[0].records[1].answers.region = 1;
    log.threads[0].records[2].answers.region = 1;
    EXPECT_THAT(check(log).complaints, IsEmpty());
    Story worker(1);
    worker.thread = log.threads[1];
    worker.mark(3 * kMs, "any", THR_WORK_STATE, 1);
    log.threads[1] = worker.thread;
    EXPECT_THAT(check(log).complaints, IsEmpty());
}

TEST(Checker, SummaryNamesTheWorstState) {
    Verdict one;
    one.states["IBAR"] = {0, 1, 0, 0};
    EXPECT_EQ(one.summary(), "0.0 % IBAR");
    Verdict verdict;
    verdict.states["IBAR"] = {0, 100, 98, 0};
    verdict.states["WORK"] = {0, 100, 97, 0};
    verdict.states["LKWT"] = {0, 0, 0, 5};
    EXPECT_EQ(verdict.summary(), "97.0 % WORK");
}

} // namespace
} // namespace ocb_test
