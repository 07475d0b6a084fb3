// SPDX-License-Identifier: Apache-2.0
//
// The profile file that the default collector writes, one for each process. It is the collector's
// live tables, mapped shared. So nothing is lost however the process ends, and it can be read at
// any time. Only the process writes it, except for `launcher`.
//
//   0                  FileHeader
//   kDirectoryOffset   Extent[kMostExtents]; the first `extent_count` are in use
//   kFirstExtent       extents, each a multiple of the page size long
//
// An extent holds rows of one kind and one size. Extent k of a kind holds twice as many rows as
// extent k-1, so that row n of a kind has its place for ever, and references are row numbers. A row
// counts once its `ready` word is not 0, which is stored last. Rows are never removed. Numbers are
// in the byte order and the word size of the machine (64 bits only).
//
// Texts are in extents of their own, one after the other, without a terminator. A TextRef has
// offset and length.
#pragma once

#include "kinds.h"
#include "thread_counts.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ompcollect {

inline constexpr char kProfileSuffix[] = ".ompc";
inline constexpr char kMagic[8] = {'O', 'M', 'P', 'C', 'P', 'R', 'O', 'F'};
inline constexpr uint32_t kFormatVersion = 8;
inline constexpr uint32_t kByteOrder = 0x01020304;

inline constexpr size_t kDirectoryOffset = 4096;
inline constexpr size_t kMostExtents = 512;
inline constexpr size_t kFirstExtent = 16384;

// Offset in the file and length, 48 and 16 bits. 0: no text.
using TextRef = uint64_t;
constexpr TextRef text_ref(uint64_t offset, size_t length) {
    return offset << 16 | (length & 0xffff);
}
constexpr uint64_t text_offset(TextRef text) {
    return text >> 16;
}
constexpr size_t text_length(TextRef text) {
    return text & 0xffff;
}

// Kinds are never renumbered; a reader passes over kinds that it does not know.
enum class RowKind : uint32_t {
    kNone,
    kText,
    kModule,
    kThread,
    kLocation,
    kNode,
    kCell,
    kLock,
    kSetting, // one variable of the environment, or one argument
    kSample,  // time-stamped samples, the newest ones: a ring
    kHolder,
    kPythonText, // a piece of a text
    kPythonCode,
    kCount
};

struct Extent {
    std::atomic<uint64_t> offset; // stored last; 0: not in use
    uint32_t kind;
    uint32_t row_size;
    uint64_t row_count; // for texts: bytes
};
static_assert(sizeof(Extent) == 24);
static_assert(kDirectoryOffset + kMostExtents * sizeof(Extent) <= kFirstExtent);

// No row of this number.
inline constexpr uint32_t kNoRow = 0xffffffff;

struct ModuleRow {
    std::atomic<uint32_t> ready;
    uint32_t load; // which of several loads of one path this is, from 0
    uint64_t base; // what the loader added to the addresses in the file
    uint64_t begin;
    uint64_t end;
    TextRef path;
    uint64_t machinery; // 1: OpenMP runtime, producer or collector
};
static_assert(sizeof(ModuleRow) == 48);

inline constexpr unsigned kProcessorWords = 16;

struct alignas(64) ThreadFileRow {
    std::atomic<uint32_t> ready;
    uint32_t kind; // ThreadKind
    int64_t tid;
    std::atomic<uint64_t> threads;  // that had this row, one after the other
    std::atomic<uint64_t> begin_ns; // monotonic clock
    std::atomic<uint64_t> end_ns;   // 0: has not ended
    // Stacks walked for its samples, and how many of them were cut short; stacks at its FORKs, and
    // how many of them were not known from before.
    std::atomic<uint64_t> walks;
    std::atomic<uint64_t> cut_walks;
    std::atomic<uint64_t> fork_stacks;
    std::atomic<uint64_t> fork_walks;
    std::atomic<uint64_t> events[kEventNumbers]; // by its thread
    // The counts of thread_counts.h since the threads of this row began, as of the last look. 0:
    // there was no look.
    std::atomic<uint64_t> counts[kThreadCounts];
    std::atomic<uint64_t> cpu_ns;     // that it ran, as of the last look
    std::atomic<uint64_t> waited_ns;  // ready to run, by the kernel's count
    std::atomic<uint64_t> has_waited; // 1: the kernel counts that
    // Processors that it might run on, as bits: the smallest set that two looks in turn saw, and
    // the last one. 0 in all: not known. Of larger machines the first ones.
    std::atomic<uint64_t> fewest_processors[kProcessorWords];
    std::atomic<uint64_t> last_processors[kProcessorWords];
};
static_assert(sizeof(ThreadFileRow) == (552 + size_t{8} * kThreadCounts + 63) / 64 * 64);

