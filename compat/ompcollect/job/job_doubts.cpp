// SPDX-License-Identifier: Apache-2.0
#include "job_figures.h"
#include "ranges_text.h"

#include "words.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

namespace ompcollect::report {
namespace {

std::string ranks_in_words(const std::vector<int> &ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ") + ranges_text(ranks);
}

// Ranks with the same words are one sentence.
using Sentences = std::map<std::string, std::vector<int>>;

void missing_ranks(const Job &job, std::vector<std::string> &to) {
    std::set<int> present;
    unsigned promised = 0;
    for (const RankRow &rank : job.ranks) {
        promised = std::max(promised, rank.ranks);
        present.insert(rank.rank);
    }
    Sentences causes;
    for (const AbsentRank &absent : job.absent) {
        if (present.insert(absent.rank).second) {
            causes[(absent.host.empty() ? std::string() : ", on " + absent.host) + ": " +
                   absent.cause]
                .push_back(absent.rank);
        }
    }
    constexpr unsigned kMostRanks = 1U << 24U; // a variable may hold anything
    std::vector<int> missing;
    for (unsigned rank = 0; rank < std::min(promised, kMostRanks); ++rank) {
        if (present.count(static_cast<int>(rank)) == 0) {
            missing.push_back(static_cast<int>(rank));
        }
    }
    for (const auto &[cause, ranks] : causes) {
        to.push_back(ranks_in_words(ranks) + " without a profile" + cause);
    }
    if (!missing.empty()) {
        to.push_back(ranks_in_words(missing) + " missing of " + std::to_string(promised) +
                     ": nothing is here; the host may not see the folder, its disk may be full, or "
                     "OpenMP was not used until its end; -o on a disk that all hosts see keeps "
                     "every rank");
    }
}

// By the same warning; the numbers in its sentence may differ.
struct RanksWarned {
    std::vector<int> ranks;
    std::set<std::string> texts;
};

void early_ends(const Job &job, std::vector<std::string> &to) {
    Sentences ends;
    std::map<std::string, RanksWarned> warned; // by the warning's name
    std::vector<std::string> others;
    for (const RankRow &rank : job.ranks) {
        if (!rank.ending.empty() && rank.rank >= 0) {
            ends[rank.ending].push_back(rank.rank);
        }
        std::istringstream lines(rank.doubts);
        for (std::string line; std::getline(lines, line);) {
            const size_t tab = line.find('\t'); // jobs of before have the sentence alone
            RanksWarned &same = warned[line.substr(0, tab)];
            same.ranks.push_back(rank.rank);
            same.texts.insert(tab == std::string::npos ? line : line.substr(tab + 1));
        }
    }
    for (const auto &[how, ranks] : ends) {
        to.push_back(ranks_in_words(ranks) + " ended early: " + how);
    }
    for (const auto &[name, all] : warned) {
        to.push_back((all.ranks.front() < 0 ? std::string("a process without a rank")
                                            : ranks_in_words(all.ranks)) +
                     ": " + *all.texts.begin() +
                     (all.texts.size() > 1 ? " (of one; the others have other numbers)" : ""));
    }
}

void same_ranks(const Job &job, std::vector<std::string> &to) {
    std::map<int, std::vector<const RankRow *>> by_rank;
    for (const RankRow &rank : job.ranks) {
        if (rank.rank >= 0) {
            by_rank[rank.rank].push_back(&rank);
        }
    }
    std::vector<int> twice;
    std::string example;
    for (const auto &[number, rows] : by_rank) {
        if (rows.size() > 1) {
            twice.push_back(number);
            if (example.empty()) {
                example = " (pid " + std::to_string(rows[0]->pid) + " on " + rows[0]->host +
                          ", pid " + std::to_string(rows[1]->pid) + " on " + rows[1]->host + ")";
            }
        }
    }
    if (!twice.empty()) {
        to.push_back(ranks_in_words(twice) + " there more than once" + example +
                     ", and all of them count; to compare two runs use ompcollect diff");
    }
}

void several_programs(const Job &job, std::vector<std::string> &to) {
    std::map<std::string, size_t> programs;
    std::set<std::string> jobs;
    for (const RankRow &rank : job.ranks) {
        ++programs[base_name(rank.program)];
        jobs.insert(rank.job);
    }
    // One job may have several.
    if (programs.size() < 2 || (jobs.size() == 1 && !jobs.begin()->empty())) {
        return;
    }
    std::string words;
    size_t shown = 0;
    for (const auto &[program, count] : programs) {
        if (shown++ < 4) {
            words += (words.empty() ? "" : ", ") + program + " (" + std::to_string(count) + ")";
        }
    }
    to.push_back("runs of different programs are in it: " + words +
                 "; their times are added up all the same; merge those of one program alone");
}

// Ranks of a job run at the same time: where the clocks say otherwise, they are wrong.
void odd_clocks(const Job &job, std::vector<std::string> &to) {
    if (job.ranks.empty()) {
        return;
    }
    const auto earlier = [](const RankRow &a, const RankRow &b) { return a.begin_ns < b.begin_ns; };
    const auto [first, last] = std::minmax_element(job.ranks.begin(), job.ranks.end(), earlier);
    uint64_t longest = 0;
    for (const RankRow &rank : job.ranks) {
        longest = std::max(longest, rank.elapsed);
    }
    constexpr double kSlack = 60; // of starting a large job
    const double apart = static_cast<double>(last->begin_ns - first->begin_ns) * 1e-9;
    if (apart > in_seconds(longest) + kSlack && first->host != last->host) {
        to.push_back("the clocks of " + first->host + " and " + last->host + " are " +
                     duration(apart) +
                     " apart, though their ranks ran together; times count from "
                     "each rank's own begin");
    } else if (apart > in_seconds(longest) + kSlack) {
        to.push_back("ranks began " + duration(apart) +
                     " apart and did not run at the same time; they may be of several jobs");
    }
}

} // namespace

std::vector<std::string> job_doubts(const Job &job) {
    std::vector<std::string> doubts;
    missing_ranks(job, doubts);
    early_ends(job, doubts);
    same_ranks(job, doubts);
    several_programs(job, doubts);
    odd_clocks(job, doubts);
    return doubts;
}

namespace {

template <class Value>
void add_odd(const Job &job, const char *what, Value RankRow::*member,
             std::vector<std::string> &to) {
    std::map<Value, std::vector<int>> by_value;
    for (const RankRow &rank : job.ranks) {
        by_value[rank.*member].push_back(rank.rank);
    }
    if (by_value.size() < 2) {
        return;
    }
    const auto usual =
        std::max_element(by_value.begin(), by_value.end(), [](const auto &a, const auto &b) {
            return a.second.size() < b.second.size();
        });
    size_t shown = 0;
    for (const auto &[value, ranks] : by_value) {
        if (value != usual->first && shown++ < 3) {
            to.push_back(ranks_in_words(ranks) + (ranks.size() == 1 ? " has " : " have ") +
                         std::to_string(value) + " " + what + ", most have " +
                         std::to_string(usual->first));
        }
    }
}

struct OfHost {
    double computing = 0;
    size_t ranks = 0;
};

void slow_hosts(const Job &job, double mean, std::vector<std::string> &to) {
    std::map<std::string, OfHost> hosts;
    for (const RankRow &rank : job.ranks) {
        OfHost &host = hosts[rank.host];
        host.computing += computing_seconds(rank);
        ++host.ranks;
    }
    std::string slowest;
    double most = mean * (1 + limit(Limit::kMuch));
    for (const auto &[name, host] : hosts) {
        const double own = host.computing / static_cast<double>(host.ranks);
        if (hosts.size() > 1 && own > most) {
            most = own;
            slowest = name;
        }
    }
    if (!slowest.empty()) {
        to.push_back("the ranks on " + slowest + " compute for " + duration(most) +
                     " in the mean, those of all hosts for " + duration(mean));
    }
}

// "rank 3 on n1 has processors at 1800 MHz, ..."
void odd_frequencies(const Job &job, bool (*is_odd)(const RankRow &, unsigned),
                     std::vector<std::string> &to) {
    const unsigned middle = middle_megahertz(job);
    std::vector<const RankRow *> odd;
    std::vector<int> numbers;
    std::set<std::string> hosts;
    for (const RankRow &rank : job.ranks) {
        if (is_odd(rank, middle)) {
            odd.push_back(&rank);
            numbers.push_back(rank.rank);
            hosts.insert(rank.host);
        }
    }
    if (odd.empty()) {
        return;
    }
    const auto [least, most] =
        std::minmax_element(odd.begin(), odd.end(), [](const RankRow *a, const RankRow *b) {
            return a->megahertz < b->megahertz;
        });
    const auto as_text = [](const RankRow *rank) { return std::to_string(rank->megahertz); };
    constexpr size_t kMostHosts = 2;
    to.push_back((odd.size() == 1 ? rank_name(*odd[0]) : ranks_in_words(numbers)) + " on " +
                 (hosts.size() > kMostHosts ? std::to_string(hosts.size()) + " hosts"
                                            : joined({hosts.begin(), hosts.end()}, " and ")) +
                 (odd.size() == 1 ? " has" : " have") + " processors at " + as_text(*least) +
                 ((*least)->megahertz == (*most)->megahertz ? "" : " to " + as_text(*most)) +
                 " MHz, the middle of all ranks is " + std::to_string(middle) + " MHz");
}

} // namespace

std::vector<std::string> job_outliers(const Job &job) {
    std::vector<std::string> to;
    if (job.ranks.size() < 2) {
        return to;
    }
    double mean = 0;
    double mean_mpi = 0;
    const RankRow *slowest = &job.ranks.front();
    const RankRow *waiting = slowest;
    for (const RankRow &rank : job.ranks) {
        mean += computing_seconds(rank) / static_cast<double>(job.ranks.size());
        mean_mpi += in_seconds(rank.mpi_elapsed) / static_cast<double>(job.ranks.size());
        slowest = computing_seconds(rank) > computing_seconds(*slowest) ? &rank : slowest;
        waiting = rank.mpi_elapsed > waiting->mpi_elapsed ? &rank : waiting;
    }
    to.push_back("slowest: " + rank_name(*slowest) + " on " + slowest->host + " computes for " +
                 duration(computing_seconds(*slowest)) + ", the mean is " + duration(mean));
    if (waiting->mpi_elapsed > 0) {
        to.push_back("most in MPI: " + rank_name(*waiting) + " on " + waiting->host + " for " +
                     duration(in_seconds(waiting->mpi_elapsed)) + ", the mean is " +
                     duration(mean_mpi));
    }
    slow_hosts(job, mean, to);
    odd_frequencies(job, is_slow, to);
    odd_frequencies(job, is_fast, to);
    add_odd(job, "threads", &RankRow::threads, to);
    add_odd(job, "processors to run on", &RankRow::processors, to);
    return to;
}

} // namespace ompcollect::report
