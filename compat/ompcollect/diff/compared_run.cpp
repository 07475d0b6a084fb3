// SPDX-License-Identifier: Apache-2.0
#include "compared_run.h"

#include "blame.h"
#include "frames.h"
#include "job.h"
#include "job_figures.h"
#include "named_place.h"
#include "reader_places.h"
#include "region_figures.h"
#include "words.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace ompcollect::report {
namespace {

constexpr const char *kPartTitles[] = {"work",         "waiting", "overhead",
                                       "no processor", "asleep",  "idle"};
static_assert(std::size(kPartTitles) == static_cast<size_t>(TimePart::kCount));

// Adds what one process has of cells, and keeps which item each node is.
class ItemsOf {
  public:
    ItemsOf(const Process &process, ComparedRun &to)
        : process_(process), to_(to), responsible_(process) {
        keys_.reserve(process.nodes.size());
        for (size_t node = 0; node < process.nodes.size(); ++node) {
            ItemKey key = plain_key(static_cast<int>(node));
            key.is_function = true;
            key.region = region_key(static_cast<int>(node)).text();
            key.source = source_place(key.source).file;
            keys_.push_back(std::move(key));
        }
    }

    void add_cells() {
        const double period = process_.rate ? 1.0 / process_.rate : 0;
        for (const Cell &cell : process_.cells) {
            ItemTime time;
            time.seconds[cell.state] = cell.wall;
            const bool is_idle = part_of_state(cell.state) == TimePart::kIdle;
            time.variance = is_idle ? 0 : static_cast<double>(cell.samples) * period * period;
            to_.all.add(time);
            to_.items[region_key(cell.node)].add(time);
            const int own = cell.node < 0 ? -1 : responsible_.at(cell.node);
            if (own >= 0) {
                to_.items[keys_[static_cast<size_t>(own)]].add(time);
            }
        }
    }

    void add_paths() {
        std::map<std::pair<int, unsigned>, ItemTime> times; // by node and state
        for (const Cell &cell : process_.cells) {
            times[{cell.node, cell.state}].seconds[cell.state] += cell.wall;
        }
        for (const auto &[place, time] : times) {
            to_.paths.push_back({names_of(place.first, place.second), time});
        }
    }

    void add_neighbours() {
        for (size_t node = 0; node < keys_.size(); ++node) {
            const int parent = process_.nodes[node].parent;
            if (parent >= 0) {
                const ItemKey own = item_key(static_cast<int>(node));
                const ItemKey above = item_key(parent);
                to_.neighbours[own].callers.insert(above.name);
                to_.neighbours[above].callees.insert(own.name);
            }
        }
    }

    void add_blame() {
        for (const Blame &blame : blame_of(process_)) {
            if (blame.node >= 0) {
                to_.items[keys_[static_cast<size_t>(blame.node)]].waited_for += blame.seconds;
            }
        }
    }

    void add_locks() {
        for (const Lock &lock : process_.locks) {
            const NamedPlace &place = lock.object.empty() ? lock.first_wait : lock.object;
            LockTime &time = to_.locks[place.text()];
            time.seconds += lock.wall;
            if (!lock.holders.empty() && time.holder.empty()) {
                time.holder = name_in_source(lock.holders.front().place.name);
            }
        }
    }

    [[nodiscard]] ItemKey region_key(int node) const {
        const int region = region_of(process_, node);
        if (region >= 0) {
            return plain_key(region);
        }
        return {false, "", region == kOutside ? kOutsideName : place_name(process_, region), ""};
    }

  private:
    [[nodiscard]] bool is_region(int node) const {
        return process_.nodes[static_cast<size_t>(node)].kind == NodeKind::kRegion;
    }

    [[nodiscard]] ItemKey item_key(int node) const {
        return is_region(node) ? region_key(node) : keys_[static_cast<size_t>(node)];
    }

    [[nodiscard]] ItemKey plain_key(int node) const {
        const NamedPlace place = place_of(process_, node);
        const std::string name = name_in_source(place.name);
        return name.empty() ? ItemKey{false, "", place.source, ""}
                            : ItemKey{false, "", name, place.source};
    }

