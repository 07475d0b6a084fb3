// SPDX-License-Identifier: Apache-2.0
//
// One function per kind of loss, each giving at most one finding per region. Time
// in barriers has one cause at a time: the first rule that explains it.
#include "findings.h"

#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace ompcollect::report {
namespace {

struct CauseRow {
    Cause cause;
    const char *key;
    const char *cure;
};

constexpr CauseRow kCauses[] = {
    {Cause::kSerial, "serial-part",
     "make this part parallel too, or shorter; more threads do not help it"},
    {Cause::kTinyRegions, "tiny-regions",
     "put one parallel region around the loop that enters it, merge neighbouring regions, or add "
     "an "
     "if clause for small sizes"},
    {Cause::kImbalance, "imbalance",
     "try schedule(dynamic) or schedule(guided), or share the work out more evenly"},
    {Cause::kSlantedWork, "slanted-work",
     "iterations are of uneven length under a static schedule: try schedule(dynamic), "
     "schedule(guided) or schedule(static,1)"},
    {Cause::kWanderingImbalance, "wandering-imbalance",
     "fewer barriers (nowait, merged loops), or schedule(dynamic) where iterations differ"},
    {Cause::kSingle, "single-in-loop",
     "take the single (or master) part and its barrier out of the loop, use nowait, or let all "
     "threads do it"},
    {Cause::kLoneThread, "lone-thread",
     "if this single (or master) part creates tasks, they are too small for others to get any: "
     "bigger tasks (grainsize, if, a cut-off by depth); else let all threads share its work"},
    {Cause::kCritical, "contended-critical",
     "use a reduction, an atomic or a copy per thread; do less inside, name critical regions "
     "apart that have nothing in common"},
    {Cause::kLockConvoy, "lock-convoy",
     "all queue for one lock: hold it for less time, give each part of the data its own lock, or a "
     "copy per thread"},
    {Cause::kLocks, "contended-locks", "hold locks for less time, or use more of them"},
    {Cause::kOrdered, "false-ordered",
     "leave ordered out if the order does not matter, keep only the part inside that needs it, or "
     "use schedule(static,1)"},
    {Cause::kAtomic, "contended-atomic", "use a reduction or a copy per thread"},
    {Cause::kReduction, "slow-reduction",
     "combine less often, reduce into smaller objects, or combine in parallel"},
    {Cause::kRuntimeWork, "runtime-work",
     "tasks or chunks are too small for the runtime: bigger tasks (grainsize, if, final, a cut-off "
     "by depth), bigger chunks in schedule"},
    {Cause::kNestedOversubscription, "nested-oversubscription",
     "set OMP_MAX_ACTIVE_LEVELS=1, or give inner and outer teams sizes whose product is the number "
     "of processors"},
    {Cause::kOversubscription, "oversubscription",
     "use no more threads than processors (OMP_NUM_THREADS), or let the program use more of them "
     "(taskset, the job's limits)"},
};
static_assert(std::size(kCauses) == static_cast<size_t>(Cause::kCount));

const CauseRow &row_of(Cause cause) {
    return kCauses[static_cast<size_t>(cause)];
}

bool is_worth_it(double seconds, double elapsed) {
    return elapsed > 0 && seconds >= kLeastShare * elapsed;
}

double barrier_time(const RegionFigures &region) {
    return region.times.wall[THR_IBAR_STATE] + region.times.wall[THR_EBAR_STATE];
}

class Finder {
  public:
    Finder(const Process &process, const Figures &figures);
    std::vector<Finding> find();

  private:
    struct Held {
        double wall = 0;
        uint64_t samples = 0;
    };
    using HeldAt = std::map<std::string, Held>; // by place
    static void add_holder(HeldAt &to, const Holder &holder);
    static HeldAt::value_type longest_of(const HeldAt &places);

