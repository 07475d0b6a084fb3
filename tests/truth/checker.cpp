// SPDX-License-Identifier: Apache-2.0
#include "checker.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>
#include <utility>

namespace ocb_test {
namespace {

constexpr double kInsideAtLeast = 0.95;
// One wrong sample among fewer than 20 right ones is no share: the thread was held up once between
// its mark and the construct.
constexpr unsigned kStray = 1;
constexpr double kOutsideAtMost = 0.01;
// Where the phases of a state last so long together, fewer samples are no proof of anything.
constexpr unsigned kLeastSamples = 4;
constexpr double kRegionAtLeast = 0.99;
// Samples this near to a phase's limits are of neither phase: the mark comes before the construct.
constexpr std::uint64_t kLimitNs = 300'000;
// So are those of a thread that has run for less than this since the mark: it was held up before it
// could reach the construct.
constexpr std::uint64_t kWayThereNs = 50'000;
// Nor does a callback last longer, in which the answers are the event's.
constexpr std::uint64_t kCallbackNs = 50'000;

const std::string kAny = "any";
const std::string kRegionEnd = "END";
const std::string kWhateverEvents = "*";
const std::string kUnseenRegion = "@";

struct Expected {
    std::string event;
    bool may_be_missing;
};

// What a program said: the state, and the events up to the thread's next mark.
struct Phase {
    std::string state;
    std::vector<Expected> events;
    bool tolerates_any_events = false;
    bool is_in_unseen_region = false;
};

Phase parse(const std::string &label) {
    std::istringstream words(label);
    Phase phase;
    words >> phase.state;
    for (std::string word; words >> word;) {
        if (word == kWhateverEvents) {
            phase.tolerates_any_events = true;
            continue;
        }
        if (word == kUnseenRegion) {
            phase.is_in_unseen_region = true;
            continue;
        }
        const bool may_be_missing = word.back() == '?';
        if (may_be_missing) {
            word.pop_back();
        }
        phase.events.push_back({word, may_be_missing});
    }
    return phase;
}

bool has_word(const std::string &text, const std::string &word) {
    return text.find(word) != std::string::npos;
}

// "BEGIN_IBAR" -> "IBAR"; FORK and JOIN -> "OVHD"; empty for events without a state of their own.
std::string state_in(const std::string &event) {
    if (event == "FORK" || event == "JOIN") {
        return "OVHD";
    }
    const std::string kind = event.substr(event.find('_') + 1);
    const bool has_none = kind == "MASTER" || kind == "SINGLE" || kind == "ORDERED";
    return has_none ? "" : kind;
}

// Ids of regions that have been forked and not joined, over all threads in the order of events.
class RegionLife {
  public:
    explicit RegionLife(const Log &log) {
        for (const ThreadLog &thread : log.threads) {
            const Record *before = nullptr; // the thread's last event
            for (const Record &record : thread.records) {
                if (record.kind == RecordKind::kEvent) {
                    if (record.number == OMP_EVENT_FORK) {
                        forks_.emplace(record.answers.region, record.sequence);
                    }
                    if (record.number == OMP_EVENT_JOIN) {
                        joins_.emplace(record.answers.region,
                                       Join{record.sequence, end_between(before, record)});
                    }
                    before = &record;
                }
            }
        }
    }

    // When a region's master may have left it: between its last barrier and its JOIN. There it may
    // have waited for a processor.
    struct End {
        std::uint64_t from = ~0ULL;
        std::uint64_t to = ~0ULL;
    };

    [[nodiscard]] bool is_running(std::uint64_t region, std::uint64_t sequence) const {
        const auto fork = forks_.find(region);
        const auto join = joins_.find(region);
        return fork != forks_.end() && fork->second < sequence &&
               (join == joins_.end() || join->second.sequence > sequence);
    }
    [[nodiscard]] bool has_two_forks(std::uint64_t region) const {
        return forks_.count(region) > 1;
    }

    // ~0 for a region that never ended.
    [[nodiscard]] End end_of(std::uint64_t region) const {
        const auto join = joins_.find(region);
        return join == joins_.end() ? End{} : join->second.end;
    }

