// SPDX-License-Identifier: Apache-2.0
//
// The bytes are nobody's friend: each number is fetched once, checked, and used as it was fetched,
// as the process that owns the file may change it meanwhile.
#include "live_reader.h"

#include "contract_names.h"
#include "live_tables.h"
#include "processor_sets.h"
#include "reader_places.h"
#include "run_check.h"
#include "system_calls.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

namespace ompcollect::report {
namespace {

constexpr uint64_t kMostSamples = 4000000;

// Where a module was.
struct Module {
    uint64_t begin;
    uint64_t end;
    uint64_t base;
    uint32_t number; // of its row
};

// A place in the code; module kNoRow: in none that is known.
struct Place {
    uint32_t module = kNoRow;
    uint64_t offset = 0;
};

class Reader {
  public:
    Reader(const LiveTables &file, const SampleRow *samples, uint64_t sample_count)
        : file_(file), sample_rows_(samples), sample_count_(sample_count) {}
    Process read();

  private:
    void read_process();
    void read_measurement();
    void read_losses();
    void read_settings();
    void read_threads();
    void read_modules();
    void read_nodes();
    int first_of_region(uint32_t location, int parent, int caller);
    void take_code(Node &node, uint32_t location) const;
    void read_cells();
    void add_entries(const CellFileRow &row, unsigned thread, int node);
    int call_at(uint32_t number_plus_1);
    void read_locks();
    void read_holders(const std::vector<uint32_t> &lock_index);
    void read_samples();
    void add_sample(const SampleRow &row);

    [[nodiscard]] uint32_t thread_at(uint32_t row) const {
        return row < thread_index_.size() ? thread_index_[row] : kNoRow;
    }
    [[nodiscard]] int node_at(uint32_t row) const;
    [[nodiscard]] Place place_at(uint32_t location) const;
    [[nodiscard]] Place place_by_address(uint64_t address) const;
    [[nodiscard]] SharedText path_of(uint32_t module) const {
        return module < paths_.size() ? paths_[module] : SharedText();
    }
    [[nodiscard]] NamedPlace nameless(uint32_t location) const;

