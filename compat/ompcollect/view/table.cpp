// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include "words.h"

#include <algorithm>

namespace ompcollect::report {

bool Choice::has(const Process &process, const Cell &cell) const {
    return (!thread || *thread == cell.thread) && (!state || *state == cell.state) &&
           (!region || *region == region_of(process, cell.node));
}

bool is_before(const Row &a, const Row &b, size_t column) {
    const double one = a.values[column];
    const double other = b.values[column];
    return is_known(one) && (!is_known(other) || one > other);
}

ChosenTime time_of(const Process &process, const Choice &choice) {
    ChosenTime sums;
    for (const Cell &cell : process.cells) {
        sums.all += cell.wall;
        sums.chosen += choice.has(process, cell) ? cell.wall : 0;
    }
    return sums;
}

std::string states_in_words(const StateTimes &times) {
    constexpr double kLeast = 0.001;
    const double sum = total_wall(times);
    std::vector<unsigned> states;
    for (const unsigned state : states_in_order()) {
        if (times.wall[state] > kLeast * sum) {
            states.push_back(state);
        }
    }
    std::stable_sort(states.begin(), states.end(),
                     [&](unsigned a, unsigned b) { return times.wall[a] > times.wall[b]; });
    std::vector<std::string> words;
    words.reserve(states.size());
    for (const unsigned state : states) {
        words.push_back(state_name(state) + (" " + percent(times.wall[state] / sum)));
    }
    return joined(words, ", ");
}

} // namespace ompcollect::report