  private:
    struct Join {
        std::uint64_t sequence;
        End end;
    };
    static End end_between(const Record *before, const Record &join) {
        const bool is_barrier = before != nullptr && before->number == OMP_EVENT_THR_END_IBAR &&
                                before->answers.region == join.answers.region;
        return {is_barrier ? before->time : join.time, join.time};
    }
    std::multimap<std::uint64_t, std::uint64_t> forks_;
    std::map<std::uint64_t, Join> joins_;
};

class ThreadCheck {
  public:
    ThreadCheck(const ThreadLog &thread, const RegionLife &life, From from, Verdict &verdict)
        : thread_(thread), life_(life), from_(from), verdict_(verdict) {}

    void run() {
        // What a worker is told before it reaches the program.
        phase_ = parse("any BEGIN_IDLE? END_IDLE?");
        for (const Record &record : thread_.records) {
            if (record.kind == RecordKind::kMark) {
                end_phase(record.time);
                begin_phase(record);
            } else if (record.kind == RecordKind::kEvent) {
                take_event(record);
            }
        }
        end_phase(~0ULL);
        // Idle workers are what a process ends with.
        open_.erase("IDLE");
        if (!open_.empty()) {
            complain("left open: " + *open_.begin());
        }
    }

  private:
    void complain(const std::string &what) {
        verdict_.complaints.push_back("thread " + std::to_string(thread_.index) + ": " + what +
                                      " (in \"" + label_ + "\")");
    }

    [[nodiscard]] std::uint64_t region() const { return regions_.empty() ? 0 : regions_.back(); }

    void begin_phase(const Record &mark) {
        const bool was_reduction = phase_.state == "REDUC";
        label_ = mark.label;
        phase_ = parse(mark.label);
        begin_ = mark.time;
        used_at_begin_ = mark.used;
        wait_end_ = ~0ULL;
        if (phase_.is_in_unseen_region) {
            enter_unseen_region(mark.answers.region);
        }
        region_of_phase_ = region();
        // No JOIN tells its master that it has ended.
        if (leaves_unseen_region_ && mark.answers.region == 0) {
            regions_.clear();
            region_of_phase_ = 0;
            leaves_unseen_region_ = false;
        }
        if (mark.answers.region != region()) {
            complain("the mark says region " + std::to_string(mark.answers.region) +
                     ", the events say " + std::to_string(region()));
        }
        const int state = region() != 0 ? THR_WORK_STATE : THR_SERIAL_STATE;
        // Marks in a combiner are in the reduction already, or still.
        if (mark.answers.state != state && !was_reduction && phase_.state != "REDUC") {
            complain("the mark says state " + state_name(mark.answers.state));
        }
    }

    void enter_unseen_region(std::uint64_t region) {
        if (region == 0) {
            complain("the region that began before the session has no id");
        }
        // It may have been seen by a session before.
        if (!regions_.empty() && regions_.back() != region) {
            complain("the region has changed its id");
        }
        verdict_.unseen_regions.insert(region);
        if (verdict_.unseen_regions.size() > 1) {
            complain("the region that began before the session has two ids");
        }
        regions_ = {region};
        leaves_unseen_region_ = true;
    }

    void end_phase(std::uint64_t time) {
        for (const Expected &expected : phase_.events) {
            if (!expected.may_be_missing) {
                complain("missing: " + expected.event);
            }
        }
        if (phase_.state != kAny) {
            judge_samples(time);
        }
    }

    void take_event(const Record &record) {
        const std::string event = event_name(record.number);
        const auto expected =
            std::find_if(phase_.events.begin(), phase_.events.end(),
                         [&](const Expected &e) { return e.event == event || !e.may_be_missing; });
        if (expected == phase_.events.end() || expected->event != event) {
            if (!phase_.tolerates_any_events) {
                complain("not wanted here: " + event);
            }
        } else {
            phase_.events.erase(phase_.events.begin(), expected + 1);
        }
        if (from_ == From::kEvent && begins_phase(event)) {
            begin_ = record.time;
        }
        if (ends_wait(event)) {
            wait_end_ = record.time;
        }
        if (event == "JOIN" && wait_end_ != ~0ULL) {
            judge_way_out(record.time);
        }
        check_pair(event);
        check_answers(record, event);
    }

