// SPDX-License-Identifier: Apache-2.0
//
// See module_map.h. Runtimes are recognised by what they define, not by file name: the dynamic
// symbol table of each file is searched for a few entry points. This is done on the mapped tables
// instead of with dlopen + dlsym, because it must work in a callback of a runtime that was loaded
// RTLD_LOCAL.
#include "module_map.h"

#include "producer.h"

#include <atomic>
#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr unsigned kMostModules = 1024;
constexpr unsigned kDeepestWalk = 48;
constexpr unsigned kFirstWalk = 16;

// A file that defines one of these is an OpenMP runtime.
constexpr const char *kRuntimeSymbols[] = {
    "__kmpc_fork_call",
    "GOMP_parallel",
    "GOMP_parallel_start",
    "__ompc_fork",
};

constinit Module g_modules[kMostModules] = {};
constinit std::atomic<unsigned> g_module_count{0};
constinit std::atomic<bool> g_refreshing{false};

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

    bool defines(const char *name) const;
};

// The layout of DT_GNU_HASH: nbuckets, symoffset, bloom size (in words), bloom shift, bloom words,
// buckets, chain. The last hash of a chain has its lowest bit set.
bool SymbolTables::defines(const char *name) const {
    if (!gnu_hash || !symbols || !strings) {
        return false;
    }
    const uint32_t bucket_count = gnu_hash[0];
    const uint32_t first_symbol = gnu_hash[1];
    const uint32_t bloom_size = gnu_hash[2];
    const uint32_t *buckets = gnu_hash + 4 + bloom_size * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = buckets + bucket_count;
    if (bucket_count == 0) {
        return false;
    }
    const uint32_t hash = ompcollect::gnu_hash(name);
    uint32_t index = buckets[hash % bucket_count];
    if (index < first_symbol) {
        return false;
    }
    for (;; ++index) {
        const uint32_t candidate = chain[index - first_symbol];
        if ((candidate | 1) == (hash | 1) && symbols[index].st_shndx != SHN_UNDEF &&
            strcmp(strings + symbols[index].st_name, name) == 0) {
            return true;
        }
        if (candidate & 1) {
            return false;
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

void set_path(Module &module, const char *name) {
    if (name && *name) {
        strncpy(module.path, name, sizeof module.path - 1);
        return;
    }
    const ssize_t length = readlink("/proc/self/exe", module.path, sizeof module.path - 1);
    module.path[length > 0 ? length : 0] = 0;
}

bool contains(const Module &module, const void *address) {
    const auto number = reinterpret_cast<uintptr_t>(address);
    return number >= module.begin && number < module.end;
}

int add_module(dl_phdr_info *info, size_t, void *) {
    Module module = {};
    module.begin = UINTPTR_MAX;
    module.base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) &segment = info->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD) {
            const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
            module.begin = begin < module.begin ? begin : module.begin;
            module.end =
                begin + segment.p_memsz > module.end ? begin + segment.p_memsz : module.end;
        }
    }
    const unsigned count = g_module_count.load(std::memory_order_relaxed);
    if (module.end == 0 || count == kMostModules) {
        return 0;
    }
    set_path(module, info->dlpi_name);
    const Module *known = find_module(module.begin);
    if (known && known->begin == module.begin && strcmp(known->path, module.path) == 0) {
        return 0;
    }
    module.machinery = contains(module, producer_address()) ||
                       contains(module, reinterpret_cast<const void *>(&refresh_modules));
    const SymbolTables tables = symbol_tables(*info);
    for (const char *symbol : kRuntimeSymbols) {
        module.machinery = module.machinery || tables.defines(symbol);
    }
    g_modules[count] = module;
    g_module_count.store(count + 1, std::memory_order_release);
    return 0;
}

bool is_user_code(uintptr_t address) {
    const Module *module = find_module(address);
    if (!module) {
        refresh_modules();
        module = find_module(address);
    }
    return !module || !module->machinery;
}

} // namespace

void refresh_modules() {
    if (g_refreshing.exchange(true, std::memory_order_acquire)) {
        return; // another thread is at it; what it adds may come too late for this address, once
    }
    dl_iterate_phdr(add_module, nullptr);
    g_refreshing.store(false, std::memory_order_release);
}

const Module *find_module(uintptr_t address) {
    // The newest first: a file may lie where one was that has been closed.
    for (unsigned i = g_module_count.load(std::memory_order_acquire); i > 0; --i) {
        const Module &module = g_modules[i - 1];
        if (address >= module.begin && address < module.end) {
            return &module;
        }
    }
    return nullptr;
}

uintptr_t find_user_frame(unsigned &depth) {
    void *frames[kDeepestWalk];
    unsigned wanted = depth != 0 ? depth : kFirstWalk;
    for (;;) {
        const auto found = static_cast<unsigned>(backtrace(frames, static_cast<int>(wanted)));
        for (unsigned i = 0; i < found; ++i) {
            const auto address = reinterpret_cast<uintptr_t>(frames[i]);
            if (is_user_code(address)) {
                depth = i + 1 > depth ? i + 1 : depth;
                return address;
            }
        }
        if (found < wanted || wanted == kDeepestWalk) {
            return 0;
        }
        wanted = kDeepestWalk;
    }
}

void warm_up_unwinder() {
    void *frames[2];
    (void)backtrace(frames, 2);
}

void reset_module_lock() {
    g_refreshing.store(false, std::memory_order_relaxed);
}

Place place_of(uintptr_t address, bool return_address) {
    Place place;
    if (return_address && address != 0) {
        --address;
    }
    const Module *module = find_module(address);
    if (!module) {
        place.offset = address;
        return place;
    }
    place.module = module->path;
    place.offset = address - module->base;
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(address), &info) && info.dli_sname) {
        place.symbol = info.dli_sname;
    }
    return place;
}

} // namespace ompcollect
