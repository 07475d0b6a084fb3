// SPDX-License-Identifier: Apache-2.0
//
// A profile as plain data: what a reader makes of a profile file (profile_reader.h), and what
// reports print. Used in the launcher and, where the collector runs without one, inside foreign
// processes, so it needs neither libstdc++ nor exceptions. All arrays and strings belong to whoever
// filled the structure in; nothing here is freed.
#pragma once

#include "omp_collector_api.h"

#include <cstddef>
#include <cstdint>

namespace ompcollect {

// State numbers of the contract, and room for those that later producers add (up to 16 is known).
// Column 0 holds time in which the producer gave no usable state.
inline constexpr unsigned kStateColumns = 17;
// States in reading order: work, waits, runtime, nothing to do.
inline constexpr unsigned kStateOrder[kStateColumns] = {
    THR_SERIAL_STATE,
    THR_WORK_STATE,
    THR_REDUC_STATE,
    THR_IBAR_STATE,
    THR_EBAR_STATE,
    THR_LKWT_STATE,
    THR_CTWT_STATE,
    THR_ODWT_STATE,
    THR_ATWT_STATE,
    THR_OVHD_STATE,
    THR_IDLE_STATE,
    12,
    13,
    14,
    15,
    16,
    0,
};

// Event numbers of the contract, 1..22; 0 is not used.
inline constexpr unsigned kEventNumbers = 23;

// Short names for table heads: "WORK", "IBAR", ...; "?" for column 0 and unnamed numbers.
const char *state_name(unsigned state);
// "FORK", "BEGIN_IDLE", ...
const char *event_name(unsigned event);
// "OK", "SEQUENCE_ERR", ...
const char *error_name(int code);

// True for the states that wait for a mutex: lock, critical, ordered, atomic.
bool is_mutex_wait(unsigned state);

// Seconds by state number. `wall` is time by the clock; `cpu` is the part of it in which a
// processor executed the thread. The difference is time asleep or waiting for a processor.
struct StateTimes {
    double wall[kStateColumns] = {};
    double cpu[kStateColumns] = {};
};
double total_wall(const StateTimes &times);
double total_cpu(const StateTimes &times);
void add_times(StateTimes &sum, const StateTimes &part);

// A place in a mapped file. Symbol and source are filled in where they are known, else null.
struct Place {
    const char *module = nullptr; // path of the mapped file; null: not inside any
    uint64_t offset = 0;          // address as the file counts it (its ELF virtual address)
    const char *symbol = nullptr;
    const char *source = nullptr; // "file:line"
};

enum class ThreadKind : unsigned {
    kInitial, // the thread the process began with
    kOpenMP,  // any other that took part in OpenMP
};

// A row of the threads that took part in OpenMP, in the order of first sight.
struct ThreadRow {
    unsigned number = 0; // in the order of first sight
    long tid = 0;
    ThreadKind kind = ThreadKind::kOpenMP;
    uint64_t threads = 1; // more than 1: threads that ended and those that took over their row
    bool has_ended = false;
    double begin = 0;       // seconds from the process's begin to its first OpenMP event
    double end = 0;         // to its end, or to the last heartbeat
    unsigned cpu_count = 0; // processors that it may run on, as of its first event; 0: not known
    unsigned first_cpu = 0; // the lowest of them
    uint64_t samples = 0;
    uint64_t events[kEventNumbers] = {};
    StateTimes times;
};

// Threads that never took part in OpenMP (a progress thread of MPI, Python's own): outside all
// sums.
struct OtherThreads {
    uint64_t count = 0;
    double cpu = 0; // seconds that they ran
};

// One fork location under one parent.
struct RegionRow {
    uint64_t entries = 0;
    int parent = -1; // index into the regions, -1: none
    Place place;
    unsigned threads = 0; // rows of threads that were seen in it
    uint64_t samples = 0;
    StateTimes times;
};

// What the two tables above are sums of: time of one thread row in one region and state.
inline constexpr int kOutsideRegions = -1; // outside any region, idle workers included
inline constexpr int kSeveralRegions = -2; // idle workers while several outermost regions ran
inline constexpr int kUnknownRegion = -3;  // inside a region whose fork was not seen
struct CellRow {
    unsigned thread = 0; // index into the threads
    int region = kOutsideRegions;
    unsigned state = 0;
    double wall = 0;
    double cpu = 0;
    uint64_t samples = 0;
};

// A node of the tree of call paths. There is none where no stacks were kept.
enum class PathKind : unsigned {
    kRegion,
    kFrame,
    kCut, // stands for frames that could not be walked
};
struct PathRow {
    int parent = -1; // index into the paths, smaller than the row's own; -1: none
    PathKind kind = PathKind::kFrame;
    int place = -1;  // index into the places; -1: not known
    int region = -1; // index into the regions: the innermost one at or above; -1: none
    uint64_t entries = 0;
};

// A place on call paths, with the functions that were inlined there, the outermost first.
struct PathPlace {
    Place place;
    const Place *inlined = nullptr;
    size_t inlined_count = 0;
    const char *line = nullptr;      // "file:line" of the place itself; null: not known
    const char *line_path = nullptr; // the same with the file's folder
    bool is_part = false; // the compiler has cut it out of another function: a region's body
};

// Time of one thread row in one path and state: the same times as in the cells of regions.
struct PathCell {
    unsigned thread = 0;
    int path = -1; // or one of the special regions
    unsigned state = 0;
    double wall = 0;
    double cpu = 0;
    uint64_t samples = 0;
};

// A sample with its time.
struct TimedSample {
    double time = 0; // seconds from the process's begin
    unsigned thread = 0;
    int path = -1; // or one of the special regions
    unsigned state = 0;
};

// Code that held a lock while others waited for it.
struct HolderRow {
    Place place;     // that released it
    int path = -1;   // index into the paths, or one of the special regions
    double wall = 0; // thread seconds that others waited
    uint64_t samples = 0;
};

struct LockRow {
    unsigned state = 0; // the wait state: LKWT, CTWT, ODWT or ATWT
    uint64_t wait_id = 0;
    uint64_t waits = 0; // BEGIN events
    uint64_t samples = 0;
    double wall = 0; // seconds in the wait state
    double cpu = 0;
    Place object;                       // where the wait id points, if into a module
    Place first_wait;                   // code that waited first
    const HolderRow *holders = nullptr; // most time first
    size_t holder_count = 0;
};

struct EventRow {
    int registered = -1; // error code that REGISTER got; -1: not asked for
    uint64_t count = 0;
};

// How the time of threads that do not run was measured.
enum class OffProcessor : unsigned {
    kNotMeasured, // --clock cpu: wall and cpu are the same
    kFromOutside, // one sampling thread reads each thread's state: nobody is disturbed
    kBySignals,   // per-thread timers by the clock; cpu is not known apart and reads as 0
};

// Which call stacks were kept.
enum class Stacks : unsigned {
    kOff,
    kForks, // where regions were forked
    kFull,  // those of samples too
};

const char *stacks_name(Stacks stacks); // as the option has it

enum class Ending : unsigned {
    kNone,     // the process runs, or was killed, or left by _exit
    kExit,     // exit() or the end of main
    kQuitFast, // _exit, _Exit or quick_exit
    kExec,     // became another program
    kStopped,  // somebody sent STOP
};

// One NAME=value each.
struct TextList {
    const char *const *texts = nullptr;
    size_t count = 0;
};

struct Profile {
    // The process.
    long pid = 0;
    long parent_pid = 0;
    const char *program = ""; // path of the executable
    TextList arguments;       // argv
    const char *host = "";
    const char *rank = nullptr;          // of an MPI job, as the job's launcher gave it
    const char *rank_variable = nullptr; // in which variable
    int64_t begin_unix_seconds = 0;      // the process's begin
    unsigned begin_nanoseconds = 0;      // of it, the part of a second
    double seconds = 0;                  // from then to its end, or to the last heartbeat
    double cpu_seconds = 0;              // of the whole process in that time
    Ending ending = Ending::kNone;
    int exit_code = -1;   // -1: not known
    TextList environment; // OMP_*, KMP_*, GOMP_* that are set

