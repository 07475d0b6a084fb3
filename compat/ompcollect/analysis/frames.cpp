// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>

namespace ompcollect::report {
namespace {

// Most sampling periods between two samples of one stretch. Where threads wait for a processor,
// samples come several periods late.
constexpr double kLongestStep = 10;

// What the initial thread did before the first sample could be taken: the collector has charged it
// to serial code, without a sample.
Stretch unseen_begin(const Process &process, unsigned number, double serial, double first_sample) {
    const Thread &thread = process.threads[number];
    return {number, thread.begin, std::min(first_sample, thread.begin + serial), kOutside,
            THR_SERIAL_STATE};
}

} // namespace

std::vector<std::string> leaf_names(int node, unsigned state) {
    std::vector<std::string> names;
    if (node == kUnknown) {
        names.push_back("(region whose fork was not seen)");
    }
    const std::string leaf = state_at(state).frame;
    if (!leaf.empty()) {
        names.push_back(leaf);
    } else if (node < 0 && names.empty()) {
        names.emplace_back("(serial)");
    }
    return names;
}

std::vector<std::string> stack_names(const Process &process, int node, unsigned state) {
    std::vector<std::string> names;
    if (node >= 0) {
        names = path_names(process, node);
    }
    const std::vector<std::string> leaf = leaf_names(node, state);
    names.insert(names.end(), leaf.begin(), leaf.end());
    return names;
}

std::vector<Stretch> stretches_of(const Process &process) {
    const double period = sample_period(process);
    std::vector<std::vector<Stretch>> by_thread(process.threads.size());
    for (const Sample &sample : process.samples) {
        std::vector<Stretch> &line = by_thread[sample.thread];
        const bool goes_on = !line.empty() &&
                             sample.time - line.back().end <= (kLongestStep - 1) * period &&
                             sample.time >= line.back().end - 2 * period;
        if (goes_on && line.back().node == sample.node && line.back().state == sample.state) {
            line.back().end = std::max(line.back().end, sample.time + period);
            continue;
        }
        if (goes_on) {
            line.back().end = std::max(line.back().begin, sample.time);
        }
        line.push_back(
            {sample.thread, sample.time, sample.time + period, sample.node, sample.state});
    }
    std::vector<double> serial(process.threads.size(), 0);
    for (const Cell &cell : process.cells) {
        const bool is_it = cell.node == kOutside && cell.state == THR_SERIAL_STATE;
        serial[cell.thread] += is_it ? cell.wall : 0;
    }
    std::vector<Stretch> all;
    for (const std::vector<Stretch> &line : by_thread) {
        if (!line.empty() && process.threads[line.front().thread].is_initial) {
            const unsigned thread = line.front().thread;
            const Stretch before =
                unseen_begin(process, thread, serial[thread], line.front().begin);
            if (before.end - before.begin > period) {
                all.push_back(before);
            }
        }
        all.insert(all.end(), line.begin(), line.end());
    }
    return all;
}

std::string process_name(const Process &process) {
    return bounded(base_name(process.program)) + " (pid " + std::to_string(process.pid) + ")" +
           (process.rank.empty() ? "" : " rank " + bounded(process.rank));
}

} // namespace ompcollect::report
