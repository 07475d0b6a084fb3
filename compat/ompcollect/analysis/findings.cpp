// SPDX-License-Identifier: Apache-2.0
#include "findings.h"

#include "evidence.h"
#include "region_shape.h"
#include "serial_place.h"
#include "time_class.h"
#include "words.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ompcollect::report {
namespace {

class FindingBuilder {
  public:
    FindingBuilder(const Process &process, const Figures &figures)
        : process_(process), figures_(figures), evidence_(process, figures) {}
    std::vector<Finding> make();

  private:
    [[nodiscard]] Finding finding_of(const std::vector<Loss> &losses) const;
    void add_threads(Finding &finding) const;

    const Process &process_;
    const Figures &figures_;
    const Evidence evidence_;
};

void FindingBuilder::add_threads(Finding &finding) const {
    const RegionFigures *region = evidence_.region_at(finding.node);
    if (!region || finding.node < 0) {
        return;
    }
    for (const ThreadWork &work : region->work) {
        finding.threads.push_back(
            {process_.threads[work.thread].number, work.seconds, work.waited, work.asleep});
    }
}

Finding FindingBuilder::finding_of(const std::vector<Loss> &losses) const {
    const double elapsed = figures_.efficiency.elapsed;
    Finding to;
    LossSum sum;
    std::map<int, Loss> by_node;
    for (const Loss &loss : losses) {
        sum.add(loss);
        Loss &at = by_node.try_emplace(loss.node, Loss{loss.cause, loss.node}).first->second;
        at.seconds += loss.seconds;
        at.thread_seconds += loss.thread_seconds;
        at.samples += loss.samples;
        at.is_measured |= loss.is_measured;
        at.call = at.call == kNoCall ? loss.call : at.call; // most time first
    }
    to.cause = sum.cause();
    to.seconds = sum.seconds;
    to.samples = sum.samples;
    to.is_measured = sum.is_measured();
    to.is_worth_it = sum.is_worth_it(sum.seconds / elapsed);
    to.share = std::min(1.0, to.seconds / elapsed); // a clock may have jumped
    std::vector<const Loss *> order;
    order.reserve(by_node.size());
    for (const auto &[node, loss] : by_node) {
        order.push_back(&loss);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const Loss *a, const Loss *b) { return a->seconds > b->seconds; });
    for (const Loss *loss : order) {
        to.places.push_back({loss->node, place_name(process_, loss->node), loss->seconds,
                             loss->seconds / elapsed, loss->samples,
                             caller_of_place(process_, loss->node)});
    }
    to.node = to.places.front().node;
    to.place = to.places.front().place;
    to.evidence = evidence_.of(*order.front());
    const double error = to.is_measured ? 0 : error_of_share(to.share, to.samples);
    to.is_at_most = is_at_most(to.cause, is_shared(process_));
    to.least_share = to.is_at_most ? 0 : std::max(0.0, to.share - error);
    to.most_share = std::min(1.0, to.share + error);
    add_threads(to);
    return to;
}

std::vector<Finding> FindingBuilder::make() {
    std::vector<Finding> findings;
    if (figures_.efficiency.elapsed <= 0) {
        return findings;
    }
    std::map<Cause, std::vector<Loss>> by_cause;
    bool is_healthy = lost_share(figures_) < limit(Limit::kNoticed);
    for (const Loss &loss : figures_.losses) {
        by_cause[family_of(loss.cause)].push_back(loss);
        const double share = loss.seconds / figures_.efficiency.elapsed;
        is_healthy =
            is_healthy && !(is_oversubscribed(loss.cause) && share >= limit(Limit::kShown));
    }
    if (is_healthy) {
        return findings;
    }
    for (const auto &[cause, losses] : by_cause) {
        Finding finding = finding_of(losses);
        if (finding.is_worth_it) {
            findings.push_back(std::move(finding));
        }
    }
    std::stable_sort(findings.begin(), findings.end(), [](const Finding &a, const Finding &b) {
        return std::pair(is_oversubscribed(a.cause), a.seconds) >
               std::pair(is_oversubscribed(b.cause), b.seconds);
    });
    findings.resize(std::min(findings.size(), kMostFindings));
    return findings;
}

} // namespace

std::vector<Finding> findings_of(const Process &process, const Figures &figures) {
    return FindingBuilder(process, figures).make();
}

Conclusions::Conclusions(const Process &process)
    : figures(figures_of(process)), findings(findings_of(process, figures)) {}

double lost_share(const Figures &figures) {
    double lost = 0;
    for (const Loss &loss : figures.losses) {
        lost += loss.seconds;
    }
    return figures.efficiency.elapsed > 0 ? lost / figures.efficiency.elapsed : 0;
}

double unseen_seconds(const Process &process) {
    if (process.has_wall_times || process.threads.empty()) {
        return 0;
    }
    std::vector<double> unseen(process.threads.size());
    for (size_t i = 0; i < unseen.size(); ++i) {
        unseen[i] = process.threads[i].end - process.threads[i].begin;
    }
    for (const Cell &cell : process.cells) {
        if (cell.thread < unseen.size()) {
            unseen[cell.thread] -= cell.wall;
        }
    }
    double sum = 0;
    for (const double seconds : unseen) {
        sum += std::max(0.0, seconds);
    }
    return sum / static_cast<double>(unseen.size());
}

namespace {

// What no state shows, and which comparison would.
std::string slow_code(const Process &process, unsigned threads) {
    if (process.kernel_seconds > limit(Limit::kMuch) * process.cpu_seconds) {
        return format("%s of the processor time is in the kernel, with %s page faults",
                      percent(process.kernel_seconds / process.cpu_seconds).c_str(),
                      grouped(process.page_faults).c_str());
    }
    return format("ompcollect scale -t 1,%u shows what memory, caches and false sharing cost",
                  threads);
}

} // namespace

std::string no_finding(const Process &process, const Figures &figures) {
    const double unseen = unseen_seconds(process);
    if (unseen > limit(Limit::kNoticed) * process.seconds) {
        return format("In the mean each thread had no processor for %s of %s, and --clock cpu does "
                      "not see why (--clock wall).",
                      duration(unseen).c_str(), duration(process.seconds).c_str());
    }
    const double unobserved = unobserved_seconds(process);
    if (unobserved > limit(Limit::kNoticed) * process.seconds) {
        return format("What regions of a runtime that is not observed lose in %s is not known: "
                      "make the program and its libraries use one OpenMP runtime.",
                      duration(unobserved).c_str());
    }
    if (figures.efficiency.threads == 1) {
        return "One thread alone waits for nobody (OMP_NUM_THREADS).";
    }
    if (is_shared(process)) {
        return format("Nothing of the program's own stands out: others on the machine took %s of "
                      "the processor time that its threads wanted.",
                      percent(taken_by_others(process)).c_str());
    }
    const double lost = lost_share(figures);
    if (lost < limit(Limit::kNoticed)) {
        return "No time is lost in waits (" + percent(lost) +
               "). Slow code is not seen here: " + slow_code(process, figures.efficiency.threads) +
               ".";
    }
    return format("Of no cause are there %llu samples: %s are lost, and of %s samples nobody can "
                  "tell to what (a longer run, or --rate).",
                  static_cast<unsigned long long>(fewest_samples()), percent(lost).c_str(),
                  grouped(figures.samples).c_str());
}

} // namespace ompcollect::report
