// SPDX-License-Identifier: Apache-2.0
#include "matching.h"

#include "spread.h"
#include "verdict_limits.h"
#include "words.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace ompcollect::report {
namespace {

using Keys = std::vector<const ItemKey *>;

// Of one another's share in the time of their runs at most so many times, for a guess by
// neighbours.
constexpr double kAlike = 2;

template <class Key>
std::vector<std::pair<const Keys *, const Keys *>> common_groups(const std::map<Key, Keys> &before,
                                                                 const std::map<Key, Keys> &after) {
    std::vector<std::pair<const Keys *, const Keys *>> groups;
    for (const auto &[key, keys] : before) {
        const auto other = after.find(key);
        if (other != after.end()) {
            groups.emplace_back(&keys, &other->second);
        }
    }
    return groups;
}

class Matcher {
  public:
    Matcher(const Side &before, const Side &after)
        : before_(before), after_(after), all_before_(std::max(before.seconds(), kLeast)),
          all_after_(std::max(after.seconds(), kLeast)) {}

    std::vector<Pair> pairs() {
        match_regions();
        match_functions();
        std::vector<Pair> pairs = list();
        fold(pairs);
        std::stable_sort(pairs.begin(), pairs.end(), [](const Pair &a, const Pair &b) {
            return a.key().is_function < b.key().is_function;
        });
        return pairs;
    }

  private:
    static constexpr double kLeast = 1e-9;

    [[nodiscard]] double share_before(const ItemKey &key) const {
        return before_.seconds_of(key) / all_before_;
    }
    [[nodiscard]] double share_after(const ItemKey &key) const {
        return after_.seconds_of(key) / all_after_;
    }

    void pair(const ItemKey &before, const ItemKey &after) {
        partner_.emplace(&before, &after);
        back_.emplace(&after, &before);
    }

    // Those without a partner.
    [[nodiscard]] Keys lone_before(bool functions) const {
        return lone(before_, partner_, functions);
    }
    [[nodiscard]] Keys lone_after(bool functions) const { return lone(after_, back_, functions); }
    static Keys lone(const Side &side, const std::map<const ItemKey *, const ItemKey *> &partner,
                     bool functions) {
        Keys keys;
        for (const auto &[key, times] : side.items) {
            if (key.is_function == functions && partner.count(&key) == 0) {
                keys.push_back(&key);
            }
        }
        return keys;
    }

    // The text of a region, as its partner before has it.
    [[nodiscard]] std::string region_before(const std::string &region) const {
        const auto at = region_names_.find(region);
        return at == region_names_.end() ? region : at->second;
    }

    void match_regions() {
        const auto by_name = [](const Keys &keys, bool with_file) {
            std::map<std::pair<std::string, std::string>, Keys> groups;
            for (const ItemKey *key : keys) {
                groups[{key->name, with_file ? source_place(key->source).file : ""}].push_back(key);
            }
            return groups;
        };
        for (const bool with_file : {true, false}) {
            const auto before = by_name(lone_before(false), with_file);
            const auto after = by_name(lone_after(false), with_file);
            for (const auto &[first, second] : common_groups(before, after)) {
                align(*first, *second);
            }
        }
        match_by_neighbours(false);
        for (const auto &[first, second] : partner_) {
            region_names_[second->text()] = first->text();
        }
    }

    // How much speaks against two regions of one function being the same.
    [[nodiscard]] double distance(const ItemKey &first, const ItemKey &second) const {
        constexpr double kMoved = 0.5;
        const double times = std::fabs(std::log2(std::max(share_before(first), kLeast) /
                                                 std::max(share_after(second), kLeast)));
        return first.source == second.source ? std::min(times, 1.0) : times + kMoved;
    }