    [[nodiscard]] bool begins_phase(const std::string &event) const {
        return event == "BEGIN_" + (phase_.state == kRegionEnd ? "IBAR" : phase_.state);
    }

    // A worker that has been told of its next region is on its way to it.
    [[nodiscard]] bool ends_wait(const std::string &event) const {
        return event == "END_" + (phase_.state == kRegionEnd ? "IDLE" : phase_.state);
    }

    void check_pair(const std::string &event) {
        if (has_word(event, "BEGIN_")) {
            if (!open_.insert(event.substr(6)).second) {
                complain("begun twice: " + event);
            }
        } else if (has_word(event, "END_")) {
            if (open_.erase(event.substr(4)) == 0) {
                complain("ended without begin: " + event);
            }
        }
    }

    void check_answers(const Record &record, const std::string &event) {
        const Answers &answers = record.answers;
        const std::string wanted = state_in(event);
        if (!wanted.empty() && state_name(answers.state) != wanted) {
            complain(event + " shows state " + state_name(answers.state));
        }
        switch (record.number) {
        case OMP_EVENT_FORK:
            if (life_.has_two_forks(answers.region)) {
                complain("two regions have id " + std::to_string(answers.region));
            }
            if (answers.parent_ec != OMP_ERRCODE_OK || answers.parent != region()) {
                complain("FORK names another parent");
            }
            regions_.push_back(answers.region);
            return;
        case OMP_EVENT_JOIN:
            check_region(answers, event);
            if (!regions_.empty()) {
                regions_.pop_back();
            }
            return;
        case OMP_EVENT_THR_END_IDLE:
            if (answers.region != 0 && !life_.is_running(answers.region, record.sequence)) {
                complain("END_IDLE names a region that does not run");
            }
            if (answers.region != 0) {
                regions_ = {answers.region};
            }
            return;
        case OMP_EVENT_THR_BEGIN_IDLE:
            regions_.clear();
            check_region(answers, event);
            return;
        default:
            check_region(answers, event);
        }
    }

    void check_region(const Answers &answers, const std::string &event) {
        if (answers.region != region()) {
            complain(event + " shows region " + std::to_string(answers.region) + ", not " +
                     std::to_string(region()));
        }
    }

    void judge_samples(std::uint64_t end) {
        const RegionLife::End region_end =
            phase_.state == kRegionEnd ? life_.end_of(region_of_phase_) : RegionLife::End{};
        // The last phase of a thread claims nothing of the program's end.
        const std::uint64_t last = std::min(end == ~0ULL ? last_record_time() : end, wait_end_);
        if (phase_.state != kRegionEnd && last > begin_ + 2 * kLimitNs) {
            verdict_.states[phase_.state].judged_ns += last - begin_ - 2 * kLimitNs;
        }
        for (const Sample &sample : thread_.samples) {
            if (sample.time < begin_ + kLimitNs || sample.time + kLimitNs > last ||
                sample.used < used_at_begin_ + kWayThereNs) {
                continue;
            }
            std::string wanted = phase_.state;
            std::uint64_t region = region_of_phase_;
            if (phase_.state == kRegionEnd) {
                if (sample.time + kLimitNs > region_end.from &&
                    sample.time < region_end.to + kLimitNs) {
                    continue;
                }
                wanted = sample.time < region_end.from ? "IBAR" : "IDLE";
                if (sample.time > region_end.to) {
                    region = 0;
                }
            }
            judge(sample, wanted, region);
        }
    }

    // Behind the last barrier of its region a master is in the runtime until it has joined, first
    // in the region, then in the one around it.
    void judge_way_out(std::uint64_t join_time) {
        const std::uint64_t around = regions_.size() > 1 ? regions_[regions_.size() - 2] : 0;
        for (const Sample &sample : thread_.samples) {
            if (sample.time > wait_end_ + kCallbackNs && sample.time + kCallbackNs < join_time) {
                judge(sample, "OVHD", sample.answers.region == around ? around : region_of_phase_);
            }
        }
    }

