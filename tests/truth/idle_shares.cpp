// SPDX-License-Identifier: Apache-2.0
#include "idle_shares.h"

#include "omp_collector_api.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ocb_test {
namespace {

// Share of a thread's time, in percent, between its BEGIN and END events of one kind.
double share_of_events(const ThreadLog &thread, int begin, std::uint64_t from, std::uint64_t to) {
    std::uint64_t sum = 0, since = 0;
    for (const Record &record : thread.records) {
        if (record.kind != RecordKind::kEvent) {
            continue;
        }
        if (record.number == begin) {
            since = std::max(record.time, from);
        }
        if (record.number == begin + 1 && since != 0) {
            sum += std::min(record.time, to) - std::min(since, to);
            since = 0;
        }
    }
    if (since != 0) {
        sum += to - std::min(since, to);
    }
    return 100.0 * static_cast<double>(sum) / static_cast<double>(to - from);
}

// Each sample stands for the time since the one before: on a busy machine some come late.
double share_of_samples(const ThreadLog &thread, int state, std::uint64_t from, std::uint64_t to) {
    double all = 0, those = 0;
    std::uint64_t last = from;
    for (const Sample &sample : thread.samples) {
        if (sample.time >= from && sample.time < to) {
            const auto weight = static_cast<double>(sample.time - last);
            all += weight;
            those += sample.answers.state == state ? weight : 0;
            last = sample.time;
        }
    }
    return all == 0 ? -1 : 100 * those / all;
}

// What is true of the worker, in percent: from its arrival (BEGIN_IBAR, in both settings) to the
// master's JOIN it waits for the master, from there to the next FORK it is idle.
struct TrueShares {
    double waits = 0, is_idle = 0;
};

TrueShares true_shares(const ThreadLog &master, const ThreadLog &worker, std::uint64_t from,
                       std::uint64_t to) {
    const std::vector<Record> forks = events_of(master, OMP_EVENT_FORK);
    const std::vector<Record> joins = events_of(master, OMP_EVENT_JOIN);
    const std::vector<Record> arrivals = events_of(worker, OMP_EVENT_THR_BEGIN_IBAR);
    TrueShares shares;
    for (std::size_t i = 0; i + 1 < forks.size(); ++i) {
        shares.waits += static_cast<double>(joins.at(i).time - arrivals.at(i).time);
        shares.is_idle += static_cast<double>(forks[i + 1].time - joins[i].time);
    }
    const double percent = 100 / static_cast<double>(to - from);
    return {shares.waits * percent, shares.is_idle * percent};
}

} // namespace

double distance_from_truth(const ProgramRun &result, const Runtime &runtime, bool is_prompt) {
    constexpr double kUseless = 1000;
    const auto workers = other_threads(result.log);
    EXPECT_EQ(1U, workers.size());
    const std::vector<Record> forks = events_of(result.log.threads[0], OMP_EVENT_FORK);
    EXPECT_EQ(10U, forks.size());
    if (workers.size() != 1 || forks.size() != 10) {
        return kUseless;
    }
    const ThreadLog &worker = *workers[0];
    // Nine whole rounds, from fork to fork.
    const std::uint64_t from = forks.front().time, to = forks.back().time;
    const TrueShares truth = true_shares(result.log.threads[0], worker, from, to);
    const double ibar = share_of_events(worker, OMP_EVENT_THR_BEGIN_IBAR, from, to);
    const double idle = share_of_events(worker, OMP_EVENT_THR_BEGIN_IDLE, from, to);
    const double ibar_state = share_of_samples(worker, THR_IBAR_STATE, from, to);
    const double idle_state = share_of_samples(worker, THR_IDLE_STATE, from, to);
    std::printf("%s %s: waits %.1f %%, idle %.1f %%; events IBAR %.1f %% IDLE %.1f %%; samples "
                "IBAR %.1f %% IDLE %.1f %%\n",
                name_of(runtime).c_str(), is_prompt ? "prompt" : "deferred", truth.waits,
                truth.is_idle, ibar, idle, ibar_state, idle_state);
    const double both = truth.waits + truth.is_idle;
    return std::max({std::abs((is_prompt ? 0 : both) - ibar),
                     std::abs((is_prompt ? both : 0) - idle), std::abs(truth.waits - ibar_state),
                     std::abs(truth.is_idle - idle_state)});
}

} // namespace ocb_test
