// SPDX-License-Identifier: Apache-2.0
//
// Runtimes are recognised by what they define, not by file name: the dynamic
// symbol table of each file is searched for a few entry points. This is done on the mapped tables
// instead of with dlopen + dlsym, because it must work in a callback of a runtime that was loaded
// RTLD_LOCAL.
#include "module_map.h"

#include "base/object_list.h"
#include "own_process.h"
#include "preload_link.h"
#include "producer.h"
#include "roomy_stack.h"
#include "store.h"

#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// A file that defines one of these is an OpenMP runtime, or stands before one.
constexpr const char *kRuntimeSymbols[] = {
    "omp_collector_front_connect", "__kmpc_fork_call", "GOMP_parallel",
    "GOMP_parallel_start",         "__ompc_fork",
};

// Chunks, so that modules stay where they are.
constexpr unsigned kChunk = 128;
constexpr unsigned kMostChunks = 512;
constinit std::atomic<Module *> chunks[kMostChunks] = {};
constinit std::atomic<unsigned> module_count{0};
constinit std::atomic<bool> refreshing{false};
constinit const void *c_library_function = nullptr; // a function of the C library

// What the dynamic linker has counted, as of the last look.
constinit std::atomic<uint64_t> load_count{0};

constinit const unsigned kNoClosings = 0;

Module &module_at(unsigned index) {
    return chunks[index / kChunk].load(std::memory_order_acquire)[index % kChunk];
}

uint32_t gnu_hash(const char *name) {
    uint32_t hash = 5381;
    for (; *name; ++name) {
        hash = hash * 33 + static_cast<unsigned char>(*name);
    }
    return hash;
}

// The tables of one mapped file that symbol lookup needs.
struct SymbolTables {
    const uint32_t *gnu_hash = nullptr;
    const ElfW(Sym) *symbols = nullptr;
    const char *strings = nullptr;

    [[nodiscard]] const ElfW(Sym) * find(const char *name) const;
    [[nodiscard]] bool defines(const char *name) const { return find(name) != nullptr; }
};

// The layout of DT_GNU_HASH: nbuckets, symoffset, bloom size (in words), bloom shift, bloom words,
// buckets, chain. The last hash of a chain has its lowest bit set.
const ElfW(Sym) * SymbolTables::find(const char *name) const {
    if (!gnu_hash || !symbols || !strings) {
        return nullptr;
    }
    const uint32_t bucket_count = gnu_hash[0];
    const uint32_t first_symbol = gnu_hash[1];
    const uint32_t bloom_size = gnu_hash[2];
    const uint32_t *buckets = gnu_hash + 4 + bloom_size * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = buckets + bucket_count;
    if (bucket_count == 0) {
        return nullptr;
    }
    const uint32_t hash = ompcollect::gnu_hash(name);
    uint32_t index = buckets[hash % bucket_count];
    if (index < first_symbol) {
        return nullptr;
    }
    for (;; ++index) {
        const uint32_t candidate = chain[index - first_symbol];
        if ((candidate | 1) == (hash | 1) && symbols[index].st_shndx != SHN_UNDEF &&
            strcmp(strings + symbols[index].st_name, name) == 0) {
            return symbols + index;
        }
        if (candidate & 1) {
            return nullptr;
        }
    }
}

SymbolTables symbol_tables(const dl_phdr_info &info) {
    SymbolTables tables;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
        if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) {
            continue;
        }
        auto *entry =
            reinterpret_cast<const ElfW(Dyn) *>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry) {
            // glibc has added the base already, except in the vDSO, which is of no interest.
            if (entry->d_un.d_ptr < info.dlpi_addr) {
                continue;
            }
            if (entry->d_tag == DT_GNU_HASH) {
                tables.gnu_hash = reinterpret_cast<const uint32_t *>(entry->d_un.d_ptr);
            } else if (entry->d_tag == DT_SYMTAB) {
                tables.symbols = reinterpret_cast<const ElfW(Sym) *>(entry->d_un.d_ptr);
            } else if (entry->d_tag == DT_STRTAB) {
                tables.strings = reinterpret_cast<const char *>(entry->d_un.d_ptr);
            }
        }
    }
    return tables;
}

