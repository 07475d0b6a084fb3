// SPDX-License-Identifier: Apache-2.0
#include "queue_times.h"

#include "contract_names.h"
#include "live_tables.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ompcollect::report {
namespace {

// Of a thread in a region itself, in one state of OpenMP's.
struct Share {
    double all = 0;
    double without_processor = 0;
    std::vector<size_t> cells = {}; // of the latter
};

void scale(std::vector<Cell> &cells, const Share &share, double factor) {
    for (const size_t number : share.cells) {
        cells[number].wall *= factor;
    }
}

// Off the processor, of all threads, by state.
std::map<unsigned, double> off_in_queues(const Process &process) {
    std::map<unsigned, double> off;
    for (const Cell &cell : process.cells) {
        if (is_mutex_wait(state_within(cell))) {
            off[state_within(cell)] += cell.wall - cell.cpu;
        }
    }
    return off;
}

using Shares = std::map<std::tuple<unsigned, int, unsigned>, Share>;

Shares shares_of(const Process &process) {
    Shares shares;
    for (size_t number = 0; number < process.cells.size(); ++number) {
        const Cell &cell = process.cells[number];
        const unsigned state = state_within(cell);
        if (!is_mutex_wait(state) && state != THR_WORK_STATE) {
            continue;
        }
        Share &share = shares[{cell.thread, region_of(process, cell.node), state}];
        share.all += cell.wall;
        if (cell.state == kNoProcessorState) {
            share.without_processor += cell.wall;
            share.cells.push_back(number);
        }
    }
    return shares;
}

struct Side {
    Share &share;
    unsigned state;
};

void move(Process &process, unsigned thread, int region, const Side &from, const Side &to,
          double wanted) {
    const double moved = std::min(wanted, from.share.without_processor);
    if (moved <= 0) {
        return;
    }
    scale(process.cells, from.share, 1 - moved / from.share.without_processor);
    from.share.without_processor -= moved;
    if (to.share.without_processor > 0) {
        scale(process.cells, to.share, 1 + moved / to.share.without_processor);
    } else {
        process.cells.push_back(
            {thread, region, kNoProcessorState, moved, 0, 0, to.state, kNoCall});
        to.share.cells.push_back(process.cells.size() - 1);
    }
    to.share.without_processor += moved;
}

} // namespace

bool QueueTimes::takes(const CellFileRow &row, unsigned thread, int node) {
    const uint32_t word = fetch(row.state);
    const bool is_measured = word >= queue_state(0);
    const uint32_t first = is_measured ? queue_state(0) : unmeasured_queue_state(0);
    if (!is_mutex_wait(word - first)) { // below it far more
        return false;
    }
    if (node < 0) {
        return true;
    }
    Rows &rows = rows_[{thread, node, word - first}];
    const double time = seconds(fetch(row.on_ns)) + seconds(fetch(row.off_ns));
    (is_measured ? rows.by_clock : rows.by_samples) += time;
    rows.waits += is_measured ? fetch(row.on_samples) : 0;
    return true;
}

void QueueTimes::settle_cells(Process &to) {
    std::map<std::tuple<unsigned, int, unsigned>, Rows> by_region;
    for (const auto &[key, rows] : rows_) {
        const auto &[thread, node, state] = key;
        Rows &sum = by_region[{thread, region_of(to, node), state}];
        sum.by_clock += rows.by_clock;
        sum.by_samples += rows.by_samples;
        sum.waits += rows.waits;
    }
    if (by_region.empty()) {
        return;
    }
    const std::map<unsigned, double> before = off_in_queues(to);
    Shares shares = shares_of(to);
    for (const auto &[key, rows] : by_region) {
        const auto &[thread, region, state] = key;
        if (rows.waits == 0 || region < 0) {
            continue;
        }
        const Side queue = {shares[key], state};
        const Side own = {shares[{thread, region, THR_WORK_STATE}], THR_WORK_STATE};
        const double more = rows.by_samples + rows.by_clock - queue.share.all;
        move(to, thread, region, more > 0 ? own : queue, more > 0 ? queue : own, std::abs(more));
    }
    for (const auto &[state, after] : off_in_queues(to)) {
        const auto found = before.find(state);
        const bool is_known = found != before.end() && found->second > 0;
        factors_[state] = is_known ? after / found->second : 1;
    }
}

void QueueTimes::settle_locks(Process &to) const {
    for (Lock &lock : to.locks) {
        const auto found = factors_.find(lock.state);
        const double off = lock.wall - lock.cpu;
        if (found == factors_.end() || off <= 0) {
            continue;
        }
        const double wall = lock.cpu + off * found->second;
        for (Holder &holder : lock.holders) {
            holder.wall *= wall / lock.wall;
        }
        lock.wall = wall;
    }
}

} // namespace ompcollect::report
