// SPDX-License-Identifier: Apache-2.0
//
// What several runs say of a value, and of its change from one set of runs to another. A change is
// estimated by the median of all differences between a run after and a run before (Hodges and
// Lehmann, 1963). Order statistics of these differences are the ends of its interval, by the exact
// distribution of Mann and Whitney's U (Bauer, 1972; Hollander, Wolfe and Chicken, "Nonparametric
// Statistical Methods", 4.3). No shape of the spread is assumed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ompcollect::report {

struct Middle {
    double median = 0;
    double least = 0;
    double most = 0;
};
Middle middle_of(std::vector<double> values);

// In the unit of the values, or as a share of the value before. What was 0 before and is not now
// has grown by an infinite share.
enum class ChangeIn : unsigned { kUnits, kShare };

struct Change {
    double middle = 0;
    double least = 0;
    double most = 0;
    double level = 0; // how often such an interval has the true change in it, 0 .. 1
    [[nodiscard]] double half_width() const { return (most - least) / 2; }
    [[nodiscard]] bool excludes(double value) const { return least > value || most < value; }
};
// With the narrowest interval of at least this level, or else with all differences in it. At least
// one value on each side.
Change change_of(const std::vector<double> &before, const std::vector<double> &after, double level,
                 ChangeIn in = ChangeIn::kUnits);
// The level of the interval with all differences in it.
double most_level(size_t before, size_t after);
// More runs are no use, and their number of orders is none that a double has.
inline constexpr size_t kMostRunsOfASide = 200;

// A change counts where its interval has this level and does not have 0 in it: four runs on each
// side, or three and five.
inline constexpr double kDecides = 0.95;
// Where many changes are looked at. Five runs on each side.
inline constexpr double kDecidesOfMany = 0.99;

// How numbers with this error are written, with no digit more than deserved: of the error two where
// it begins with less than 35.5, else one, as in the Review of Particle Physics (5.3, Rounding). Of
// an error of 0 or without a bound nothing is known: two digits of `size`.
class NumberForm {
  public:
    // "4.51 s", "12 ms", by the larger of size and error.
    static NumberForm seconds(double size, double error);
    // "10 %", or what else stands behind a hundred times the share.
    static NumberForm share(double size, double error, const char *unit = " %");

    [[nodiscard]] std::string text(double value) const;
    [[nodiscard]] std::string change(double value) const; // with its sign
    // "+1.39 to +1.60 s"
    [[nodiscard]] std::string range(double least, double most) const;

  private:
    NumberForm(double scale, double size, double error, const char *unit);
    [[nodiscard]] std::string number(double value, bool has_sign) const;

    double scale_;
    int digits_; // behind the point
    const char *unit_;
};

} // namespace ompcollect::report
