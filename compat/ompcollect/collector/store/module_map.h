// SPDX-License-Identifier: Apache-2.0
//
// Which file an address belongs to, and whether that file is part of the machinery (OpenMP runtime,
// producer, this collector) or the user's. Entries stay after a dlclose, marked, so that places
// recorded earlier keep their names. Readers take no lock. Async-signal-safe only where noted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ompcollect {

// Whose code it is.
enum class CodeKind : uint8_t {
    kUser,
    kRuntime, // an OpenMP runtime's
    kOwn,     // the collector's, the producer's or the preloaded part's
    kBase,    // the C library's, which is also under main() and under thread functions
};

struct Module {
    uintptr_t begin; // [begin, end) of its segments
    uintptr_t end;
    uintptr_t base; // what the loader added to the addresses in the file
    bool machinery;
    CodeKind kind;
    uintptr_t frame_index; // PT_GNU_EH_FRAME; 0: none
    std::atomic<bool> is_loaded;
    uint64_t round; // of the refresh that saw it last
    const char *path;
    mutable std::atomic<uint32_t> row; // in the profile; kNoRow: it has none yet
};

// The file that has a Python interpreter, by the symbols that it exports; the first that was met.
struct InterpreterFile {
    const Module *module;
    uintptr_t runtime; // _PyRuntime
    size_t runtime_size;
    unsigned version; // 0x030b of 3.11; 0: older
    uintptr_t code_type;
    uintptr_t text_type;
    uintptr_t bytes_type;
    uintptr_t evaluation; // [begin, end) of the function that executes Python
    uintptr_t evaluation_end;
};
// Null: there is none.
const InterpreterFile *interpreter_file();

// Looks at what is mapped now and adds what is new.
void refresh_modules();
// The same if the dynamic linker has loaded or closed something since.
void refresh_modules_if_changed();

// Each FORK looks at these: one line of the cache.
struct alignas(64) ModuleCounts {
    std::atomic<uint64_t> looks;
    // Of these, what a handler finds out during one may be of before.
    std::atomic<uint64_t> finished_looks;
    std::atomic<unsigned> closings_seen;    // as of the last look
    std::atomic<const unsigned *> closings; // of the preloaded part, which counts them
};
extern constinit ModuleCounts module_counts; // module_map.cpp alone writes them
inline unsigned closings() {
    return __atomic_load_n(module_counts.closings.load(std::memory_order_relaxed),
                           __ATOMIC_RELAXED);
}
// For signal handlers, as of the last look: whether nothing has been closed since.
inline bool modules_are_fresh() {
    return closings() == module_counts.closings_seen.load(std::memory_order_relaxed);
}

// Grows whenever an address may mean something else than before.
inline uint64_t module_generation() {
    if (!modules_are_fresh()) [[unlikely]] {
        refresh_modules();
    }
    return module_counts.looks.load(std::memory_order_acquire);
}

// The same as of the last look, for signal handlers.
inline uint64_t code_generation() {
    return module_counts.finished_looks.load(std::memory_order_acquire) + closings();
}
CodeKind kind_of_code(uintptr_t address);

// Null for an address in no known file. Async-signal-safe.
const Module *find_module(uintptr_t address);
// The same after a look at what has been loaded since.
const Module *find_or_meet_module(uintptr_t address);

// Its row in the profile, made now if it has none; kNoRow without room.
uint32_t module_row(const Module &module);

// Makes the rows of all modules, so that signal handlers find them.
void add_module_rows();

// In the child after fork(): the profile's rows are gone, and another thread may have been at it.
void restart_modules();

} // namespace ompcollect
