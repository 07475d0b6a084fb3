// SPDX-License-Identifier: Apache-2.0
#include "time_line.h"

#include <algorithm>
#include <array>
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

struct Part {
    int node;
    unsigned state;
    double wall;
};

// What stretches of one thread, place and state stand for: of each its share of `parts`, own time
// first. Each of `others`, which have no samples, stands behind one of them.
struct Charged {
    double drawn = 0;
    size_t stretches = 0;
    size_t taken = 0;
    std::vector<Part> parts;
    std::vector<Part> others;
};

// Finds the stretches behind which time without samples of its own stands: those of its state, else
// the longest of its place, of its region, of the thread.
class Charges {
  public:
    // Where not all samples are there, time without any is left out: nobody knows when it was.
    Charges(const Process &process, const std::vector<Stretch> &stretches, bool has_all)
        : process_(process), has_all_(has_all) {
        for (const Stretch &at : stretches) {
            Charged &its = to_[key_of(at)];
            its.drawn += at.end - at.begin;
            ++its.stretches;
        }
        for (const auto &[key, its] : to_) {
            for (const Wider &wider : wider_of(std::get<0>(key), std::get<1>(key))) {
                const auto [found, is_new] = longest_.try_emplace(wider, key);
                if (!is_new && to_.at(found->second).drawn < its.drawn) {
                    found->second = key;
                }
            }
        }
    }

    // False: the thread has no stretch.
    bool add(const Cell &cell) {
        if (const auto own = to_.find({cell.thread, cell.node, cell.state}); own != to_.end()) {
            add_to(own->second.parts, cell, true);
            return true;
        }
        const auto within = to_.find({cell.thread, cell.node, state_within(cell)});
        if (within != to_.end()) {
            add_to(within->second.parts, cell, false);
            return true;
        }
        for (const Wider &wider : wider_of(cell.thread, cell.node)) {
            const auto found = longest_.find(wider);
            if (found != longest_.end()) {
                if (has_all_) {
                    to_.at(found->second).others.push_back({cell.node, cell.state, cell.wall});
                }
                return true;
            }
        }
        return false;
    }

    // What the stretch stands for; asked of each once, in their order.
    std::vector<Part> take(const Stretch &at) {
        Charged &its = to_.at(key_of(at));
        std::vector<Part> taken = its.parts;
        for (Part &part : taken) {
            const double scale = part.wall / its.drawn;
            part.wall = (at.end - at.begin) * (has_all_ ? scale : std::min(1.0, scale));
        }
        const auto until = [&](size_t number) {
            return its.others.begin() +
                   static_cast<std::ptrdiff_t>(its.others.size() * number / its.stretches);
        };
        taken.insert(taken.end(), until(its.taken), until(its.taken + 1));
        ++its.taken;
        return taken;
    }

  private:
    enum class Of { kPlace, kRegion, kThread };
    using Wider = std::tuple<Of, unsigned, int>;

    [[nodiscard]] std::array<Wider, 3> wider_of(unsigned thread, int node) const {
        return {Wider{Of::kPlace, thread, node},
                Wider{Of::kRegion, thread, region_of(process_, node)},
                Wider{Of::kThread, thread, 0}};
    }
    static void add_to(std::vector<Part> &parts, const Cell &cell, bool is_own) {
        const auto same = std::find_if(parts.begin(), parts.end(),
                                       [&](const Part &part) { return part.state == cell.state; });
        if (same != parts.end()) {
            same->wall += cell.wall;
        } else {
            parts.insert(is_own ? parts.begin() : parts.end(), {cell.node, cell.state, cell.wall});
        }
    }

    const Process &process_;
    bool has_all_;
    std::map<Key, Charged> to_;
    std::map<Wider, Key> longest_;
};

// The cells' time, of each thread one after the other; `now` is where each thread begins.
void add_sums(std::vector<Stretch> &line, const std::vector<Cell> &cells, std::vector<double> now) {
    for (const Cell &cell : cells) {
        if (cell.wall > 0) {
            const double begin = now[cell.thread];
            now[cell.thread] += cell.wall;
            line.push_back({cell.thread, begin, now[cell.thread], cell.node, cell.state});
        }
    }
}

// Of threads without a sample, from their begin.
void add_threads_without(std::vector<Stretch> &line, const Process &process,
                         const std::vector<Cell> &cells) {
    std::vector<double> begins;
    for (const Thread &thread : process.threads) {
        begins.push_back(thread.begin);
    }
    add_sums(line, cells, std::move(begins));
    std::stable_sort(line.begin(), line.end(),
                     [](const Stretch &a, const Stretch &b) { return a.thread < b.thread; });
}

std::vector<Stretch> line_of_sums(const Process &process) {
    // In the order of the call paths, so that frames of a viewer stay together.
    std::vector<Cell> cells = process.cells;
    std::stable_sort(cells.begin(), cells.end(), [](const Cell &a, const Cell &b) {
        return std::pair(a.thread, a.node) < std::pair(b.thread, b.node);
    });
    std::vector<Stretch> line;
    add_sums(line, cells, std::vector<double>(process.threads.size(), 0));
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
    constexpr double kPeriodsAhead = 10;
    const double most_ahead = kPeriodsAhead * sample_period(process);
    // Where samples were lost the cells have time of which nobody knows when it was.
    const bool has_all = process.samples_missed == 0 && process.samples_end_early.empty();
    Charges charges(process, stretches, has_all);
    std::vector<Cell> without;
    for (const Cell &cell : process.cells) {
        if (cell.wall > 0 && !charges.add(cell) && has_all) {
            without.push_back(cell);
        }
    }
    std::vector<Stretch> line;
    line.reserve(stretches.size());
    double now = 0;
    for (const Stretch &at : stretches) {
        const bool is_first = line.empty() || line.back().thread != at.thread;
        if (is_first || at.begin - now > most_ahead) {
            now = at.begin;
        }
        for (const Part &part : charges.take(at)) {
            const double begin = now;
            now += part.wall;
            if (now > begin) {
                line.push_back({at.thread, begin, now, part.node, part.state});
            }
        }
    }
    if (!without.empty()) {
        add_threads_without(line, process, without);
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
