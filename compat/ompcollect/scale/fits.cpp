// SPDX-License-Identifier: Apache-2.0
#include "fits.h"

#include <algorithm>
#include <cmath>

namespace ompcollect::report {
namespace {

// Of serial a_i + parallel b_i = 1, where the run took 1: each part as the run's time has it.
struct Normal {
    double aa = 0, ab = 0, bb = 0, a = 0, b = 0;
};

Normal normal_of(const std::vector<Timing> &timings) {
    Normal sum;
    for (const Timing &run : timings) {
        const double a = 1 / run.seconds;
        const double b = 1 / (run.threads * run.seconds);
        sum.aa += a * a;
        sum.ab += a * b;
        sum.bb += b * b;
        sum.a += a;
        sum.b += b;
    }
    return sum;
}

} // namespace

AmdahlFit amdahl_fit(const std::vector<Timing> &timings) {
    const Normal sum = normal_of(timings);
    const double determinant = sum.aa * sum.bb - sum.ab * sum.ab;
    AmdahlFit fit;
    fit.serial = (sum.a * sum.bb - sum.b * sum.ab) / determinant;
    fit.parallel = (sum.b * sum.aa - sum.a * sum.ab) / determinant;
    if (fit.serial < 0) {
        fit.serial = 0;
        fit.parallel = sum.b / sum.bb;
    } else if (fit.parallel < 0) {
        fit.parallel = 0;
        fit.serial = sum.a / sum.aa;
    }
    for (const Timing &run : timings) {
        fit.worst_error =
            std::max(fit.worst_error, std::fabs(fit.seconds(run.threads) / run.seconds - 1));
    }
    return fit;
}

GustafsonFit gustafson_fit(const std::vector<Timing> &timings) {
    // n T(1) / T(n) = S(n) = n - s (n - 1), so s (n - 1) = n - n T(1) / T(n).
    double above = 0;
    double below = 0;
    const Timing &first = timings.front();
    for (const Timing &run : timings) {
        const double n = run.threads / first.threads;
        above += (n - 1) * (n - n * first.seconds / run.seconds);
        below += (n - 1) * (n - 1);
    }
    GustafsonFit fit;
    fit.serial_share = below > 0 ? std::clamp(above / below, 0.0, 1.0) : 0;
    for (const Timing &run : timings) {
        const double n = run.threads / first.threads;
        const double promised = first.seconds * n / fit.speedup(n);
        fit.worst_error = std::max(fit.worst_error, std::fabs(promised / run.seconds - 1));
    }
    return fit;
}

} // namespace ompcollect::report