// The file that is mapped at the address, by the kernel's words: the name that the program gave may
// be relative to a folder that it has left since.
bool path_of_mapping(uintptr_t begin, char *path, size_t size) {
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    char text[4096];
    size_t filled = 0;
    bool found = false;
    for (ssize_t got = 0;
         !found && (got = read(fd, text + filled, sizeof text - 1 - filled)) > 0;) {
        filled += static_cast<size_t>(got);
        text[filled] = 0;
        char *line = text;
        for (char *end = nullptr; !found && (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            const char *slash = strchr(line, '/');
            if (slash && strtoull(line, nullptr, 16) == begin) {
                strncpy(path, slash, size - 1);
                path[size - 1] = 0;
                found = true;
            }
        }
        filled -= static_cast<size_t>(line - text);
        memmove(text, line, filled);
    }
    close(fd);
    return found;
}

void path_of(const dl_phdr_info &info, uintptr_t begin, char *path, size_t size) {
    path[0] = 0;
    if (!info.dlpi_name || !*info.dlpi_name) {
        name_own_program(path, size);
    } else if (*info.dlpi_name == '/' || !path_of_mapping(begin, path, size)) {
        strncpy(path, info.dlpi_name, size - 1);
        path[size - 1] = 0;
    }
}

const char *keep(const char *text) {
    static constinit char *spare = nullptr;
    static constinit size_t left = 0;
    const size_t size = strlen(text) + 1;
    if (size > left) {
        constexpr size_t kBlock = size_t{64} * 1024; // longer than any path
        void *memory =
            mmap(nullptr, kBlock, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            return "";
        }
        spare = static_cast<char *>(memory);
        left = kBlock;
    }
    char *copy = spare;
    memcpy(copy, text, size);
    spare += size;
    left -= size;
    return copy;
}

bool contains(const Module &module, const void *address) {
    const auto number = reinterpret_cast<uintptr_t>(address);
    return number >= module.begin && number < module.end;
}

// The kernel's part of it too.
bool is_c_library(const Module &module) {
    return contains(module, c_library_function) || strstr(module.path, "linux-vdso") != nullptr;
}

bool is_own(const Module &module) {
    return contains(module, producer_address()) ||
           contains(module, reinterpret_cast<const void *>(&refresh_modules)) ||
           contains(module, preload_services());
}

bool is_machinery(const dl_phdr_info &info, const Module &module) {
    if (is_own(module)) {
        return true;
    }
    const SymbolTables tables = symbol_tables(info);
    for (const char *symbol : kRuntimeSymbols) {
        if (tables.defines(symbol)) {
            return true;
        }
    }
    return false;
}

// Null: no memory.
Module *add_entry() {
    const unsigned count = module_count.load(std::memory_order_relaxed);
    if (count == kChunk * kMostChunks) {
        return nullptr;
    }
    std::atomic<Module *> &chunk = chunks[count / kChunk];
    if (!chunk.load(std::memory_order_relaxed)) {
        void *memory = mmap(nullptr, kChunk * sizeof(Module), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            return nullptr;
        }
        chunk.store(static_cast<Module *>(memory), std::memory_order_release);
    }
    return &module_at(count);
}

constinit InterpreterFile interpreter = {};
constinit std::atomic<bool> has_interpreter{false};

// Where the module is one that has an interpreter, and none was met before.
void meet_interpreter(const dl_phdr_info &info, const Module &module) {
    const SymbolTables tables = symbol_tables(info);
    const ElfW(Sym) *const runtime = tables.find("_PyRuntime");
    if (!runtime || has_interpreter.load(std::memory_order_relaxed)) {
        return;
    }
    const auto address_of = [&](const char *name) {
        const ElfW(Sym) *const symbol = tables.find(name);
        return symbol ? info.dlpi_addr + symbol->st_value : 0;
    };
    const ElfW(Sym) *const evaluation = tables.find("_PyEval_EvalFrameDefault");
    constexpr unsigned kMinorShift = 16;
    const uintptr_t version = address_of("Py_Version"); // from 3.11 on
    interpreter = {&module,
                   info.dlpi_addr + runtime->st_value,
                   runtime->st_size,
                   version != 0
                       ? static_cast<unsigned>(*reinterpret_cast<const unsigned long *>(version) >>
                                               kMinorShift)
                       : 0,
                   address_of("PyCode_Type"),
                   address_of("PyUnicode_Type"),
                   address_of("PyBytes_Type"),
                   evaluation ? info.dlpi_addr + evaluation->st_value : 0,
                   evaluation ? info.dlpi_addr + evaluation->st_value + evaluation->st_size : 0};
    has_interpreter.store(true, std::memory_order_release);
}

struct Look {
    uint64_t loads;
    uint64_t forgotten; // objects for which there is no entry
};

uint64_t loads_of(const dl_phdr_info &info, size_t size) {
    constexpr size_t kWithCounts = offsetof(dl_phdr_info, dlpi_subs) + sizeof info.dlpi_subs;
    return size >= kWithCounts ? info.dlpi_adds + (uint64_t{info.dlpi_subs} << 32) : 0;
}

// A file is the one of before if nothing but itself can have moved it: same place, same name.
int meet_module(dl_phdr_info *info, size_t size, void *data) {
    static_cast<Look *>(data)->loads = loads_of(*info, size);
    Module found = {};
    found.begin = UINTPTR_MAX;
    found.base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) &segment = info->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD) {
            const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
            found.begin = begin < found.begin ? begin : found.begin;
            found.end = begin + segment.p_memsz > found.end ? begin + segment.p_memsz : found.end;
        } else if (segment.p_type == PT_GNU_EH_FRAME) {
            found.frame_index = info->dlpi_addr + segment.p_vaddr;
        }
    }
    if (found.end == 0) {
        return 0;
    }
    char path[PATH_MAX];
    path_of(*info, found.begin & ~uintptr_t{4095}, path, sizeof path);
    for (unsigned i = 0; i < module_count.load(std::memory_order_relaxed); ++i) {
        Module &module = module_at(i);
        if (module.begin == found.begin && module.end == found.end &&
            strcmp(module.path, path) == 0) {
            module.round = module_counts.looks.load(std::memory_order_relaxed);
            module.is_loaded.store(true, std::memory_order_release);
            return 0;
        }
    }
    Module *module = add_entry();
    if (!module) {
        ++static_cast<Look *>(data)->forgotten;
        return 0;
    }
    module->begin = found.begin;
    module->end = found.end;
    module->base = found.base;
    module->path = keep(path);
    module->machinery = is_machinery(*info, found);
    module->kind = is_own(found)           ? CodeKind::kOwn
                   : module->machinery     ? CodeKind::kRuntime
                   : is_c_library(*module) ? CodeKind::kBase
                                           : CodeKind::kUser;
    module->frame_index = found.frame_index;
    module->round = module_counts.looks.load(std::memory_order_relaxed);
    module->row.store(kNoRow, std::memory_order_relaxed);
    module->is_loaded.store(true, std::memory_order_relaxed);
    module_count.fetch_add(1, std::memory_order_release);
    meet_interpreter(*info, *module);
    return 0;
}