// A place in the code. `module` may be kNoRow: then offset is an address. Or it is kPythonModule:
// then offset is a line of Python (python_place()).
struct LocationRow {
    std::atomic<uint32_t> ready;
    uint32_t module;
    uint64_t offset; // return addresses already moved into the call
};
static_assert(sizeof(LocationRow) == 16);

// Names of Python's are copied in signal handlers, and so piece by piece, as UTF-8.
struct PythonTextRow {
    std::atomic<uint32_t> ready;
    uint32_t next;  // the row of the next piece; kNoRow: the text ends here
    uint64_t hash;  // of the whole text, at its first piece; else 0
    char bytes[48]; // zeros after the end
};
static_assert(sizeof(PythonTextRow) == 64);

// Code objects with the same names are one.
struct PythonCodeRow {
    std::atomic<uint32_t> ready;
    uint32_t file; // rows of the first pieces
    uint32_t name;
    uint32_t first_line;
};
static_assert(sizeof(PythonCodeRow) == 16);

inline constexpr uint32_t kPythonModule = 0xfffffffe;
constexpr uint64_t python_place(uint32_t code, uint32_t line) {
    return uint64_t{code} << 32 | line;
}
constexpr uint32_t code_of_python_place(uint64_t place) {
    return static_cast<uint32_t>(place >> 32);
}
constexpr uint32_t line_of_python_place(uint64_t place) {
    return static_cast<uint32_t>(place);
}

// Whether the frames of a Python interpreter in the process are read, and why not.
enum class PythonRead : uint32_t {
    kNone, // no interpreter was met
    kYes,
    kUnknownVersion,
    kFreeThreaded,
    kSeveral,     // interpreters
    kImplausible, // its table for debuggers is none, or nothing is where that says
};

enum class NodeKind : uint32_t {
    kRegion, // a fork location
    kFrame,  // a call; the last one of a path may be any instruction
    kCut,    // stands for frames that could not be walked
};

// A node of the tree of call paths, which has regions alone where no stacks are kept.
struct NodeRow {
    std::atomic<uint32_t> ready;
    uint32_t location; // kNoRow: code that could not be found
    uint32_t parent;   // node, kNoRow: none
    uint32_t kind;     // NodeKind
};
static_assert(sizeof(NodeRow) == 16);

// Numbers in place of a node.
inline constexpr uint32_t kNodeOutside = 0xfffffff0; // outside any region, idle workers included
inline constexpr uint32_t kNodeSeveral = 0xfffffff1; // idle while several outermost regions ran
inline constexpr uint32_t kNodeUnknown = 0xfffffff2; // inside a region whose fork was not seen

// Pseudo-state of a cell whose `on_samples` counts the thread's entries of the node.
inline constexpr uint32_t kEntriesState = 0xff;
// Pseudo-state of a cell whose `on_ns` is the thread's time in single and master parts.
inline constexpr uint32_t kSingleState = 0xfe;

// The state word of a cell. For time off the processor it also has its kind, where that is known:
// ready to run, or asleep in the program's own code (SERIAL or WORK), with the system call.
enum class Off : uint32_t { kUnclassified, kReady, kAsleep };
inline constexpr uint32_t kCallOfFault = 0xfffe; // asleep in no system call: a page was not there
constexpr uint32_t state_word(unsigned state, Off off, uint32_t call_plus_1 = 0) {
    return state | static_cast<uint32_t>(off) << 8 | call_plus_1 << 16;
}
constexpr unsigned state_of_word(uint32_t word) {
    return word & 0xff;
}
constexpr Off off_of_word(uint32_t word) {
    const uint32_t off = word >> 8 & 0xff;
    return off <= static_cast<uint32_t>(Off::kAsleep) ? static_cast<Off>(off) : Off::kUnclassified;
}
constexpr uint32_t call_of_word(uint32_t word) { // plus 1; 0: not known
    return word >> 16;
}
// The state that reports show: one of the contract's, or one of our two.
constexpr unsigned shown_state(uint32_t word) {
    return off_of_word(word) == Off::kReady    ? kNoProcessorState
           : off_of_word(word) == Off::kAsleep ? kAsleepState
                                               : state_of_word(word);
}

