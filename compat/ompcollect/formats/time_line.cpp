// SPDX-License-Identifier: Apache-2.0
#include "time_line.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace ompcollect::report {
namespace {

using Key = std::tuple<unsigned, int, unsigned>; // thread, node, state
Key key_of(const Stretch &at) {
    return {at.thread, at.node, at.state};
}

// What a second of a stretch stands for: seconds of its own state first, then of others.
struct Part {
    unsigned state;
    double wall;
};
struct Charged {
    double drawn = 0;
    std::vector<Part> parts;
};

std::map<Key, Charged> charged_to(const Process &process, const std::vector<Stretch> &stretches) {
    std::map<Key, Charged> to;
    for (const Stretch &at : stretches) {
        to[key_of(at)].drawn += at.end - at.begin;
    }
    const auto charge = [&](const Key &key, const Cell &cell, bool first) {
        const auto found = to.find(key);
        if (found == to.end() || !(cell.wall > 0)) {
            return found != to.end();
        }
        std::vector<Part> &parts = found->second.parts;
        const auto same = std::find_if(parts.begin(), parts.end(),
                                       [&](const Part &part) { return part.state == cell.state; });
        if (same != parts.end()) {
            same->wall += cell.wall;
        } else {
            parts.insert(first ? parts.begin() : parts.end(), {cell.state, cell.wall});
        }
        return true;
    };
    for (const Cell &cell : process.cells) {
        if (!charge({cell.thread, cell.node, cell.state}, cell, true)) {
            charge({cell.thread, cell.node, state_within(cell)}, cell, false);
        }
    }
    return to;
}

std::vector<Stretch> line_of_sums(const Process &process) {
    // In the order of the call paths, so that frames of a viewer stay together.
    std::vector<Cell> cells = process.cells;
    std::stable_sort(cells.begin(), cells.end(), [](const Cell &a, const Cell &b) {
        return std::pair(a.thread, a.node) < std::pair(b.thread, b.node);
    });
    std::vector<double> now(process.threads.size(), 0);
    std::vector<Stretch> line;
    for (const Cell &cell : cells) {
        if (cell.wall > 0) {
            const double begin = now[cell.thread];
            now[cell.thread] += cell.wall;
            line.push_back({cell.thread, begin, now[cell.thread], cell.node, cell.state});
        }
    }
    return line;
}

// Whole numbers, so that what happens together is equal.
int64_t micros(double seconds) {
    return std::llround(seconds * 1e6);
}

} // namespace

std::vector<Stretch> line_of(const Process &process) {
    if (process.samples.empty()) {
        return line_of_sums(process);
    }
    const std::vector<Stretch> stretches = stretches_of(process);
    const std::map<Key, Charged> charged = charged_to(process, stretches);
    constexpr double kPeriodsAhead = 10;
    const double most_ahead = kPeriodsAhead * sample_period(process);
    // Where samples were lost the cells have time of which nobody knows when it was.
    const bool has_all = process.samples_missed == 0 && process.samples_end_early.empty();
    std::vector<Stretch> line;
    line.reserve(stretches.size());
    double now = 0;
    for (const Stretch &at : stretches) {
        const bool is_first = line.empty() || line.back().thread != at.thread;
        if (is_first || at.begin - now > most_ahead) {
            now = at.begin;
        }
        const Charged &its = charged.at(key_of(at));
        for (const Part &part : its.parts) {
            const double begin = now;
            now += (at.end - at.begin) *
                   (has_all ? part.wall / its.drawn : std::min(1.0, part.wall / its.drawn));
            if (now > begin) {
                line.push_back({at.thread, begin, now, at.node, part.state});
            }
        }
    }
    return line;
}

double begins_after_first(const Run &run, const Process &process) {
    const auto begin = [](const Process &at) { return std::pair(at.begin, at.begin_nanoseconds); };
    auto first = begin(process);
    for (const Process &other : run.processes) {
        first = std::min(first, begin(other));
    }
    return static_cast<double>(process.begin) - static_cast<double>(first.first) +
           (static_cast<double>(process.begin_nanoseconds) - static_cast<double>(first.second)) *
               1e-9;
}

void SliceTrack::add(const Stretch &stretch, bool is_large) {
    std::vector<std::string> names = path_names(process_, stretch.node);
    const std::string leaf = state_at(stretch.state).frame;
    names.push_back(leaf.empty() ? state_name(stretch.state) : leaf);
    constexpr size_t kFew = 20;
    if (is_large && names.size() > kFew) {
        names.erase(names.begin(), names.end() - kFew);
    }
    size_t same = 0;
    if (stretch.begin <= end_) {
        while (same < open_.size() && same < names.size() && open_[same] == names[same]) {
            ++same;
        }
    }
    close(same, std::min(end_, stretch.begin));
    for (; same < names.size(); ++same) {
        open_.push_back(names[same]);
        mark(true, names[same], stretch.begin);
    }
    end_ = stretch.end;
}

// Begins and ends in the order in which they happen: of whole slices that begin together a viewer
// would have to guess which one is outside.
void SliceTrack::close(size_t left, double end) {
    while (open_.size() > left) {
        mark(false, open_.back(), end);
        open_.pop_back();
    }
}

void SliceTrack::mark(bool is_begin, const std::string &name, double time) {
    last_ = std::max(micros(offset_ + time), last_ + (is_begin && !last_is_begin_ ? 1 : 0));
    last_is_begin_ = is_begin;
    mark_(is_begin, name, last_);
}

} // namespace ompcollect::report