    [[nodiscard]] std::vector<std::string> names_of(int node, unsigned state) const {
        std::vector<std::string> names = leaf_names(node, state);
        std::reverse(names.begin(), names.end());
        for (int at = node; at >= 0; at = process_.nodes[static_cast<size_t>(at)].parent) {
            names.push_back(path_name(item_key(at)));
        }
        std::reverse(names.begin(), names.end());
        return names;
    }

    const Process &process_;
    ComparedRun &to_;
    Responsible responsible_;
    // By node, as a function. A region's node stands for code, too: what the region itself
    // executes.
    std::vector<ItemKey> keys_;
};

ItemsOf items_of(const Process &process, bool with_paths, ComparedRun &to) {
    ItemsOf items(process, to);
    items.add_cells();
    items.add_neighbours();
    items.add_blame();
    items.add_locks();
    if (with_paths) {
        items.add_paths();
    }
    to.has_stacks = to.has_stacks && process.stacks != "off";
    return items;
}

void add_environment(const Process &process, ComparedRun &to) {
    for (const std::string &setting : process.environment) {
        const size_t equals = setting.find('=');
        to.facts.emplace_back(setting.substr(0, equals),
                              equals == std::string::npos ? "" : setting.substr(equals + 1));
    }
}

void add_facts(const Process &process, ComparedRun &to) {
    to.facts = {
        {"program", base_name(process.program)},
        {"build-id", process.build_id},
        {"arguments", process.arguments.empty()
                          ? ""
                          : joined({process.arguments.begin() + 1, process.arguments.end()}, " ")},
        {"runtime", process.runtime},
        {"threads", std::to_string(process.most_threads)},
        {"host", process.host},
        {"processors", std::to_string(process.processors)},
        {"samples a second", std::to_string(process.rate)},
        {"stacks", process.stacks}};
    add_environment(process, to);
}

// Regions by the name that people see. Of processes side by side the longest counts.
void add_elapsed(const std::map<ItemKey, double> &elapsed, ComparedRun &to) {
    for (const auto &[key, seconds] : elapsed) {
        ItemTime &item = to.items[key];
        item.elapsed = std::max(item.elapsed, seconds);
    }
}

void add_figures(const ItemsOf &items, const Figures &figures, ComparedRun &to) {
    std::map<ItemKey, double> elapsed;
    for (const RegionFigures &region : figures.regions) {
        elapsed[items.region_key(region.node)] += region.elapsed;
    }
    elapsed[items.region_key(kOutside)] += figures.efficiency.serial;
    add_elapsed(elapsed, to);
    for (const Loss &loss : figures.losses) {
        to.lost[loss.cause] += loss.seconds;
    }
}

std::string number_of_hosts(const Job &job) {
    std::set<std::string> hosts;
    for (const RankRow &rank : job.ranks) {
        hosts.insert(rank.host);
    }
    return hosts.size() == 1 ? *hosts.begin() : std::to_string(hosts.size()) + " hosts";
}

void add_facts(const Job &job, ComparedRun &to) {
    const RankRow none;
    const RankRow &first = job.ranks.empty() ? none : job.ranks.front();
    to.facts = {{"program", base_name(first.program)},
                {"runtime", first.runtime},
                {"ranks", std::to_string(job.ranks.size())},
                {"threads", format("%.0f", to.threads)},
                {"host", number_of_hosts(job)},
                {"samples a second", std::to_string(first.rate)}};
}

// Of the rank that is longest in it, as if all its threads were: a job keeps their sum.
std::map<std::string, double> elapsed_by_region(const Job &job) {
    std::unordered_map<PlaceKey, double> threads;
    for (const RankRow &rank : job.ranks) {
        threads[rank.key] = std::max(1U, rank.threads);
    }
    std::unordered_map<PlaceKey, std::string> names;
    for (const JobRegion &region : job.regions) {
        names[region.key] = region.name;
    }
    std::map<std::pair<std::string, PlaceKey>, double> by_rank;
    for (const RankRegion &row : job.rank_regions) {
        const auto name = names.find(row.region);
        if (name != names.end() && part_of_state(row.state) != TimePart::kIdle) {
            by_rank[{name->second, row.rank}] += in_seconds(row.wall) / threads[row.rank];
        }
    }
    std::map<std::string, double> longest;
    for (const auto &[key, seconds] : by_rank) {
        longest[key.first] = std::max(longest[key.first], seconds);
    }
    return longest;
}

} // namespace