int look_at_counts(dl_phdr_info *info, size_t size, void *data) {
    *static_cast<uint64_t *>(data) = loads_of(*info, size);
    return 1;
}

void look_at_modules() {
    if (refreshing.exchange(true, std::memory_order_acquire)) {
        return; // another thread is at it; what it adds may come too late for this address, once
    }
    if (const auto *preload = preload_services()) {
        module_counts.closings.store(preload->closed_libraries, std::memory_order_relaxed);
    }
    if (!c_library_function) {
        c_library_function = dlsym(RTLD_DEFAULT, "__libc_start_main");
    }
    module_counts.closings_seen.store(closings(), std::memory_order_relaxed);
    const uint64_t round = module_counts.looks.fetch_add(1, std::memory_order_acq_rel) + 1;
    Look seen = {};
    ocb::look_at_objects(meet_module, &seen);
    if (seen.forgotten != 0 && store_is_open()) {
        header().forgotten_modules.store(seen.forgotten, std::memory_order_relaxed);
    }
    for (unsigned i = 0; i < module_count.load(std::memory_order_relaxed); ++i) {
        Module &module = module_at(i);
        if (module.round != round) {
            module.is_loaded.store(false, std::memory_order_release);
        }
    }
    load_count.store(seen.loads, std::memory_order_relaxed);
    module_counts.finished_looks.fetch_add(1, std::memory_order_release);
    refreshing.store(false, std::memory_order_release);
}

} // namespace