    // The machine and the runtime.
    unsigned processors = 0;      // online
    unsigned processors_free = 0; // that the process may run on
    const char *affinity = "";    // which, e.g. "0-3,8"
    const char *runtime_file = "";
    const char *runtime_version = "";
    unsigned omp_version = 0;         // _OPENMP, 0: not known
    const char *ompt_generation = ""; // "OpenMP 5", "TR6", ...
    const char *producer = "";        // who serves the Collector API: "bridge 0.1.0"; "" for others
    unsigned most_threads = 0;        // that took part in OpenMP at the same time

    // How it was measured.
    unsigned rate = 0; // samples per second of each thread
    int signal = 0;
    OffProcessor off_processor = OffProcessor::kNotMeasured;
    int start_code = 0; // what START got; -1: there is no producer

    // What should make a reader doubt.
    bool signal_taken = false; // the program took the sampling signal and it could not be kept
    uint64_t late_samples = 0; // ticks delivered late, in one signal with others
    uint64_t lost_samples = 0; // ticks that reached no row
    unsigned threads_on_one_cpu = 0; // the most threads that may run on the same one processor only
    uint64_t threads_without_timer = 0; // the system gave none (RLIMIT_SIGPENDING)
    StateTimes unplaced;                // time for which there was no room for a row
    uint64_t unplaced_lock_waits = 0;   // begun for locks without a row
    double unplaced_lock_time = 0;      // seconds in them
    uint64_t forgotten_regions = 0;     // whose time is in no region
    bool arguments_cut = false;         // the command was longer than what is kept
    const char *missing =
        nullptr;             // why rows are missing: "no space left on device" ...; null: none
    bool is_partial = false; // the file was cut or damaged; the rest is what could be read

    EventRow events[kEventNumbers] = {};
    const ThreadRow *threads = nullptr;
    size_t thread_count = 0;
    OtherThreads others;
    const RegionRow *regions = nullptr; // most time first
    size_t region_count = 0;
    const CellRow *cells = nullptr;
    size_t cell_count = 0;
    StateTimes serial;              // outside any region, idle workers included
    StateTimes several;             // idle workers while several outermost regions ran
    StateTimes unknown_region;      // inside a region whose fork was not seen
    const LockRow *locks = nullptr; // most time first
    size_t lock_count = 0;
    bool knows_holders = false; // of locks; else nobody can tell

    // Call paths.
    Stacks stacks = Stacks::kOff;
    uint64_t walks = 0; // of stacks of samples
    uint64_t cut_walks = 0;
    uint64_t fork_stacks = 0;
    uint64_t fork_walks = 0; // not known from before
    const PathRow *paths = nullptr;
    size_t path_count = 0;
    const PathPlace *places = nullptr;
    size_t place_count = 0;
    const PathCell *path_cells = nullptr;
    size_t path_cell_count = 0;

    const TimedSample *samples = nullptr; // by time
    size_t sample_count = 0;
    uint64_t samples_missed = 0;             // for which there was no room
    const char *samples_end_early = nullptr; // why later ones are missing; null: they are not
    unsigned sample_step = 1;                // each so many-th of them was read, as they are many
};

// A process has used OpenMP if it forked or was seen in a state that only OpenMP has.
bool used_openmp(const Profile &profile);

} // namespace ompcollect
