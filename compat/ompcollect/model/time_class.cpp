// SPDX-License-Identifier: Apache-2.0
#include "time_class.h"

#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <unordered_map>

namespace ompcollect::report {
namespace {

// In the order of TimeClass.
constexpr ClassWords kClasses[] = {
    {"code", "the program's own code"},          {"mpi", "MPI"},
    {"input_output", "input and output"},        {"asleep", "asleep"},
    {"no_processor", "waiting for a processor"}, {"runtime", "the OpenMP runtime"},
};
static_assert(std::size(kClasses) == static_cast<size_t>(TimeClass::kCountOfClasses));

// How the files of MPI and of what it stands on begin; behind it a dot, a dash or an underscore, or
// more of the name where the row ends in a star.
constexpr std::string_view kMpiModules[] = {
    "libmpi",    "libmpich*",   "libmpicxx",   "libmpi_cxx", "libmpifort", "libmpi_mpifh",
    "libpmpi*",  "libopen-rte", "libopen-pal", "libpmix",    "libpmi",     "libpmi2",
    "libprrte*", "libucp",      "libuct",      "libucs",     "libucm",     "libfabric",
    "libpsm2",   "mca_*",       "libmca_*",
};

constexpr std::string_view kInputOutputCalls[] = {
    "read",     "write",     "pread64",    "pwrite64",     "readv",          "writev",
    "preadv",   "pwritev",   "preadv2",    "pwritev2",     "open",           "openat",
    "close",    "fsync",     "fdatasync",  "sync",         "syncfs",         "sync_file_range",
    "sendfile", "splice",    "msync",      "ftruncate",    "fallocate",      "copy_file_range",
    "recvfrom", "recvmsg",   "recvmmsg",   "sendto",       "sendmsg",        "sendmmsg",
    "accept",   "accept4",   "connect",    "io_getevents", "io_uring_enter", "getdents64",
    "stat",     "lstat",     "newfstatat", "statx",        "unlink",         "unlinkat",
    "rename",   "renameat2", "mkdir",      "flock",        "page fault",
};

// Functions of the system's libraries that read and write.
constexpr std::string_view kInputOutputFunctions[] = {
    "read",
    "write",
    "pread",
    "pwrite",
    "pread64",
    "pwrite64",
    "readv",
    "writev",
    "open",
    "open64",
    "openat",
    "close",
    "fopen",
    "fopen64",
    "fclose",
    "fread",
    "fwrite",
    "fgets",
    "fputs",
    "fgetc",
    "getc",
    "getline",
    "getdelim",
    "fscanf",
    "scanf",
    "fprintf",
    "printf",
    "vfprintf",
    "vprintf",
    "puts",
    "putchar",
    "fputc",
    "fflush",
    "fseek",
    "fsync",
    "fdatasync",
    "recv",
    "send",
    "recvfrom",
    "sendto",
    "readdir",
    "mmap",
    "msync",
    "__isoc99_fscanf",
    "__isoc99_scanf",
    "__fprintf_chk",
    "__printf_chk",
    "__vfprintf_chk",
    "__fread_chk",
    "__fgets_chk",
    "__read_chk",
    "_IO_getc",
    "getline_unlocked",
    "fread_unlocked",
    "fwrite_unlocked",
};

template <size_t kCount>
bool is_among(const std::string_view (&names)[kCount], std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

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

bool is_stream(std::string_view name) {
    return name.find("stream") != name.npos || name.find("filebuf") != name.npos ||
           name.find("getline") != name.npos;
}

// What is known of a node by its file alone.
struct ModuleKind {
    enum class Functions { kNone, kFortran, kCxx, kAll, kSystem };
    bool is_mpi = false;
    Functions input_output = Functions::kNone; // that read and write
};

ModuleKind kind_of_module(const std::string &module) {
    using Functions = ModuleKind::Functions;
    const std::string file = base_name(module);
    const auto begins = [&file](std::string_view with) { return file.starts_with(with); };
    const Functions functions = begins("libgfortran") || begins("libFortranRuntime")
                                    ? Functions::kFortran
                                : begins("libstdc++")                      ? Functions::kCxx
                                : begins("libhdf5") || begins("libnetcdf") ? Functions::kAll
                                : is_system_library(module)                ? Functions::kSystem
                                                                           : Functions::kNone;
    return {is_mpi_module(module), functions};
}

// Nodes of one file share the text of its name.
class ModuleKinds {
  public:
    const ModuleKind &of(const std::string &module) {
        const auto [at, is_new] = known_.try_emplace(&module);
        if (is_new) {
            at->second = kind_of_module(module);
        }
        return at->second;
    }

  private:
    std::unordered_map<const std::string *, ModuleKind> known_;
};

bool reads_or_writes(ModuleKind::Functions of, const std::string &function) {
    switch (of) {
    case ModuleKind::Functions::kNone:
        break;
    case ModuleKind::Functions::kFortran:
        return function.find("_st_") != std::string::npos ||
               function.find("_transfer_") != std::string::npos ||
               function.find("FortranAio") != std::string::npos;
    case ModuleKind::Functions::kCxx:
        return is_stream(function);
    case ModuleKind::Functions::kAll:
        return true;
    case ModuleKind::Functions::kSystem:
        return is_among(kInputOutputFunctions, function);
    }
    return false;
}

bool is_own_time(const Cell &cell) {
    const unsigned state = state_within(cell);
    return state == THR_SERIAL_STATE || state == THR_WORK_STATE;
}

} // namespace

const ClassWords &class_words(TimeClass of) {
    return kClasses[static_cast<size_t>(of)];
}

TimeClasses::TimeClasses(const Process &process) : process_(process) {
    mpi_.reserve(process.nodes.size());
    is_input_output_.reserve(process.nodes.size());
    ModuleKinds modules;
    for (const Node &node : process.nodes) {
        const auto above = static_cast<size_t>(node.parent);
        const bool is_code = node.kind == NodeKind::kFunction;
        const ModuleKind &module = modules.of(node.module.str());
        int mpi = node.parent < 0 ? -1 : mpi_[above];
        if (mpi < 0 && is_code && (module.is_mpi || is_mpi_name(node.function.str()))) {
            mpi = static_cast<int>(mpi_.size());
        }
        const bool is_under = node.parent >= 0 && is_input_output_[above];
        mpi_.push_back(mpi);
        is_input_output_.push_back(
            is_under || (is_code && reads_or_writes(module.input_output, node.function.str())));
    }
    for (const std::string &call : process.calls) {
        call_does_output_.push_back(is_among(kInputOutputCalls, call));
    }
}

TimeClass TimeClasses::of(const Cell &cell) const {
    if (!is_own_time(cell)) {
        return cell.state == kNoProcessorState ? TimeClass::kNoProcessor : TimeClass::kRuntime;
    }
    if (mpi_node(cell.node) >= 0) {
        return TimeClass::kMpi;
    }
    if (cell.state == kNoProcessorState) {
        return TimeClass::kNoProcessor;
    }
    if (cell.state == kAsleepState && cell.call >= 0) {
        return call_does_output_[static_cast<size_t>(cell.call)] ? TimeClass::kInputOutput
                                                                 : TimeClass::kAsleep;
    }
    if (cell.node >= 0 && is_input_output_[static_cast<size_t>(cell.node)]) {
        return TimeClass::kInputOutput;
    }
    return cell.state == kAsleepState ? TimeClass::kAsleep : TimeClass::kCode;
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
