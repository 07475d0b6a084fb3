// SPDX-License-Identifier: Apache-2.0
//
// Logs made by hand, for tests of the truth checker.
#pragma once

#include "checker.h"

#include "omp_collector_api.h"

#include <cstdint>
#include <initializer_list>
#include <string>

namespace ocb_test {

inline constexpr std::uint64_t kMs = 1'000'000;
inline constexpr std::uint64_t kUs = 1'000;
inline constexpr std::uint64_t kRegion = 7;

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

inline Log log_of(std::initializer_list<Story> stories) {
    Log log;
    for (const Story &story : stories) {
        log.threads.push_back(story.thread);
    }
    return log;
}

inline Verdict verdict_of(const Story &story) {
    return check(log_of({story}));
}

// A phase of WORK in a region, from 1 ms to 20 ms, and the samples that the test adds.
inline Story work_in_region() {
    return Story()
        .mark(0, "any FORK", THR_SERIAL_STATE, 0)
        .fork(kMs / 2)
        .mark(kMs, "WORK", THR_WORK_STATE, kRegion);
}

inline void end_of_region(Story &story, std::uint64_t time = 20 * kMs) {
    story.mark(time, "any JOIN", THR_WORK_STATE, kRegion).join(time + 1);
}

// A wait as a phase: BEGIN and END in it, and the runtime's time behind it up to JOIN.
inline Story barrier_up_to_join(std::uint64_t join = 20 * kMs) {
    return Story()
        .mark(0, "any FORK", THR_SERIAL_STATE, 0)
        .fork(1)
        .mark(kMs, "IBAR BEGIN_IBAR END_IBAR JOIN", THR_WORK_STATE, kRegion)
        .event(kMs + 1, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE, kRegion)
        .event(10 * kMs, OMP_EVENT_THR_END_IBAR, THR_IBAR_STATE, kRegion)
        .join(join)
        .mark(30 * kMs, "any", THR_SERIAL_STATE, 0);
}

} // namespace ocb_test