    // Regions of one function, in the order of their lines. Some may be new or gone: the cheapest
    // alignment counts.
    void align(const Keys &before, const Keys &after) {
        if (before.size() == 1 && after.size() == 1) {
            pair(*before.front(), *after.front());
            return;
        }
        constexpr double kGap = 1.5; // of a region without a partner
        const auto by_line = [](const ItemKey *a, const ItemKey *b) {
            return source_place(a->source).line < source_place(b->source).line;
        };
        Keys first = before;
        Keys second = after;
        std::sort(first.begin(), first.end(), by_line);
        std::sort(second.begin(), second.end(), by_line);
        const size_t width = second.size() + 1;
        std::vector<double> cost((first.size() + 1) * width);
        const auto at = [&](size_t i, size_t j) -> double & { return cost[i * width + j]; };
        for (size_t i = first.size() + 1; i-- > 0;) {
            for (size_t j = width; j-- > 0;) {
                double least = i == first.size() && j == second.size()
                                   ? 0
                                   : std::numeric_limits<double>::infinity();
                least = i < first.size() ? std::min(least, at(i + 1, j) + kGap) : least;
                least = j < second.size() ? std::min(least, at(i, j + 1) + kGap) : least;
                least = i < first.size() && j < second.size()
                            ? std::min(least, at(i + 1, j + 1) + distance(*first[i], *second[j]))
                            : least;
                at(i, j) = least;
            }
        }
        for (size_t i = 0, j = 0; i < first.size() && j < second.size();) {
            if (at(i, j) >= at(i + 1, j + 1) + distance(*first[i], *second[j])) {
                pair(*first[i++], *second[j++]);
            } else if (at(i, j) >= at(i + 1, j) + kGap) {
                ++i;
            } else {
                ++j;
            }
        }
    }

    void match_functions() {
        using Key = std::tuple<std::string, std::string, std::string>; // region, name, file
        for (const bool with_file : {true, false}) {
            std::map<Key, Keys> before;
            std::map<Key, Keys> after;
            for (const ItemKey *key : lone_before(true)) {
                before[{key->region, key->name, with_file ? key->source : ""}].push_back(key);
            }
            for (const ItemKey *key : lone_after(true)) {
                after[{region_before(key->region), key->name, with_file ? key->source : ""}]
                    .push_back(key);
            }
            for (const auto &[first, second] : common_groups(before, after)) {
                for (size_t i = 0; i < std::min(first->size(), second->size()); ++i) {
                    pair(*(*first)[i], *(*second)[i]);
                }
            }
        }
        // A function of another name is known by now to be the caller of the next one.
        constexpr int kDeepest = 4;
        for (int i = 0; i < kDeepest && match_by_neighbours(true); ++i) {
        }
    }

    struct Guess {
        double likeness;
        const ItemKey *before;
        const ItemKey *after;
    };

    // Names of the side after, as the side before has them.
    [[nodiscard]] std::set<std::string> as_before(const std::set<std::string> &names) const {
        std::set<std::string> to;
        for (const std::string &name : names) {
            const auto at = names_.find(name);
            to.insert(at == names_.end() ? name : at->second);
        }
        return to;
    }

    [[nodiscard]] static size_t in_common(const std::set<std::string> &a,
                                          const std::set<std::string> &b) {
        return static_cast<size_t>(std::count_if(
            a.begin(), a.end(), [&](const std::string &name) { return b.count(name) != 0; }));
    }

    // 0: not the same one.
    [[nodiscard]] double likeness(const ItemKey &first, const ItemKey &second) const {
        const double share = share_before(first) / share_after(second);
        if (share > kAlike || share < 1 / kAlike) {
            return 0;
        }
        if (first.is_function && first.region != region_before(second.region)) {
            return 0;
        }
        static const Neighbours kNone;
        const auto one = before_.neighbours.find(first);
        const auto other = after_.neighbours.find(second);
        const Neighbours &a = one == before_.neighbours.end() ? kNone : one->second;
        const Neighbours &b = other == after_.neighbours.end() ? kNone : other->second;
        const size_t common =
            in_common(a.callers, as_before(b.callers)) + in_common(a.callees, as_before(b.callees));
        const bool is_same_file =
            source_place(first.source).file == source_place(second.source).file;
        if (common == 0 &&
            !(is_same_file && !first.source.empty() && a.callers.empty() && b.callers.empty())) {
            return 0;
        }
        return static_cast<double>(common) + (is_same_file ? 1 : 0) +
               1 / (1 + std::fabs(std::log2(share)));
    }

    static Keys that_matter(const Side &side, Keys keys, double all) {
        std::erase_if(keys, [&](const ItemKey *key) {
            return side.seconds_of(*key) < limit(Limit::kWorthALine) * all;
        });
        return keys;
    }

