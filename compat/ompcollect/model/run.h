// SPDX-License-Identifier: Apache-2.0
//
// A run as every report sees it: one process or several, with names in place of addresses, so that
// it can be read on another machine. A tree of call paths whose nodes are functions and parallel
// regions, and cells of time by (thread, node, state). Everything is owned by value. Figures are
// made from it in figures.h, and the file that keeps it is described in run_binary.h.
#pragma once

#include "kinds.h"
#include "shared_text.h"
#include "states.h"
#include "thread_counts.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ompcollect::report {

enum class NodeKind : unsigned { kFunction, kRegion };

// A time that was not measured is none: not a number, so that a sum with it is not known either.
// JSON has null for it. Ask with is_known().
inline constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
inline bool is_known(double value) {
    return !std::isnan(value);
}

// Where a cell or a sample belongs that is in no node of the tree.
inline constexpr int kOutside = -1; // outside any region, idle workers included
inline constexpr int kSeveral = -2; // idle workers while several outermost regions ran
inline constexpr int kUnknown = -3; // inside a region whose fork was not seen

// The function of a node that stands for frames which could not be walked.
inline constexpr char kCutPath[] = "(call path cut short)";
// How the function of a node ends whose code a compiler has cut out for a region, where no region
// is known, in a process with a runtime that is not observed.
inline constexpr char kUnobservedRegion[] = " [region, not observed]";

struct Node {
    int parent = -1; // index into the nodes, always smaller than the node's own; -1: a root
    NodeKind kind = NodeKind::kRegion;
    SharedText function;       // of the code, or the one that holds the fork; empty: not known
    SharedText source;         // "file:line"; empty: not known
    SharedText module;         // path of the mapped file; empty: not known
    uint64_t offset = 0;       // address as that file counts it
    uint64_t entries = 0;      // of a region, by all its call paths, at the first of them
    double single_seconds = 0; // the same: thread time in its single and master parts
    // Of a region, at the first of its nodes: the most threads that forked it and were there at the
    // same time; 0: not known. Counted from `Process::forkers`.
    unsigned masters = 0;
    // A region that several call paths lead to has a node for each. This is the first of them, for
    // the others; figures of the region are kept there.
    int same_as = -1;
};

struct Thread {
    unsigned number = 0; // in the order of first sight
    long tid = 0;
    bool is_initial = false;
    uint64_t threads = 1; // more than 1: several that shared this row one after the other
    double begin = 0;     // seconds from the process's begin
    double end = 0;
    uint64_t samples = 0;
    // As thread_counts.h has them, since it began. 0 of all: not known.
#define OMPCOLLECT_MEMBER(name, about, heading, line, member) uint64_t name = 0;
    OMPCOLLECT_THREAD_COUNTS(OMPCOLLECT_MEMBER)
#undef OMPCOLLECT_MEMBER
    std::vector<uint64_t> events; // by event number
    // False: the processor time of its cells is not known. Their time without a processor and their
    // time asleep stand under the thread's state then.
    bool has_cpu_times = true;
    double cpu_seconds = kNotKnown;    // in all; known where that of its states is not, too
    double waited_seconds = kNotKnown; // ready to run, without a processor: by the kernel's count
    // Processors on which it might run, as ranges: first, last, first, last. The smallest set that
    // was seen while it ran, and the last one (processor_sets.h); empty: not known.
    std::vector<uint64_t> fewest_processors;
    std::vector<uint64_t> last_processors;
};

// The system call of a cell where none is known.
inline constexpr int kNoCall = -1;

