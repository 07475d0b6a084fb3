// SPDX-License-Identifier: Apache-2.0
#include "references.h"

#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace ocb::front {
namespace {

#if defined(__x86_64__)
constexpr unsigned long kCallSlot = R_X86_64_JUMP_SLOT;
constexpr unsigned long kDataSlot = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr unsigned long kCallSlot = R_AARCH64_JUMP_SLOT;
constexpr unsigned long kDataSlot = R_AARCH64_GLOB_DAT;
#elif defined(__powerpc64__)
constexpr unsigned long kCallSlot = R_PPC64_JMP_SLOT;
constexpr unsigned long kDataSlot = R_PPC64_GLOB_DAT;
#elif defined(__riscv)
constexpr unsigned long kCallSlot = R_RISCV_JUMP_SLOT;
constexpr unsigned long kDataSlot = R_RISCV_64; // the linker has no other for a slot of data
#endif

#if defined(__x86_64__)
// How the code from `begin` on uses a slot: each use has the distance to it in four bytes, counted
// from where these end. A call or a jump has ff 15 or ff 25 in front of them. Where other bytes
// look like a use, the slot is left alone.
struct Uses {
    bool calls = false;
    bool reads = false;
};

void look_for_uses(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t slot, Uses &uses) {
    constexpr std::uintptr_t kOpcode = 2, kDistance = 4;
    for (std::uintptr_t at = begin + kOpcode; at + kDistance <= end; ++at) {
        std::int32_t distance = 0;
        std::memcpy(&distance, reinterpret_cast<const void *>(at), sizeof distance);
        if (at + kDistance + static_cast<std::uintptr_t>(std::intptr_t{distance}) == slot) {
            const auto *opcode = reinterpret_cast<const unsigned char *>(at - kOpcode);
            const bool is_call = opcode[0] == 0xff && (opcode[1] == 0x15 || opcode[1] == 0x25);
            uses.calls |= is_call;
            uses.reads |= !is_call;
        }
    }
}
#endif

std::uintptr_t page_size() {
    return static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

References::References(const Object &object) : dynamic_(object), object_(object) {
    const std::uintptr_t page = page_size();
    for (int i = 0; i < object.header_count; ++i) {
        const ElfW(Phdr) &part = object.headers[i];
        if (part.p_type == PT_GNU_RELRO) { // whole pages, as the dynamic linker protects them
            const std::uintptr_t begin = object.base + part.p_vaddr;
            read_only_begin_ = begin & ~(page - 1);
            read_only_end_ = (begin + part.p_memsz) & ~(page - 1);
        }
    }
}

bool References::is_slot(const ElfW(Rela) & relocation) {
    const auto type = ELF64_R_TYPE(relocation.r_info);
    return type == kCallSlot || type == kDataSlot;
}

bool References::is_of_call(const ElfW(Rela) & relocation) {
    return ELF64_R_TYPE(relocation.r_info) == kCallSlot;
}

bool References::is_only_called(const Reference &reference) const {
    if (reference.is_call || std::strncmp(reference.name, "omp_", 4) != 0) {
        return true;
    }
#if defined(__x86_64__)
    Uses uses;
    for (int i = 0; i < object_.header_count; ++i) {
        const ElfW(Phdr) &part = object_.headers[i];
        if (part.p_type == PT_LOAD && (part.p_flags & (PF_X | PF_R)) == (PF_X | PF_R)) {
            const std::uintptr_t begin = object_.base + part.p_vaddr;
            look_for_uses(begin, begin + part.p_filesz,
                          reinterpret_cast<std::uintptr_t>(reference.slot), uses);
        }
    }
    return uses.calls && !uses.reads;
#else
    return false;
#endif
}

bool References::store(std::uintptr_t *slot, std::uintptr_t value) const {
    const auto address = reinterpret_cast<std::uintptr_t>(slot);
    if (address < read_only_begin_ || address >= read_only_end_) {
        __atomic_store_n(slot, value, __ATOMIC_RELEASE);
        return true;
    }
    const std::uintptr_t page = page_size();
    auto *begin = reinterpret_cast<void *>(address & ~(page - 1));
    if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    mprotect(begin, page, PROT_READ);
    return true;
}

} // namespace ocb::front
