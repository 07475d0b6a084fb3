// SPDX-License-Identifier: Apache-2.0
//
// The sums in the figures of processes drawn at random, each computed a second time here: by the
// definitions of figures.h, region by region and thread by thread, without a thought for speed.
#include "made_runs.h"
#include "region_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace ocb_test {
namespace {

constexpr double kNear = 1e-9;

class Oracle {
  public:
    explicit Oracle(const Process &process) : process_(process) {}

    // The region and those inside it, by thread.
    [[nodiscard]] std::map<unsigned, double> shares_of(int region) const {
        std::map<unsigned, double> shares;
        for (const Cell &cell : process_.cells) {
            if (!is_within(cell.node, region)) {
                continue;
            }
            shares[cell.thread] += cell.state == THR_IDLE_STATE ? 0 : cell.wall;
        }
        return shares;
    }
    [[nodiscard]] double longest_in(int region) const {
        double longest = 0;
        for (const auto &[thread, share] : shares_of(region)) {
            longest = std::max(longest, share);
        }
        return longest;
    }
    // Those that no other region is around, and the unknown one.
    [[nodiscard]] std::vector<int> outermost() const {
        std::vector<int> found = {kUnknown};
        for (int node = 0; static_cast<size_t>(node) < process_.nodes.size(); ++node) {
            if (at(node).kind == NodeKind::kRegion && around(at(node).parent) < 0) {
                found.push_back(node);
            }
        }
        return found;
    }
    [[nodiscard]] Efficiency efficiency() const;
    [[nodiscard]] RegionFigures region(int node) const;

  private:
    [[nodiscard]] const Node &at(int node) const {
        return process_.nodes[static_cast<size_t>(node)];
    }
    // The innermost region around a node, the node included.
    [[nodiscard]] int around(int node) const {
        while (node >= 0 && at(node).kind != NodeKind::kRegion) {
            node = at(node).parent;
        }
        return node < 0 ? -1 : node;
    }
    [[nodiscard]] bool is_within(int node, int region) const {
        if (region < 0 || node < 0) {
            return node == region;
        }
        while (node >= 0 && node != region) {
            node = at(node).parent;
        }
        return node == region;
    }
    [[nodiscard]] bool is_own(const Cell &cell, int region) const {
        return cell.node < 0 ? cell.node == region : around(cell.node) == region;
    }

