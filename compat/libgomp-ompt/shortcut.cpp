// SPDX-License-Identifier: Apache-2.0
// An object calls another one's function through a slot, whose address one of its relocations of
// kind JUMP_SLOT has. Only these slots are written, and only where they hold our function, each
// with one store: a thread that is calling finds the one or the other. Slots that the linker has
// made read-only are writable for the time of the store; where the system refuses that, they stay.
// So do those of objects that were opened later: another thread's linker may not be done with them.
#include "shortcut.h"

#include <cstddef>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ocb::gomp {
namespace {

#if defined(__x86_64__)
constexpr unsigned long kJumpSlot = R_X86_64_JUMP_SLOT;
#elif defined(__aarch64__)
constexpr unsigned long kJumpSlot = R_AARCH64_JUMP_SLOT;
#endif

struct Search {
    const Shortcut *shortcuts;
    int count;
    std::uintptr_t lowest = ~std::uintptr_t{0}, highest = 0; // of what is looked for
    int objects = 0;                                         // seen by now
};

// The objects at the head of the linker's list, as long as none has been closed.
struct Relocated {
    int count = 1; // the program itself
    unsigned long long closed = 0;
};
constinit Relocated relocated{};

int count_object(dl_phdr_info *object, std::size_t, void *) {
    relocated.count = static_cast<int>(object->dlpi_adds - object->dlpi_subs);
    relocated.closed = object->dlpi_subs;
    return 1;
}

bool is_relocated(const dl_phdr_info &object, int index) {
    return index == 0 || (index < relocated.count && object.dlpi_subs == relocated.closed);
}

// The part of an object that is read-only after its relocation.
struct ReadOnly {
    std::uintptr_t begin = 0, end = 0;
};

struct Slots {
    const ElfW(Rela) *begin = nullptr;
    std::size_t size = 0; // in bytes
    bool has_addends = false;
};

// Whole pages, as the dynamic linker protects them.
ReadOnly read_only_of(const dl_phdr_info &object) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr) &part = object.dlpi_phdr[i];
        if (part.p_type == PT_GNU_RELRO) {
            const std::uintptr_t begin = object.dlpi_addr + part.p_vaddr;
            return {begin & ~(page - 1), (begin + part.p_memsz) & ~(page - 1)};
        }
    }
    return {};
}

// The linker has made addresses of most objects' offsets, but not of all objects'.
std::uintptr_t address_in(const dl_phdr_info &object, std::uintptr_t value) {
    return value < object.dlpi_addr ? object.dlpi_addr + value : value;
}

Slots slots_of(const dl_phdr_info &object) {
    Slots slots;
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) {
            continue;
        }
        const auto *entry =
            reinterpret_cast<const ElfW(Dyn) *>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry) {
            switch (entry->d_tag) {
            case DT_JMPREL:
                slots.begin =
                    reinterpret_cast<const ElfW(Rela) *>(address_in(object, entry->d_un.d_ptr));
                break;
            case DT_PLTRELSZ:
                slots.size = entry->d_un.d_val;
                break;
            case DT_PLTREL:
                slots.has_addends = entry->d_un.d_val == DT_RELA;
                break;
            default:
                break;
            }
        }
    }
    return slots;
}

void store(std::uintptr_t *slot, std::uintptr_t value, const ReadOnly &read_only,
           bool may_write_protected) {
    const auto address = reinterpret_cast<std::uintptr_t>(slot);
    if (address < read_only.begin || address >= read_only.end) {
        __atomic_store_n(slot, value, __ATOMIC_RELEASE);
        return;
    }
    if (!may_write_protected) {
        return;
    }
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    auto *begin = reinterpret_cast<void *>(address & ~(page - 1));
    if (mprotect(begin, page, PROT_READ | PROT_WRITE) == 0) {
        __atomic_store_n(slot, value, __ATOMIC_RELEASE);
        mprotect(begin, page, PROT_READ);
    }
}

std::uintptr_t target_of(const Search &search, std::uintptr_t from) {
    if (from < search.lowest || from > search.highest) {
        return 0;
    }
    for (int i = 0; i < search.count; ++i) {
        if (search.shortcuts[i].from == from) {
            return search.shortcuts[i].to;
        }
    }
    return 0;
}

int visit(dl_phdr_info *object, std::size_t, void *data) {
    auto &search = *static_cast<Search *>(data);
    const bool may_write_protected = is_relocated(*object, search.objects++);
    const Slots slots = slots_of(*object);
    if (slots.begin == nullptr || !slots.has_addends) {
        return 0;
    }
    const ReadOnly read_only = read_only_of(*object);
    for (std::size_t i = 0; i < slots.size / sizeof *slots.begin; ++i) {
        if (ELF64_R_TYPE(slots.begin[i].r_info) != kJumpSlot) {
            continue;
        }
        auto *slot =
            reinterpret_cast<std::uintptr_t *>(object->dlpi_addr + slots.begin[i].r_offset);
        if (const std::uintptr_t to = target_of(search, __atomic_load_n(slot, __ATOMIC_RELAXED))) {
            store(slot, to, read_only, may_write_protected);
        }
    }
    return 0;
}

} // namespace

void take_shortcuts(const Shortcut *shortcuts, int count) {
    Search search{shortcuts, count};
    for (int i = 0; i < count; ++i) {
        search.lowest = shortcuts[i].from < search.lowest ? shortcuts[i].from : search.lowest;
        search.highest = shortcuts[i].from > search.highest ? shortcuts[i].from : search.highest;
    }
    dl_iterate_phdr(visit, &search);
}

void note_relocated_objects() {
    dl_iterate_phdr(count_object, nullptr);
}

} // namespace ocb::gomp
