// SPDX-License-Identifier: Apache-2.0
#include "verdict.h"

#include "blame.h"
#include "figures.h"
#include "findings.h"
#include "named_place.h"
#include "people.h"
#include "text_layout.h"
#include "words.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <sys/ioctl.h>

namespace ompcollect::report {
namespace {

// Columns from which on the table of regions is shown in full.
constexpr size_t kWide = 100;

constexpr size_t kFindingsShown = 3;
constexpr size_t kPlacesShown = 3;

// Lines of at most `width` columns; the first begins with `head`, the others are indented as far.
std::string wrapped(const std::string &head, const std::string &words, size_t width) {
    std::istringstream in(words);
    std::string text;
    std::string line = head;
    bool is_empty = true;
    for (std::string word; in >> word;) {
        if (!is_empty && line.size() + 1 + word.size() > width) {
            text += line + "\n";
            line.assign(head.size(), ' ');
            is_empty = true;
        }
        line += (is_empty ? "" : " ") + word;
        is_empty = false;
    }
    return text + line + "\n";
}

class Writer {
  public:
    Writer(const Process &process, const TextStyle &style)
        : process_(process), style_(style), figures_(figures_of(process)),
          findings_(findings_of(process, figures_)) {}
    std::string text();

  private:
    [[nodiscard]] std::string bold(const std::string &words) const {
        return style_.colour ? kBoldBegin + words + kBoldEnd : words;
    }
    void efficiency();
    void findings();
    void finding(size_t number, const Finding &at);
    void place(const FindingPlace &at);
    void regions();
    void blame();
    void doubts();
    // What is left of the line behind `column` holds the place. Of a long one the middle is left
    // out, never the line.
    [[nodiscard]] std::string shortened(int node, size_t column) const;