// Time of a thread at a node of the tree. What the operating system did with the thread decides
// first. All time in which it was ready to run without a processor has kNoProcessorState. Time
// asleep in the program's own code (SERIAL or WORK) has kAsleepState. `within` has the state that
// OpenMP gave the thread then. All else has that state: a thread asleep in a barrier has IBAR. So
//   in OpenMP's state S, whatever the system did   cells with state_within(cell) == S
//   in S, and it ran, or slept as S does           cells with cell.state == S
// In both states of ours `cpu` is 0.
struct Cell {
    unsigned thread = 0; // index
    int node = kOutside;
    unsigned state = 0; // what is shown
    double wall = 0;    // seconds by the clock
    double cpu = 0;     // seconds in which a processor ran the thread; kNotKnown: not measured
    uint64_t samples = 0;
    unsigned within = 0; // where `state` is one of ours: that of OpenMP
    int call = kNoCall;  // of kAsleepState: index into the process's calls
};
struct Process;
std::string call_name(const Process &process, const Cell &cell); // "nanosleep"; empty: not known
inline unsigned state_within(const Cell &cell) {
    return cell.state < kContractStates ? cell.state : cell.within;
}

// A sample with its time. There may be none in a run: then nothing can be said about the order.
struct Sample {
    double time = 0; // seconds from the process's begin
    unsigned thread = 0;
    int node = kOutside;
    unsigned state = 0;
};

// A place as people see it. Apart, so that a long name can be shortened and the line kept.
struct NamedPlace {
    std::string name;       // of the function or object, or "module+0x12"; empty: not known
    std::string source;     // "file:line"; empty: not known
    SharedText module = {}; // where it is, for who gives it a name; an export has the name alone
    uint64_t offset = 0;    // address as that file counts it

    [[nodiscard]] bool empty() const { return name.empty() && source.empty(); }
    [[nodiscard]] std::string text() const {
        return name + (name.empty() || source.empty() ? "" : " ") + source;
    }
};

// Code that held a lock while others waited for it.
struct Holder {
    int node = kUnknown; // of its call path; or a special one
    NamedPlace place;    // where it released the lock
    double wall = 0;     // thread seconds that others waited
    uint64_t samples = 0;
};

// Time at a line of the source: of code, or of the call into the runtime where it waited.
struct Line {
    std::string source;   // "file:line"
    std::string function; // the innermost, inlined ones included
    std::string text;     // empty: the file was not there
    StateTimes times;
    uint64_t samples = 0;
    SharedText folder = {}; // of the file, where it was when it was compiled; empty: not known
};

struct Lock {
    unsigned state = 0; // the wait state: LKWT, CTWT, ODWT or ATWT
    uint64_t wait_id = 0;
    NamedPlace object;
    NamedPlace first_wait;
    uint64_t waits = 0; // knows_waits() tells whether they were counted
    uint64_t samples = 0;
    double wall = 0;
    double cpu = 0;                   // kNotKnown: not measured
    std::vector<Holder> holders = {}; // most time first
};

struct Event {
    int registered = -1; // what REGISTER got; -1: not asked for
    uint64_t count = 0;
};

// For each node the nearest region at or above it, and the outermost one; below 0: none. Made as
// nodes are asked for. Nodes that were asked for keep parent and kind.
class NodeIndex {
  public:
    [[nodiscard]] int region(const std::vector<Node> &nodes, size_t node) {
        return row(nodes, node).region;
    }
    [[nodiscard]] int outermost(const std::vector<Node> &nodes, size_t node) {
        return row(nodes, node).outermost;
    }

  private:
    struct Row {
        int region;
        int outermost;
    };
    const Row &row(const std::vector<Node> &nodes, size_t node);

    std::vector<Row> rows_;
};

// How many names of a call path a row of a format has. Formats repeat the whole path in each row:
// where that would make some hundred megabytes of a file, rows have the innermost names alone.
class PathBound {
  public:
    [[nodiscard]] size_t most_names(const Process &process);

  private:
    size_t most_ = 0; // 0: not known yet
};

