// SPDX-License-Identifier: Apache-2.0
#include "time_line.h"

#include "merge_neighbours.h"
#include "nearest.h"

#include <algorithm>
#include <array>
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

// Stretches of one thread, place and state: what they stand for is shared by them.
struct Charged {
    Key key;
    double drawn = 0;
    uint32_t stretches = 0;
    uint32_t taken = 0;
};

// What a cell adds to those with this number. Lists, as a run may have as many of both as samples.
struct Share {
    uint32_t of;
    bool is_others; // it has no samples: it stands behind one of the stretches, whole
    bool is_within; // in a state within the stretches' own, which come first
    Part part;
};
bool comes_before(const Share &a, const Share &b) {
    return std::tuple(a.of, a.is_others, a.is_within) < std::tuple(b.of, b.is_others, b.is_within);
}
bool is_same_part(const Share &a, const Share &b) {
    return a.of == b.of && !a.is_others && !b.is_others && a.part.state == b.part.state;
}

// Finds the stretches behind which time without samples of its own stands: those of its state, else
// the longest of its place, of its region, of the thread.
class Charges {
  public:
    // Where not all samples are there, time without any is left out: nobody knows when it was.
    Charges(const Process &process, const std::vector<Stretch> &stretches, bool has_all)
        : process_(process), has_all_(has_all) {
        to_.reserve(stretches.size());
        shares_.reserve(process.cells.size());
        for (const Stretch &at : stretches) {
            to_.push_back({key_of(at), at.end - at.begin, 1});
        }
        std::stable_sort(to_.begin(), to_.end(),
                         [](const Charged &a, const Charged &b) { return a.key < b.key; });
        merge_neighbours(
            to_, [](const Charged &a, const Charged &b) { return a.key == b.key; },
            [](Charged &into, const Charged &from) {
                into.drawn += from.drawn;
                into.stretches += from.stretches;
            });
        for (size_t i = 0; i < to_.size(); ++i) {
            const auto &[thread, node, state] = to_[i].key;
            for (const Wider &wider : wider_of(thread, node)) {
                const auto [found, is_new] = longest_.try_emplace(wider, i);
                if (!is_new && to_[found->second].drawn < to_[i].drawn) {
                    found->second = i;
                }
            }
        }
    }

    // False: the thread has no stretch. Of all cells, before anything is taken.
    bool add(const Cell &cell) {
        const Part part{cell.node, cell.state, cell.wall};
        if (const size_t own = number_of({cell.thread, cell.node, cell.state}); own < to_.size()) {
            shares_.push_back({static_cast<uint32_t>(own), false, false, part});
            return true;
        }
        const size_t within = number_of({cell.thread, cell.node, state_within(cell)});
        if (within < to_.size()) {
            shares_.push_back({static_cast<uint32_t>(within), false, true, part});
            return true;
        }
        const size_t other = longest_around(cell);
        if (other < to_.size() && has_all_) {
            shares_.push_back({static_cast<uint32_t>(other), true, false, part});
        }
        return other < to_.size();
    }

    void all_are_added() {
        std::stable_sort(shares_.begin(), shares_.end(), comes_before);
        merge_neighbours(shares_, is_same_part,
                         [](Share &into, const Share &from) { into.part.wall += from.part.wall; });
    }

    // What the stretch stands for; asked of each once, in their order.
    std::vector<Part> take(const Stretch &at) {
        const size_t number = number_of(key_of(at));
        Charged &its = to_[number];
        const auto begin = std::lower_bound(shares_.begin(), shares_.end(), number, is_of_less);
        const auto end = std::lower_bound(begin, shares_.end(), number + 1, is_of_less);
        const auto others =
            std::find_if(begin, end, [](const Share &share) { return share.is_others; });
        std::vector<Part> taken;
        for (auto own = begin; own != others; ++own) {
            const double scale = own->part.wall / its.drawn;
            taken.push_back({own->part.node, own->part.state,
                             (at.end - at.begin) * (has_all_ ? scale : std::min(1.0, scale))});
        }
        const auto until = [&](size_t stretch) {
            return others + static_cast<std::ptrdiff_t>(static_cast<size_t>(end - others) *
                                                        stretch / its.stretches);
        };
        for (auto other = until(its.taken); other != until(its.taken + 1); ++other) {
            taken.push_back(other->part);
        }
        ++its.taken;
        return taken;
    }

  private:
    enum class Of { kRegion, kThread };
    using Wider = std::tuple<Of, unsigned, int>;

    static bool is_of_less(const Share &share, size_t number) { return share.of < number; }
    static bool has_less(const Charged &its, const Key &key) { return its.key < key; }

    // Past the end: there is none.
    [[nodiscard]] size_t number_of(const Key &key) const {
        const auto found = std::lower_bound(to_.begin(), to_.end(), key, has_less);
        return found != to_.end() && found->key == key ? static_cast<size_t>(found - to_.begin())
                                                       : to_.size();
    }
    [[nodiscard]] size_t longest_around(const Cell &cell) const {
        size_t longest = to_.size();
        auto here =
            std::lower_bound(to_.begin(), to_.end(), Key{cell.thread, cell.node, 0}, has_less);
        for (; here != to_.end() && std::get<0>(here->key) == cell.thread &&
               std::get<1>(here->key) == cell.node;
             ++here) {
            if (longest == to_.size() || to_[longest].drawn < here->drawn) {
                longest = static_cast<size_t>(here - to_.begin());
            }
        }
        for (const Wider &wider : wider_of(cell.thread, cell.node)) {
            if (const auto found = longest_.find(wider);
                longest == to_.size() && found != longest_.end()) {
                longest = found->second;
            }
        }
        return longest;
    }
    [[nodiscard]] std::array<Wider, 2> wider_of(unsigned thread, int node) const {
        return {Wider{Of::kRegion, thread, region_of(process_, node)},
                Wider{Of::kThread, thread, 0}};
    }

    const Process &process_;
    bool has_all_;
    std::vector<Charged> to_; // by key
    std::vector<Share> shares_;
    std::map<Wider, size_t> longest_;
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
    return nearest(seconds * 1e6);
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
    charges.all_are_added();
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
    last_ = std::max(micros(time), last_ + (is_begin && !last_is_begin_ ? 1 : 0));
    last_is_begin_ = is_begin;
    mark_(is_begin, name, last_);
}

} // namespace ompcollect::report