    const Process &process_;
};

Efficiency Oracle::efficiency() const {
    Efficiency to;
    to.elapsed = process_.seconds;
    to.threads = process_.most_threads != 0 ? process_.most_threads
                                            : static_cast<unsigned>(process_.threads.size());
    std::map<unsigned, double> in_regions;
    double parallel = 0;
    for (const int region : outermost()) {
        for (const auto &[thread, share] : shares_of(region)) {
            in_regions[thread] += share;
            parallel = std::max(parallel, in_regions[thread]);
        }
    }
    to.serial = to.elapsed - std::min(parallel, to.elapsed);
    double wall = 0;
    double cpu = 0;
    for (const Cell &cell : process_.cells) {
        wall += cell.state == THR_WORK_STATE ? cell.wall : 0;
        cpu += cell.state == THR_WORK_STATE ? cell.cpu : 0;
    }
    to.on_processor = process_.has_cpu_times && wall > 0 ? std::min(1.0, cpu / wall) : 1;
    return to;
}

RegionFigures Oracle::region(int node) const {
    RegionFigures to;
    to.node = node;
    for (const auto &[thread, share] : shares_of(node)) {
        to.threads += share > 0 ? 1 : 0;
    }
    to.elapsed = longest_in(node);
    std::map<long, ThreadWork> work; // by the thread's id in the system
    for (const Cell &cell : process_.cells) {
        if (!is_own(cell, node)) {
            continue;
        }
        to.samples += cell.samples;
        to.times.wall[cell.state] += cell.wall;
        to.times.cpu[cell.state] += cell.cpu;
        if (cell.state == THR_IDLE_STATE) {
            continue;
        }
        to.own += cell.wall;
        ThreadWork &entry = work[process_.threads[cell.thread].tid];
        entry.thread = cell.thread;
        if (cell.state == THR_WORK_STATE || cell.state == THR_SERIAL_STATE) {
            entry.seconds += process_.has_cpu_times ? cell.cpu : cell.wall;
            entry.no_processor += process_.has_cpu_times ? cell.wall - cell.cpu : 0;
        } else if (cell.state == THR_IBAR_STATE) {
            entry.waited += cell.wall;
        } else if (cell.state == THR_OVHD_STATE) {
            entry.runtime += cell.wall;
        }
    }
    for (const auto &[tid, entry] : work) {
        to.work.push_back(entry);
        to.work_min = to.work.size() == 1 ? entry.seconds : std::min(to.work_min, entry.seconds);
        to.work_max = std::max(to.work_max, entry.seconds);
        to.work_mean += entry.seconds / static_cast<double>(work.size());
    }
    return to;
}

Process drawn(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    const unsigned threads = 1 + below(6);
    MadeProcess made(threads, 1 + below(40) / 4.0);
    std::vector<int> nodes;
    for (unsigned i = 0; i < 1 + below(7); ++i) {
        const int parent =
            nodes.empty() || below(3) == 0 ? -1 : nodes[below(static_cast<unsigned>(nodes.size()))];
        const std::string name(1, static_cast<char>('a' + i));
        if (below(3) == 0) {
            nodes.push_back(made.function(name, static_cast<int>(i), parent));
        } else {
            nodes.push_back(made.region(name, static_cast<int>(i), below(4), parent));
            made.process.nodes.back().masters = below(2) == 0 ? below(5) : 0;
        }
    }
    const unsigned states[] = {THR_WORK_STATE,
                               THR_WORK_STATE,
                               THR_WORK_STATE,
                               THR_IBAR_STATE,
                               THR_OVHD_STATE,
                               THR_IDLE_STATE,
                               THR_LKWT_STATE,
                               THR_REDUC_STATE,
                               THR_SERIAL_STATE,
                               0,
                               12};
    for (unsigned i = 0; i < below(30); ++i) {
        const unsigned place = below(10);
        const int at = place == 0   ? kUnknown
                       : place == 1 ? kOutside
                                    : nodes[below(static_cast<unsigned>(nodes.size()))];
        const double wall = below(8) == 0 ? 0 : (1 + below(12)) / 4.0;
        made.time(below(threads), at, states[below(static_cast<unsigned>(std::size(states)))], wall,
                  below(2) == 0 ? wall : wall * below(5) / 4);
    }
    made.process.has_cpu_times = below(3) != 0;
    if (below(3) == 0) {
        made.process.most_threads = below(2) == 0 ? 0 : threads + below(4);
    }
    // Numbers of threads need not go with their ids.
    for (Thread &thread : made.process.threads) {
        thread.tid = 1000 - 7 * thread.tid % 5 - thread.tid % 100 * 10;
    }
    return made.process;
}

void expect_same(const Efficiency &found, const Efficiency &wanted) {
    EXPECT_EQ(found.threads, wanted.threads);
    EXPECT_NEAR(found.elapsed, wanted.elapsed, kNear);
    EXPECT_NEAR(found.serial, wanted.serial, kNear);
    EXPECT_NEAR(found.on_processor, wanted.on_processor, kNear);
}

void expect_same(const RegionFigures &found, const RegionFigures &wanted) {
    EXPECT_EQ(found.threads, wanted.threads);
    EXPECT_NEAR(found.elapsed, wanted.elapsed, kNear);
    EXPECT_EQ(found.samples, wanted.samples);
    EXPECT_NEAR(found.own, wanted.own, kNear);
    for (unsigned state = 0; state < ompcollect::kStateColumns; ++state) {
        EXPECT_NEAR(found.times.wall[state], wanted.times.wall[state], kNear);
        EXPECT_NEAR(found.times.cpu[state], wanted.times.cpu[state], kNear);
    }
    ASSERT_EQ(found.work.size(), wanted.work.size());
    for (size_t i = 0; i < found.work.size(); ++i) {
        EXPECT_EQ(found.work[i].thread, wanted.work[i].thread);
        EXPECT_NEAR(found.work[i].seconds, wanted.work[i].seconds, kNear);
        EXPECT_NEAR(found.work[i].no_processor, wanted.work[i].no_processor, kNear);
        EXPECT_NEAR(found.work[i].waited, wanted.work[i].waited, kNear);
        EXPECT_NEAR(found.work[i].runtime, wanted.work[i].runtime, kNear);
    }
    EXPECT_NEAR(found.work_min, wanted.work_min, kNear);
    EXPECT_NEAR(found.work_mean, wanted.work_mean, kNear);
    EXPECT_NEAR(found.work_max, wanted.work_max, kNear);
}

TEST(Figures, AddUpAsTheirDefinitionsDo) {
    for (unsigned seed = 0; seed < 2000 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        const Process process = drawn(seed);
        const Oracle oracle(process);
        const Figures figures = figures_of(process);
        expect_same(figures.efficiency, oracle.efficiency());
        std::set<int> seen;
        for (size_t i = 0; i < figures.regions.size(); ++i) {
            SCOPED_TRACE("region " + std::to_string(figures.regions[i].node));
            expect_same(figures.regions[i], oracle.region(figures.regions[i].node));
            EXPECT_TRUE(seen.insert(figures.regions[i].node).second);
            EXPECT_TRUE(i == 0 || figures.regions[i - 1].own >= figures.regions[i].own);
        }
        uint64_t samples = 0;
        StateTimes outside;
        for (const Cell &cell : process.cells) {
            samples += cell.samples;
            if (cell.node == kOutside) {
                outside.wall[cell.state] += cell.wall;
            }
            const int region = region_of(process, cell.node);
            EXPECT_TRUE(region == kOutside || seen.contains(region));
        }
        for (int node = 0; static_cast<size_t>(node) < process.nodes.size(); ++node) {
            EXPECT_EQ(seen.contains(node),
                      process.nodes[static_cast<size_t>(node)].kind == NodeKind::kRegion);
        }
        EXPECT_EQ(figures.samples, samples);
    }
}

} // namespace
} // namespace ocb_test
