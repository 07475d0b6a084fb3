// SPDX-License-Identifier: Apache-2.0
//
// The page of a job: one file with its data, its code and nothing from elsewhere. What it shows of
// single ranks are their samples in bins and their times by region; their call paths stay in the
// ranks' own files.
#include "job_figures.h"
#include "job_formats.h"
#include "job_json.h"
#include "job_text.h"
#include "page_parts.h"
#include "process_sums.h"
#include "time_class.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <string_view>
#include <unordered_map>

OMPCOLLECT_EMBEDDED_PART(job_page, OMPCOLLECT_JOB_FOLDER "/html/job.html");
OMPCOLLECT_EMBEDDED_PART(job_script, OMPCOLLECT_JOB_FOLDER "/html/job.js");
// Those of a run's page (formats/html.cpp).
OMPCOLLECT_PART(style);
OMPCOLLECT_PART(d3);
OMPCOLLECT_PART(flamegraph);

namespace ompcollect::report {
namespace {

// What a sample's column is, with the colour of a state.
struct JobClass {
    const char *name;
    unsigned state;
};
constexpr unsigned kMpiClass = 2;
constexpr JobClass kClasses[] = {
    {"works", THR_WORK_STATE},
    {"serial", THR_SERIAL_STATE},
    {"in MPI", kMpiColumn},
    {"waits in OpenMP", THR_IBAR_STATE},
    {"runtime", THR_OVHD_STATE},
    {"idle", THR_IDLE_STATE},
    {"other", 0},
    {"no processor", kNoProcessorState},
    {"asleep", kAsleepState},
};
// No state's, and told apart from each of them (tests/report/browser/palette_test.py).
constexpr char kMpiColour[] = "#b4b400";

const char *colour_of(const JobClass &one) {
    return one.state == kMpiColumn ? kMpiColour : state_at(one.state).colour;
}

// Index of the class.
size_t class_of(unsigned column) {
    if ((column & kMpiColumn) != 0) {
        return kMpiClass;
    }
    switch (kind_of_state(column)) {
    case StateKind::kUseful:
        return column == THR_SERIAL_STATE ? 1 : 0;
    case StateKind::kBarrier:
    case StateKind::kMutex:
    case StateKind::kReduction:
        return 3;
    case StateKind::kRuntime:
        return 4;
    case StateKind::kIdle:
        return 5;
    case StateKind::kNoProcessor:
        return 7;
    case StateKind::kAsleep:
        return 8;
    case StateKind::kOther:
        break;
    }
    return 6;
}

// Numbers of the columns that there are.
class Columns {
  public:
    size_t number(unsigned column) {
        const auto [at, is_new] = numbers_.try_emplace(column, list_.size());
        if (is_new) {
            const unsigned state = column & ~kMpiColumn;
            const bool in_mpi = (column & kMpiColumn) != 0;
            list_.push_back({{"name", std::string(in_mpi ? "MPI, " : "") + state_name(state)},
                             {"state", state},
                             {"mpi", in_mpi},
                             {"class", class_of(column)}});
        }
        return at->second;
    }
    [[nodiscard]] const Json &list() const { return list_; }

  private:
    std::map<unsigned, size_t> numbers_;
    Json list_ = Json::array();
};

Json bins_of(const Job &job, Columns &columns, unsigned &most) {
    Json all = Json::array();
    for (const RankRow &rank : job.ranks) {
        Json list = Json::array();
        for (const Bin &bin : rank.bins) {
            most = std::max(most, bin.bin + 1);
            list.push_back(bin.bin);
            list.push_back(columns.number(bin.column));
            list.push_back(bin.samples);
        }
        all.push_back(std::move(list));
    }
    return all;
}

// Nanoseconds of the shortest time by rank and region that is shown: so many rows that the page of
// a thousand ranks stays small.
uint64_t least_time_shown(const Job &job) {
    constexpr uint64_t kLeast = 1'000;
    constexpr size_t kMostRows = 250'000;
    if (job.rank_regions.size() <= kMostRows) {
        return kLeast;
    }
    std::vector<uint64_t> times;
    times.reserve(job.rank_regions.size());
    for (const RankRegion &row : job.rank_regions) {
        times.push_back(row.wall);
    }
    const auto last = times.begin() + kMostRows;
    std::nth_element(times.begin(), last, times.end(), std::greater<>());
    return std::max(kLeast, *last + 1);
}

// Of each rank, microseconds.
Json rank_regions_of(const Job &job, uint64_t least, Columns &columns, Json &names) {
    std::unordered_map<PlaceKey, size_t> region_of;
    const auto number = [&](PlaceKey key) {
        const auto [at, is_new] = region_of.try_emplace(key, names.size());
        if (is_new) {
            names.push_back(region_name_of(job, key));
        }
        return at->second;
    };
    std::unordered_map<PlaceKey, size_t> rank_of;
    std::vector<Json> lists(job.ranks.size(), Json::array());
    for (size_t i = 0; i < job.ranks.size(); ++i) {
        rank_of.emplace(job.ranks[i].key, i);
    }
    for (const RankRegion &time : job.rank_regions) {
        if (time.wall >= least) {
            Json &list = lists[rank_of.at(time.rank)];
            list.push_back(number(time.region));
            list.push_back(columns.number(time.state | (time.in_mpi ? kMpiColumn : 0)));
            list.push_back(time.wall / 1000);
        }
    }
    return lists;
}

// The tree for the flame graph: what is less than a ten thousandth of all is left out.
class FlameTree {
  public:
    explicit FlameTree(const Job &job)
        : job_(job), tree_(as_process(job, &origins_)), classes_(tree_),
          times_(tree_.nodes.size()) {
        for (const RankRow &rank : job.ranks) {
            names_.emplace(rank.key, rank_name(rank));
        }
        for (size_t i = 0; i < tree_.cells.size(); ++i) {
            const Cell &cell = tree_.cells[i];
            cells_[cell.node].push_back(i);
            all_ += cell.wall;
            if (cell.node >= 0) {
                times_[static_cast<size_t>(cell.node)] += cell.wall;
            }
        }
        for (size_t i = tree_.nodes.size(); i-- > 0;) {
            const int parent = tree_.nodes[i].parent;
            children_[parent].push_back(static_cast<int>(i));
            if (parent >= 0) {
                times_[static_cast<size_t>(parent)] += times_[i];
            }
        }
    }
    Json make() {
        Json root = {{"name", "all ranks"}, {"value", all_}, {"children", Json::array()}};
        for (const int child : children_[-1]) {
            add(child, root["children"], 0);
        }
        for (const auto &[node, cells] : cells_) {
            if (node < 0) {
                Json special = {
                    {"name", place_name(tree_, node)}, {"value", 0.0}, {"children", Json::array()}};
                double sum = 0;
                add_states(node, special["children"], sum);
                special["value"] = sum;
                root["children"].push_back(std::move(special));
            }
        }
        return root;
    }