// (thread, node, state word). The same key may be in two rows: their sum counts. The thread writes
// on_*; the thread that reads it from outside writes off_*.
struct CellFileRow {
    std::atomic<uint32_t> ready;
    uint32_t thread;
    uint32_t node;
    uint32_t state;              // state_word(), or one of the pseudo-states
    std::atomic<uint64_t> on_ns; // the thread was running
    std::atomic<uint64_t> on_samples;
    std::atomic<uint64_t> off_ns; // it was not
    std::atomic<uint64_t> off_samples;
};
static_assert(sizeof(CellFileRow) == 48);

// A sample with its time. Sample n is in slot n % kRingSamples until it is moved to the file beside
// the profile, which has these rows alone. When that file reaches its limit, a new one replaces it,
// with every second sample of each thread. From there on every second sample is moved.
struct SampleRow {
    std::atomic<uint64_t> time; // ns since begin_ns; 0: not there
    uint32_t node;
    uint32_t who; // thread in the lower 24 bits, shown_state() above
};
static_assert(sizeof(SampleRow) == 16);
inline constexpr uint64_t kRingSamples = 4096;
// Suffixes of the sample file in place of kProfileSuffix, used in turn at each thinning.
inline constexpr char kSampleSuffixes[2][9] = {".sampleA", ".sampleB"};
inline constexpr unsigned kMostThinnings = 15;
// Which file it is, and how many of its rows count. One word, so that both change at once.
struct SampleFile {
    uint64_t rows;
    unsigned thinnings; // every 2^thinnings-th sample of a thread is there

    [[nodiscard]] constexpr const char *suffix() const { return kSampleSuffixes[thinnings % 2]; }
    [[nodiscard]] constexpr uint64_t word() const { return rows | uint64_t{thinnings} << 48; }
    static constexpr SampleFile of(uint64_t word) {
        return {word & ((uint64_t{1} << 48) - 1), static_cast<unsigned>(word >> 48)};
    }
    // For a word that was read from a file: an invalid word has no samples.
    static constexpr SampleFile checked(uint64_t word) {
        return of(word).thinnings <= kMostThinnings ? of(word) : SampleFile{0, 0};
    }
};
inline constexpr unsigned kThreadBits = 24;
constexpr uint32_t sample_who(uint32_t thread, unsigned state) {
    return (thread & ((1U << kThreadBits) - 1)) | state << kThreadBits;
}

struct LockFileRow {
    std::atomic<uint32_t> ready;
    uint32_t state;
    uint64_t wait_id;
    std::atomic<uint32_t> first_wait; // location
    std::atomic<uint32_t> object;     // location, kNoRow: inside no module
    std::atomic<uint64_t> waits;
    std::atomic<uint64_t> on_ns;
    std::atomic<uint64_t> off_ns;
    std::atomic<uint64_t> samples;
    // Waits that no holder has been charged with yet.
    std::atomic<uint64_t> open_ns;
    std::atomic<uint64_t> open_samples;
};
static_assert(sizeof(LockFileRow) == 72);

// (lock, node, location): code that held a lock while others waited for it, by where it released
// the lock. The same key may stand in two rows.
struct HolderFileRow {
    std::atomic<uint32_t> ready;
    uint32_t lock;
    uint32_t node;     // of the call path; kNodeUnknown where no stacks are kept
    uint32_t location; // kNoRow: not known
    std::atomic<uint64_t> ns;
    std::atomic<uint64_t> samples;
};
static_assert(sizeof(HolderFileRow) == 32);

// kJob: what the launcher of a job has told, as NAME=VALUE; the names are those of the model's
// facts.
enum class SettingKind : uint32_t { kArgument, kEnvironment, kJob };
struct SettingRow {
    std::atomic<uint32_t> ready;
    uint32_t kind; // SettingKind
    TextRef text;
};
static_assert(sizeof(SettingRow) == 16);

struct FileHeader {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint32_t header_size;
    uint32_t directory_entries;
    std::atomic<uint32_t> extent_count;
    // Stored last at the beginning: the fixed facts below are there.
    std::atomic<uint32_t> ready;

