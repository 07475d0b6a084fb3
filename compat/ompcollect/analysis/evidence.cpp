// SPDX-License-Identifier: Apache-2.0
#include "evidence.h"

#include "region_shape.h"
#include "serial_place.h"
#include "time_class.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>

namespace ompcollect::report {
namespace {

std::string in_percent(double part, double whole) {
    return percent(part / std::max(whole, 1e-12));
}

// Words for the threads of the team that one thread keeps waiting; `other`: that of a team of two.
std::string others_wait(const RegionFigures &region, const Loss &loss, const std::string &other) {
    const unsigned others = std::max(2U, region.team) - 1;
    const std::string time = duration(loss.seconds * region.team / others);
    return others == 1 ? other + " waits " + time
                       : format("%u others wait %s each", others, time.c_str());
}

} // namespace

Evidence::Evidence(const Process &process, const Figures &figures)
    : process_(process), classes_(process), figures_(figures), blames_(blame_of(process)) {
    for (const RegionFigures &region : figures.regions) {
        regions_[region.node] = &region;
    }
    for (const Blame &blame : blames_) {
        const int region = region_of(process, blame.node);
        if (blame.node != region && blame.samples >= fewest_samples()) {
            first_blame_.try_emplace(region, &blame);
        }
    }
    std::map<unsigned, HeldAt> anywhere; // a lock may be held outside of the region that waits
    for (const Lock &lock : process.locks) {
        for (const Holder &holder : lock.holders) {
            if (holder.place.empty()) {
                continue;
            }
            for (HeldAt *to : {&held_in_[{lock.state, region_of(process, holder.node)}],
                               &anywhere[lock.state]}) {
                Held &held = (*to)[holder.place.text()];
                held.wall += holder.wall;
                held.samples += holder.samples;
            }
        }
    }
    for (const auto &[state, places] : anywhere) {
        most_held_.emplace(state, longest_of(places));
    }
}

Evidence::HeldAt::value_type Evidence::longest_of(const HeldAt &places) {
    return *std::max_element(places.begin(), places.end(), [](const auto &a, const auto &b) {
        return a.second.wall < b.second.wall;
    });
}

const RegionFigures *Evidence::region_at(int node) const {
    const auto found = regions_.find(region_of(process_, node));
    return found == regions_.end() ? nullptr : found->second;
}

// "MPI_Allreduce 1.20 s, MPI_Recv 0.10 s", longest first.
std::string Evidence::in_mpi(const Loss &loss) const {
    std::map<std::string, double> times;
    for (const Cell &cell : process_.cells) {
        if (classes_.of(cell) == TimeClass::kMpi) {
            times[classes_.mpi_call(cell.node)] += cell.wall;
        }
    }
    std::vector<std::pair<double, std::string>> calls;
    calls.reserve(times.size());
    for (const auto &[name, seconds] : times) {
        calls.emplace_back(seconds, name);
    }
    std::sort(calls.rbegin(), calls.rend());
    constexpr size_t kMost = 3;
    std::string words;
    for (size_t i = 0; i < std::min(kMost, calls.size()); ++i) {
        words += (i ? ", " : "") + calls[i].second + " " + duration(calls[i].first);
    }
    return format("the team does not work for %s while the thread there is in MPI; in all of the "
                  "process: %s",
                  duration(loss.seconds).c_str(), words.c_str());
}

std::string Evidence::serial(const Loss &loss) const {
    const Efficiency &all = figures_.efficiency;
    const bool is_asleep = loss.cause == Cause::kSerialAsleep;
    const auto forking = static_cast<unsigned>(ForkingThreads(process_).count());
    const unsigned usable = usable_threads(process_, all.threads);
    const double seconds = is_asleep ? loss.seconds : loss.seconds / (1 - 1.0 / usable);
    const unsigned others = all.threads - std::clamp(forking, 1U, all.threads);
    std::string text =
        forking > 1
            ? format("threads that fork regions (%u) %s", forking, is_asleep ? "sleep" : "work")
            : (is_asleep ? "the thread that forks sleeps" : "one thread works");
    text += loss.node < 0 ? "" : " there";
    text += loss.call != kNoCall ? ", in " + process_.calls[static_cast<size_t>(loss.call)] : "";
    text += " for " + duration(seconds) + " outside parallel regions";
    if (others != 0) {
        text += format(" while %u other%s nothing to do", others, others == 1 ? " has" : "s have");
    }
    return text + (loss.is_measured ? ", most of it before OpenMP was first used: no samples show "
                                      "where"
                                    : "");
}

// Whose code the others waited for. Empty without samples with times.
std::string Evidence::blamed(const RegionFigures &region) const {
    const auto found = first_blame_.find(region.node);
    if (found == first_blame_.end()) {
        return {};
    }
    const Blame &blame = *found->second;
    return format("; %s kept them waiting for %s", place_name(process_, blame.node).c_str(),
                  duration(blame.seconds).c_str());
}

std::string Evidence::uneven(const RegionFigures &region, const Loss &loss) const {
    const std::string each = duration(loss.seconds);
    if (region.samples < fewest_samples()) { // one of many places
        return format("threads wait %s each at its barriers; its samples are too few to show who "
                      "is late",
                      each.c_str());
    }
    if (loss.cause == Cause::kVaryingImbalance) {
        const char *who =
            process_.has_wall_times ? "who is late changes" : "who is late changes, or sleeps";
        return format("threads wait %s each at barriers though all work about the same (%s to "
                      "%s): %s%s",
                      each.c_str(), duration(region.work_min).c_str(),
                      duration(region.work_max).c_str(), who, blamed(region).c_str());
    }
    const auto less = [](const ThreadWork &a, const ThreadWork &b) {
        return a.seconds < b.seconds;
    };
    const auto least = std::min_element(region.work.begin(), region.work.end(), less);
    const auto most = std::max_element(region.work.begin(), region.work.end(), less);
    if (least == region.work.end()) {
        return {};
    }
    const std::string late = thread_name(process_.threads[most->thread]);
    const std::string early = thread_name(process_.threads[least->thread]);
    return format("%s at barriers for %s, which works %s; %s works %s%s%s",
                  others_wait(region, loss, early).c_str(), late.c_str(),
                  duration(most->seconds).c_str(), early.c_str(), duration(least->seconds).c_str(),
                  loss.cause == Cause::kGradedImbalance ? ", and the others lie between in order"
                                                        : "",
                  blamed(region).c_str());
}

std::string Evidence::asleep(const RegionFigures &region) const {
    const auto most =
        std::max_element(region.work.begin(), region.work.end(),
                         [](const auto &a, const auto &b) { return a.asleep < b.asleep; });
    if (most == region.work.end()) {
        return {};
    }
    std::map<std::string, double> calls;
    for (const Cell &cell : process_.cells) {
        if (own_wait_of(classes_, cell) == Cause::kAsleep &&
            region_of(process_, cell.node) == region.node) {
            calls[call_name(process_, cell)] += cell.wall;
        }
    }
    const auto call =
        std::max_element(calls.begin(), calls.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    const std::string in = call == calls.end() || call->first.empty() ? "" : " in " + call->first;
    const double waited = sum_of(region, &ThreadWork::waited);
    return format("%s sleeps%s for %s and works for %s; all others together wait %s at barriers",
                  thread_name(process_.threads[most->thread]).c_str(), in.c_str(),
                  duration(most->asleep).c_str(), duration(most->seconds).c_str(),
                  duration(waited).c_str());
}

// What the thread waits for, and in which function of the system, at the loss's place.
std::string Evidence::own_wait(const Loss &loss) const {
    const auto name_of = [this](int node) {
        return node < 0 ? std::string() : process_.nodes[static_cast<size_t>(node)].function.str();
    };
    const int region = region_of(process_, loss.node);
    std::map<std::string, double> functions;
    double all = 0;
    for (const Cell &cell : process_.cells) {
        if (own_wait_of(classes_, cell) == loss.cause && region_of(process_, cell.node) == region) {
            const int wait = classes_.wait_node(cell.node);
            all += cell.wall;
            functions[wait < 0 ? call_name(process_, cell) : name_of(wait)] += cell.wall;
        }
    }
    const auto most =
        std::max_element(functions.begin(), functions.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    std::string text = region < 0 ? "outside parallel regions" : "in the region";
    text += " threads wait " + duration(all);
    text += loss.cause == Cause::kForeignLock ? " for locks that are not OpenMP's"
                                              : " for other threads of the program";
    text += most == functions.end() || most->first.empty() ? "" : ", most of it in " + most->first;
    if (loss.cause == Cause::kOwnThread && process_.other_threads != 0) {
        text += format(
            "; %s thread%s without OpenMP ran for %s", grouped(process_.other_threads).c_str(),
            process_.other_threads == 1 ? "" : "s", duration(process_.other_cpu_seconds).c_str());
    }
    return text;
}

std::string Evidence::oversubscribed(const Loss &loss) const {
    const unsigned threads = figures_.efficiency.threads;
    const std::string each = duration(loss.thread_seconds / std::max(threads, 1U));
    if (loss.cause == Cause::kQuota) {
        return format("%u threads share a quota of %.2f processors: the kernel stopped all of them "
                      "in %s of %s periods, for %s at least",
                      threads, process_.quota, grouped(process_.throttled_periods).c_str(),
                      grouped(process_.quota_periods).c_str(), duration(loss.seconds).c_str());
    }
    if (loss.cause == Cause::kSpinning) {
        return format("idle workers ran for %s, waiting awake, while %s thread%s without OpenMP "
                      "waited %s for a processor",
                      duration(idle_awake(process_).seconds).c_str(),
                      grouped(process_.other_threads).c_str(),
                      process_.other_threads == 1 ? "" : "s",
                      duration(process_.other_waited_seconds).c_str());
    }
    if (loss.cause == Cause::kOneProcessor) {
        return format("%u threads may run on %u of %u processors only%s; each waits %s for one",
                      threads, bound_processors(process_),
                      std::max(process_.processors, process_.processors_online),
                      is_bound_at_times(process_) ? ", for a part of the run" : "", each.c_str());
    }
    return format("%u threads share %u processor%s%s; each waits %s for one", threads,
                  process_.processors, process_.processors == 1 ? "" : "s",
                  loss.cause == Cause::kNestedOversubscription
                      ? ", because regions inside regions have teams of their own"
                      : "",
                  each.c_str());
}

std::string Evidence::tiny(const RegionFigures &region) const {
    const uint64_t entries = process_.nodes[static_cast<size_t>(region.node)].entries;
    return format(
        "entered %s times for %s each, in which a thread works for %s; the rest is "
        "waking, waiting and the runtime",
        grouped(entries).c_str(), duration(region.mean_length).c_str(),
        duration(region.work_mean / static_cast<double>(std::max<uint64_t>(entries, 1))).c_str());
}

// Which code held the mutexes of this kind for longest while others waited, where that is known.
std::string Evidence::held(const RegionFigures &region, unsigned state) const {
    const auto here = held_in_.find({state, region.node});
    const auto anywhere = most_held_.find(state);
    if (anywhere == most_held_.end()) {
        return {};
    }
    const auto [place, most] = here == held_in_.end() ? anywhere->second : longest_of(here->second);
    if (most.samples < fewest_samples()) {
        return {};
    }
    return format("; held by %s for %s of it", place.c_str(), duration(most.wall).c_str());
}

std::string Evidence::waits(const RegionFigures &region, unsigned state,
                            const std::string &words) const {
    return format("%s of its team's time is waiting %s%s",
                  in_percent(region.within.wall[state], region.own).c_str(), words.c_str(),
                  held(region, state).c_str());
}

std::string Evidence::locks(const RegionFigures &region) const {
    const Lock *worst = nullptr;
    for (const Lock &lock : process_.locks) {
        if (lock.state == THR_LKWT_STATE) {
            worst = !worst || lock.wall > worst->wall ? &lock : worst;
        }
    }
    if (!worst || lock_cause(process_) != Cause::kLockConvoy) {
        return waits(region, THR_LKWT_STATE, "for locks");
    }
    const std::string at = (worst->object.empty() ? worst->first_wait : worst->object).text();
    std::string words = "for one lock" + (at.empty() ? "" : " (" + at + ")");
    if (knows_waits(process_, *worst)) {
        words += format(", %s times", grouped(worst->waits).c_str());
    }
    return waits(region, THR_LKWT_STATE, words);
}

std::string Evidence::in_region(const RegionFigures &region, const Loss &loss) const {
    switch (loss.cause) {
    case Cause::kTinyRegions:
        return tiny(region);
    case Cause::kRemadeTeams:
        return format("%s threads are made for %s regions: the runtime ends threads, and makes "
                      "others for a later team",
                      grouped(workers_of(process_)).c_str(), grouped(forks_of(process_)).c_str());
    case Cause::kSmallTeam:
        return format("%zu of %u threads take part for %s; the others have nothing to do",
                      region.work.size(), figures_.efficiency.threads,
                      duration(region.elapsed).c_str());
    case Cause::kSingle:
        return format("one thread executes single or master parts for %s, and %s meanwhile",
                      duration(region.single_seconds).c_str(),
                      others_wait(region, loss, "the other one").c_str());
    case Cause::kLoneThread:
        return format(
            "one thread does %s of the work, in a single or master part, while %s",
            in_percent(region.work_max, region.work_mean * static_cast<double>(region.work.size()))
                .c_str(),
            others_wait(region, loss, "the other one").c_str());
    case Cause::kAsleep:
        return asleep(region);
    case Cause::kLockConvoy:
    case Cause::kLocks:
        return locks(region);
    case Cause::kCritical:
        return waits(region, THR_CTWT_STATE, "to enter a critical region");
    case Cause::kOrdered:
        return waits(region, THR_ODWT_STATE, "for its turn in an ordered region");
    case Cause::kAtomic:
        return waits(region, THR_ATWT_STATE, "for an atomic update");
    case Cause::kReduction:
        return format("%s of its time is combining a reduction: copies that are made, cleared and "
                      "added up, and waiting for that",
                      in_percent(loss.seconds, region.elapsed).c_str());
    case Cause::kTaskWaits:
        return format("threads wait %s in taskwait for tasks that others execute, and there is no "
                      "other one for them",
                      duration(sum_of(region, &ThreadWork::for_tasks)).c_str());
    case Cause::kRuntimeWork:
        return format("%s of thread time is the OpenMP runtime's own work, as when tasks are "
                      "created or iterations handed out, and waiting for that",
                      duration(loss.seconds * region.team).c_str());
    default:
        return uneven(region, loss);
    }
}

std::string Evidence::of(const Loss &loss) const {
    switch (loss.cause) {
    case Cause::kMpi:
        return in_mpi(loss);
    case Cause::kSerial:
    case Cause::kSerialAsleep:
        return serial(loss);
    case Cause::kOversubscription:
    case Cause::kNestedOversubscription:
    case Cause::kOneProcessor:
    case Cause::kSpinning:
    case Cause::kQuota:
        return oversubscribed(loss);
    case Cause::kForeignLock:
    case Cause::kOwnThread:
        return own_wait(loss);
    default:
        break;
    }
    const RegionFigures *region = region_at(loss.node);
    return region ? in_region(*region, loss) : std::string();
}

} // namespace ompcollect::report