struct Process {
    long pid = 0;
    long parent_pid = 0;
    std::string program;
    std::string build_id; // of its file, in hexadecimal digits; empty: not known
    std::vector<std::string> arguments;
    std::string host;
    std::string rank;          // empty: not of an MPI job
    std::string rank_variable; // in which the job's launcher gave it
    std::string launcher;      // of the job, "Open MPI"; empty: not of a job
    unsigned ranks = 0;        // of the job, as its launcher has told; 0: not known
    std::string job;           // its name, the same for all ranks; empty: not known
    int64_t begin = 0;         // seconds since 1970
    unsigned begin_nanoseconds = 0;
    double seconds = 0;
    double cpu_seconds = 0;
    uint64_t other_threads = 0; // seen without OpenMP
    double other_cpu_seconds = 0;
    double other_waited_seconds = 0; // for a processor
    double kernel_seconds = 0;       // of cpu_seconds
    uint64_t page_faults = 0;
    Ending ending = Ending::kNone;
    int exit_code = -1;       // -1: not known
    std::string how_it_ended; // in the launcher's words; empty: as `ending` says
    bool is_partial = false;
    std::string missing;
    std::vector<std::string> environment;
    unsigned processors = 0;        // that it may run on; 0: not known
    unsigned processors_online = 0; // of the machine; 0: not known
    unsigned megahertz = 0;         // mean of processors that its threads ran on; 0: not known
    std::string affinity;
    std::string runtime; // version string of the runtime
    std::string runtime_file;
    std::string runtime_note;    // "in place of libgomp"; empty: none
    std::string other_runtimes;  // loaded besides, their files; empty: none
    std::string ompt_generation; // "OpenMP 5", "TR6", ...; empty: not known
    unsigned omp_version = 0;    // _OPENMP, 0: not known
    std::string producer;
    unsigned most_threads = 0; // that took part in OpenMP at the same time; 0: not known
    unsigned rate = 0;
    bool has_cpu_times = false; // wall and cpu were measured apart, for all threads
    // Time asleep, or without a processor, was measured. False (--clock cpu): nothing is known of
    // waiting without a processor and of sleeping, and `wall` is processor time.
    bool has_wall_times = true;
    // Thread seconds without a processor, told apart: its own threads that were ready to run were
    // more than the processors for them, or others had those. Their sum is that of the threads.
    double waited_for_own = kNotKnown;
    double waited_for_others = kNotKnown;
    // Processor seconds that others used of the processors that it may run on.
    double others_cpu_seconds = kNotKnown;
    // Of the elapsed time: a region ran, whoever forked it.
    double in_regions_seconds = kNotKnown;
    // Processors that its container or job may use, by a quota of time; 0: as many as there are.
    // The kernel stops all of its threads for the rest of a period in which they have used that.
    double quota = 0;
    uint64_t quota_periods = 0;
    uint64_t throttled_periods = 0;
    double throttled_seconds = 0; // of its processors
    // By the monotonic clock, in no other time of the run: the whole process stood still; the clock
    // was set back.
    double stood_still_seconds = 0;
    double set_back_seconds = 0;
    int start_code = 0;
    uint64_t late_samples = 0;
    uint64_t lost_samples = 0;
    int signal = 0;                     // of the sampling; 0: not known
    bool signal_taken = false;          // by the program, and it could not be kept
    unsigned threads_on_one_cpu = 0;    // the most that may run on the same one processor only
    uint64_t threads_without_timer = 0; // the system gave none
    double unplaced = 0;                // thread seconds for which there was no room for a row
    uint64_t unplaced_lock_waits = 0;   // begun for locks without a row
    double unplaced_lock_time = 0;      // thread seconds in them
    uint64_t forgotten_regions = 0;     // executions whose time is in no region
    uint64_t forgotten_modules = 0;     // loaded objects whose code is unknown
    uint64_t lines_left_out = 0;        // of the source, with the least time
    std::string lines_missing;          // why some files have none; empty: none is known of
    std::string python_missing;         // why lines of Python are not there; empty: they are
    bool arguments_cut = false;         // the command was longer than what is kept
    std::string stacks = "off";         // which call stacks were kept: full, forks, off
    uint64_t walks = 0;                 // of stacks of samples
    uint64_t cut_walks = 0;             // that did not reach their end
    uint64_t fork_stacks = 0;           // regions whose call path was asked for
    uint64_t fork_walks = 0;            // of these: not known from before, so that they were walked
    uint64_t samples_missed = 0;        // of the samples with times, for which there was no room
    std::string samples_end_early;      // why the later ones are missing; empty: they are not
    bool knows_holders = false;         // of locks; else no holder could be known
    unsigned sample_step = 1;           // each so many-th of them is here, as they are many
    std::vector<std::string> calls;     // system calls in which threads slept: "read", ...
    std::vector<Event> events;          // by event number
    std::vector<Thread> threads;
    std::vector<Node> nodes;
    std::vector<Cell> cells;
    std::vector<Lock> locks;
    std::vector<Line> lines;     // most time first; only where stacks were kept
    std::vector<Sample> samples; // by time; may be empty