    const Process &process_;
    const TextStyle &style_;
    const Figures figures_;
    const std::vector<Finding> findings_;
    std::string text_;
};

std::string Writer::shortened(int node, size_t column) const {
    constexpr size_t kLeastRoom = 16;
    const size_t room = std::max(kLeastRoom, style_.width - std::min(style_.width, column));
    const NamedPlace at = place_of(process_, node);
    return shortened_place(at.name, at.source, room);
}

void Writer::efficiency() {
    const Efficiency &all = figures_.efficiency;
    text_ += bold(format("Verdict: parallel efficiency %s", percent(all.parallel).c_str()));
    text_ += format("\n  = serialisation %s x load balance %s x scheduling %s\n",
                    percent(all.serialisation).c_str(), percent(all.load_balance).c_str(),
                    percent(all.scheduling).c_str());
    text_ += format("  %s elapsed, %u thread%s, %s of it outside parallel regions\n",
                    duration(all.elapsed).c_str(), all.threads, all.threads == 1 ? "" : "s",
                    duration(all.serial).c_str());
}

// The place with its share of the time.
void Writer::place(const FindingPlace &at) {
    const std::string share = percent(at.share);
    const std::string head = "   at:    ";
    text_ += head + shortened(at.node, head.size() + share.size() + 2) + ", " + share + "\n";
}

void Writer::finding(size_t number, const Finding &at) {
    const std::string head = format("%zu. ", number);
    std::string title =
        format("%s of %s (%s", duration(at.seconds).c_str(),
               duration(figures_.efficiency.elapsed).c_str(), percent(at.share).c_str());
    const double error = (at.most_share - at.least_share) / 2;
    title += at.is_measured ? ", measured" : format(", +-%s", percent(error).c_str());
    title += format("): %s, %s", cause_key(at.cause), cause_title(at.cause));
    const std::string lines = wrapped(head, title, style_.width);
    text_ += "\n" + bold(lines.substr(0, lines.size() - 1)) + "\n";
    const size_t most = style_.top == 0 ? at.places.size() : kPlacesShown;
    const size_t shown = std::min(most, at.places.size());
    for (size_t i = 0; i < shown; ++i) {
        place(at.places[i]);
    }
    if (shown < at.places.size()) {
        text_ += format("          and %zu more places (--all)\n", at.places.size() - shown);
    }
    text_ += wrapped("   cause: ",
                     at.evidence + format(" (%s sample%s)", grouped(at.samples).c_str(),
                                          at.samples == 1 ? "" : "s"),
                     style_.width);
    text_ += wrapped("   cure:  ", cause_cure(at.cause), style_.width);
}

void Writer::findings() {
    const double lost = lost_share(figures_);
    if (findings_.empty() && lost < kHealthy) {
        text_ +=
            format("  Nothing stands out: all losses together are %s.\n", percent(lost).c_str());
        return;
    }
    if (findings_.empty()) {
        text_ += wrapped("  ",
                         format("Of no cause are there %llu samples: %s are lost, and of %s "
                                "samples nobody can tell to what (a longer run, or --rate).",
                                static_cast<unsigned long long>(kLeastSamples),
                                percent(lost).c_str(), grouped(figures_.samples).c_str()),
                         style_.width);
        return;
    }
    size_t number = 0;
    const size_t most = style_.top == 0 ? findings_.size() : kFindingsShown;
    for (const Finding &each : findings_) {
        if (number < most) {
            finding(++number, each);
        }
    }
    if (most < findings_.size()) {
        text_ += format("\n   and %zu smaller ones (--all)\n", findings_.size() - most);
    }
}

void Writer::regions() {
    if (figures_.regions.empty()) {
        return;
    }
    std::vector<const RegionFigures *> rows;
    for (const RegionFigures &region : figures_.regions) {
        rows.push_back(&region);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto *a, const auto *b) { return a->gain > b->gain; });
    const size_t shown = style_.top ? std::min(style_.top, rows.size()) : rows.size();
    text_ +=
        "\n" + bold("Regions by potential gain") + " (elapsed time saved if no thread waited)\n";
    // A narrow terminal has no room for the least and the most work of a thread.
    const bool is_wide = style_.width >= kWide;
    text_ += format("  %9s %6s %11s %9s %4s", "gain", "", "entries", "each", "team");
    // Processor time where it was measured: WORK in the tables of states is time by the clock.
    const bool is_cpu = process_.has_cpu_times;
    text_ += is_wide ? format(" %9s %9s %9s", is_cpu ? "cpu min" : "work min", "mean", "max")
                     : format(" %9s", is_cpu ? "cpu work" : "work");
    text_ += "  fork location\n";
    for (size_t i = 0; i < shown; ++i) {
        const RegionFigures &region = *rows[i];
        const uint64_t entries =
            region.node < 0 ? 0 : process_.nodes[static_cast<size_t>(region.node)].entries;
        const double elapsed = figures_.efficiency.elapsed;
        std::string row = format(
            "  %9s %6s %11s %9s %4u", duration(region.gain).c_str(),
            percent(elapsed > 0 ? region.gain / elapsed : 0).c_str(), grouped(entries).c_str(),
            region.mean_length > 0 ? duration(region.mean_length).c_str() : "-", region.team);
        if (is_wide) {
            row += format(" %9s", duration(region.work_min).c_str());
        }
        row += format(" %9s", duration(region.work_mean).c_str());
        if (is_wide) {
            row += format(" %9s", duration(region.work_max).c_str());
        }
        text_ += row + "  " + shortened(region.node, row.size() + 2) + "\n";
    }
    if (shown < rows.size()) {
        text_ += format("  and %zu more (--all)\n", rows.size() - shown);
    }
}

void Writer::blame() {
    const std::vector<Blame> blames = blame_of(process_);
    if (blames.empty()) {
        return;
    }
    text_ += "\n" + bold("Who kept the others waiting") + " (thread seconds of their waiting)\n";
    const size_t most = style_.top ? std::min<size_t>(style_.top, 5) : blames.size();
    for (size_t i = 0; i < blames.size() && i < most; ++i) {
        const int region = region_of(process_, blames[i].node);
        const std::string head = format("  %9s  ", duration(blames[i].seconds).c_str());
        const std::string samples = format("(%s sample%s)", grouped(blames[i].samples).c_str(),
                                           blames[i].samples == 1 ? "" : "s");
        std::string words = place_name(process_, blames[i].node);
        std::string where = region < 0 || region == blames[i].node
                                ? std::string()
                                : node_name(process_.nodes[static_cast<size_t>(region)]);
        // Names that do not fit into one line get a line each.
        const size_t all = head.size() + words.size() + where.size() + samples.size() + 6;
        if (all > style_.width) {
            words = shortened(blames[i].node, head.size() + samples.size() + 2);
            where = where.empty() ? where : shortened(region, head.size() + 3);
        }
        const bool has_line = !where.empty() && all > style_.width;
        text_ += head + words;
        if (!where.empty() && !has_line) {
            text_.append(", in ").append(where);
        }
        text_.append(" ").append(samples).append("\n");
        if (has_line) {
            text_.append(head.size(), ' ').append("in ").append(where).append("\n");
        }
    }
}

// What should make a reader doubt the figures.
void Writer::doubts() {
    constexpr double kBusyMachine = 0.9;
    const Efficiency &all = figures_.efficiency;
    if (all.on_processor < kBusyMachine &&
        (process_.processors == 0 || all.threads <= process_.processors)) {
        text_ += wrapped("  Note: ",
                         format("threads at work had a processor for %s of the time: others used "
                                "the machine, or the work includes sleeping and files.",
                                percent(all.on_processor).c_str()),
                         style_.width);
    }
    if (!process_.has_wall_times) {
        text_ += wrapped(
            "  Note: ", "time was taken by the processor's clock, so waiting asleep is not in it.",
            style_.width);
    }
    if (process_.is_partial || !process_.missing.empty()) {
        text_ += wrapped("  Note: ",
                         "the profile is not whole" +
                             (process_.missing.empty() ? "." : ": " + process_.missing + "."),
                         style_.width);
    }
}

std::string Writer::text() {
    efficiency();
    doubts();
    findings();
    regions();
    blame();
    return text_;
}

} // namespace

unsigned line_width(int fd) {
    struct winsize size = {};
    if (fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
        return std::max<unsigned>(size.ws_col, 40);
    }
    const char *variable = getenv("COLUMNS");
    const int columns = variable ? atoi(variable) : 0;
    constexpr int kLeast = 40;
    constexpr int kMost = 1000;
    return columns >= kLeast && columns <= kMost ? static_cast<unsigned>(columns) : 80;
}

std::string verdict_text(const Process &process, const TextStyle &style) {
    return Writer(process, style).text();
}

} // namespace ompcollect::report
