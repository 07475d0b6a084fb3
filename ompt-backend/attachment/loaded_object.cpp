// SPDX-License-Identifier: Apache-2.0
#include "attachment/loaded_object.h"

#include "base/once_flag.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>

namespace ocb::ompt {
namespace {

// The head of a DT_GNU_HASH table, behind which lie the filter, the buckets and the chains.
struct GnuHash {
    std::uint32_t bucket_count;
    std::uint32_t first_defined; // symbols in front of this one are imports
    std::uint32_t filter_words;
    std::uint32_t filter_shift;

    [[nodiscard]] const std::uint32_t *buckets() const {
        const void *filter = this + 1;
        return reinterpret_cast<const std::uint32_t *>(static_cast<const ElfW(Addr) *>(filter) +
                                                       filter_words);
    }
    [[nodiscard]] const std::uint32_t *chains() const { return buckets() + bucket_count; }
};

std::uint32_t gnu_hash_of(const char *name) {
    std::uint32_t hash = 5381;
    for (; *name != '\0'; ++name) {
        hash = hash * 33 + static_cast<unsigned char>(*name);
    }
    return hash;
}

// The head of a DT_HASH table: its second number is that of the symbols.
std::uint32_t symbol_count(const std::uint32_t *hash) {
    return hash != nullptr ? hash[1] : 0;
}

constinit OnceFlag is_pinned{0};

} // namespace

LoadedObject::LoadedObject(const dl_phdr_info &info) : info_(info) {
    for (int i = 0; i < info.dlpi_phnum; ++i) {
        const ElfW(Phdr) &header = info.dlpi_phdr[i];
        if (header.p_type != PT_DYNAMIC) {
            continue;
        }
        const auto *entry = reinterpret_cast<const ElfW(Dyn) *>(info.dlpi_addr + header.p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry) {
            // On most machines glibc has relocated these entries to addresses.
            const ElfW(Addr) value = entry->d_un.d_ptr;
            const ElfW(Addr) address = value < info.dlpi_addr ? value + info.dlpi_addr : value;
            switch (entry->d_tag) {
            case DT_SYMTAB:
                symbols_ = reinterpret_cast<const ElfW(Sym) *>(address);
                break;
            case DT_STRTAB:
                names_ = reinterpret_cast<const char *>(address);
                break;
            case DT_STRSZ:
                names_size_ = entry->d_un.d_val;
                break;
            case DT_GNU_HASH:
                gnu_hash_ = reinterpret_cast<const std::uint32_t *>(address);
                break;
            case DT_HASH:
                hash_ = reinterpret_cast<const std::uint32_t *>(address);
                break;
            default: // of no interest here
                break;
            }
        }
    }
    if (symbols_ == nullptr || names_ == nullptr) {
        gnu_hash_ = nullptr;
        hash_ = nullptr;
    }
}

Symbol LoadedObject::segment_of(const void *address) const {
    const auto wanted = reinterpret_cast<ElfW(Addr)>(address);
    for (int i = 0; i < info_.dlpi_phnum; ++i) {
        const ElfW(Phdr) &header = info_.dlpi_phdr[i];
        const ElfW(Addr) begin = info_.dlpi_addr + header.p_vaddr;
        if (header.p_type == PT_LOAD && wanted - begin < header.p_memsz) {
            return {begin, header.p_memsz};
        }
    }
    return {};
}

bool LoadedObject::has_variable(std::uint64_t value, std::uint64_t mask) const {
    constexpr ElfW(Addr) kWord = sizeof value;
    for (int i = 0; i < info_.dlpi_phnum; ++i) {
        const ElfW(Phdr) &header = info_.dlpi_phdr[i];
        if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0 ||
            (header.p_flags & PF_R) == 0) {
            continue;
        }
        const ElfW(Addr) begin = info_.dlpi_addr + header.p_vaddr;
        const ElfW(Addr) end = begin + header.p_memsz;
        for (ElfW(Addr) at = (begin + kWord - 1) & ~(kWord - 1); at + kWord <= end; at += kWord) {
            // Its threads may be writing.
            const std::uint64_t word =
                __atomic_load_n(reinterpret_cast<const std::uint64_t *>(at), __ATOMIC_RELAXED);
            if ((word & mask) == value) {
                return true;
            }
        }
    }
    return false;
}