  private:
    static constexpr double kLeast = 1e-4;
    static constexpr int kDeepest = 400; // of the page's recursion

    void add_spread(const RankSpread &wall, Json &to) {
        to["min"] = in_seconds(wall.least_of(job_.ranks.size()));
        to["max"] = in_seconds(wall.most);
        to["max_rank"] = names_[wall.most_rank];
    }
    [[nodiscard]] const char *leaf_colour(int node, unsigned state) const {
        return classes_.mpi_node(node) >= 0 && may_be_in_mpi(state) ? kMpiColour
                                                                    : state_at(state).colour;
    }
    void add_states(int node, Json &to, double &sum) {
        for (const size_t i : cells_[node]) {
            const JobCell &cell = job_.cells[i];
            sum += tree_.cells[i].wall;
            Json &leaf =
                to.emplace_back(Json{{"name", "<" + std::string(state_name(cell.state)) + ">"},
                                     {"value", tree_.cells[i].wall},
                                     {"colour", leaf_colour(node, cell.state)}});
            add_spread(cell.wall, leaf);
        }
    }
    void add(int node, Json &to, int depth) {
        const double time = times_[static_cast<size_t>(node)];
        if (time < kLeast * all_ || depth > kDeepest) {
            return;
        }
        Json one = {{"name", node_name(tree_.nodes[static_cast<size_t>(node)])},
                    {"value", time},
                    {"children", Json::array()}};
        add_spread(origins_[static_cast<size_t>(node)]->wall, one);
        double sum = 0;
        add_states(node, one["children"], sum);
        for (const int child : children_[node]) {
            add(child, one["children"], depth + 1);
        }
        to.push_back(std::move(one));
    }

    const Job &job_;
    std::vector<const JobNode *> origins_; // by node of the tree
    const Process tree_;
    const TimeClasses classes_;
    std::vector<double> times_; // with what is below
    std::map<int, std::vector<size_t>> cells_;
    std::unordered_map<int, std::vector<int>> children_;
    std::unordered_map<PlaceKey, std::string> names_;
    double all_ = 0;
};

Json page_data(Job job) {
    make_printable(job);
    Json to = job_summary(job);
    to["program"] = job.ranks.empty() ? std::string() : job.ranks.front().command;
    Columns columns;
    unsigned bins = 1;
    to["bins"] = bins_of(job, columns, bins);
    to["bins_of_rank"] = bins;
    const unsigned shift = job.ranks.empty() ? 0 : job.ranks.front().bin_shift;
    to["bin_seconds"] = in_seconds(uint64_t{1} << shift);
    Json names = Json::array();
    const uint64_t least = least_time_shown(job);
    to["least_time_shown"] = in_seconds(least);
    to["rank_regions"] = rank_regions_of(job, least, columns, names);
    to["region_names"] = std::move(names);
    to["columns"] = columns.list();
    for (const JobClass &one : kClasses) {
        to["classes"].push_back({{"name", one.name}, {"colour", colour_of(one)}});
    }
    for (unsigned state = 0; state < kStateColumns; ++state) {
        to["states"].push_back({{"name", state_name(state)}, {"colour", state_at(state).colour}});
    }
    to["tree"] = FlameTree(job).make();
    return to;
}

} // namespace

void write_job_html(const Job &job, const TextStyle &, std::ostream &out) {
    const std::map<std::string_view, const char *> parts = {
        {"CSS", ompcollect_part_style},
        {"D3", ompcollect_part_d3},
        {"FLAMEGRAPH", ompcollect_part_flamegraph},
        {"SCRIPT", ompcollect_part_job_script}};
    const auto write = [&](std::string_view name) {
        if (name != "DATA") {
            out << parts.at(name);
            return;
        }
        InElement element(out);
        std::ostream data(&element);
        data << page_data(job).dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    write_page(ompcollect_part_job_page, write, out);
}

} // namespace ompcollect::report
