// SPDX-License-Identifier: Apache-2.0
#include "inflation.h"

#include "named_place.h"
#include "reader_places.h"
#include "spread.h"
#include "verdict_limits.h"

#include <algorithm>
#include <map>

namespace ompcollect::report {
namespace {

using Place = std::pair<std::string, std::string>; // region, function
using Work = std::map<Place, double>;

// On a processor, where that was measured.
Work work_of(const Process &process) {
    Work work;
    Responsible responsible(process);
    for (const Cell &cell : process.cells) {
        const int region = region_of(process, cell.node);
        if (kind_of_state(cell.state) != StateKind::kUseful || cell.node < 0) {
            continue;
        }
        const int own = responsible.at(cell.node);
        const std::string name = region < 0 ? kOutsideName : place_of(process, region).text();
        work[{name, place_of(process, own).text()}] += is_known(cell.cpu) ? cell.cpu : cell.wall;
    }
    return work;
}

// The median of each place; what a run has not is 0 there.
Work median_work(const std::vector<const Process *> &runs) {
    std::map<Place, std::vector<double>> values;
    for (size_t i = 0; i < runs.size(); ++i) {
        for (const auto &[place, seconds] : work_of(*runs[i])) {
            std::vector<double> &list = values[place];
            list.resize(runs.size());
            list[i] = seconds;
        }
    }
    Work medians;
    for (const auto &[place, list] : values) {
        medians[place] = middle_of(list).median;
    }
    return medians;
}

template <class Value>
double median_of(const std::vector<const Process *> &runs, const Value &value) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (const Process *run : runs) {
        values.push_back(value(*run));
    }
    return middle_of(values).median;
}

KernelCounts counts_of(const std::vector<const Process *> &runs) {
    const auto waits = [](const Process &process) {
        double sum = 0;
        for (const Thread &thread : process.threads) {
            sum += static_cast<double>(thread.voluntary_switches);
        }
        return sum;
    };
    return {median_of(runs, [](const Process &process) { return process.kernel_seconds; }),
            median_of(runs, [](const Process &process) { return double(process.page_faults); }),
            median_of(runs, waits)};
}

void add_functions(const Work &first, const Work &last, double growth, InflatedRegion &to) {
    for (const auto &[place, seconds] : last) {
        const auto before = first.find(place);
        const double more = seconds - (before == first.end() ? 0 : growth * before->second);
        if (place.first == to.name && more > limit(Limit::kMuch) * to.more()) {
            to.functions.emplace_back(place.second, more);
        }
    }
    std::stable_sort(to.functions.begin(), to.functions.end(),
                     [](const auto &a, const auto &b) { return a.second > b.second; });
}

} // namespace

double WorkInflation::more() const {
    double sum = 0;
    for (const InflatedRegion &region : regions) {
        sum += region.more();
    }
    return sum;
}

bool WorkInflation::is_kernels() const {
    return last.seconds - first.seconds > limit(Limit::kMajority) * more();
}

bool is_inflated(double first, double last, double all) {
    return first > 0 && last - first > limit(Limit::kMuch) * first &&
           last - first > limit(Limit::kWorthALine) * all;
}

WorkInflation inflation_of(const InflationInput &input) {
    WorkInflation to;
    to.threads = input.threads;
    to.first = counts_of(input.first);
    to.last = counts_of(input.last);
    const Work first = median_work(input.first);
    const Work last = median_work(input.last);
    for (const InflatedRegion &region : input.regions) {
        if (is_inflated(region.first, region.last, input.all)) {
            add_functions(first, last, input.growth, to.regions.emplace_back(region));
        }
    }
    std::stable_sort(
        to.regions.begin(), to.regions.end(),
        [](const InflatedRegion &a, const InflatedRegion &b) { return a.more() > b.more(); });
    return to;
}

} // namespace ompcollect::report
