// SPDX-License-Identifier: Apache-2.0
//
// One finding for each cause, over all ranks and places: what is spread thin over many regions
// counts like what is in one.
#include "job_figures.h"

#include "reader_places.h"
#include "time_class.h"
#include "warnings.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>

namespace ompcollect::report {
namespace {

void sort_places(std::vector<JobPlace> &places) {
    std::stable_sort(places.begin(), places.end(),
                     [](const JobPlace &a, const JobPlace &b) { return a.seconds > b.seconds; });
}

std::vector<JobPlace> places_of(const std::map<std::string, double> &times) {
    std::vector<JobPlace> places;
    for (const auto &[name, time] : times) {
        if (time > 0) {
            places.push_back({name, time});
        }
    }
    sort_places(places);
    return places;
}

// Nobody waits there for a rank that computes.
bool is_start(const JobPlace &call) {
    return call.name == "MPI_Init" || call.name == "MPI_Init_thread";
}
bool is_of_files(const JobPlace &call) {
    return call.name.starts_with("MPI_File_");
}
bool is_message(const JobPlace &call) {
    return !is_start(call) && !is_of_files(call);
}
using Kind = bool (*)(const JobPlace &call);

// Whether other processes took processors of one rank at least.
bool was_shared(const Job &job) {
    const std::string line = std::string("\n") + kSharedMachine + "\t";
    return std::any_of(job.ranks.begin(), job.ranks.end(), [&](const RankRow &rank) {
        return ("\n" + rank.doubts).find(line) != std::string::npos;
    });
}

// Of each of its threads.
double seconds_without_processor(const RankRow &rank) {
    return in_seconds(rank.off_processor) / rank.threads;
}

double mean_without_processor(const Job &job) {
    double sum = 0;
    for (const RankRow &rank : job.ranks) {
        sum += seconds_without_processor(rank);
    }
    return job.ranks.empty() ? 0 : sum / static_cast<double>(job.ranks.size());
}

class JobFindingBuilder {
  public:
    JobFindingBuilder(const Job &job, const JobEfficiency &efficiency)
        : job_(job), efficiency_(efficiency), tree_(as_process(job)), responsible_(tree_),
          classes_(tree_), calls_(mpi_calls(job)), is_shared_(was_shared(job)) {
        for (const PlaceName &place : job.places) {
            names_.emplace(place.key, place.name);
        }
        for (const RankRow &rank : job.ranks) {
            ranks_.emplace(rank.key, &rank);
        }
    }
    std::vector<JobFinding> find();

  private:
    void add(JobFinding finding);
    void mpi_imbalance();
    void mpi_everywhere();
    void mpi_everywhere(Cause cause, double seconds, Kind kind);
    void of_ranks();
    [[nodiscard]] std::string evidence_of(Cause family) const;
    [[nodiscard]] std::string slowest_function(size_t rank);
    [[nodiscard]] std::string calls_in_words(Kind kind, double ranks) const;
    [[nodiscard]] std::string slow_processors(const RankRow &rank) const;
    [[nodiscard]] std::string taken_processors(const RankRow &rank, double gain) const;
    [[nodiscard]] double seconds_in(Kind kind) const;