    // True: there were some.
    bool match_by_neighbours(bool functions) {
        std::vector<Guess> guesses;
        const Keys after = that_matter(after_, lone_after(functions), all_after_);
        for (const ItemKey *first : that_matter(before_, lone_before(functions), all_before_)) {
            for (const ItemKey *second : after) {
                const double like = likeness(*first, *second);
                if (like > 0) {
                    guesses.push_back({like, first, second});
                }
            }
        }
        std::stable_sort(guesses.begin(), guesses.end(),
                         [](const Guess &a, const Guess &b) { return a.likeness > b.likeness; });
        bool has_some = false;
        for (const Guess &guess : guesses) {
            if (partner_.count(guess.before) == 0 && back_.count(guess.after) == 0) {
                pair(*guess.before, *guess.after);
                names_[guess.after->name] = guess.before->name;
                has_some = true;
            }
        }
        return has_some;
    }

    [[nodiscard]] std::vector<Pair> list() const {
        std::vector<Pair> pairs;
        for (const auto &[key, times] : before_.items) {
            const auto other = partner_.find(&key);
            pairs.push_back({&key, other == partner_.end() ? nullptr : other->second, {}, {}});
        }
        for (const auto &[key, times] : after_.items) {
            if (back_.count(&key) == 0) {
                pairs.push_back({nullptr, &key, {}, {}});
            }
        }
        return pairs;
    }

    // Of a function that one side alone has: the pair of a caller in the same region that has
    // become as much slower as that took, or most of it. Null: there is none.
    Pair *caller_that_has(const ItemKey &key, bool is_gone, std::vector<Pair> &pairs) const {
        const Side &side = is_gone ? before_ : after_;
        const auto around = side.neighbours.find(key);
        if (around == side.neighbours.end()) {
            return nullptr;
        }
        Pair *found = nullptr;
        double most = limit(Limit::kMajority) * side.seconds_of(key);
        for (Pair &pair : pairs) {
            const ItemKey *own = is_gone ? pair.before : pair.after;
            // A region calls by its own code.
            if (!pair.before || !pair.after || !own->is_function || own->region != key.region ||
                around->second.callers.count(own->name) == 0) {
                continue;
            }
            const double grown =
                (after_.seconds_of(*pair.after) - before_.seconds_of(*pair.before)) *
                (is_gone ? 1 : -1);
            if (grown >= most) {
                most = grown;
                found = &pair;
            }
        }
        return found;
    }

    void fold(std::vector<Pair> &pairs) const {
        std::vector<const ItemKey *> folded;
        for (const Pair &pair : pairs) {
            const bool is_gone = !pair.after;
            const double share = is_gone ? share_before(pair.key()) : share_after(pair.key());
            if (!pair.key().is_function || (pair.before && pair.after) ||
                share < limit(Limit::kShown)) {
                continue;
            }
            Pair *caller = caller_that_has(pair.key(), is_gone, pairs);
            if (caller) {
                (is_gone ? caller->folded_before : caller->folded_after).push_back(&pair.key());
                folded.push_back(&pair.key());
            }
        }
        std::erase_if(pairs, [&](const Pair &pair) {
            return std::find(folded.begin(), folded.end(), &pair.key()) != folded.end();
        });
    }

    const Side &before_;
    const Side &after_;
    const double all_before_; // thread seconds
    const double all_after_;
    std::map<const ItemKey *, const ItemKey *> partner_;
    std::map<const ItemKey *, const ItemKey *> back_;
    std::map<std::string, std::string> region_names_; // after, before
    std::map<std::string, std::string> names_;        // the same, of what has another one
};

} // namespace

Side::Side(std::vector<ComparedRun> from) : runs(std::move(from)) {
    for (size_t i = 0; i < runs.size(); ++i) {
        for (const auto &[key, time] : runs[i].items) {
            std::vector<ItemTime> &times = items[key];
            times.resize(runs.size());
            times[i] = time;
        }
        for (const auto &[key, around] : runs[i].neighbours) {
            neighbours[key].callers.insert(around.callers.begin(), around.callers.end());
            neighbours[key].callees.insert(around.callees.begin(), around.callees.end());
        }
    }
}

double Side::seconds_of(const ItemKey &key) const {
    const auto at = items.find(key);
    if (at == items.end()) {
        return 0;
    }
    std::vector<double> values;
    for (const ItemTime &time : at->second) {
        values.push_back(time.sum());
    }
    return middle_of(values).median;
}

double Side::seconds() const {
    std::vector<double> values;
    for (const ComparedRun &run : runs) {
        values.push_back(run.all.sum());
    }
    return middle_of(values).median;
}

std::vector<Pair> pairs_of(const Side &before, const Side &after) {
    return Matcher(before, after).pairs();
}

} // namespace ompcollect::report
