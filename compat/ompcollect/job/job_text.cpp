// SPDX-License-Identifier: Apache-2.0
#include "job_text.h"

#include "job_figures.h"
#include "text_layout.h"
#include "text_report.h"

#include "people.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace ompcollect::report {
namespace {

constexpr size_t kMostDoubts = 8;
constexpr size_t kMostJobFindings = 6;
constexpr size_t kMostPlaces = 3;
constexpr size_t kMostRegions = 12;
constexpr size_t kMostOutliers = 8;
constexpr size_t kMostRankLines = 16;

// Lines of at most `width` columns, the later ones below the words of the first.
std::string paragraph(const std::string &head, const std::string &words, size_t width,
                      size_t most_lines = 4) {
    std::istringstream in(words);
    std::string text;
    std::string line = head;
    bool is_empty = true;
    size_t lines = 1;
    for (std::string word; in >> word;) {
        if (!is_empty && columns_of(line) + 1 + columns_of(word) > width) {
            if (lines++ == most_lines) {
                return text.append(shortened(line + " ...", width)).append("\n");
            }
            text += shortened(line, width) + "\n";
            line.assign(head.size(), ' ');
            is_empty = true;
        }
        line += (is_empty ? "" : " ") + word;
        is_empty = false;
    }
    return text + shortened(line, width) + "\n";
}

class Writer {
  public:
    Writer(const Job &job, const TextStyle &style)
        : job_(job), style_(style), efficiency_(job_efficiency(job)) {}
    std::string text();

  private:
    [[nodiscard]] std::string bold(const std::string &words) const {
        return style_.colour ? kBoldBegin + words + kBoldEnd : words;
    }
    void head();
    void doubts();
    void parts();
    void efficiency();
    void findings();
    void places(const JobFinding &finding);
    void regions();
    void outliers();
    void ranks();
    void rank_lines();
    void deciles();
    [[nodiscard]] std::string blocks(const RankRow &rank, size_t width) const;

