// SPDX-License-Identifier: Apache-2.0
#include "region_figures.h"

#include "pragma_lines.h"
#include "region_shape.h"
#include "serial_place.h"
#include "time_class.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace ompcollect::report {
namespace {

// The share of a region's time by which the largest work exceeds the mean.
double share_by_work(const RegionFigures &region) {
    return region.work_max > 0 ? 1 - region.work_mean / region.work_max : 0;
}

// Regions in which more threads were seen than were there at the same time.
std::set<int> remade_regions(const Process &process, const Figures &figures) {
    std::set<int> to;
    if (!remakes_teams(process)) {
        return to;
    }
    for (const RegionFigures &region : figures.regions) {
        for (int node = region.work.size() > process.most_threads ? region.node : -1; node >= 0;) {
            to.insert(node);
            node = region_of(process, process.nodes[static_cast<size_t>(node)].parent);
        }
    }
    return to;
}

class LossBuilder {
  public:
    LossBuilder(const Process &process, const Figures &figures);
    std::vector<Loss> fill();

  private:
    void add(Cause cause, int node, double seconds, uint64_t samples);
    void serial();
    [[nodiscard]] double spinning(const IdleAwake &idle) const;
    void quota();
    void oversubscription(int outermost, const Whole &whole);
    void small_team(const RegionFigures &region);
    void region(const RegionFigures &region);
    void task_waits(const RegionFigures &region, double in_barriers);
    void tiny(const RegionFigures &region);
    void singles(const RegionFigures &region, double &waited);
    void barriers(const RegionFigures &region, double seconds);
    void asleep(const RegionFigures &region, double seconds);
    void mutexes(const RegionFigures &region, bool has_slow_reduction, double waits);
    void reduction(const RegionFigures &region, const Line &line, double &waited);
    void bound_losses(const RegionFigures &region, size_t first);
    void runtime(const RegionFigures &region, double waited, double handing_out);
    [[nodiscard]] double barrier_loss(const RegionFigures &region) const;
    [[nodiscard]] double bound_of(const RegionFigures &region, double seconds) const;
    [[nodiscard]] Cause barrier_cause(const RegionFigures &region, double waited) const;
    // By a mask that all of the process's threads have.
    [[nodiscard]] bool is_bound_from_outside() const { return bound_ == process_.processors; }