    const Job &job_;
    const JobEfficiency &efficiency_;
    const Process tree_;
    Responsible responsible_;
    const TimeClasses classes_;
    const std::vector<JobPlace> calls_;
    const bool is_shared_;
    std::unordered_map<PlaceKey, std::string> names_; // of places
    std::unordered_map<PlaceKey, const RankRow *> ranks_;
    std::vector<JobFinding> findings_;
};

void JobFindingBuilder::add(JobFinding finding) {
    if (is_at_most(finding.cause, is_shared_)) {
        finding.least_gain = 0;
    }
    const double total = efficiency_.elapsed * efficiency_.threads;
    finding.share = total > 0 ? finding.seconds / total : 0;
    if (finding.share >=
        (limit(is_oversubscribed(finding.cause) ? Limit::kShown : Limit::kWorthALine))) {
        findings_.push_back(std::move(finding));
    }
}

// Where the rank is longer than the others in the mean: a region, or a function of the program.
std::string JobFindingBuilder::slowest_function(size_t rank) {
    const PlaceKey key = job_.ranks[rank].key;
    const auto others = static_cast<double>(job_.ranks.size() - 1);
    std::map<std::string, double> excess;
    for (size_t i = 0; i < job_.cells.size(); ++i) {
        const RankSpread &wall = job_.cells[i].wall;
        const TimeClass is = classes_.of(tree_.cells[i]);
        if (wall.most_rank != key || is == TimeClass::kMpi || is == TimeClass::kRuntime) {
            continue;
        }
        const int node = tree_.cells[i].node;
        const int region = region_of(tree_, node);
        const int place = region >= 0 ? region : node < 0 ? node : responsible_.at(node);
        excess[place < 0 ? std::string() : place_name(tree_, place)] +=
            in_seconds(wall.most) - in_seconds(wall.sum - wall.most) / others;
    }
    excess.erase(std::string());
    const auto most =
        std::max_element(excess.begin(), excess.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    return most == excess.end() ? std::string() : most->first;
}

// "MPI_Allreduce 1.2 s, MPI_Recv 0.1 s", of each rank in the mean.
std::string JobFindingBuilder::calls_in_words(Kind kind, double ranks) const {
    std::string words;
    size_t count = 0;
    for (const JobPlace &call : calls_) {
        if (!kind(call)) {
            continue;
        }
        if (++count > 3) {
            break;
        }
        words += (words.empty() ? "" : ", ") + call.name + " " +
                 duration(ranks > 0 ? call.seconds / ranks : 0);
    }
    return words;
}

// Of a rank in the mean.
double JobFindingBuilder::seconds_in(Kind kind) const {
    double seconds = 0;
    for (const JobPlace &call : calls_) {
        seconds += kind(call) ? call.seconds : 0;
    }
    return job_.ranks.empty() ? 0 : seconds / static_cast<double>(job_.ranks.size());
}

void JobFindingBuilder::mpi_imbalance() {
    double mean = 0;
    double waiting = 0;
    size_t last = 0;
    const std::vector<RankRow> &ranks = job_.ranks;
    for (size_t i = 0; i < ranks.size(); ++i) {
        mean += computing_seconds(ranks[i]) / static_cast<double>(ranks.size());
        waiting += in_seconds(ranks[i].mpi_elapsed) * ranks[i].threads;
        last = computing_seconds(ranks[i]) > computing_seconds(ranks[last]) ? i : last;
    }
    if (ranks.size() < 2) {
        return;
    }
    const double gain = computing_seconds(ranks[last]) - mean;
    JobFinding finding;
    finding.cause = Cause::kMpiImbalance;
    finding.gain = finding.least_gain = gain;
    finding.seconds = std::min(waiting, gain * efficiency_.threads);
    finding.rank = static_cast<int>(last);
    const std::string function = slowest_function(last);
    finding.evidence = rank_name(ranks[last]) + " on " + ranks[last].host +
                       " comes last: it "
                       "computes for " +
                       duration(computing_seconds(ranks[last])) + ", a rank in the mean for " +
                       duration(mean) +
                       (function.empty() ? "" : "; most of the difference is in " + function) +
                       "; the others wait in " +
                       calls_in_words([](const JobPlace &call) { return !is_start(call); },
                                      static_cast<double>(ranks.size() - 1)) +
                       " each";
    finding.cure = "give " + rank_name(ranks[last]) + " less of the work" +
                   (function.empty() ? "" : " of " + function) + ": even ranks would take " +
                   duration(gain) + " less" + slow_processors(ranks[last]) +
                   taken_processors(ranks[last], gain);
    if (!function.empty()) {
        finding.places.push_back({function, gain});
    }
    add(std::move(finding));
}

// Empty: they are as fast as those of other ranks, or that is not known.
std::string JobFindingBuilder::slow_processors(const RankRow &rank) const {
    const unsigned middle = middle_megahertz(job_);
    return is_slow(rank, middle)
               ? "; or faster processors: its own are at " + std::to_string(rank.megahertz) +
                     " MHz, the middle of all ranks is " + std::to_string(middle) + " MHz"
               : "";
}

// Empty: that its threads were without a processor is less than half of what it comes later.
std::string JobFindingBuilder::taken_processors(const RankRow &rank, double gain) const {
    const double without = seconds_without_processor(rank);
    const double mean = mean_without_processor(job_);
    return without - mean > limit(Limit::kMajority) * gain
               ? "; or processors to itself: each of its threads was ready to run without one "
                 "for " +
                     duration(without) + ", a rank's in the mean for " + duration(mean)
               : "";
}

// What even the rank with the least time in MPI has there: its start, files, waits for ranks that
// take turns, and messages.
void JobFindingBuilder::mpi_everywhere() {
    double least = efficiency_.elapsed;
    for (const RankRow &rank : job_.ranks) {
        least = std::min(least, in_seconds(rank.mpi_elapsed));
    }
    const auto take = [&least](double part) {
        part = std::min(part, least);
        least -= part;
        return part;
    };
    const double start = seconds_in(is_start); // paid once, however long the job is
    take(start);
    mpi_everywhere(Cause::kMpiStart, start, is_start);
    mpi_everywhere(Cause::kMpiFiles, take(seconds_in(is_of_files)), is_of_files);
    mpi_everywhere(Cause::kMpiVarying, take(varying_seconds(job_)), is_message);
    // On a shared machine they wait for ranks that have no processor: that is no message's time.
    const double others = is_shared_ ? mean_without_processor(job_) : 0;
    mpi_everywhere(Cause::kMpiCommunication, std::max(0.0, least - others), is_message);
}

void JobFindingBuilder::mpi_everywhere(Cause cause, double seconds, Kind kind) {
    const std::string calls = calls_in_words(kind, static_cast<double>(job_.ranks.size()));
    JobFinding finding;
    finding.cause = cause;
    finding.seconds = seconds * efficiency_.threads;
    finding.gain = finding.least_gain = seconds;
    finding.evidence =
        cause == Cause::kMpiStart ? "MPI starts for " + duration(seconds) + " in each rank"
        : cause == Cause::kMpiFiles
            ? "every rank is in files of MPI for " + duration(seconds) + ": " + calls + " each"
        : cause == Cause::kMpiVarying
            ? "every rank waits in MPI for " + duration(seconds) + " at least" +
                  " while another one computes, and in all they compute for as long; in MPI: " +
                  calls + " each"
            : "every rank is in MPI for " + duration(seconds) + " at least: " + calls + " each";
    finding.cure = cause_cure(cause);
    std::copy_if(calls_.begin(), calls_.end(), std::back_inserter(finding.places), kind);
    add(std::move(finding));
}

// "rank 3 on n1, with most of it: "; nothing of a single rank.
std::string JobFindingBuilder::evidence_of(Cause family) const {
    const auto found =
        std::find_if(job_.evidence.begin(), job_.evidence.end(),
                     [&](const CauseEvidence &each) { return each.cause == family; });
    if (found == job_.evidence.end()) {
        return job_.places.empty()
                   ? "merged by an earlier ompcollect, which kept no places: merge the ranks again"
                   : "no rank by itself has enough of it to tell more";
    }
    const auto rank = ranks_.find(found->rank);
    return job_.ranks.size() < 2 || rank == ranks_.end()
               ? found->text
               : rank_name(*rank->second) + " on " + rank->second->host +
                     ", with most of it: " + found->text;
}

// What the ranks' own reports have, added up. Of several ranks a job tells more of MPI than one.
void JobFindingBuilder::of_ranks() {
    struct Family {
        LossSum all;                      // thread seconds
        std::map<PlaceKey, double> ranks; // elapsed seconds
        std::map<std::string, double> places;
    };
    std::map<Cause, Family> families;
    for (const RankLoss &loss : job_.losses) {
        const auto rank = ranks_.find(loss.rank);
        if (rank == ranks_.end() || (loss.cause == Cause::kMpi && job_.ranks.size() > 1)) {
            continue;
        }
        const double threads = rank->second->threads;
        const Loss one = {loss.cause, kOutside,     in_seconds(loss.lost),
                          0,          loss.samples, loss.is_measured};
        Family &to = families[family_of(loss.cause)];
        to.all.add(one, threads);
        to.ranks[loss.rank] += one.seconds;
        const auto name = names_.find(loss.place);
        to.places[name == names_.end() ? "places that are not known" : name->second] +=
            threads * one.seconds;
    }
    const double total = efficiency_.elapsed * efficiency_.threads;
    for (const auto &[cause, family] : families) {
        if (total <= 0 || !family.all.is_worth_it(family.all.seconds / total)) {
            continue;
        }
        const auto [least, most] =
            std::minmax_element(family.ranks.begin(), family.ranks.end(),
                                [](const auto &a, const auto &b) { return a.second < b.second; });
        JobFinding finding;
        finding.cause = family.all.cause();
        finding.seconds = family.all.seconds;
        finding.gain = most->second;
        finding.least_gain = family.ranks.size() < job_.ranks.size() ? 0 : least->second;
        finding.evidence = evidence_of(cause);
        finding.cure = cause_cure(finding.cause);
        finding.places = places_of(family.places);
        add(std::move(finding));
    }
}

std::vector<JobFinding> JobFindingBuilder::find() {
    of_ranks();
    const bool has_crowd = std::any_of(findings_.begin(), findings_.end(), [](const auto &each) {
        return is_oversubscribed(each.cause);
    });
    if (!has_crowd && 1 - efficiency_.parallel < limit(Limit::kNoticed)) {
        return {};
    }
    if (job_.ranks.size() > 1) {
        mpi_imbalance();
        mpi_everywhere();
    }
    // Whoever wants to know what to change reads the start of MPI last.
    const auto order = [](const JobFinding &of) {
        return std::tuple(is_oversubscribed(of.cause), of.cause != Cause::kMpiStart, of.seconds);
    };
    std::stable_sort(findings_.begin(), findings_.end(),
                     [&](const auto &a, const auto &b) { return order(a) > order(b); });
    return std::move(findings_);
}

} // namespace

std::vector<JobFinding> job_findings(const Job &job, const JobEfficiency &efficiency) {
    return JobFindingBuilder(job, efficiency).find();
}

} // namespace ompcollect::report