    const Job &job_;
    const TextStyle &style_;
    const JobEfficiency efficiency_;
    std::string text_;
};

// One value where all have the same, else "2 to 4".
template <class Value> std::string span(const std::vector<RankRow> &ranks, Value RankRow::*member) {
    const auto [least, most] = std::minmax_element(
        ranks.begin(), ranks.end(),
        [member](const RankRow &a, const RankRow &b) { return a.*member < b.*member; });
    return (*least).*member == (*most).*member
               ? std::to_string((*least).*member)
               : std::to_string((*least).*member) + " to " + std::to_string((*most).*member);
}

std::string counted(size_t count, const char *what) {
    return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

void Writer::head() {
    std::set<std::string> hosts;
    std::set<std::string> runtimes;
    std::set<std::string> launchers;
    for (const RankRow &rank : job_.ranks) {
        hosts.insert(rank.host);
        runtimes.insert(rank.runtime);
        launchers.insert(rank.launcher);
    }
    const RankRow &first = job_.ranks.front();
    text_ += bold(shortened("== OpenMP profile of a job: " +
                                (first.command.empty() ? first.program : first.command),
                            style_.width)) +
             "\n";
    const std::string threads = span(job_.ranks, &RankRow::threads);
    std::string where = counted(job_.ranks.size(), "rank") + " on " + counted(hosts.size(), "host");
    where += hosts.size() > 4 ? "" : " (" + joined({hosts.begin(), hosts.end()}, ", ") + ")";
    where += ", " + threads + (threads == "1" ? " thread" : " threads") + " each; " +
             duration(efficiency_.elapsed) + " elapsed";
    launchers.erase("");
    runtimes.erase("");
    where += launchers.empty()
                 ? ""
                 : "; started by " + joined({launchers.begin(), launchers.end()}, " and ");
    text_ += paragraph("  ", where, style_.width);
    if (!runtimes.empty()) {
        text_ += paragraph("  ", "on " + joined({runtimes.begin(), runtimes.end()}, "; "),
                           style_.width, 2);
    }
}

void Writer::doubts() {
    const std::vector<std::string> all = job_doubts(job_);
    for (size_t i = 0; i < std::min(all.size(), kMostDoubts); ++i) {
        text_ += paragraph("  warning: ", all[i], style_.width, 3);
    }
}

void Writer::efficiency() {
    const JobEfficiency &all = efficiency_;
    text_ += "\n" + bold("Verdict: parallel efficiency " + percent(all.parallel)) + "\n";
    text_ +=
        format("  = MPI %s x OpenMP %s\n", percent(all.mpi).c_str(), percent(all.openmp).c_str());
    text_ += format("  MPI    = load balance %s x communication %s\n",
                    percent(all.mpi_balance).c_str(), percent(all.mpi_communication).c_str());
    text_ +=
        format("           load balance = in hosts %s x between hosts %s\n",
               percent(all.balance_in_hosts).c_str(), percent(all.balance_between_hosts).c_str());
    text_ += format("  OpenMP = serialisation %s x load balance %s x scheduling %s\n",
                    percent(all.serialisation).c_str(), percent(all.load_balance).c_str(),
                    percent(all.scheduling).c_str());
    text_ += format("  %s of threads = %s elapsed x %s threads of all ranks\n",
                    duration(all.elapsed * all.threads).c_str(), duration(all.elapsed).c_str(),
                    grouped(static_cast<uint64_t>(all.threads)).c_str());
    const double busy = on_processor(job_);
    if (busy < 1 - limit(Limit::kMuch)) {
        text_ += paragraph("  Note: ",
                           "threads at work had a processor for " + percent(busy) +
                               " of the time: more of them than processors, others that use the "
                               "hosts, or work that sleeps",
                           style_.width);
    }
}

void Writer::places(const JobFinding &finding) {
    if (finding.places.size() < 2 && finding.rank >= 0) {
        return; // the evidence names it
    }
    std::string words;
    for (size_t i = 0; i < std::min(finding.places.size(), kMostPlaces); ++i) {
        words += (i ? ", " : "") + duration(finding.places[i].seconds) + " " +
                 shortened_name(finding.places[i].name, 60);
    }
    if (finding.places.size() > kMostPlaces) {
        words += ", and " + counted(finding.places.size() - kMostPlaces, "other place");
    }
    if (!words.empty()) {
        text_ += paragraph("   where: ", words, style_.width, 3);
    }
}

// "1.41 s", or "0.20 s to 1.41 s".
std::string gain_in_words(const JobFinding &finding) {
    const std::string least = duration(finding.least_gain);
    const std::string most = duration(finding.gain);
    return finding.least_gain <= 0 ? "up to " + most : least == most ? most : least + " to " + most;
}

void Writer::findings() {
    const std::vector<JobFinding> all = job_findings(job_, efficiency_);
    if (all.empty()) {
        text_ += "  No time is lost in waits: all losses together are " +
                 percent(1 - efficiency_.parallel) + ".\n";
    }
    for (size_t i = 0; i < std::min(all.size(), kMostJobFindings); ++i) {
        const JobFinding &finding = all[i];
        std::string title = format(
            "saves %s of %s (%s of threads, %s): %s, %s", gain_in_words(finding).c_str(),
            duration(efficiency_.elapsed).c_str(), duration(finding.seconds).c_str(),
            percent(finding.share).c_str(), cause_title(finding.cause), cause_key(finding.cause));
        if (finding.rank >= 0) {
            const RankRow &rank = job_.ranks[static_cast<size_t>(finding.rank)];
            title += ", " + rank_name(rank) + " on " + rank.host;
        }
        const std::string lines = paragraph(std::to_string(i + 1) + ". ", title, style_.width, 2);
        text_ += "\n" + bold(lines.substr(0, lines.size() - 1)) + "\n";
        text_ += paragraph("   cause: ", finding.evidence, style_.width);
        places(finding);
        text_ += paragraph("   cure:  ", finding.cure, style_.width, 3);
    }
}

void Writer::regions() {
    const std::vector<JobRegionRow> rows = job_regions(job_);
    if (rows.empty()) {
        return;
    }
    text_ += "\n" + bold("Regions") + " (thread seconds of a rank)\n";
    text_ += format("  %8s %5s %8s %4s %8s %8s %4s  %s\n", "all", "lost", "least", "rank", "mean",
                    "most", "rank", "fork location");
    const size_t wanted = style_.rows != 0 ? std::min(style_.rows, kMostRegions) : kMostRegions;
    const size_t shown = std::min(rows.size(), wanted);
    const auto number = [this](size_t rank) {
        const RankRow &row = job_.ranks[rank];
        return row.rank >= 0 ? std::to_string(row.rank) : "-";
    };
    for (size_t i = 0; i < shown; ++i) {
        const JobRegionRow &row = rows[i];
        const std::string line = format(
            "  %8s %5s %8s %4s %8s %8s %4s  ", duration(row.total).c_str(),
            percent(row.total > 0 ? row.lost / row.total : 0).c_str(), duration(row.least).c_str(),
            number(row.least_rank).c_str(), duration(row.mean).c_str(), duration(row.most).c_str(),
            number(row.most_rank).c_str());
        const size_t room = style_.width - std::min(style_.width, line.size());
        if (room >= 16) {
            text_ += line + shortened_name(row.name, room) + "\n";
        } else {
            text_ += line.substr(0, line.size() - 2) + "\n" +
                     shortened("    " + row.name, style_.width) + "\n";
        }
    }
    if (shown < rows.size()) {
        text_ += format("  and %zu more (--format csv has all)\n", rows.size() - shown);
    }
}

void Writer::outliers() {
    const std::vector<std::string> all = job_outliers(job_);
    if (all.empty()) {
        return;
    }
    text_ += "\n" + bold("Ranks that stand out") + "\n";
    for (size_t i = 0; i < std::min(all.size(), kMostOutliers); ++i) {
        text_ += paragraph("  ", all[i], style_.width, 2);
    }
}

struct Part {
    char letter;
    const char *words;
};
constexpr Part kParts[] = {{'#', "works"},   {'M', "in MPI"}, {'=', "waits in OpenMP"},
                           {'r', "runtime"}, {'.', "idle"},   {'p', "no processor"}};

// The class of what a thread was seen in.
size_t part_of(unsigned column) {
    if ((column & kMpiColumn) != 0) {
        return 1;
    }
    switch (kind_of_state(column)) {
    case StateKind::kUseful:
    case StateKind::kAsleep:
    case StateKind::kOther:
        return 0;
    case StateKind::kNoProcessor:
        return 5;
    case StateKind::kBarrier:
    case StateKind::kMutex:
    case StateKind::kReduction:
        return 2;
    case StateKind::kRuntime:
        return 3;
    case StateKind::kIdle:
        break;
    }
    return 4;
}

// What most threads were seen in, in each stretch of the elapsed time.
std::string Writer::blocks(const RankRow &rank, size_t width) const {
    std::vector<std::map<size_t, uint64_t>> seen(width);
    for (const Bin &bin : rank.bins) {
        const double begin = static_cast<double>(static_cast<uint64_t>(bin.bin) << rank.bin_shift);
        const auto at =
            static_cast<size_t>(begin * 1e-9 / efficiency_.elapsed * static_cast<double>(width));
        seen[std::min(at, width - 1)][part_of(bin.column)] += bin.samples;
    }
    std::string text;
    char last = ' ';
    for (const auto &part : seen) {
        const auto most =
            std::max_element(part.begin(), part.end(),
                             [](const auto &a, const auto &b) { return a.second < b.second; });
        // A stretch may be shorter than the time between two samples.
        last = most == part.end() ? last : kParts[most->first].letter;
        text += last;
    }
    const auto end = static_cast<size_t>(in_seconds(rank.elapsed) / efficiency_.elapsed *
                                         static_cast<double>(width));
    std::fill(text.begin() + static_cast<long>(std::min(end + 1, width)), text.end(), ' ');
    return text;
}

void Writer::rank_lines() {
    for (const RankRow &rank : job_.ranks) {
        const std::string name = shortened(rank_name(rank) + " " + rank.host, 18);
        const std::string head =
            format("  %-18s %8s %8s ", name.c_str(), duration(computing_seconds(rank)).c_str(),
                   duration(in_seconds(rank.mpi_elapsed)).c_str());
        text_ += head + "|" +
                 blocks(rank, style_.width - std::min(style_.width - 10, head.size() + 2)) + "|\n";
    }
    std::string legend;
    for (const Part &part : kParts) {
        legend += std::string(legend.empty() ? "" : ", ") + part.letter + " " + part.words;
    }
    text_ += "  " + legend + "\n";
}

// A tenth of the ranks each, from the shortest computing time.
void Writer::deciles() {
    std::vector<const RankRow *> ranks;
    for (const RankRow &rank : job_.ranks) {
        ranks.push_back(&rank);
    }
    std::stable_sort(ranks.begin(), ranks.end(), [](const RankRow *a, const RankRow *b) {
        return computing_seconds(*a) < computing_seconds(*b);
    });
    constexpr size_t kTenth = 10;
    for (size_t tenth = 0; tenth <= kTenth; ++tenth) {
        const RankRow &rank = *ranks[(ranks.size() - 1) * tenth / kTenth];
        const double computing = computing_seconds(rank);
        const auto width =
            static_cast<size_t>(efficiency_.elapsed > 0 ? computing / efficiency_.elapsed * 30 : 0);
        text_ +=
            format("  %3zu %% %10s  %-30s %s on %s\n", tenth * kTenth, duration(computing).c_str(),
                   std::string(width, '#').c_str(), rank_name(rank).c_str(),
                   shortened(rank.host, style_.width > 76 ? style_.width - 66 : 10).c_str());
    }
}

void Writer::ranks() {
    if (efficiency_.elapsed <= 0) {
        return;
    }
    if (job_.ranks.size() <= kMostRankLines) {
        text_ += "\n" + bold("Time by rank") + " (computing, then in MPI; what most threads do)\n";
        rank_lines();
    } else {
        text_ += "\n" + bold("Computing time of the ranks") + " (the shortest to the longest)\n";
        deciles();
    }
}

// Those of a process's report (--show) that a job has, too. What it has by ranks is its threads'.
void Writer::parts() {
    const Parts wanted = style_.parts == kBrief ? kAllParts : style_.parts;
    const auto wants = [wanted](const char *name) { return (wanted & parts_named(name)) != 0; };
    if (wants("verdict")) {
        efficiency();
        findings();
    }
    if (wants("regions")) {
        regions();
    }
    if (wants("threads")) {
        outliers();
        ranks();
    }
    if ((wanted & ~parts_named("verdict,regions,threads")) != 0 && wanted != kAllParts) {
        text_ += "\n" + paragraph("  ",
                                  "a job has the parts verdict, regions and threads; --rank N "
                                  "shows the others of a rank",
                                  style_.width);
    }
}

std::string Writer::text() {
    if (job_.ranks.empty()) {
        return "== OpenMP profile of a job: no rank has left a profile\n";
    }
    head();
    doubts();
    parts();
    text_ += "\n" + paragraph("  ", "one rank: --rank N; every rank's own report: --rank all",
                              style_.width);
    return text_;
}

// The ends of lines and the tabs in them stay: they part what is printed apart.
std::string printable_rows(const std::string &rows) {
    std::string to;
    for (size_t begin = 0; begin <= rows.size();) {
        const size_t end = std::min(rows.find_first_of("\n\t", begin), rows.size());
        to += printable(rows.substr(begin, end - begin));
        to += end < rows.size() ? rows.substr(end, 1) : "";
        begin = end + 1;
    }
    return to;
}

} // namespace

void make_printable(Job &job) {
    for (RankRow &rank : job.ranks) {
        for (std::string *text : {&rank.host, &rank.program, &rank.command, &rank.launcher,
                                  &rank.job, &rank.runtime, &rank.ending}) {
            *text = printable(*text);
        }
        rank.doubts = printable_rows(rank.doubts);
    }
    for (JobNode &node : job.nodes) {
        for (std::string *text : {&node.function, &node.source, &node.module}) {
            *text = printable(*text);
        }
    }
    for (JobRegion &region : job.regions) {
        region.name = printable(region.name);
    }
    for (AbsentRank &absent : job.absent) {
        absent.host = printable(absent.host);
        absent.cause = printable(absent.cause);
    }
}

std::string job_text(Job job, const TextStyle &style) {
    make_printable(job);
    return visible(Writer(job, style).text(), style.colour);
}

} // namespace ompcollect::report