    const Process &process_;
    const TimeClasses classes_;
    const Figures &figures_;
    const unsigned threads_;
    const double own_part_;
    const unsigned bound_; // processors; 0: not known
    const Cause lock_cause_;
    const PragmaLines pragma_lines_;
    const TaskWaits task_waits_;
    const bool is_shared_;
    const std::set<int> remade_; // regions with remade teams, and those around them
    std::map<int, Whole> wholes_;
    std::set<int>
        oversubscribed_; // outermost regions whose threads lack processors because of themselves
    std::map<int, RuntimeOutside> runtime_outside_; // by region
    std::vector<Loss> losses_;
};

LossBuilder::LossBuilder(const Process &process, const Figures &figures)
    : process_(process), classes_(process), figures_(figures),
      threads_(std::max(1U, figures.efficiency.threads)), own_part_(own_part_of_waiting(process)),
      bound_(bound_processors(process)), lock_cause_(lock_cause(process)), pragma_lines_(process),
      task_waits_(process), is_shared_(is_shared(process)),
      remade_(remade_regions(process, figures)) {
    wholes_ = wholes_of(process, figures);
}

void LossBuilder::add(Cause cause, int node, double seconds, uint64_t samples) {
    if (remade_.count(node) != 0 &&
        (cause == Cause::kTinyRegions || cause == Cause::kRuntimeWork)) {
        cause = Cause::kRemadeTeams;
    }
    if (seconds > 0) {
        losses_.push_back({cause, node, seconds, seconds * threads_, samples, false});
    }
}

void LossBuilder::serial() {
    OutsideRegions outside = outside_regions(process_, figures_, own_part_);
    runtime_outside_ = std::move(outside.runtime);
    const unsigned usable = usable_threads(process_, threads_);
    // The time in which no quota had stopped the process.
    const double running =
        losses_.empty() ? 1 : std::max(0.0, 1 - losses_[0].seconds / process_.seconds);
    const IdleAwake idle = idle_awake(process_);
    double spun = spinning(idle);
    for (const SerialPlace &place : serial_places(process_)) {
        if (threads_ < 2 && place.cause != Cause::kMpi) {
            continue; // one thread alone waits for nobody of its own
        }
        const double lost = place.cause == Cause::kSerial ? 1 - 1.0 / usable : 1;
        double seconds = place.seconds * outside.part * lost * running;
        const double by_spinning = place.cause == Cause::kOwnThread ? std::min(spun, seconds) : 0;
        add(Cause::kSpinning, place.node, by_spinning, idle.samples);
        spun -= by_spinning;
        seconds -= by_spinning;
        const size_t before = losses_.size();
        add(place.cause, place.node, seconds, place.samples);
        if (losses_.size() > before) {
            losses_.back().call = place.call;
            // The time before the first use of OpenMP has no samples and no call path, but is known
            // exactly.
            losses_.back().is_measured =
                place.node == kOutside &&
                static_cast<double>(place.samples) <
                    limit(Limit::kMajority) * place.seconds * process_.rate;
        }
    }
}

// An upper bound of the elapsed seconds that threads without OpenMP lose because idle workers wait
// awake on their processors.
double LossBuilder::spinning(const IdleAwake &idle) const {
    const double lost = std::min(idle.seconds, process_.other_waited_seconds);
    return lost < limit(Limit::kNoticed) * process_.seconds || own_part_ < limit(Limit::kMajority)
               ? 0
               : lost;
}

// The kernel stops all processors of the group together. All other waits may come from that, so no
// other cause in a region is named.
void LossBuilder::quota() {
    const double stopped = stopped_by_quota(process_, threads_);
    if (stopped <= 0 || stopped < limit(Limit::kNoticed) * process_.seconds || wholes_.empty()) {
        return;
    }
    const auto most =
        std::max_element(wholes_.begin(), wholes_.end(), [](const auto &a, const auto &b) {
            return a.second.samples < b.second.samples;
        });
    add(Cause::kQuota, most->first, stopped, most->second.samples);
    losses_.back().is_measured = true;
    for (const auto &[outermost, whole] : wholes_) {
        oversubscribed_.insert(outermost);
    }
}

// More threads than processors: the ideal is that every processor works all the time.
void LossBuilder::oversubscription(int outermost, const Whole &whole) {
    double present = 0;
    for (const auto &[thread, seconds] : whole.present) {
        present += seconds;
    }
    if (process_.processors == 0 || own_part_ < limit(Limit::kMajority) ||
        whole.no_processor < limit(Limit::kMuch) * present) {
        return;
    }
    auto threads = static_cast<unsigned>(whole.present.size());
    // Of remade threads those count that are there at the same time, in the mean.
    if (present > 0 && remade_.count(outermost) != 0) {
        threads = std::min(threads, static_cast<unsigned>(std::ceil(present / whole.longest())));
    }
    // The process is bound by itself, or from outside (taskset, limits of a job). In the second
    // case other programs may use the other processors.
    const unsigned all = std::max(process_.processors, process_.processors_online);
    const bool is_bound = bound_ != 0 && bound_ < std::min(threads, all);
    if (threads <= process_.processors && !is_bound) {
        return;
    }
    const double processors = is_bound_from_outside() && is_bound
                                  ? std::min(threads, all)
                                  : usable_threads(process_, threads);
    const auto most =
        std::max_element(whole.no_processor_in.begin(), whole.no_processor_in.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    const Cause cause = is_bound                 ? Cause::kOneProcessor
                        : whole.has_teams_inside ? Cause::kNestedOversubscription
                                                 : Cause::kOversubscription;
    oversubscribed_.insert(outermost);
    // Even where it costs nearly nothing it is the cause of all waiting in this region.
    const double ideal = whole.useful / processors;
    losses_.push_back({cause, most->first, std::max(0.0, whole.longest() - ideal),
                       whole.no_processor, whole.samples, false});
}

void LossBuilder::small_team(const RegionFigures &region) {
    const unsigned usable = usable_threads(process_, threads_);
    const auto members = static_cast<unsigned>(region.work.size());
    // With few samples a thread that took part may have none.
    if (members >= usable || region.samples < fewest_samples()) {
        return;
    }
    // Threads that took no part count as far as there are processors for them.
    const double share =
        process_.threads.size() > members
            ? 1.0 * (usable - members) / static_cast<double>(process_.threads.size() - members)
            : 0;
    add(Cause::kSmallTeam, region.node, region.idle_outside * std::min(1.0, share) / usable,
        region.within_samples[THR_IDLE_STATE]);
}

double LossBuilder::barrier_loss(const RegionFigures &region) const {
    double waited = waited_in_barriers(region);
    if (!process_.has_wall_times) { // who waits asleep is not seen: the rest of the longest's time
        double longest = 0;
        for (const ThreadWork &thread : region.work) {
            longest = std::max(longest, thread.seconds + thread.waited + thread.runtime);
        }
        for (const ThreadWork &thread : region.work) {
            const double seen = thread.seconds + thread.waited + thread.runtime;
            waited += (longest - seen) / region.team;
        }
    }
    return waited;
}

// On a shared machine threads may wait for a team-mate that lacks a processor. Waits are the
// program's own where its work differs in processor seconds, and explains them.
bool are_its_own(const RegionFigures &region, Cause cause, double waited) {
    return cause != Cause::kVaryingImbalance && cause != Cause::kSingle &&
           cause != Cause::kLoneThread && is_certain(region, share_by_work(region)) &&
           is_waited_for(waited, waits_by_work(region));
}

Cause LossBuilder::barrier_cause(const RegionFigures &region, double waited) const {
    // Compares how uneven the work is, as part of the largest, with the part of the time that is
    // waiting.
    const double waiting_share = waited / (waited + region.work_mean);
    if (region.work_max - region.work_mean <=
        (1 - limit(Limit::kMost)) * waiting_share * region.work_max) {
        return Cause::kVaryingImbalance;
    }
    return is_graded(region) ? Cause::kGradedImbalance : Cause::kImbalance;
}

void LossBuilder::asleep(const RegionFigures &region, double seconds) {
    const double asleep = sum_of(region, &ThreadWork::asleep);
    if (asleep <= 0) {
        return; // the place is searched for in all cells
    }
    add(Cause::kAsleep, waiting_place(process_, classes_, region.node, Cause::kAsleep),
        asleep / region.team + seconds, region.within_samples[THR_WORK_STATE]);
}

// The team waits for a single or master part no longer than that part takes.
void LossBuilder::singles(const RegionFigures &region, double &waited) {
    const double seconds =
        std::min(waited, region.single_seconds * (region.team - 1) / region.team);
    if (seconds <= 0) {
        return;
    }
    const double nearly_all = (1 - limit(Limit::kMuch)) * sum_of(region, &ThreadWork::seconds);
    const Cause cause = region.work_max >= nearly_all ? Cause::kLoneThread : Cause::kSingle;
    const auto samples = static_cast<double>(samples_of_waits(process_, region));
    if (!is_shared_ || are_its_own(region, cause, seconds)) {
        add(cause, region.node, seconds,
            static_cast<uint64_t>(std::lround(samples * seconds / waited)));
    }
    waited -= seconds;
}

void LossBuilder::barriers(const RegionFigures &region, double seconds) {
    const Cause cause = barrier_cause(region, seconds);
    // The thread that executes single parts works longer than the others, but not by uneven work.
    const bool is_of_singles = region.single_seconds >= region.work_max - region.work_mean;
    if (is_shared_ && (is_of_singles || !are_its_own(region, cause, seconds))) {
        return;
    }
    // While the others wait, the last thread may get more of a processor than before.
    const double least = is_shared_ ? share_by_work(region) * region.elapsed : 0;
    add(cause, region.node, std::max(seconds, least), samples_of_waits(process_, region));
}

// On a shared machine the state in which a thread lacked a processor is not exact. Where threads
// queue for some time, all of the processor waits of its own code may belong to the queue.
double LossBuilder::bound_of(const RegionFigures &region, double seconds) const {
    const bool may_be_more = is_shared_ && seconds >= limit(Limit::kNoticed) * region.elapsed;
    return may_be_more ? seconds + without_processor(region) : seconds;
}

// `waits`: waits for threads that queued longer than others.
void LossBuilder::mutexes(const RegionFigures &region, bool has_slow_reduction, double waits) {
    const std::pair<unsigned, Cause> kinds[] = {{THR_LKWT_STATE, lock_cause_},
                                                {THR_CTWT_STATE, Cause::kCritical},
                                                {THR_ODWT_STATE, Cause::kOrdered},
                                                {THR_ATWT_STATE, Cause::kAtomic},
                                                {THR_REDUC_STATE, Cause::kReduction}};
    std::vector<Loss> queues;
    for (const auto &[state, cause] : kinds) {
        const bool is_its = state == THR_REDUC_STATE || state == THR_ATWT_STATE;
        if (!has_slow_reduction || !is_its) { // gcc adds copies up in an atomic
            queues.push_back({cause, region.node, region.within.wall[state] / region.team, 0,
                              region.within_samples[state], false});
        }
    }
    for (const Cause cause : {Cause::kForeignLock, Cause::kOwnThread}) {
        if (const RegionFigures::Wait wait = region.wait(cause); wait.seconds > 0) {
            queues.push_back({cause, waiting_place(process_, classes_, region.node, cause),
                              wait.seconds / region.team, 0, wait.samples, false});
        }
    }
    const auto longest =
        std::max_element(queues.begin(), queues.end(), [](const Loss &a, const Loss &b) {
            return std::pair(a.cause != Cause::kReduction, a.seconds) <
                   std::pair(b.cause != Cause::kReduction, b.seconds);
        });
    for (const Loss &queue : queues) {
        const double late = &queue == &*longest ? waits : 0;
        const double seconds = queue.seconds + late;
        const bool is_openmp =
            queue.cause != Cause::kForeignLock && queue.cause != Cause::kOwnThread;
        add(queue.cause, queue.node, is_openmp ? bound_of(region, seconds) : seconds,
            queue.samples);
    }
}

void LossBuilder::reduction(const RegionFigures &region, const Line &line, double &waited) {
    const double work = line.times.wall[THR_WORK_STATE];
    const double lost = (work + line.times.wall[kNoProcessorState] +
                         region.within.wall[THR_REDUC_STATE] + region.within.wall[THR_ATWT_STATE]) /
                        region.team;
    // The last combiner delays all: no other thread works then.
    const double its_waits = std::min(waited, lost);
    waited -= its_waits;
    add(Cause::kReduction, region.node, std::min(region.elapsed, lost + its_waits),
        line.samples + region.within_samples[THR_REDUC_STATE] +
            region.within_samples[THR_ATWT_STATE]);
}

// The runtime waits at forks and joins, too. On a shared machine it waits for threads that lack a
// processor.
void LossBuilder::runtime(const RegionFigures &region, double waited, double handing_out) {
    const double late = sum_of(region, &ThreadWork::idle) / region.team;
    const double comes = is_shared_ ? 0 : late + runtime_outside_[region.node].own;
    const double work =
        region.within.wall[THR_OVHD_STATE] - sum_of(region, &ThreadWork::for_tasks) + handing_out;
    add(Cause::kRuntimeWork, region.node, work / region.team + comes + waited,
        region.within_samples[THR_OVHD_STATE] + region.within_samples[THR_IDLE_STATE]);
}

// A thread that finds no task in taskwait, or at the barrier, waits for tasks of others.
void LossBuilder::task_waits(const RegionFigures &region, double in_barriers) {
    const double seconds = sum_of(region, &ThreadWork::for_tasks);
    // On a shared machine they also wait for threads that lack a processor.
    if (seconds > 0 && !is_shared_) { // the place is searched for in all cells
        add(Cause::kTaskWaits, task_waits_.place(region.node), seconds / region.team + in_barriers,
            static_cast<uint64_t>(std::lround(region.task_wait_samples)));
    }
}

void LossBuilder::tiny(const RegionFigures &region) {
    // A thread that wakes up only when the region has ended is idle all the time.
    double lost = region.team >= usable_threads(process_, threads_) ? 0 : region.idle_outside;
    for (const ThreadWork &thread : region.work) {
        lost += thread.waited + thread.idle + thread.runtime + thread.for_tasks;
    }
    const unsigned team = std::max(region.team, std::min(2U, threads_));
    // Idle workers count in the region while its master forks. Without the loss all of them would
    // work.
    const double inside = bound_of(region, std::min(lost / team, without_work(region)));
    add(Cause::kTinyRegions, region.node, inside + runtime_outside_[region.node].all(),
        region.samples);
}

void LossBuilder::region(const RegionFigures &region) {
    if (oversubscribed_.count(outermost_of(process_, region.node)) != 0) {
        return;
    }
    if (is_shared_ && region.mean_length > 0 && region.mean_length < limit(Limit::kSlice)) {
        return;
    }
    const size_t first = losses_.size();
    if (is_tiny(process_, region)) {
        mutexes(region, false, 0);
        tiny(region);
        bound_losses(region, first);
        return;
    }
    small_team(region);
    double waited = region.team < 2 ? 0 : barrier_loss(region);
    const double for_mpi = std::min(waited, waits_by_mpi(region));
    const RegionFigures::Wait mpi = region.wait(Cause::kMpi);
    add(Cause::kMpi, region.node, mpi.seconds / region.team + for_mpi, mpi.samples);
    waited -= for_mpi;
    const ExplainedWaits waits = explained_waits(region, waited);
    asleep(region, waits.for_sleep);
    std::optional<Line> reduced = pragma_lines_.reduction_of(region);
    double handing_out = 0;
    if (reduced && hands_out_iterations(region, *reduced)) {
        handing_out = reduced->times.wall[THR_WORK_STATE] + reduced->times.wall[kNoProcessorState];
        reduced.reset();
    }
    const double for_queues = reduced ? 0 : waits.for_queues;
    mutexes(region, reduced.has_value(), for_queues);
    waited -= waits.for_sleep + for_queues;
    const double for_tasks = waits_for_tasks(region) ? waited : 0;
    task_waits(region, for_tasks);
    waited -= for_tasks;
    const double for_runtime =
        is_busy_with_tasks(region) ? waited : std::min(waited, waits.for_runtime);
    runtime(region, for_runtime, handing_out);
    waited -= for_runtime;
    if (reduced) {
        reduction(region, *reduced, waited);
    }
    singles(region, waited);
    if (waited > 0) {
        barriers(region, waited);
    }
    bound_losses(region, first);
}

// Samples may put time on the wrong side of a region's begin and end. Its losses cannot exceed its
// length and the runtime's time for its forks.
void LossBuilder::bound_losses(const RegionFigures &region, size_t first) {
    const double most = region.elapsed + runtime_outside_[region.node].all();
    double all = 0;
    for (size_t i = first; i < losses_.size(); ++i) {
        all += losses_[i].seconds;
    }
    for (size_t i = first; i < losses_.size() && all > most; ++i) {
        losses_[i].seconds *= most / all;
        losses_[i].thread_seconds *= most / all;
    }
}

std::vector<Loss> LossBuilder::fill() {
    quota();
    serial();
    for (const auto &[outermost, whole] : wholes_) {
        if (oversubscribed_.count(outermost) == 0) {
            oversubscription(outermost, whole);
        }
    }
    for (const RegionFigures &each : figures_.regions) {
        region(each);
    }
    return std::move(losses_);
}

} // namespace

std::vector<Loss> losses_of(const Process &process, const Figures &figures) {
    return LossBuilder(process, figures).fill();
}

} // namespace ompcollect::report