    const LiveTables &file_;
    const SampleRow *sample_rows_;
    const uint64_t sample_count_;
    Process to_;
    uint64_t begin_ns_ = 0;
    std::vector<uint32_t> thread_index_; // by row number, kNoRow: none
    std::vector<uint32_t> node_index_;   // by row number
    std::vector<int> region_of_node_;    // the first node of the innermost region; -1: none
    PythonLines python_lines_;           // of the nodes so far
    // By parent, place and line of Python.
    std::map<std::tuple<int, uint32_t, uint64_t, std::string>, int> regions_;
    std::map<uint32_t, int> calls_; // by their word in a cell
    std::vector<SharedText> paths_; // by module
    std::vector<Module> modules_;   // by address
};

void Reader::read_process() {
    const FileHeader &from = file_.header();
    to_.pid = from.pid;
    to_.parent_pid = from.parent_pid;
    to_.program = file_.text(from.program);
    to_.host = file_.text(from.host);
    to_.rank = file_.text(from.rank);
    to_.rank_variable = file_.text(from.rank_variable);
    to_.begin = static_cast<int64_t>(from.begin_unix_ns / 1000000000u);
    to_.begin_nanoseconds = static_cast<unsigned>(from.begin_unix_ns % 1000000000u);
    to_.processors_online = from.processors;
    to_.processors = from.processors_free;
    to_.megahertz = fetch(from.megahertz);
    to_.affinity = file_.text(from.affinity);
    to_.producer = file_.text(from.producer);
    to_.runtime_file = file_.text(from.runtime_file.load(std::memory_order_acquire));
    to_.runtime = file_.text(fetch(from.runtime_version));
    to_.ompt_generation = file_.text(fetch(from.generation));
    to_.omp_version = fetch(from.omp_version);
    to_.most_threads = fetch(from.most_threads);
    begin_ns_ = from.begin_ns;
    uint64_t end_ns = fetch(from.heartbeat_ns);
    to_.ending = known(from.ending.load(std::memory_order_acquire), Ending::kStopped);
    if (to_.ending != Ending::kNone) {
        to_.exit_code = fetch(from.exit_code);
        end_ns = fetch(from.end_ns);
    }
    to_.seconds = end_ns > begin_ns_ ? seconds(end_ns - begin_ns_) : 0;
    to_.cpu_seconds = seconds(fetch(from.cpu_ns));
    to_.other_threads = fetch(from.other_threads);
    to_.other_cpu_seconds = seconds(fetch(from.other_cpu_ns));
    to_.other_waited_seconds = seconds(fetch(from.other_waited_ns));
    to_.kernel_seconds = seconds(fetch(from.kernel_ns));
    to_.page_faults = fetch(from.page_faults);
}

void Reader::read_measurement() {
    const FileHeader &from = file_.header();
    to_.rate = from.rate ? from.rate : 1;
    to_.signal = static_cast<int>(from.signal);
    to_.start_code = from.start_code;
    to_.knows_holders = from.knows_holders != 0;
    to_.stacks = stacks_name(known(from.stacks, Stacks::kFull));
    const OffProcessor off = known(from.off_processor, OffProcessor::kBySignals);
    to_.has_wall_times = to_.has_cpu_times = off != OffProcessor::kNotMeasured;
    for (unsigned event = 0; event < kEventNumbers; ++event) {
        to_.events.push_back({from.registered[event], 0});
    }
}

void Reader::read_losses() {
    const FileHeader &from = file_.header();
    to_.is_partial = file_.is_partial();
    to_.signal_taken = fetch(from.signal_taken) != 0;
    to_.late_samples = fetch(from.late_samples);
    to_.lost_samples = fetch(from.lost_samples);
    to_.threads_without_timer = fetch(from.threads_without_timer);
    to_.unplaced_lock_waits = fetch(from.unplaced_lock_waits);
    to_.unplaced_lock_time = seconds(fetch(from.unplaced_lock_ns));
    to_.forgotten_regions = fetch(from.forgotten_regions);
    to_.forgotten_modules = fetch(from.forgotten_modules);
    to_.python_missing = why_python_is_missing(from);
    read_machine(from, to_);
    to_.arguments_cut = fetch(from.arguments_cut) != 0;
    if (const int error = fetch(from.growth_error); error != 0) {
        to_.missing = strerror(error);
    }
    for (unsigned state = 0; state < kContractStates; ++state) {
        to_.unplaced += seconds(fetch(from.unplaced_on_ns[state])) +
                        seconds(fetch(from.unplaced_off_ns[state]));
    }
}

void Reader::read_settings() {
    file_.for_each<SettingRow>(RowKind::kSetting, [&](uint32_t, const SettingRow &row) {
        const uint32_t kind = fetch(row.kind);
        if (kind == static_cast<uint32_t>(SettingKind::kArgument)) {
            to_.arguments.push_back(file_.text(fetch(row.text)));
        } else if (kind == static_cast<uint32_t>(SettingKind::kEnvironment)) {
            to_.environment.push_back(file_.text(fetch(row.text)));
        } else if (kind == static_cast<uint32_t>(SettingKind::kJob)) {
            add_job_fact(file_.text(fetch(row.text)), to_);
        }
    });
}

void Reader::read_threads() {
    thread_index_.assign(file_.row_count(RowKind::kThread), kNoRow);
    file_.for_each<ThreadFileRow>(RowKind::kThread, [&](uint32_t number, const ThreadFileRow &row) {
        thread_index_[number] = static_cast<uint32_t>(to_.threads.size());
        Thread &thread = to_.threads.emplace_back();
        thread.number = thread_index_[number];
        thread.tid = static_cast<long>(fetch(row.tid));
        thread.is_initial = fetch(row.kind) == static_cast<uint32_t>(ThreadKind::kInitial);
        thread.threads = fetch(row.threads);
        const uint64_t begin = fetch(row.begin_ns);
        const uint64_t end = fetch(row.end_ns);
        thread.begin = begin > begin_ns_ ? seconds(begin - begin_ns_) : 0;
        thread.end = end > begin_ns_ ? seconds(end - begin_ns_) : to_.seconds;
        thread.cpu_seconds = seconds(fetch(row.cpu_ns));
        thread.waited_seconds =
            fetch(row.has_waited) != 0 ? seconds(fetch(row.waited_ns)) : kNotKnown;
        thread.last_processors = ranges_of_bits(fetch_all(row.last_processors));
        thread.fewest_processors = ranges_of_bits(fetch_all(row.fewest_processors));
        if (thread.fewest_processors.empty()) { // looked at once
            thread.fewest_processors = thread.last_processors;
        }
        const std::atomic<uint64_t> *count = row.counts;
#define OMPCOLLECT_FETCH(name, about, heading, line, member) thread.name = fetch(*count++);
        OMPCOLLECT_THREAD_COUNTS(OMPCOLLECT_FETCH)
#undef OMPCOLLECT_FETCH
        to_.walks += fetch(row.walks);
        to_.cut_walks += fetch(row.cut_walks);
        to_.fork_stacks += fetch(row.fork_stacks);
        to_.fork_walks += fetch(row.fork_walks);
        for (unsigned event = 0; event < kEventNumbers; ++event) {
            thread.events.push_back(fetch(row.events[event]));
            to_.events[event].count += thread.events[event];
        }
    });
}

// By begin, then in the order of loading.
void Reader::read_modules() {
    paths_.resize(file_.row_count(RowKind::kModule));
    file_.for_each<ModuleRow>(RowKind::kModule, [&](uint32_t number, const ModuleRow &row) {
        paths_[number] = file_.text(fetch(row.path));
        modules_.push_back({fetch(row.begin), fetch(row.end), fetch(row.base), number});
    });
    to_.other_runtimes = other_runtimes(paths_, to_.runtime_file);
    std::stable_sort(modules_.begin(), modules_.end(),
                     [](const Module &a, const Module &b) { return a.begin < b.begin; });
}

// Seen in a signal handler before its module was known: it may be by now. What was loaded last
// counts. Modules lie in each other's place at most as often as they were loaded anew: so a few.
Place Reader::place_by_address(uint64_t address) const {
    constexpr size_t kTries = 64;
    auto at = std::upper_bound(
        modules_.begin(), modules_.end(), address,
        [](uint64_t wanted, const Module &module) { return wanted < module.begin; });
    Place found{kNoRow, address};
    for (size_t tries = 0; tries < kTries && at != modules_.begin(); ++tries) {
        --at;
        if (address < at->end && (found.module == kNoRow || at->number > found.module)) {
            found = {at->number, address - at->base};
        }
    }
    return found;
}

Place Reader::place_at(uint32_t location) const {
    const auto *row = file_.row<LocationRow>(RowKind::kLocation, location);
    if (!row) {
        return {};
    }
    const Place place{fetch(row->module), fetch(row->offset)};
    return place.module == kNoRow ? place_by_address(place.offset) : place;
}

NamedPlace Reader::nameless(uint32_t location) const {
    const Place place = place_at(location);
    return {{}, {}, path_of(place.module), place.offset};
}

// A frame's. Python's have names already.
void Reader::take_code(Node &node, uint32_t location) const {
    const Place place = place_at(location);
    if (place.module != kPythonModule) {
        node.module = path_of(place.module);
        node.offset = place.offset;
        return;
    }
    read_python_line(file_, place.offset, node);
}

// The first node of a region: one for all call paths that lead to the same fork under the same
// region, by the same line of Python. It is the next node if there is none yet.
int Reader::first_of_region(uint32_t location, int parent, int caller) {
    const Place place = place_at(location);
    const int next = static_cast<int>(to_.nodes.size());
    const int python = python_lines_.at(caller);
    const std::string line =
        python < 0 ? std::string() : to_.nodes[static_cast<size_t>(python)].function.str();
    return regions_.try_emplace({parent, place.module, place.offset, line}, next).first->second;
}

void Reader::read_nodes() {
    node_index_.assign(file_.row_count(RowKind::kNode), kNoRow);
    file_.for_each<NodeRow>(RowKind::kNode, [&](uint32_t number, const NodeRow &row) {
        using FileKind = ompcollect::NodeKind;
        const uint32_t kind = fetch(row.kind);
        if (kind > static_cast<uint32_t>(FileKind::kCut)) {
            return; // of a later version
        }
        const int own = static_cast<int>(to_.nodes.size());
        const uint32_t location = fetch(row.location);
        // A parent is there before its children: so the tree has no circles.
        const uint32_t parent = fetch(row.parent);
        const uint32_t above = parent < number ? node_index_[parent] : kNoRow;
        Node node;
        node.parent = above != kNoRow ? static_cast<int>(above) : -1;
        int region = above != kNoRow ? region_of_node_[above] : -1;
        if (kind == static_cast<uint32_t>(FileKind::kRegion)) {
            region = first_of_region(location, region, node.parent);
            node.same_as = region == own ? -1 : region;
        } else {
            node.kind = NodeKind::kFunction;
        }
        if (kind == static_cast<uint32_t>(FileKind::kCut)) {
            node.function = kCutPath;
        } else {
            take_code(node, location);
        }
        python_lines_.add(node);
        region_of_node_.push_back(region);
        node_index_[number] = static_cast<uint32_t>(own);
        to_.nodes.push_back(std::move(node));
    });
}

int Reader::node_at(uint32_t row) const {
    const bool is_known = row < node_index_.size() && node_index_[row] != kNoRow;
    return is_known              ? static_cast<int>(node_index_[row])
           : row == kNodeOutside ? kOutside
           : row == kNodeSeveral ? kSeveral
                                 : kUnknown;
}

int Reader::call_at(uint32_t number_plus_1) {
    if (number_plus_1 == 0) {
        return kNoCall;
    }
    const auto [at, is_new] = calls_.try_emplace(number_plus_1, static_cast<int>(to_.calls.size()));
    if (is_new) {
        to_.calls.push_back(number_plus_1 == kCallOfFault + 1
                                ? "page fault"
                                : system_call_name(static_cast<long>(number_plus_1) - 1));
    }
    return at->second;
}

void Reader::add_entries(const CellFileRow &row, unsigned thread, int node) {
    const uint64_t entries = fetch(row.on_samples) + fetch(row.off_samples);
    if (node < 0 || to_.nodes[static_cast<size_t>(node)].kind != NodeKind::kRegion) {
        return;
    }
    const int first = region_of_node_[static_cast<size_t>(node)];
    Node &region = to_.nodes[static_cast<size_t>(first)];
    if (fetch(row.state) == kSingleState) {
        region.single_seconds += seconds(fetch(row.on_ns));
    } else if (entries != 0) {
        region.entries += entries;
        to_.forkers.emplace_back(first, thread);
    }
}

// Rows of one key come to be one.
void Reader::read_cells() {
    file_.for_each<CellFileRow>(RowKind::kCell, [&](uint32_t, const CellFileRow &row) {
        const uint32_t thread = thread_at(fetch(row.thread));
        const uint32_t state = fetch(row.state);
        const int node = node_at(fetch(row.node));
        if (thread == kNoRow) {
            return;
        }
        if (state == kEntriesState || state == kSingleState) {
            add_entries(row, thread, node);
            return;
        }
        const double on = seconds(fetch(row.on_ns));
        const unsigned within = state_of_word(state) < kContractStates ? state_of_word(state) : 0;
        const unsigned shown = shown_state(state);
        to_.cells.push_back({thread, node, shown < kContractStates ? within : shown,
                             on + seconds(fetch(row.off_ns)), on,
                             fetch(row.on_samples) + fetch(row.off_samples),
                             shown < kContractStates ? 0 : within, call_at(call_of_word(state))});
        to_.threads[thread].samples += to_.cells.back().samples;
    });
    count_masters(to_);
    merge_cells(to_.cells);
}

void Reader::read_locks() {
    std::vector<uint32_t> lock_index(file_.row_count(RowKind::kLock), kNoRow);
    file_.for_each<LockFileRow>(RowKind::kLock, [&](uint32_t number, const LockFileRow &row) {
        Lock lock;
        lock.state = fetch(row.state);
        lock.wait_id = fetch(row.wait_id);
        lock.waits = fetch(row.waits);
        lock.samples = fetch(row.samples);
        lock.cpu = seconds(fetch(row.on_ns));
        lock.wall = lock.cpu + seconds(fetch(row.off_ns));
        if (!is_mutex_wait(lock.state) || (lock.waits == 0 && lock.wall <= 0)) {
            return;
        }
        lock.object = nameless(fetch(row.object));
        lock.first_wait = nameless(fetch(row.first_wait));
        lock_index[number] = static_cast<uint32_t>(to_.locks.size());
        to_.locks.push_back(std::move(lock));
    });
    read_holders(lock_index);
    std::stable_sort(to_.locks.begin(), to_.locks.end(), [](const Lock &a, const Lock &b) {
        return std::tie(a.wall, a.waits) > std::tie(b.wall, b.waits);
    });
}

void Reader::read_holders(const std::vector<uint32_t> &lock_index) {
    struct Sum {
        uint64_t ns = 0;
        uint64_t samples = 0;
    };
    std::map<std::tuple<uint32_t, int, uint32_t>, Sum> sums; // by lock, node and location
    file_.for_each<HolderFileRow>(RowKind::kHolder, [&](uint32_t, const HolderFileRow &row) {
        const uint32_t lock = fetch(row.lock);
        if (lock < lock_index.size() && lock_index[lock] != kNoRow) {
            Sum &sum = sums[{lock_index[lock], node_at(fetch(row.node)), fetch(row.location)}];
            sum.ns += fetch(row.ns);
            sum.samples += fetch(row.samples);
        }
    });
    for (const auto &[key, sum] : sums) {
        const auto &[lock, node, location] = key;
        to_.locks[lock].holders.push_back({node, nameless(location), seconds(sum.ns), sum.samples});
    }
    for (Lock &lock : to_.locks) {
        std::stable_sort(lock.holders.begin(), lock.holders.end(),
                         [](const Holder &a, const Holder &b) { return a.wall > b.wall; });
    }
}

void Reader::add_sample(const SampleRow &row) {
    const uint64_t time = fetch(row.time);
    const uint32_t who = fetch(row.who);
    const uint32_t thread = thread_at(who & ((1U << kThreadBits) - 1));
    const unsigned state = who >> kThreadBits;
    if (time != 0 && thread != kNoRow) {
        to_.samples.push_back(
            {seconds(time), thread, node_at(fetch(row.node)), state < kStateColumns ? state : 0});
    }
}

// Those in the file, then those that were still in the ring. Some may have been in both; a thread
// has one sample at a time.
void Reader::read_samples() {
    const FileHeader &from = file_.header();
    const SampleFile file = SampleFile::checked(fetch(from.sample_file));
    const uint64_t there = std::min(file.rows, sample_count_);
    const uint64_t step = there / kMostSamples + 1;
    to_.samples.reserve(there / step + 1 + kRingSamples);
    for (uint64_t i = 0; i < there; i += step) {
        add_sample(sample_rows_[i]);
    }
    const uint64_t moved = fetch(from.samples_moved);
    uint64_t taken = fetch(from.samples_taken);
    taken = taken - moved < kRingSamples ? taken : moved + kRingSamples;
    for (uint64_t i = moved; i < taken; i += step << file.thinnings) {
        if (const SampleRow *row = file_.sample(i % kRingSamples)) {
            add_sample(*row);
        }
    }
    const auto key = [](const Sample &sample) { return std::tie(sample.time, sample.thread); };
    std::stable_sort(to_.samples.begin(), to_.samples.end(),
                     [&](const Sample &a, const Sample &b) { return key(a) < key(b); });
    const auto kept =
        std::unique(to_.samples.begin(), to_.samples.end(),
                    [&](const Sample &a, const Sample &b) { return key(a) == key(b); });
    to_.samples.erase(kept, to_.samples.end());
    to_.samples_missed = fetch(from.samples_missed) + (file.rows - there);
    if (const int error = fetch(from.sample_error); error != 0) {
        to_.samples_end_early = strerror(error);
    }
    to_.sample_step = static_cast<unsigned>(step << file.thinnings);
}

Process Reader::read() {
    read_process();
    read_measurement();
    read_losses();
    read_settings();
    read_threads();
    split_waits(to_);
    read_modules();
    read_nodes();
    read_cells();
    read_locks();
    read_samples();
    // The mask at the begin is one place alone where a runtime has bound its first thread by then,
    // as libgomp does by OMP_PROC_BIND. What its threads may use the process may use.
    to_.processors = std::max(to_.processors, processors_of(to_.threads));
    to_.threads_on_one_cpu = most_on_one_processor(to_.threads);
    forget_unmeasured(to_);
    check_process(to_);
    return std::move(to_);
}

} // namespace

Process read_live(std::string_view profile, std::string_view samples) {
    const LiveTables file(profile);
    return Reader(file, reinterpret_cast<const SampleRow *>(samples.data()),
                  samples.size() / sizeof(SampleRow))
        .read();
}

} // namespace ompcollect::report