    // How the time is known: from samples, or from the clock at two events.
    enum class Basis { kSampled, kMeasured };
    void add(Cause cause, int node, double seconds, uint64_t samples, std::string evidence,
             Basis basis = Basis::kSampled);
    void serial_part();
    void too_many_threads();
    void barriers(const RegionFigures &region);
    void runtime_work(const RegionFigures &region);
    void locks(const RegionFigures &region);
    void waits(const RegionFigures &region, unsigned state, Cause cause, const char *words);

    void keep_most_expensive();
    [[nodiscard]] bool is_tiny(const RegionFigures &region) const;
    [[nodiscard]] bool is_slanted(const RegionFigures &region) const;
    [[nodiscard]] std::string blamed(const RegionFigures &region) const;
    [[nodiscard]] std::string held(const RegionFigures &region, unsigned state) const;
    [[nodiscard]] uint64_t events(unsigned event) const {
        return event < process_.events.size() ? process_.events[event].count : 0;
    }
    [[nodiscard]] uint64_t entries(int node) const {
        return node < 0 ? 0 : process_.nodes[static_cast<size_t>(node)].entries;
    }
    [[nodiscard]] std::string name(unsigned thread) const {
        return thread_name(process_.threads[thread]);
    }

    const Process &process_;
    const Figures &figures_;
    // What all regions are compared with, added up once.
    const std::vector<Blame> blames_;
    std::map<int, const Blame *> first_blame_;           // by region
    double all_barriers_ = 0;                            // seconds in them
    std::map<std::pair<unsigned, int>, HeldAt> held_in_; // by state and region
    std::map<unsigned, HeldAt::value_type> most_held_;   // by state, in any region
    const Lock *worst_lock_ = nullptr;
    double all_locks_ = 0; // seconds in their waits
    std::vector<Finding> findings_;
};

Finder::Finder(const Process &process, const Figures &figures)
    : process_(process), figures_(figures), blames_(blame_of(process)) {
    for (const Blame &blame : blames_) {
        const int region = region_of(process, blame.node);
        if (blame.node != region && blame.samples >= kLeastSamples) {
            first_blame_.try_emplace(region, &blame);
        }
    }
    for (const RegionFigures &region : figures.regions) {
        all_barriers_ += barrier_time(region);
    }
    std::map<unsigned, HeldAt> anywhere; // a lock may be held outside of the region that waits
    for (const Lock &lock : process.locks) {
        for (const Holder &holder : lock.holders) {
            if (!holder.place.empty()) {
                add_holder(held_in_[{lock.state, region_of(process, holder.node)}], holder);
                add_holder(anywhere[lock.state], holder);
            }
        }
        if (lock.state == THR_LKWT_STATE) {
            all_locks_ += lock.wall;
            worst_lock_ = !worst_lock_ || lock.wall > worst_lock_->wall ? &lock : worst_lock_;
        }
    }
    for (const auto &[state, places] : anywhere) {
        most_held_.emplace(state, longest_of(places));
    }
}

Finder::HeldAt::value_type Finder::longest_of(const HeldAt &places) {
    return *std::max_element(places.begin(), places.end(), [](const auto &a, const auto &b) {
        return a.second.wall < b.second.wall;
    });
}

void Finder::add_holder(HeldAt &to, const Holder &holder) {
    Held &held = to[holder.place.text()];
    held.wall += holder.wall;
    held.samples += holder.samples;
}

void Finder::add(Cause cause, int node, double seconds, uint64_t samples, std::string evidence,
                 Basis basis) {
    const double elapsed = figures_.efficiency.elapsed;
    if ((basis == Basis::kSampled && samples < kLeastSamples) || !is_worth_it(seconds, elapsed)) {
        return;
    }
    evidence += basis == Basis::kMeasured ? std::string(" (measured)")
                                          : " (" + grouped(samples) + " samples)";
    findings_.push_back({cause, node, place_name(process_, node), seconds, seconds / elapsed,
                         samples, std::move(evidence)});
    constexpr size_t kMany = 100;
    if (findings_.size() == kMany) {
        keep_most_expensive();
    }
}

void Finder::keep_most_expensive() {
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding &a, const Finding &b) { return a.seconds > b.seconds; });
    if (findings_.size() > kMostFindings) {
        findings_.resize(kMostFindings);
    }
}

