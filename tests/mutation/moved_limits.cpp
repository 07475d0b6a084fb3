// SPDX-License-Identifier: Apache-2.0
//
// The verdict's table of limits, in the place of verdict_limits.cpp: OCB_MUTANT moves one of them.
// Number 2 n + 1 doubles row n, 2 n + 2 halves it.
#include "verdict_limits.h"

#include <cstdlib>

#define limit limit_of_the_table
#include "verdict_limits.cpp"
#undef limit

namespace ompcollect::report {

double limit(Limit which) {
    static const int number = [] {
        const char *text = std::getenv("OCB_MUTANT");
        return text != nullptr ? std::atoi(text) : 0;
    }();
    const double value = limit_of_the_table(which);
    const auto row = static_cast<int>(which);
    return number == 2 * row + 1 ? 2 * value : number == 2 * row + 2 ? value / 2 : value;
}

} // namespace ompcollect::report
