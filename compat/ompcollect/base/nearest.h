// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ompcollect::report {

// The nearest whole number; of two as near as each other the one further from zero. It is llround()
// without libm, which each start of the launcher would load for it alone.
inline long long nearest(double value) {
    const auto part = static_cast<long long>(value);
    const double rest = value - static_cast<double>(part);
    return part + (rest >= 0.5 ? 1 : rest <= -0.5 ? -1 : 0);
}

} // namespace ompcollect::report
