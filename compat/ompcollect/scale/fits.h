// SPDX-License-Identifier: Apache-2.0
//
// The two classical laws of scaling, fitted to measured runs. Both describe a program by one
// number, the serial share of the time that one thread takes.
//   Amdahl (1967): the problem stays the same. T(n) = T(1) (s + (1 - s) / n)
//   Gustafson (1988): the problem grows with the threads. Of n times the work, S(n) = n - s (n - 1)
#pragma once

#include <vector>

namespace ompcollect::report {

// A number of threads, and the time by the clock of a run with it, in seconds.
struct Timing {
    double threads = 1;
    double seconds = 0;
};

// T(n) = serial + parallel / n. Least squares of the relative errors, neither part below 0.
struct AmdahlFit {
    double serial = 0; // seconds
    double parallel = 0;
    double worst_error = 0; // of a run, as a share of its time

    [[nodiscard]] double seconds(double threads) const { return serial + parallel / threads; }
    [[nodiscard]] double serial_share() const { return serial / (serial + parallel); }
};
// At least two different numbers of threads.
AmdahlFit amdahl_fit(const std::vector<Timing> &timings);

// Of runs whose work grows with the threads: T(n) = T(1) n / S(n). The same method, `s` from 0
// to 1.
struct GustafsonFit {
    double serial_share = 0;
    double worst_error = 0;

    [[nodiscard]] double speedup(double threads) const {
        return threads - serial_share * (threads - 1);
    }
};
// The first is the reference.
GustafsonFit gustafson_fit(const std::vector<Timing> &timings);

} // namespace ompcollect::report
