// SPDX-License-Identifier: Apache-2.0
#include "job_json.h"

#include "job_figures.h"

#include <algorithm>
#include <unordered_map>

namespace ompcollect::report {
namespace {

Json efficiency_of(const JobEfficiency &from) {
    return {{"elapsed", from.elapsed},
            {"threads", from.threads},
            {"parallel", from.parallel},
            {"mpi", from.mpi},
            {"mpi_load_balance", from.mpi_balance},
            {"mpi_load_balance_in_hosts", from.balance_in_hosts},
            {"mpi_load_balance_between_hosts", from.balance_between_hosts},
            {"mpi_communication", from.mpi_communication},
            {"openmp", from.openmp},
            {"openmp_serialisation", from.serialisation},
            {"openmp_load_balance", from.load_balance},
            {"openmp_scheduling", from.scheduling}};
}

Json places_of(const std::vector<JobPlace> &places) {
    Json to = Json::array();
    for (const JobPlace &place : places) {
        to.push_back({{"name", place.name}, {"seconds", place.seconds}});
    }
    return to;
}

// Elapsed seconds, by kind.
Json lost_of(LostShares from) {
    return {{"mpi", from[LossKind::kMpi]},
            {"serialisation", from[LossKind::kSerial]},
            {"load_balance", from[LossKind::kBalance]},
            {"scheduling", from[LossKind::kScheduling]}};
}

Json rank_of(const RankRow &rank, const LostShares &lost) {
    return {{"rank", rank.rank},
            {"host", rank.host},
            {"pid", rank.pid},
            {"program", rank.program},
            {"threads", rank.threads},
            {"processors", rank.processors},
            {"megahertz", rank.megahertz},
            {"begin", static_cast<double>(rank.begin_ns) * 1e-9},
            {"seconds", in_seconds(rank.elapsed)},
            {"useful", in_seconds(rank.useful)},
            {"mpi", in_seconds(rank.mpi)},
            {"mpi_elapsed", in_seconds(rank.mpi_elapsed)},
            {"lost", lost_of(lost)},
            {"no_processor", in_seconds(rank.off_processor)},
            {"ending", rank.ending},
            {"doubts", rank.doubts}};
}

} // namespace

std::string region_name_of(const Job &job, PlaceKey key) {
    if (is_special(key)) {
        const auto node = static_cast<int>(static_cast<int64_t>(key));
        return node == kOutside   ? "outside of regions"
               : node == kSeveral ? "several regions"
                                  : "region not known";
    }
    const auto found = std::lower_bound(
        job.regions.begin(), job.regions.end(), key,
        [](const JobRegion &region, PlaceKey wanted) { return region.key < wanted; });
    return found != job.regions.end() && found->key == key ? found->name : std::string();
}

Json job_summary(const Job &job) {
    const JobEfficiency efficiency = job_efficiency(job);
    Json to = {{"format", "ompcollect-job"}, {"version", 1}};
    to["efficiency"] = efficiency_of(efficiency);
    to["efficiency"]["on_processor"] = on_processor(job);
    to["doubts"] = job_doubts(job);
    to["outliers"] = job_outliers(job);
    Json &findings = to["findings"] = Json::array();
    for (const JobFinding &finding : job_findings(job, efficiency)) {
        Json &one = findings.emplace_back();
        one = {{"cause", cause_key(finding.cause)}, {"title", cause_title(finding.cause)},
               {"seconds", finding.seconds},        {"share", finding.share},
               {"least_gain", finding.least_gain},  {"gain", finding.gain},
               {"text", finding.evidence},          {"cure", finding.cure}};
        if (finding.rank >= 0) {
            const RankRow &rank = job.ranks[static_cast<size_t>(finding.rank)];
            one["rank"] = rank.rank;
            one["host"] = rank.host;
        }
        one["places"] = places_of(finding.places);
    }
    to["mpi_calls"] = places_of(mpi_calls(job));
    std::unordered_map<PlaceKey, LostShares> lost; // elapsed seconds
    for (const RankLoss &loss : job.losses) {
        lost[loss.rank][cause_kind(loss.cause)] += in_seconds(loss.lost);
    }
    Json &ranks = to["ranks"] = Json::array();
    for (const RankRow &rank : job.ranks) {
        ranks.push_back(rank_of(rank, lost[rank.key]));
    }
    Json &regions = to["regions"] = Json::array();
    for (const JobRegionRow &row : job_regions(job)) {
        regions.push_back({{"name", row.name},
                           {"seconds", row.total},
                           {"lost", row.lost},
                           {"min", row.least},
                           {"min_rank", job.ranks[row.least_rank].rank},
                           {"mean", row.mean},
                           {"max", row.most},
                           {"max_rank", job.ranks[row.most_rank].rank}});
    }
    return to;
}

} // namespace ompcollect::report