    // Fixed facts.
    int64_t pid;
    int64_t parent_pid;
    // The process's begin by the calendar and by the monotonic clock. All stamps are of that clock,
    // without the time in which the whole process stood still (stood_still_ns).
    uint64_t begin_unix_ns;
    uint64_t begin_ns;
    uint32_t rate;
    uint32_t signal;
    uint32_t off_processor; // OffProcessor
    int32_t start_code;
    int32_t registered[kEventNumbers + 1];
    uint32_t processors;
    uint32_t processors_free;
    uint32_t stacks;        // Stacks
    uint32_t arguments_cut; // 1: the command had more words, or longer ones, than are kept
    uint32_t knows_holders; // 1: the producer tells who releases a lock
    TextRef program;
    TextRef host;
    TextRef rank;
    TextRef rank_variable;
    TextRef affinity;
    TextRef producer;

    // Filled in when the runtime is known.
    std::atomic<TextRef> runtime_file;
    std::atomic<TextRef> runtime_version;
    std::atomic<TextRef> generation;
    std::atomic<uint32_t> omp_version;

    // What goes on.
    std::atomic<uint32_t> most_threads;
    std::atomic<uint64_t> heartbeat_ns; // monotonic clock
    std::atomic<uint64_t> cpu_ns;       // of the process, as of then
    std::atomic<uint64_t> other_threads;
    std::atomic<uint64_t> other_cpu_ns;
    std::atomic<uint64_t> other_waited_ns; // for a processor, as of the last look
    std::atomic<uint64_t> kernel_ns;       // of the processor time of all threads
    std::atomic<uint64_t> page_faults;
    std::atomic<uint64_t> late_samples;
    std::atomic<uint64_t> lost_samples;
    std::atomic<uint64_t> threads_without_timer;
    std::atomic<uint32_t> signal_taken;
    std::atomic<int32_t> growth_error; // errno of why the file cannot grow; 0: it can
    std::atomic<uint64_t> unplaced_on_ns[kContractStates];
    std::atomic<uint64_t> unplaced_off_ns[kContractStates];
    // What had no room in the tables: waits for locks without a row, their number and time. And
    // regions whose id is not remembered, whose team's time goes to "fork was not seen".
    std::atomic<uint64_t> unplaced_lock_waits;
    std::atomic<uint64_t> unplaced_lock_ns;
    std::atomic<uint64_t> forgotten_regions;
    std::atomic<uint64_t> forgotten_modules; // loaded objects beyond those that are remembered

    // Time that others used of its processors; has_others: that is known.
    std::atomic<uint64_t> others_cpu_ns;
    std::atomic<uint32_t> has_others;

    // Time in which any region ran, and the number of looks of the sampling thread that show it.
    std::atomic<uint64_t> in_regions_ns;
    std::atomic<uint64_t> region_looks;

    // The strictest quota of its control groups, in thousandths of a processor; 0: none. Periods of
    // it, those in which the group was stopped, and for how long, of its processors.
    std::atomic<uint64_t> quota_milli;
    std::atomic<uint64_t> quota_periods;
    std::atomic<uint64_t> throttled_periods;
    std::atomic<uint64_t> throttled_ns;

    // Time stopped, and backward clock steps (run_clock.h).
    std::atomic<uint64_t> stood_still_ns;
    std::atomic<uint64_t> set_back_ns;

    std::atomic<uint32_t> python;         // PythonRead
    std::atomic<uint32_t> python_version; // 0x030b of 3.11; 0: older
    std::atomic<uint64_t> python_stacks;  // read for samples and forks
    std::atomic<uint64_t> python_dropped; // that were not what they should be
    std::atomic<uint64_t> python_names;   // for which there was no room

    std::atomic<uint32_t> megahertz; // of processors that its threads ran on; 0: not known

    // Samples with their time: the file beside this one, how many have left the ring or come to it,
    // and those without room. A sample may for a moment be in the file and in the ring.
    std::atomic<uint64_t> sample_file; // SampleFile::word()
    std::atomic<uint64_t> samples_moved;
    std::atomic<uint64_t> samples_taken;
    std::atomic<uint64_t> samples_missed;
    std::atomic<int32_t> sample_error; // errno of why that file cannot grow; 0: it can

    // The end.
    std::atomic<uint32_t> ending; // Ending
    int32_t exit_code;
    uint64_t end_ns;

    // For the launcher, which writes it into the file of a process that it has seen end.
    struct {
        uint32_t ending;
        int32_t wait_status;
    } launcher;
};
static_assert(sizeof(FileHeader) <= kDirectoryOffset);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

} // namespace ompcollect
