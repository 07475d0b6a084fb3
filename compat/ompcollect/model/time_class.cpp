// SPDX-License-Identifier: Apache-2.0
#include "time_class.h"

#include "reader_places.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <unordered_map>

namespace ompcollect::report {
namespace {

// How the files of MPI and of what it stands on begin; behind it a dot, a dash or an underscore, or
// more of the name where the row ends in a star.
constexpr std::string_view kMpiModules[] = {
    "libmpi",    "libmpich*",   "libmpicxx",   "libmpi_cxx", "libmpifort", "libmpi_mpifh",
    "libpmpi*",  "libopen-rte", "libopen-pal", "libpmix",    "libpmi",     "libpmi2",
    "libprrte*", "libucp",      "libuct",      "libucs",     "libucm",     "libfabric",
    "libpsm2",   "mca_*",       "libmca_*",
};

// The one table of functions of the system's libraries that wait, and for what. A name that ends in
// a star is how names begin.
struct WaitingFunction {
    std::string_view name;
    TimeClass is;
    bool when_asleep = true; // else whatever the thread does there: it waits awake, or wakes others
    bool by_python = false;  // only where Python calls it
};
constexpr WaitingFunction kWaitingFunctions[] = {
    // Of locks that are free the caller pays for these, too.
    {"pthread_mutex_lock", TimeClass::kLock},
    {"___pthread_mutex_lock", TimeClass::kLock},
    {"__pthread_mutex_lock", TimeClass::kLock},
    {"pthread_mutex_timedlock", TimeClass::kLock},
    {"pthread_mutex_clocklock", TimeClass::kLock},
    {"pthread_rwlock_rdlock", TimeClass::kLock},
    {"pthread_rwlock_wrlock", TimeClass::kLock},
    {"mtx_lock", TimeClass::kLock},
    {"flockfile", TimeClass::kLock},
    {"_IO_flockfile", TimeClass::kLock},
    // Only where somebody else has it: malloc, stdio, rand and mutexes come here.
    {"__lll_lock_wait*", TimeClass::kLock, false},
    {"__lll_lock_wake*", TimeClass::kLock, false},
    {"__GI___lll_lock_wa*", TimeClass::kLock, false},
    // Python uses them for its one lock, in functions without a name.
    {"pthread_cond_wait*", TimeClass::kLock, true, true},
    {"pthread_cond_timedwait*", TimeClass::kLock, true, true},
    {"pthread_cond_clockwait", TimeClass::kLock, true, true},

    {"pthread_join", TimeClass::kOwnThread},
    {"pthread_timedjoin_np", TimeClass::kOwnThread},
    {"pthread_clockjoin_np", TimeClass::kOwnThread},
    {"__pthread_clockjoin_ex", TimeClass::kOwnThread},
    {"thrd_join", TimeClass::kOwnThread},
    {"pthread_cond_wait*", TimeClass::kOwnThread},
    {"pthread_cond_timedwait*", TimeClass::kOwnThread},
    {"pthread_cond_clockwait", TimeClass::kOwnThread},
    {"__pthread_cond_wait*", TimeClass::kOwnThread},
    {"cnd_wait", TimeClass::kOwnThread},
    {"cnd_timedwait", TimeClass::kOwnThread},
    {"pthread_barrier_wait", TimeClass::kOwnThread},
    {"sem_wait", TimeClass::kOwnThread},
    {"sem_timedwait", TimeClass::kOwnThread},
    {"sem_clockwait", TimeClass::kOwnThread},
    {"std::thread::join*", TimeClass::kOwnThread},
    {"std::condition_variable::wait*", TimeClass::kOwnThread},
    {"std::__atomic_futex_unsigned_base::_M_futex_wait*", TimeClass::kOwnThread},
};

bool is_module_of(std::string_view file, std::string_view row) {
    const bool is_open = row.ends_with('*');
    row.remove_suffix(is_open ? 1 : 0);
    if (!file.starts_with(row)) {
        return false;
    }
    return is_open || file.size() == row.size() || file[row.size()] == '.' ||
           file[row.size()] == '-' || file[row.size()] == '_';
}

bool is_mpi_module(const std::string &module) {
    const std::string file = base_name(module);
    return std::any_of(std::begin(kMpiModules), std::end(kMpiModules),
                       [&](std::string_view row) { return is_module_of(file, row); });
}

bool is_mpi_name(std::string_view name) {
    constexpr std::string_view kFirst = "MPmp"; // most names are none, and there are many
    return !name.empty() && kFirst.find(name[0]) != kFirst.npos &&
           (name.starts_with("MPI_") || name.starts_with("PMPI_") || name.starts_with("mpi_") ||
            name.starts_with("pmpi_"));
}

bool is_python(const std::string &module) {
    const std::string file = base_name(module);
    return file.starts_with("python") || file.starts_with("libpython");
}

const WaitingFunction *waiting_function(std::string_view name, bool by_python) {
    const auto *const row = std::find_if(
        std::begin(kWaitingFunctions), std::end(kWaitingFunctions), [&](const auto &at) {
            const bool is = at.name.ends_with('*')
                                ? name.starts_with(at.name.substr(0, at.name.size() - 1))
                                : name == at.name;
            return is && by_python >= at.by_python;
        });
    return row == std::end(kWaitingFunctions) ? nullptr : row;
}

// What is known of a node by its file alone. Nodes of one file share the text of its name.
struct ModuleKind {
    bool is_mpi = false;
    bool is_system = false;
    bool is_python = false;
};
class ModuleKinds {
  public:
    const ModuleKind &of(const std::string &module) {
        const auto [at, is_new] = known_.try_emplace(&module);
        if (is_new) {
            at->second = {is_mpi_module(module), is_system_library(module), is_python(module)};
        }
        return at->second;
    }

