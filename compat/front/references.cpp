// SPDX-License-Identifier: Apache-2.0
#include "references.h"

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

std::uintptr_t page_size() {
    return static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

References::References(const Object &object) : dynamic_(object) {
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
