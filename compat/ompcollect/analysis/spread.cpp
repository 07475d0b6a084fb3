// SPDX-License-Identifier: Apache-2.0
#include "spread.h"

#include "words.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ompcollect::report {
namespace {

// How many orders of m and n values have each U, from 0 on: the coefficients of Gauss's binomial,
// the product of (1 - q^(n+i)) / (1 - q^i) for i from 1 to m.
std::vector<double> orders_by_u(size_t m, size_t n) {
    std::vector<double> orders(m * n + 1, 0);
    orders[0] = 1;
    for (size_t i = 1; i <= m; ++i) {
        for (size_t u = orders.size(); u-- > n + i;) {
            orders[u] -= orders[u - n - i];
        }
        for (size_t u = i; u < orders.size(); ++u) {
            orders[u] += orders[u - i];
        }
    }
    return orders;
}

double sum_of(const std::vector<double> &values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum;
}

// Of the sorted differences, how many at each end may lie outside of an interval of this level.
// `reached`: the level that it has then.
size_t outside_of(size_t before, size_t after, double level, double &reached) {
    const std::vector<double> orders = orders_by_u(before, after);
    const double all = sum_of(orders);
    size_t outside = 0;
    double below = orders[0] / all; // the chance that one end is beyond
    reached = 1 - 2 * below;
    for (size_t u = 1; u < orders.size() / 2; ++u) {
        below += orders[u] / all;
        if (1 - 2 * below < level) {
            break;
        }
        reached = 1 - 2 * below;
        outside = u;
    }
    return outside;
}

double change_between(double before, double after, ChangeIn in) {
    if (in == ChangeIn::kUnits) {
        return after - before;
    }
    if (before <= 0) {
        return after > 0 ? std::numeric_limits<double>::infinity() : 0;
    }
    return after / before - 1;
}

int digits_for(double size, double error) {
    constexpr int kMost = 6;
    double first = std::fabs(size); // digit to begin at, and how many
    int digits = 2;
    if (error > 0 && std::isfinite(error)) {
        const double power = std::pow(10, std::floor(std::log10(error)));
        first = error / power < 9.5 ? error : power * 10;
        digits = error / power < 3.55 || error / power >= 9.5 ? 2 : 1;
    }
    if (first <= 0 || !std::isfinite(first)) {
        return 0;
    }
    return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(first))), 0, kMost);
}

double middle_of_sorted(const std::vector<double> &sorted) {
    const size_t half = sorted.size() / 2;
    return sorted.size() % 2 != 0 || std::isinf(sorted[half])
               ? sorted[half]
               : (sorted[half - 1] + sorted[half]) / 2;
}

} // namespace

Middle middle_of(std::vector<double> values) {
    if (values.empty()) {
        return {};
    }
    std::sort(values.begin(), values.end());
    return {middle_of_sorted(values), values.front(), values.back()};
}

double most_level(size_t before, size_t after) {
    double orders = 1; // of all values; one has all of a side below the other
    for (size_t i = 1; i <= before; ++i) {
        orders *= static_cast<double>(after + i) / static_cast<double>(i);
    }
    return 1 - 2 / orders;
}

Change change_of(const std::vector<double> &before, const std::vector<double> &after, double level,
                 ChangeIn in) {
    std::vector<double> changes;
    changes.reserve(before.size() * after.size());
    for (const double first : before) {
        for (const double second : after) {
            changes.push_back(change_between(first, second, in));
        }
    }
    std::sort(changes.begin(), changes.end());
    Change to;
    const size_t outside = outside_of(before.size(), after.size(), level, to.level);
    to.middle = middle_of_sorted(changes);
    to.least = changes[outside];
    to.most = changes[changes.size() - 1 - outside];
    return to;
}

NumberForm::NumberForm(double scale, double size, double error, const char *unit)
    : scale_(scale), digits_(digits_for(size * scale, error * scale)), unit_(unit) {}

NumberForm NumberForm::seconds(double size, double error) {
    const double most = std::max(std::fabs(size), std::isfinite(error) ? error : 0);
    return most >= 0.1 || most == 0 ? NumberForm(1, size, error, " s")
           : most >= 1e-4           ? NumberForm(1e3, size, error, " ms")
                                    : NumberForm(1e6, size, error, " us");
}

NumberForm NumberForm::share(double size, double error, const char *unit) {
    return {100, size, error, unit};
}

std::string NumberForm::number(double value, bool has_sign) const {
    const double step = std::pow(10, -digits_);
    const double rounded = std::round(value * scale_ / step) * step;
    // What rounds to nothing has no sign.
    return rounded == 0 ? format("%.*f", digits_, 0.0)
                        : format(has_sign ? "%+.*f" : "%.*f", digits_, rounded);
}

std::string NumberForm::text(double value) const {
    return number(value, false) + unit_;
}

std::string NumberForm::change(double value) const {
    return number(value, true) + unit_;
}

std::string NumberForm::range(double least, double most) const {
    return number(least, true) + " to " + change(most);
}

} // namespace ompcollect::report
