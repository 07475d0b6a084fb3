// SPDX-License-Identifier: Apache-2.0
#include "time_class.h"

#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

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
    "libmpi",       "libmpich*", "libmpicxx",   "libmpi_cxx",  "libmpifort",
    "libmpi_mpifh", "libpmpi*",  "libopen-rte", "libopen-pal", "libpmix",
    "libpmi",       "libpmi2",   "libprrte*",   "libucp",      "libuct",
    "libucs",       "libucm",    "libfabric",   "libpsm2",     "mca_*",
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
    return name.starts_with("MPI_") || name.starts_with("PMPI_") || name.starts_with("mpi_") ||
           name.starts_with("pmpi_");
}

bool is_stream(std::string_view name) {
    return name.find("stream") != name.npos || name.find("filebuf") != name.npos ||
           name.find("getline") != name.npos;
}

bool reads_or_writes(const Node &node) {
    const std::string file = base_name(node.module);
    if (file.starts_with("libgfortran") || file.starts_with("libFortranRuntime")) {
        return node.function.find("_st_") != std::string::npos ||
               node.function.find("_transfer_") != std::string::npos ||
               node.function.find("FortranAio") != std::string::npos;
    }
    if (file.starts_with("libstdc++")) {
        return is_stream(node.function);
    }
    if (file.starts_with("libhdf5") || file.starts_with("libnetcdf")) {
        return true;
    }
    return is_system_library(node.module) && is_among(kInputOutputFunctions, node.function);
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
    for (const Node &node : process.nodes) {
        const auto above = static_cast<size_t>(node.parent);
        const bool is_code = node.kind == NodeKind::kFunction;
        int mpi = node.parent < 0 ? -1 : mpi_[above];
        if (mpi < 0 && is_code && (is_mpi_name(node.function) || is_mpi_module(node.module))) {
            mpi = static_cast<int>(mpi_.size());
        }
        const bool is_under = node.parent >= 0 && is_input_output_[above];
        mpi_.push_back(mpi);
        is_input_output_.push_back(is_under || (is_code && reads_or_writes(node)));
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
    if (name[0] == 'm') { // of Fortran: mpi_allreduce_
        name.erase(name.find_last_not_of('_') + 1);
        name.replace(0, 3, "MPI");
        name[4] = static_cast<char>(toupper(static_cast<unsigned char>(name[4])));
    }
    return name;
}

} // namespace ompcollect::report
