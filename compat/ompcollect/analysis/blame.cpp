// SPDX-License-Identifier: Apache-2.0
//
// Time is divided into slices of one sampling period. A thread's last sample in a slice shows what
// it does there. Without a sample it counts neither as working nor as waiting.
#include "blame.h"

#include "reader_places.h"
#include "region_figures.h"

#include <algorithm>
#include <map>

namespace ompcollect::report {
namespace {

struct Slice {
    std::map<unsigned, const Sample *> last; // by thread

    void charge(double period, Responsible &responsible, std::map<int, Blame> &to) const {
        unsigned waiting = 0;
        unsigned working = 0;
        for (const auto &[thread, sample] : last) {
            const StateKind kind = kind_of_state(sample->state);
            waiting += kind == StateKind::kBarrier || kind == StateKind::kIdle;
            working += kind == StateKind::kUseful;
        }
        if (waiting == 0 || working == 0) {
            return;
        }
        for (const auto &[thread, sample] : last) {
            if (kind_of_state(sample->state) == StateKind::kUseful) {
                const int node = responsible.at(sample->node);
                Blame &blame = to[node];
                blame.node = node;
                blame.seconds += period * waiting / working;
                ++blame.samples;
            }
        }
    }
};

} // namespace

std::vector<Blame> blame_of(const Process &process) {
    std::map<int, Blame> by_node;
    Responsible responsible(process);
    const double period = sample_period(process);
    if (period <= 0) {
        return {};
    }
    Slice slice;
    long current = 0;
    for (const Sample &sample : process.samples) {
        const long number = static_cast<long>(sample.time / period);
        if (number != current) {
            slice.charge(period, responsible, by_node);
            slice.last.clear();
            current = number;
        }
        slice.last[sample.thread] = &sample;
    }
    slice.charge(period, responsible, by_node);
    std::vector<Blame> blames;
    blames.reserve(by_node.size());
    for (const auto &[node, blame] : by_node) {
        blames.push_back(blame);
    }
    std::stable_sort(blames.begin(), blames.end(),
                     [](const Blame &a, const Blame &b) { return a.seconds > b.seconds; });
    return blames;
}

} // namespace ompcollect::report