    // Who forked which region, by its first node. From the live tables, as long as regions may come
    // to be one (name_process); not saved.
    std::vector<std::pair<int, unsigned>> forkers;
    mutable NodeIndex node_index = {}; // for region_of() and outermost_of()
    mutable PathBound path_bound = {}; // for path_names()
};

// Seconds between two samples with times of a thread that runs; 0: not known.
inline double sample_period(const Process &process) {
    const unsigned step = process.sample_step != 0 ? process.sample_step : 1;
    return process.rate != 0 ? static_cast<double>(step) / process.rate : 0;
}

const char *stacks_name(Stacks stacks); // as the option has it

// As files have it: "exit", "exec", ... An unknown name is kNone.
const char *ending_name(Ending ending);
Ending ending_named(const std::string &name);

struct Run {
    std::vector<Process> processes;
};

// False: a lock's waits were not counted, as the producer has no event for them.
bool knows_waits(const Process &process, const Lock &lock);

// What a reader calls before the check: values that the run says were not measured become
// kNotKnown. In runs that were saved before they are 0.
void forget_unmeasured(Process &process);

// Cells of one thread, node, state, state within and call come to be one; in this order.
void merge_cells(std::vector<Cell> &cells);

// Nodes get the number of their masters.
void count_masters(Process &process);

// True if it forked or was seen in a state that only OpenMP has.
bool used_openmp(const Process &process);

// What a reader sees of a node, a thread and a state.
std::string node_name(const Node &node);
std::string path_name(const Node &node); // as a part of a call path: regions are marked
// Names stand in many rows of a format: of a very long one begin and end.
std::string bounded(const std::string &name);
std::string place_name(const Process &process, int node); // the special ones too
std::string thread_name(const Thread &thread);

// "file:line" in its parts; line 0 where the text has none.
struct SourcePlace {
    std::string file;
    unsigned line = 0;
};
SourcePlace source_place(const std::string &text);

// The C library and its parts, the compilers' libraries, the kernel's page of code, and the files
// of Python's packages.
bool is_system_library(const std::string &module);
// A file of Python's own or of an installed package, which its reader has not written.
bool is_python_library(const std::string &file);
// The OpenMP runtimes among loaded files besides the one that is observed: of libgomp, the front
// that stands before it. Empty: none.
std::string other_runtimes(const std::vector<SharedText> &files, const std::string &observed);
// The same as is_system_library() for the modules of many nodes, of which neighbours mostly have
// the same.
class SystemLibraries {
  public:
    [[nodiscard]] bool have(const SharedText &module) {
        if (module.str().data() != last_) {
            last_ = module.str().data();
            is_one_ = is_system_library(module);
        }
        return is_one_;
    }

  private:
    const char *last_ = nullptr; // a module's text, which nodes keep
    bool is_one_ = false;
};

// Names of a call path from its root to the node; `at` below 0 gives one word or none. Of a path
// that is too long for its format (PathBound) the first name is "...".
std::vector<std::string> path_names(const Process &process, int at);

// The nearest region at or above a node, by its first node; or the special number itself.
int region_of(const Process &process, int node);
// The outermost one.
int outermost_of(const Process &process, int node);

} // namespace ompcollect::report