void Finder::serial_part() {
    const Efficiency &all = figures_.efficiency;
    if (all.threads < 2) {
        return;
    }
    uint64_t samples = 0;
    double expected_samples = 0;
    std::map<int, double> by_node;
    Responsible responsible(process_);
    for (const Cell &cell : process_.cells) {
        if (region_of(process_, cell.node) == kOutside &&
            kind_of_state(state_within(cell)) == StateKind::kUseful) {
            samples += cell.samples;
            expected_samples += cell.wall * process_.rate;
            by_node[responsible.at(cell.node)] += cell.wall;
        }
    }
    std::string evidence =
        format("one thread works for %s outside parallel regions while %u other%s nothing to do",
               duration(all.serial).c_str(), all.threads - 1, all.threads == 2 ? " has" : "s have");
    const auto most =
        std::max_element(by_node.begin(), by_node.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    const int node = most == by_node.end() ? kOutside : most->first;
    if (node >= 0) {
        evidence += format(", %s of it in this function", duration(most->second).c_str());
    }
    // The time before the first use of OpenMP has no samples, but is known exactly.
    const bool is_measured = static_cast<double>(samples) < expected_samples / 2;
    add(Cause::kSerial, node, all.serial * (1 - 1.0 / all.threads), samples, std::move(evidence),
        is_measured ? Basis::kMeasured : Basis::kSampled);
}

void Finder::too_many_threads() {
    const Efficiency &all = figures_.efficiency;
    if (process_.processors == 0 || all.threads <= process_.processors) {
        return;
    }
    double waited = 0;
    uint64_t samples = 0;
    std::map<int, double> by_region;
    bool nested = false;
    for (const Cell &cell : process_.cells) {
        const int region = region_of(process_, cell.node);
        if (region < 0 || kind_of_state(state_within(cell)) != StateKind::kUseful) {
            continue;
        }
        const double lost = process_.has_cpu_times
                                ? cell.wall - cell.cpu
                                : cell.wall * (1 - 1.0 * process_.processors / all.threads);
        waited += lost;
        samples += cell.samples;
        by_region[region] += lost;
    }
    const auto most =
        std::max_element(by_region.begin(), by_region.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    if (most == by_region.end()) {
        return;
    }
    for (const RegionFigures &region : figures_.regions) {
        nested = nested || (region.node >= 0 &&
                            outermost_of(process_, region.node) != region.node && region.team > 1);
    }
    add(nested ? Cause::kNestedOversubscription : Cause::kOversubscription, most->first,
        waited / all.threads, samples,
        format("%u threads share %u processors%s; each waits %s for one while it has work",
               all.threads, process_.processors,
               nested ? ", because regions inside regions have teams of their own" : "",
               duration(waited / all.threads).c_str()));
}

// Entered so often, and with so little to do for each thread, that entering and leaving is what
// costs. How long an entry took says less: on a busy machine threads wait for their team-mates.
bool Finder::is_tiny(const RegionFigures &region) const {
    constexpr double kLittle = 100e-6;
    constexpr uint64_t kOften = 100;
    const uint64_t count = entries(region.node);
    return count >= kOften && region.work_mean < kLittle * static_cast<double>(count) &&
           region.gain * region.team > region.own / 4;
}

// From thread to thread in the order of their creation: work grows all the way, or falls.
bool Finder::is_slanted(const RegionFigures &region) const {
    if (region.work.size() < 3) {
        return false;
    }
    const double step =
        (region.work_max - region.work_min) / static_cast<double>(region.work.size() - 1);
    size_t up = 0;
    size_t down = 0;
    for (size_t i = 1; i < region.work.size(); ++i) {
        const double change = region.work[i].seconds - region.work[i - 1].seconds;
        up += change > step / 4;
        down += change < -step / 4;
    }
    return up == region.work.size() - 1 || down == region.work.size() - 1;
}

// Whose code the others waited for, where samples with times tell.
std::string Finder::blamed(const RegionFigures &region) const {
    const auto found = first_blame_.find(region.node);
    if (found == first_blame_.end()) {
        return {};
    }
    const Blame &blame = *found->second;
    return format("; %s kept them waiting for %s", place_name(process_, blame.node).c_str(),
                  duration(blame.seconds).c_str());
}

void Finder::barriers(const RegionFigures &region) {
    const double waited = barrier_time(region);
    const uint64_t samples =
        region.state_samples[THR_IBAR_STATE] + region.state_samples[THR_EBAR_STATE];
    // A region may have no time of its own: its threads were seen only in regions inside it.
    const double runtime = region.times.wall[THR_OVHD_STATE];
    if (region.team < 2 || waited <= 0 || region.work.empty() ||
        !is_worth_it((waited + runtime) / region.team, figures_.efficiency.elapsed)) {
        return;
    }
    if (is_tiny(region)) {
        add(Cause::kTinyRegions, region.node, (waited + runtime) / region.team,
            samples + region.state_samples[THR_OVHD_STATE],
            format(
                "entered %s times for %s each, in which a thread works for %s; %s of its time is "
                "waiting and runtime",
                grouped(entries(region.node)).c_str(), duration(region.mean_length).c_str(),
                duration(region.work_mean / static_cast<double>(entries(region.node))).c_str(),
                percent((waited + runtime) / std::max(region.own, 1e-12)).c_str()));
        return;
    }
    if (region.times.wall[THR_REDUC_STATE] > waited) {
        return; // who combined last in a slow reduction is waited for: that is said already
    }
    const double seconds = waited / region.team;
    const uint64_t threads = std::max<uint64_t>(figures_.efficiency.threads, 1);
    // BEGIN_SINGLE and BEGIN_MASTER carry no region: they speak for one that has most of the waits.
    const uint64_t singles = events(OMP_EVENT_THR_BEGIN_SINGLE);
    const uint64_t masters = events(OMP_EVENT_THR_BEGIN_MASTER);
    const uint64_t barriers_of_one =
        (events(OMP_EVENT_THR_BEGIN_IBAR) + events(OMP_EVENT_THR_BEGIN_EBAR)) / threads;
    const uint64_t ones = std::max(singles, masters);
    if (ones >= 10 * std::max<uint64_t>(entries(region.node), 1) && ones >= barriers_of_one / 4 &&
        waited > all_barriers_ / 2) {
        add(Cause::kSingle, region.node, seconds, samples,
            format("%s %s regions are executed by one thread while the team waits, %s per thread",
                   grouped(ones).c_str(), singles >= masters ? "single" : "master",
                   duration(seconds).c_str()));
        return;
    }
    double work = 0;
    for (const ThreadWork &each : region.work) {
        work += each.seconds;
    }
    constexpr double kNearlyAll = 0.9;
    if (ones != 0 && ones <= 2 * entries(region.node) && region.work_max >= kNearlyAll * work &&
        waited > all_barriers_ / 2) {
        add(Cause::kLoneThread, region.node, seconds, samples,
            format("one thread does %s of the work, in a %s region, while the others wait %s each",
                   percent(region.work_max / std::max(work, 1e-12)).c_str(),
                   singles >= masters ? "single" : "master",
                   duration(waited / std::max(1U, region.team - 1)).c_str()));
        return;
    }
    // Shares, so that it does not matter that work is in processor seconds and waiting is not: on a
    // busy machine they differ.
    double useful = 0;
    for (unsigned state = 0; state < kStateColumns; ++state) {
        useful +=
            kind_of_state(state) == StateKind::kUseful ? region.times.wall[state] / region.team : 0;
    }
    const double waiting_share = seconds / std::max(seconds + useful, 1e-12);
    const double uneven_share =
        (region.work_max - region.work_mean) / std::max(region.work_max, 1e-12);
    if (uneven_share < 0.4 * waiting_share) {
        add(Cause::kWanderingImbalance, region.node, seconds, samples,
            format(
                "threads wait %s each at barriers though all work about the same (%s to %s): who "
                "is late changes%s",
                duration(seconds).c_str(), duration(region.work_min).c_str(),
                duration(region.work_max).c_str(), blamed(region).c_str()));
        return;
    }
    const auto less = [](const ThreadWork &a, const ThreadWork &b) {
        return a.seconds < b.seconds;
    };
    const auto least = std::min_element(region.work.begin(), region.work.end(), less);
    const auto most = std::max_element(region.work.begin(), region.work.end(), less);
    const bool slanted = is_slanted(region);
    add(slanted ? Cause::kSlantedWork : Cause::kImbalance, region.node, seconds, samples,
        format("%s of thread time is waiting at its barriers: %s works %s, %s works %s%s%s",
               duration(waited).c_str(), name(most->thread).c_str(),
               duration(most->seconds).c_str(), name(least->thread).c_str(),
               duration(least->seconds).c_str(),
               slanted ? ", and the others lie between in order" : "", blamed(region).c_str()));
}

void Finder::runtime_work(const RegionFigures &region) {
    if (region.team >= 2 && is_tiny(region)) {
        return; // has been counted
    }
    const double runtime = region.times.wall[THR_OVHD_STATE];
    add(Cause::kRuntimeWork, region.node, runtime / region.team,
        region.state_samples[THR_OVHD_STATE],
        format("%s of its time is the OpenMP runtime's own work, as when tasks are created or "
               "iterations handed out",
               percent(runtime / std::max(region.own, 1e-12)).c_str()));
}

// Which code held the mutexes of this kind for longest while others waited, where that is known.
std::string Finder::held(const RegionFigures &region, unsigned state) const {
    const auto here = held_in_.find({state, region.node});
    const auto anywhere = most_held_.find(state);
    if (anywhere == most_held_.end()) {
        return {};
    }
    const auto [place, most] = here == held_in_.end() ? anywhere->second : longest_of(here->second);
    if (most.samples < kLeastSamples) {
        return {};
    }
    return format("; held by %s for %s of it", place.c_str(), duration(most.wall).c_str());
}

void Finder::waits(const RegionFigures &region, unsigned state, Cause cause, const char *words) {
    const double waited = region.times.wall[state];
    if (!is_worth_it(waited / region.team, figures_.efficiency.elapsed)) {
        return;
    }
    add(cause, region.node, waited / region.team, region.state_samples[state],
        format("%s of its time is waiting %s%s",
               percent(waited / std::max(region.own, 1e-12)).c_str(), words,
               held(region, state).c_str()));
}

void Finder::locks(const RegionFigures &region) {
    const Lock *worst = worst_lock_;
    const bool one = worst && worst->wall >= 0.7 * all_locks_;
    std::string words = one ? "for one lock" : "for locks";
    if (one) {
        const std::string at = (worst->object.empty() ? worst->first_wait : worst->object).text();
        words += at.empty() ? "" : " (" + at + ")";
        words += format(", %s times", grouped(worst->waits).c_str());
    }
    waits(region, THR_LKWT_STATE, one ? Cause::kLockConvoy : Cause::kLocks, words.c_str());
}

std::vector<Finding> Finder::find() {
    serial_part();
    too_many_threads();
    for (const RegionFigures &region : figures_.regions) {
        barriers(region);
        runtime_work(region);
        locks(region);
        waits(region, THR_CTWT_STATE, Cause::kCritical, "to enter a critical region");
        waits(region, THR_ODWT_STATE, Cause::kOrdered, "for its turn in an ordered region");
        waits(region, THR_ATWT_STATE, Cause::kAtomic, "for an atomic update");
        waits(region, THR_REDUC_STATE, Cause::kReduction, "in reductions");
    }
    keep_most_expensive();
    return std::move(findings_);
}

} // namespace

const char *cause_key(Cause cause) {
    return row_of(cause).key;
}

const char *cause_cure(Cause cause) {
    return row_of(cause).cure;
}

std::vector<Finding> findings_of(const Process &process, const Figures &figures) {
    return Finder(process, figures).find();
}

} // namespace ompcollect::report