constinit ModuleCounts module_counts = {1, 1, 0, &kNoClosings};

void refresh_modules() {
    with_room(look_at_modules);
}

void refresh_modules_if_changed() {
    uint64_t loads = 0;
    ocb::look_at_objects(look_at_counts, &loads);
    if (loads != load_count.load(std::memory_order_relaxed)) {
        refresh_modules();
    }
}

const InterpreterFile *interpreter_file() {
    return has_interpreter.load(std::memory_order_acquire) ? &interpreter : nullptr;
}

CodeKind kind_of_code(uintptr_t address) {
    const Module *module = find_module(address);
    return module ? module->kind : CodeKind::kUser;
}

// Segments of a file may lie far apart, and the kernel puts others between them: on aarch64 its own
// page is inside of the dynamic linker. The narrowest file is the one.
const Module *find_module(uintptr_t address) {
    const Module *found = nullptr;
    for (unsigned i = module_count.load(std::memory_order_acquire); i > 0; --i) {
        const Module &module = module_at(i - 1);
        if (address >= module.begin && address < module.end &&
            module.is_loaded.load(std::memory_order_acquire) &&
            (!found || module.end - module.begin < found->end - found->begin)) {
            found = &module;
        }
    }
    return found;
}

const Module *find_or_meet_module(uintptr_t address) {
    refresh_modules_if_changed();
    return find_module(address);
}

uint32_t module_row(const Module &module) {
    uint32_t number = module.row.load(std::memory_order_acquire);
    if (number != kNoRow) {
        return number;
    }
    number = add_row_growing(RowKind::kModule);
    if (number == kNoRow) {
        return kNoRow;
    }
    auto *file_row = row_as<ModuleRow>(RowKind::kModule, number);
    file_row->base = module.base;
    file_row->begin = module.begin;
    file_row->end = module.end;
    file_row->path = add_text(module.path);
    file_row->machinery = module.machinery ? 1 : 0;
    file_row->ready.store(1, std::memory_order_release);
    uint32_t before = kNoRow;
    module.row.compare_exchange_strong(before, number, std::memory_order_acq_rel);
    return before == kNoRow ? number : before;
}

void add_module_rows() {
    for (unsigned i = 0; i < module_count.load(std::memory_order_acquire); ++i) {
        module_row(module_at(i));
    }
}

void restart_modules() {
    refreshing.store(false, std::memory_order_relaxed);
    // What was found out of an address has the parent's rows.
    module_counts.looks.fetch_add(1, std::memory_order_relaxed);
    module_counts.finished_looks.fetch_add(1, std::memory_order_relaxed);
    for (unsigned i = 0; i < module_count.load(std::memory_order_relaxed); ++i) {
        module_at(i).row.store(kNoRow, std::memory_order_relaxed);
    }
}

} // namespace ompcollect