    [[nodiscard]] std::uint64_t last_record_time() const {
        return thread_.records.empty() ? 0 : thread_.records.back().time;
    }

    void judge(const Sample &sample, const std::string &wanted, std::uint64_t region) {
        const std::string shown = state_name(sample.answers.state);
        ++verdict_.samples;
        ++verdict_.states[wanted].inside;
        if (shown == wanted) {
            ++verdict_.states[wanted].inside_right;
        } else {
            ++verdict_.states[shown].outside;
        }
        if (sample.answers.region == region) {
            ++verdict_.region_right;
        }
        if (sample.answers.result != 0 || sample.answers.state < THR_OVHD_STATE ||
            sample.answers.state > THR_ATWT_STATE) {
            complain("a sample shows no valid state");
        }
    }

    const ThreadLog &thread_;
    const RegionLife &life_;
    const From from_;
    Verdict &verdict_;
    Phase phase_;
    std::string label_ = "(before the first mark)";
    std::uint64_t begin_ = 0;
    std::uint64_t used_at_begin_ = 0;
    std::uint64_t wait_end_ = ~0ULL; // of the wait that the phase consists of
    std::uint64_t region_of_phase_ = 0;
    std::vector<std::uint64_t> regions_;
    std::set<std::string> open_;
    bool leaves_unseen_region_ = false;
};

bool enough_are_right(unsigned right, unsigned all) {
    const bool is_stray = right > kStray && all - right <= kStray;
    return is_stray || right >= kInsideAtLeast * all;
}

std::string percent(double part, double whole) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", whole == 0 ? 0 : 100 * part / whole);
    return text;
}

std::string share_complaint(const PhaseCount &count, const std::string &state) {
    return "only " + percent(count.inside_right, count.inside) + " of " +
           std::to_string(count.inside) + " samples show " + state;
}

} // namespace

std::vector<std::string> Verdict::too_few_samples() const {
    std::vector<std::string> all;
    if (samples == 0) {
        all.push_back("no samples");
    }
    for (const auto &[state, count] : states) {
        if (count.judged_ns >= long_ns && count.inside < kLeastSamples) {
            all.push_back("only " + std::to_string(count.inside) + " samples in " +
                          std::to_string(count.judged_ns / 1000) + " us of " + state);
        }
        if (count.inside < kLeastSamples && !enough_are_right(count.inside_right, count.inside)) {
            all.push_back(share_complaint(count, state));
        }
    }
    return all;
}

std::vector<std::string> Verdict::all_complaints() const {
    std::vector<std::string> all = complaints;
    for (std::string &complaint : too_few_samples()) {
        all.push_back(std::move(complaint));
    }
    for (const auto &[state, count] : states) {
        if (count.inside >= kLeastSamples && !enough_are_right(count.inside_right, count.inside)) {
            all.push_back(share_complaint(count, state));
        }
        if (count.outside > kOutsideAtMost * (samples - count.inside)) {
            all.push_back(std::to_string(count.outside) + " of " +
                          std::to_string(samples - count.inside) + " samples outside show " +
                          state);
        }
    }
    if (region_right < kRegionAtLeast * samples) {
        all.push_back("the region is right in only " + percent(region_right, samples));
    }
    return all;
}

std::string Verdict::summary() const {
    std::string worst = "no samples";
    double worst_share = 2;
    for (const auto &[state, count] : states) {
        const double share = count.inside == 0 ? 2 : double(count.inside_right) / count.inside;
        if (share < worst_share) {
            worst_share = share;
            worst = percent(count.inside_right, count.inside) + " " + state;
        }
    }
    return worst;
}

Verdict check(const Log &log, From from) {
    Verdict verdict;
    const RegionLife life(log);
    for (const ThreadLog &thread : log.threads) {
        ThreadCheck(thread, life, from, verdict).run();
    }
    return verdict;
}

} // namespace ocb_test