bool LoadedObject::holds(const void *address) const {
    return segment_of(address).is_found();
}

Symbol LoadedObject::definition_of(const char *name) const {
    const auto found = [&](const ElfW(Sym) & symbol) {
        return symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 &&
               std::strcmp(names_ + symbol.st_name, name) == 0;
    };
    const auto made = [&](const ElfW(Sym) & symbol) {
        return Symbol{info_.dlpi_addr + symbol.st_value, symbol.st_size};
    };
    if (gnu_hash_ == nullptr) {
        for (std::uint32_t i = 1; i < symbol_count(hash_); ++i) {
            if (found(symbols_[i])) {
                return made(symbols_[i]);
            }
        }
        return {};
    }
    const auto &table = *reinterpret_cast<const GnuHash *>(gnu_hash_);
    if (table.bucket_count == 0) {
        return {};
    }
    const std::uint32_t hash = gnu_hash_of(name);
    std::uint32_t i = table.buckets()[hash % table.bucket_count];
    if (i < table.first_defined) {
        return {};
    }
    for (;; ++i) {
        const std::uint32_t chained = table.chains()[i - table.first_defined];
        // The lowest bit marks a chain's end.
        if ((chained | 1U) == (hash | 1U) && found(symbols_[i])) {
            return made(symbols_[i]);
        }
        if ((chained & 1U) != 0) {
            return {};
        }
    }
}

bool LoadedObject::imports(const char *name) const {
    const std::uint32_t end = gnu_hash_ != nullptr
                                  ? reinterpret_cast<const GnuHash *>(gnu_hash_)->first_defined
                                  : symbol_count(hash_);
    for (std::uint32_t i = 1; i < end; ++i) {
        if (symbols_[i].st_shndx == SHN_UNDEF &&
            std::strcmp(names_ + symbols_[i].st_name, name) == 0) {
            return true;
        }
    }
    return false;
}

bool LoadedObject::names_have(const char *text) const {
    return names_ != nullptr && memmem(names_, names_size_, text, std::strlen(text)) != nullptr;
}

void ObjectPath::keep(const LoadedObject &object) {
    is_program = object.path()[0] == '\0';
    const char *path = is_program ? program_invocation_name : object.path();
    *stpncpy(text, path, sizeof text - 1) = '\0';
}

bool is_own(const LoadedObject &object) {
    return object.holds(reinterpret_cast<const void *>(&is_own));
}

bool is_in_own_object(const void *address) {
    bool is_own_address = false;
    for_each_loaded_object([&](const LoadedObject &object) {
        if (!is_own(object)) {
            return true;
        }
        is_own_address = object.holds(address);
        return false;
    });
    return is_own_address;
}

HeldObject::HeldObject(const ObjectPath &path)
    : handle_(dlopen(path.is_program ? nullptr : path.text, RTLD_LAZY | RTLD_NOLOAD)) {}

HeldObject::~HeldObject() {
    if (handle_ != nullptr) {
        dlclose(handle_);
    }
}

// A runtime that loads us through OMP_TOOL_LIBRARIES does so privately, and unloads us at its end;
// so may a collector that opens us by name.
void pin_and_make_global() {
    if (is_pinned.exchange(1, std::memory_order_relaxed) != 0) {
        return;
    }
    ObjectPath path;
    visit_object_of(reinterpret_cast<const void *>(&pin_and_make_global),
                    [&](const LoadedObject &object) { path.keep(object); });
    // A static library in the program itself is mapped for good and global already.
    if (!path.is_program) {
        dlopen(path.text, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL | RTLD_NODELETE);
    }
}

} // namespace ocb::ompt