TimePart part_of_state(unsigned state) {
    switch (kind_of_state(state)) {
    case StateKind::kUseful:
        return TimePart::kWork;
    case StateKind::kBarrier:
    case StateKind::kMutex:
        return TimePart::kWaiting;
    case StateKind::kReduction:
    case StateKind::kRuntime:
    case StateKind::kOther:
        return TimePart::kOverhead;
    case StateKind::kIdle:
        return TimePart::kIdle;
    case StateKind::kNoProcessor:
        return TimePart::kNoProcessor;
    case StateKind::kAsleep:
        return TimePart::kAsleep;
    }
    return TimePart::kOverhead;
}

const char *part_title(TimePart part) {
    return kPartTitles[static_cast<size_t>(part)];
}

TimePart part_named(const std::string &name) {
    const auto *const at = std::find(std::begin(kPartTitles), std::end(kPartTitles), name);
    return static_cast<TimePart>(at - std::begin(kPartTitles));
}

std::string path_name(const ItemKey &key) {
    return key.text() + (key.is_function ? "" : " [region]");
}

double ItemTime::part(TimePart part) const {
    double sum = 0;
    for (unsigned state = 0; state < kStateColumns; ++state) {
        sum += part_of_state(state) == part ? seconds[state] : 0;
    }
    return sum;
}

double ItemTime::sum() const {
    double sum = 0;
    for (unsigned state = 0; state < kStateColumns; ++state) {
        sum += part_of_state(state) == TimePart::kIdle ? 0 : seconds[state];
    }
    return sum;
}

void ItemTime::add(const ItemTime &other) {
    for (unsigned state = 0; state < kStateColumns; ++state) {
        seconds[state] += other.seconds[state];
    }
    elapsed += other.elapsed;
    waited_for += other.waited_for;
    variance += other.variance;
}

std::string name_in_source(const std::string &name) {
    size_t end = name.size();
    for (const char *mark : {" [clone", ".constprop", ".isra", ".part", ".cold", "._omp_fn",
                             ".omp_outlined", ".lto_priv", ".localalias"}) {
        const size_t at = name.find(mark);
        end = at != 0 ? std::min(end, at) : end;
    }
    return name.substr(0, end);
}

ComparedRun compared_run(const Run &run, const std::string &name, bool with_paths) {
    ComparedRun to;
    to.name = name;
    double all = 0; // thread time
    double useful = 0;
    double processor = 0;
    for (const Process &process : run.processes) {
        const Figures figures = figures_of(process);
        add_figures(items_of(process, with_paths, to), figures, to);
        to.elapsed = std::max(to.elapsed, process.seconds);
        to.threads += figures.efficiency.threads;
        const double time = process.seconds * std::max(1U, figures.efficiency.threads);
        all += time;
        useful += time * figures.efficiency.parallel;
        processor += process.cpu_seconds;
    }
    to.efficiency = all > 0 ? useful / all : 1;
    to.processor = processor;
    if (!run.processes.empty()) {
        const Process &first = run.processes.front();
        to.identity = first.begin == 0 ? ""
                                       : first.host + format(" %ld %lld.%09u", first.pid,
                                                             static_cast<long long>(first.begin),
                                                             first.begin_nanoseconds);
        add_facts(first, to);
    }
    return to;
}

ComparedRun compared_job(const Job &job, const std::string &name, bool with_paths) {
    ComparedRun to;
    to.name = name;
    to.is_job = true;
    const JobEfficiency efficiency = job_efficiency(job);
    to.elapsed = efficiency.elapsed;
    to.threads = efficiency.threads;
    to.efficiency = efficiency.parallel;
    Process process = as_process(job);
    process.rate = job.ranks.empty() ? 0 : static_cast<unsigned>(job.ranks.front().rate);
    items_of(process, with_paths, to);
    to.has_stacks = true; // the tree of a job does not say
    for (const auto &[region, seconds] : elapsed_by_region(job)) {
        for (auto &[key, item] : to.items) {
            item.elapsed += !key.is_function && key.text() == region ? seconds : 0;
        }
    }
    for (const RankLoss &loss : job.losses) {
        to.lost[loss.cause] += in_seconds(loss.lost) / static_cast<double>(job.ranks.size());
    }
    add_facts(job, to);
    return to;
}

} // namespace ompcollect::report
