// SPDX-License-Identifier: Apache-2.0
#include "verdict.h"

#include "named_place.h"
#include "people.h"
#include "text_layout.h"
#include "words.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <sys/ioctl.h>

namespace ompcollect::report {
namespace {

constexpr size_t kPlacesShown = 3;
constexpr size_t kAll = std::numeric_limits<size_t>::max();

class Writer {
  public:
    Writer(const Process &process, const Conclusions &from, const TextStyle &style)
        : process_(process), from_(from), style_(style) {}
    std::string text(const BriefForm *brief); // null: the whole

  private:
    [[nodiscard]] std::string bold(const std::string &words) const {
        return style_.colour ? kBoldBegin + words + kBoldEnd : words;
    }
    [[nodiscard]] std::string efficiency_words() const;
    [[nodiscard]] std::string factors() const;
    void efficiency();
    void brief_efficiency();
    void findings();
    void brief_findings(const BriefForm &form);
    bool is_too_short();
    void title(size_t number, const Finding &at);
    void finding(size_t number, const Finding &at);
    void brief_finding(size_t number, const Finding &at, bool has_cure, size_t cause_lines);
    void place(const FindingPlace &at, const std::string &more);
    void doubts();

    const Process &process_;
    const Conclusions &from_;
    const TextStyle &style_;
    std::string text_;
};

// Of one thread alone there is none.
std::string Writer::efficiency_words() const {
    const Efficiency &all = from_.figures.efficiency;
    return all.threads == 1 && all.mpi >= 1 ? "nobody to wait for"
                                            : "parallel efficiency " + percent(all.parallel);
}

std::string Writer::factors() const {
    const Efficiency &all = from_.figures.efficiency;
    if (all.threads == 1 && all.mpi >= 1) {
        return {};
    }
    const std::string error = percent(std::min(1.0, all.error));
    const std::string mpi = all.mpi < 1 ? "MPI " + percent(all.mpi) + " x " : "";
    return format("  = %sserialisation %s x load balance %s x scheduling %s%s\n", mpi.c_str(),
                  percent(all.serialisation).c_str(), percent(all.load_balance).c_str(),
                  percent(all.scheduling).c_str(),
                  all.error > 0 ? (", product +-" + error).c_str() : "");
}

void Writer::efficiency() {
    const Efficiency &all = from_.figures.efficiency;
    text_ += bold("Verdict: " + efficiency_words()) + "\n" + factors();
    text_ += format("  %s elapsed, %u thread%s, %s %s outside parallel regions\n",
                    duration(all.elapsed).c_str(), all.threads, all.threads == 1 ? "" : "s",
                    duration(all.serial).c_str(),
                    process_.has_wall_times ? "of it" : "of processor time");
}

void Writer::brief_efficiency() {
    const Efficiency &all = from_.figures.efficiency;
    const std::string lines = hanging_lines(
        "Verdict: ",
        format("%s, %u thread%s, %s of %s outside regions", efficiency_words().c_str(), all.threads,
               all.threads == 1 ? "" : "s", duration(all.serial).c_str(),
               process_.has_wall_times ? duration(all.elapsed).c_str() : "processor time"),
        style_.width);
    const size_t comma = lines.find(',');
    text_ += bold(lines.substr(0, comma)) + lines.substr(comma);
    text_ += factors();
}

// The place with its share of the time.
void Writer::place(const FindingPlace &at, const std::string &more) {
    const std::string head = "   at:    ";
    const std::string tail = ", " + percent(at.share) + more;
    text_ += head + place_in_line(process_, at.node, style_.width, head.size() + tail.size()) +
             tail + "\n";
    if (at.caller >= 0) {
        const std::string words = "          called by ";
        text_ += words + place_in_line(process_, at.caller, style_.width, words.size()) + "\n";
    }
}

void Writer::title(size_t number, const Finding &at) {
    const char *const bound = at.is_at_most ? "up to " : is_at_least(at.cause) ? "at least " : "";
    std::string words =
        format("saves %s%s of %s (%s", bound, duration(at.seconds).c_str(),
               duration(from_.figures.efficiency.elapsed).c_str(), percent(at.share).c_str());
    const double error = (at.most_share - at.least_share) / 2;
    words += at.is_at_most    ? ""
             : at.is_measured ? ", measured"
                              : format(", +-%s", percent(error).c_str());
    words += "): ";
    words += style_.parts == kBrief ? "" : cause_key(at.cause) + std::string(", ");
    words += cause_title(at.cause);
    const std::string lines = hanging_lines(format("%zu. ", number), words, style_.width);
    text_ += bold(lines.substr(0, lines.size() - 1)) + "\n";
}

void Writer::finding(size_t number, const Finding &at) {
    text_ += "\n";
    title(number, at);
    const size_t most = style_.top == 0 ? at.places.size() : kPlacesShown;
    const size_t shown = std::min(most, at.places.size());
    for (size_t i = 0; i < shown; ++i) {
        place(at.places[i], "");
    }
    if (shown < at.places.size()) {
        text_ += format("          and %zu more places (--all)\n", at.places.size() - shown);
    }
    const std::string samples =
        format(" (%s sample%s)", grouped(at.samples).c_str(), at.samples == 1 ? "" : "s");
    text_ += hanging_lines("   cause: ", at.evidence + samples, style_.width);
    text_ += hanging_lines("   cure:  ", cause_cure(at.cause), style_.width);
}

void Writer::brief_finding(size_t number, const Finding &at, bool has_cure, size_t cause_lines) {
    title(number, at);
    const size_t others = at.places.size() - 1;
    place(at.places.front(), others == 0 ? ""
                                         : format("; and %s more place%s", grouped(others).c_str(),
                                                  others == 1 ? "" : "s"));
    text_ += hanging_lines("   cause: ", at.evidence, style_.width, cause_lines);
    text_ += has_cure ? hanging_lines("   cure:  ", cause_cure(at.cause), style_.width) : "";
}

// Of what so few samples show no figure would be true.
bool Writer::is_too_short() {
    const uint64_t samples = from_.figures.samples;
    if (samples >= fewest_samples() || !from_.findings.empty()) {
        return false;
    }
    text_ += bold("Verdict: none") + "\n" +
             hanging_lines("  ",
                           format("Of %s sample%s nobody can tell where the time goes (a longer "
                                  "run, or --rate).",
                                  grouped(samples).c_str(), samples == 1 ? "" : "s"),
                           style_.width);
    return true;
}

void Writer::findings() {
    const size_t most = style_.top == 0 ? kAll : kFindingsShown;
    const size_t shown = std::min(most, from_.findings.size());
    for (size_t i = 0; i < shown; ++i) {
        finding(i + 1, from_.findings[i]);
    }
    if (shown < from_.findings.size()) {
        text_ += format("\n   and %zu smaller ones (--all)\n", from_.findings.size() - shown);
    }
}

void Writer::brief_findings(const BriefForm &form) {
    for (size_t i = 0; i < std::min(kFindingsShown, from_.findings.size()); ++i) {
        brief_finding(i + 1, from_.findings[i], i < form.cures, form.cause_lines);
    }
}

// What should make a reader doubt the figures.
void Writer::doubts() {
    const auto note = [&](const std::string &words) {
        text_ += hanging_lines("  Note: ", words, style_.width);
    };
    if (!process_.has_wall_times && !from_.findings.empty()) { // else it is the reason for that
        note(format("time was taken by the processor's clock, so waiting asleep is not in it: in "
                    "the mean %s of each thread are missing.",
                    duration(unseen_seconds(process_)).c_str()));
    }
    // Of a brief report the head has it.
    const bool is_brief = style_.parts == kBrief;
    if (!is_brief && (process_.is_partial || !process_.missing.empty())) {
        note("the profile is not whole" +
             (process_.missing.empty() ? "." : ": " + process_.missing + "."));
    }
}

std::string Writer::text(const BriefForm *brief) {
    if (is_too_short()) {
        return text_;
    }
    if (brief) {
        brief_efficiency();
    } else {
        efficiency();
    }
    doubts();
    if (from_.findings.empty()) {
        text_ += hanging_lines("  ", no_finding(process_, from_.figures), style_.width);
    } else if (brief) {
        brief_findings(*brief);
    } else {
        findings();
    }
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

std::string verdict_text(const Process &process, const Conclusions &conclusions,
                         const TextStyle &style) {
    return Writer(process, conclusions, style).text(nullptr);
}

std::string brief_verdict_text(const Process &process, const Conclusions &conclusions,
                               const TextStyle &style, const BriefForm &form) {
    return Writer(process, conclusions, style).text(&form);
}

} // namespace ompcollect::report
