// SPDX-License-Identifier: Apache-2.0
#include "scaling_text.h"

#include "text_layout.h"
#include "verdict_limits.h"
#include "words.h"

#include <algorithm>
#include <cstring>

namespace ompcollect::report {
namespace {

std::string head_of(const Scaling &scaling, size_t width) {
    size_t least = SIZE_MAX;
    size_t most = 0;
    for (const ScaleRow &row : scaling.rows) {
        least = std::min(least, row.runs);
        most = std::max(most, row.runs);
    }
    const std::string runs = least == most ? std::to_string(most)
                                           : std::to_string(least) + " to " + std::to_string(most);
    const std::string title = std::string(scaling.grows ? "Weak scaling" : "Scaling") + " of " +
                              shortened(scaling.command, width - strlen("== Weak scaling of  =="));
    return "== " + title + " ==\n  " + runs + (most == 1 ? " run" : " runs") +
           " with each number of threads" + (most > 1 ? ", medians" : "") + "\n";
}

std::string faults_of(const Scaling &scaling, size_t width) {
    std::string text;
    for (const std::string &fault : scaling.faults) {
        text += hanging_lines("  not counted: ", fault, width);
    }
    for (const ScaleRow &row : scaling.rows) {
        if (row.seen_threads != row.threads && row.seen_threads > 0) {
            text += hanging_lines("  warning: ",
                                  format("of %u threads that were asked for, %u took part: the "
                                         "program sets their number itself",
                                         row.threads, row.seen_threads),
                                  width);
        }
    }
    return text;
}

std::string table_of(const Scaling &scaling) {
    std::string text = "\n  threads    elapsed  (least..most)    speed-up  global = parallel x "
                       "computation\n";
    bool has_beyond = false;
    for (const ScaleRow &row : scaling.rows) {
        const std::string range =
            row.runs > 1 ? format("(%.2f..%.2f)", row.elapsed.least, row.elapsed.most) : "";
        text += format("  %6u%s %10s  %-15s %9.2f  %6s   %8s   %11s\n", row.threads,
                       row.is_beyond ? "*" : " ", duration(row.elapsed.median).c_str(),
                       range.c_str(), row.speedup, percent(row.global()).c_str(),
                       percent(row.parallel).c_str(), percent(row.scalability).c_str());
        has_beyond = has_beyond || row.is_beyond;
    }
    if (has_beyond) {
        text += format("  * more threads than the %u processors that the program may use: for "
                       "comparison\n    only, not in the fits\n",
                       scaling.processors);
    }
    return text;
}

// Two runs fit any law.
std::string error_of(double worst, size_t runs) {
    return runs > 2 ? "; the runs differ from that by " + percent(worst) + " at most" : "";
}

std::string amdahl_text(const std::vector<Timing> &timings, double most, size_t width) {
    const AmdahlFit fit = amdahl_fit(timings);
    const double s = fit.serial_share();
    std::string text = "Amdahl: " + percent(s) + " of the time of one thread is serial";
    text += fit.serial > 0 ? format(", at most %.3g times as fast", 1 / s) : "";
    text += error_of(fit.worst_error, timings.size());
    std::string further = "Gustafson, if the problem grew with the threads:";
    const char *between = ".";
    for (const double n : {2 * most, 4 * most}) {
        text += format("%s %.0f threads promise %s, speed-up %.2f", between, n,
                       duration(fit.seconds(n)).c_str(), timings.front().seconds / fit.seconds(n));
        further += format("%s %.0f threads do %.2f times the work of one in its time",
                          *between == '.' ? "" : ",", n, GustafsonFit{s}.speedup(n));
        between = ",";
    }
    return hanging_lines("", text, width) + hanging_lines("", further, width);
}

std::string gustafson_text(const std::vector<Timing> &timings, double most, size_t width) {
    const GustafsonFit fit = gustafson_fit(timings);
    const double first = timings.front().threads;
    std::string text = "Gustafson: " + percent(fit.serial_share) + " of the time is serial";
    text += error_of(fit.worst_error, timings.size());
    const char *between = ".";
    for (const double n : {2 * most, 4 * most}) {
        const double times = n / first;
        text +=
            format("%s %.0f threads promise %.3g times the work of the first in %s", between, n,
                   times, duration(timings.front().seconds * times / fit.speedup(times)).c_str());
        between = ",";
    }
    return hanging_lines("", text, width);
}

// What a fit is made of and says, for twice and four times the threads.
std::string fits_of(const Scaling &scaling, size_t width) {
    const std::vector<Timing> timings = scaling.timings();
    if (timings.size() < 2) {
        return "\nNo fit: that needs two numbers of threads that have a processor for each.\n";
    }
    const double most = timings.back().threads;
    return "\n" + (scaling.grows ? gustafson_text(timings, most, width)
                                 : amdahl_text(timings, most, width));
}

using Parts = std::vector<std::pair<std::string, double>>;

// More thread seconds in the last row than in the first, dearest first.
Parts growth_of(const ThreadSeconds &first, const ThreadSeconds &last, double growth) {
    Parts parts = {{"work", last.useful - growth * first.useful}};
    for (const auto &[cause, seconds] : last.lost) {
        const auto before = first.lost.find(cause);
        parts.emplace_back(cause_title(cause),
                           seconds - (before == first.lost.end() ? 0 : growth * before->second));
    }
    std::sort(parts.begin(), parts.end(),
              [](const auto &a, const auto &b) { return a.second > b.second; });
    return parts;
}

std::string region_text(const RegionScaling &region, size_t number, const Scaling &scaling,
                        size_t width) {
    const size_t last = scaling.timings().size() - 1;
    const ScaleRow &most = scaling.rows[last];
    const auto stops = static_cast<size_t>(region.stops_at);
    const unsigned to = scaling.rows[stops].threads;
    const unsigned from = scaling.rows[stops - 1].threads;
    const double speed = region.at[stops - 1].elapsed / region.at[stops].elapsed;
    std::string text = hanging_lines(
        format("%zu. ", number),
        region.name + format(": from %u to %u threads %.2f times as fast", from, to, speed), width);
    std::string more;
    for (const auto &[name, seconds] :
         growth_of(region.at.front().seconds, region.at[last].seconds, scaling.growth_to(most))) {
        if (seconds > limit(Limit::kMuch) * region.more && seconds > 0) {
            const double before = region.at.front().seconds.useful;
            more += (more.empty() ? "" : ", ") + name + " " + duration(seconds);
            more +=
                name == "work" && before > 0 ? " (" + percent(seconds / before) + " slower)" : "";
        }
    }
    text += hanging_lines("   cause: ",
                          format("%u threads take %s of threads more than %u", most.threads,
                                 duration(std::max(region.more, 0.0)).c_str(),
                                 scaling.rows.front().threads) +
                              (more.empty() ? "" : ": " + more),
                          width);
    std::string times;
    for (size_t i = 0; i < scaling.rows.size(); ++i) {
        times += format("%s%u: %s", i ? ", " : "", scaling.rows[i].threads,
                        duration(region.at[i].elapsed).c_str());
    }
    return text + hanging_lines("   elapsed by threads: ", times, width);
}

std::string regions_text(const Scaling &scaling, size_t top, size_t width) {
    if (scaling.timings().size() < 2) {
        return "";
    }
    std::string text;
    size_t number = 0;
    for (const RegionScaling &region : scaling.regions) {
        if (region.stops_at >= 0 && (top == 0 || number < top)) {
            text += "\n" + region_text(region, ++number, scaling, width);
        }
    }
    if (text.empty()) {
        return "\n" + hanging_lines("",
                                    "Nothing stops scaling: each step brings at least " +
                                        percent(kGoodStep) + " of its threads, in every region",
                                    width);
    }
    return "\nWhat stops scaling first" +
           std::string(scaling.grows ? ", at the same time for more work" : "") + "\n" +
           text.substr(1);
}

std::string inflated_region(const InflatedRegion &region, size_t number, unsigned first,
                            unsigned last, size_t width) {
    std::vector<std::string> functions;
    for (const auto &[name, seconds] : region.functions) {
        constexpr size_t kSome = 3;
        if (functions.size() < kSome) {
            functions.push_back(name + " +" + duration(seconds));
        }
    }
    return hanging_lines(format("%zu. ", number),
                         region.name + format(": works %s with %u, %s with %u threads, %.2f times "
                                              "as much",
                                              duration(region.first).c_str(), first,
                                              duration(region.last).c_str(), last, region.factor()),
                         width) +
           (functions.empty() ? "" : hanging_lines("   in: ", joined(functions, ", "), width));
}

std::string counts_text(const WorkInflation &work) {
    const auto whole = [](double number) { return grouped(static_cast<uint64_t>(number)); };
    return "in the kernel " + duration(work.first.seconds) + " -> " + duration(work.last.seconds) +
           ", page faults " + whole(work.first.page_faults) + " -> " +
           whole(work.last.page_faults) + ", waits asleep " + whole(work.first.waits) + " -> " +
           whole(work.last.waits);
}

// Work that takes longer with more threads, and what may be the reason.
std::string inflation_text(const Scaling &scaling, size_t top, size_t width) {
    const WorkInflation &work = scaling.inflation;
    if (work.regions.empty()) {
        return "";
    }
    const char *reason =
        work.is_kernels()
            ? "most of it is the kernel's: look for memory that is taken anew in each pass (page "
              "faults), and for system calls"
            : "the processor's: slower memory, or cache lines that threads share, as atomics, "
              "shared counters and false sharing do";
    std::string text = "\nWork that takes longer with more threads\n";
    for (size_t i = 0; i < work.regions.size() && (top == 0 || i < top); ++i) {
        text += inflated_region(work.regions[i], i + 1, scaling.rows.front().threads, work.threads,
                                width);
    }
    return text + hanging_lines("   of all: ", counts_text(work), width) +
           hanging_lines("   why: ", reason, width);
}

std::string seconds_text(const Scaling &scaling) {
    std::map<Cause, double> most;
    for (const ScaleRow &row : scaling.rows) {
        for (const auto &[cause, seconds] : row.seconds.lost) {
            most[cause] = std::max(most[cause], seconds / (row.elapsed.median * row.threads));
        }
    }
    std::string head = format("\n%-36s", "Thread seconds, by threads");
    std::string work = format("  %-34s", "work");
    for (const ScaleRow &row : scaling.rows) {
        head += format("%10u", row.threads);
        work += format("%10.2f", row.seconds.useful);
    }
    std::string text = head + "\n" + work + "\n";
    for (const auto &[cause, share] : most) {
        if (share < limit(Limit::kWorthALine)) {
            continue;
        }
        text += format("  %-34s", cause_title(cause));
        for (const ScaleRow &row : scaling.rows) {
            const auto at = row.seconds.lost.find(cause);
            text += format("%10.2f", at == row.seconds.lost.end() ? 0 : at->second);
        }
        text += "\n";
    }
    return text;
}

} // namespace

std::string scaling_text(const Scaling &scaling, size_t top, size_t width) {
    std::string text = head_of(scaling, width) + faults_of(scaling, width);
    if (scaling.rows.empty()) {
        return text;
    }
    return text + table_of(scaling) + fits_of(scaling, width) +
           inflation_text(scaling, top, width) + regions_text(scaling, top, width) +
           seconds_text(scaling);
}

} // namespace ompcollect::report