  private:
    std::unordered_map<const std::string *, ModuleKind> known_;
};

bool is_own_time(const Cell &cell) {
    const unsigned state = state_within(cell);
    return state == THR_SERIAL_STATE || state == THR_WORK_STATE;
}

} // namespace

TimeClasses::TimeClasses(const Process &process) : process_(process) {
    mpi_.reserve(process.nodes.size());
    ModuleKinds modules;
    for (const Node &node : process.nodes) {
        const auto above = static_cast<size_t>(node.parent);
        const bool is_code = node.kind == NodeKind::kFunction;
        const ModuleKind &module = modules.of(node.module.str());
        const auto own = static_cast<int>(mpi_.size());
        int mpi = node.parent < 0 ? -1 : mpi_[above];
        if (mpi < 0 && is_code && (module.is_mpi || is_mpi_name(node.function.str()))) {
            mpi = own;
        }
        mpi_.push_back(mpi);
        is_unobserved_.push_back((node.parent >= 0 && is_unobserved_[above]) ||
                                 (is_code && node.function.str().ends_with(kUnobservedRegion)));
        const bool is_inside = node.parent >= 0 && waits_[above] >= 0 && is_code;
        const bool by_python =
            node.parent >= 0 && (modules.of(process.nodes[above].module.str()).is_python ||
                                 is_python_line(process.nodes[above]));
        const WaitingFunction *row = is_code && module.is_system
                                         ? waiting_function(node.function.str(), by_python)
                                         : nullptr;
        // The outermost one has the name. Inside of it others tell that the lock is not free.
        waits_.push_back(is_inside ? waits_[above] : row ? own : -1);
        is_wait_.push_back(is_inside ? is_wait_[above] : row ? row->is : TimeClass::kCode);
        is_asleep_.push_back((!is_inside || is_asleep_[above]) && !(row && !row->when_asleep));
    }
    // What forks such a region waits for it in the runtime, whose frames are on no call path.
    for (const Node &node : process.nodes) {
        if (node.parent >= 0 && node.function.str().ends_with(kUnobservedRegion)) {
            is_unobserved_[static_cast<size_t>(node.parent)] = true;
        }
    }
    const auto futex = std::find(process.calls.begin(), process.calls.end(), "futex");
    futex_ =
        futex == process.calls.end() ? kNoCall : static_cast<int>(futex - process.calls.begin());
}

TimeClass TimeClasses::of(const Cell &cell) const {
    if (!is_own_time(cell)) {
        return cell.state == kNoProcessorState ? TimeClass::kNoProcessor : TimeClass::kRuntime;
    }
    if (state_within(cell) == THR_SERIAL_STATE && cell.node >= 0 &&
        is_unobserved_[static_cast<size_t>(cell.node)]) {
        return TimeClass::kUnobserved;
    }
    if (mpi_node(cell.node) >= 0) {
        return TimeClass::kMpi;
    }
    const bool is_asleep = cell.state == kAsleepState;
    if (const int wait = wait_node(cell.node);
        wait >= 0 && (is_asleep || !is_asleep_[static_cast<size_t>(cell.node)])) {
        return is_wait_[static_cast<size_t>(cell.node)];
    }
    if (is_asleep) { // who sleeps in a futex is woken by a thread
        return cell.call != kNoCall && cell.call == futex_ ? TimeClass::kOwnThread
                                                           : TimeClass::kAsleep;
    }
    return cell.state == kNoProcessorState ? TimeClass::kNoProcessor : TimeClass::kCode;
}

double unobserved_seconds(const Process &process) {
    const TimeClasses classes(process);
    double sum = 0;
    for (const Cell &cell : process.cells) {
        sum += classes.of(cell) == TimeClass::kUnobserved ? cell.wall : 0;
    }
    return sum;
}

std::string TimeClasses::mpi_call(int node) const {
    const int at = mpi_node(node);
    if (at < 0) {
        return {};
    }
    std::string name = node_name(process_.nodes[static_cast<size_t>(at)]);
    if (!is_mpi_name(name)) {
        return name;
    }
    name.erase(0, name[0] == 'P' || name[0] == 'p' ? 1 : 0);
    const bool is_lower = name[0] == 'm';
    const bool is_upper =
        std::none_of(name.begin(), name.end(), [](unsigned char c) { return islower(c); });
    if (name.size() > 5 && (is_lower || is_upper)) { // of Fortran: mpi_allreduce_, MPI_ALLREDUCE
        name.erase(name.find_last_not_of('_') + 1);
        std::transform(name.begin() + 5, name.end(), name.begin() + 5,
                       [](unsigned char c) { return static_cast<char>(tolower(c)); });
        name.replace(0, 3, "MPI");
        name[4] = static_cast<char>(toupper(static_cast<unsigned char>(name[4])));
    }
    return name;
}

} // namespace ompcollect::report
