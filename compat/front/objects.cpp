// SPDX-License-Identifier: Apache-2.0
#include "objects.h"

#include <cstring>
#include <sys/mman.h>

namespace ocb::front {
namespace {

constexpr ElfW(Half) kVersionNumber = 0x7fff;
constexpr ElfW(Half) kHiddenVersion = 0x8000;

template <class Type, class Part> const Type *part_of(const Part *record, std::size_t offset) {
    const void *part = reinterpret_cast<const char *>(record) + offset;
    return static_cast<const Type *>(part);
}

template <class Type> const Type *next_of(const Type *record, std::size_t offset) {
    return part_of<Type>(record, offset);
}

std::size_t bytes_for(int objects) {
    return static_cast<std::size_t>(objects) * (sizeof(Object) + sizeof(Dynamic));
}
static_assert(sizeof(Object) % alignof(Dynamic) == 0);

const char *file_name(const char *path) {
    const char *slash = std::strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

} // namespace

Changes changes() {
    Changes now;
    dl_iterate_phdr(
        [](dl_phdr_info *object, std::size_t, void *data) {
            *static_cast<Changes *>(data) = {object->dlpi_adds, object->dlpi_subs};
            return 1;
        },
        &now);
    return now;
}

bool Object::holds(std::uintptr_t address) const {
    for (int i = 0; i < header_count; ++i) {
        const ElfW(Phdr) &part = headers[i];
        if (part.p_type == PT_LOAD && address - (base + part.p_vaddr) < part.p_memsz) {
            return true;
        }
    }
    return false;
}

// ---- The list ----------------------------------------------------------------------------------

bool ObjectList::take() {
    for (;;) {
        count_ = 0;
        for_each_object([this](const Object &object) {
            if (count_ < room_) {
                list_[count_] = object;
                dynamics_[count_] = Dynamic(object);
            }
            ++count_;
        });
        if (count_ <= room_) {
            return true;
        }
        if (!make_room(count_ + count_ / 2)) {
            count_ = 0;
            return false;
        }
    }
}

void ObjectList::drop() {
    if (list_ != nullptr) {
        munmap(list_, bytes_for(room_));
    }
    list_ = nullptr;
    dynamics_ = nullptr;
    room_ = count_ = 0;
}

bool ObjectList::make_room(int room) {
    drop();
    void *memory =
        mmap(nullptr, bytes_for(room), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    list_ = static_cast<Object *>(memory);
    dynamics_ = reinterpret_cast<Dynamic *>(list_ + room);
    room_ = room;
    return true;
}

const Object *ObjectList::holding(const void *address) const {
    for (int i = 0; i < count_; ++i) {
        if (list_[i].holds(reinterpret_cast<std::uintptr_t>(address))) {
            return &list_[i];
        }
    }
    return nullptr;
}

const Object *ObjectList::needed_as(const char *name) const {
    for (int i = 0; i < count_; ++i) {
        const char *own = dynamics_[i].own_name();
        if ((own != nullptr && std::strcmp(own, name) == 0) ||
            std::strcmp(file_name(list_[i].name), file_name(name)) == 0) {
            return &list_[i];
        }
    }
    return nullptr;
}

// ---- An object ---------------------------------------------------------------------------------

Dynamic::Dynamic(const Object &object) : base(object.base) {
    for (int i = 0; i < object.header_count; ++i) {
        if (object.headers[i].p_type == PT_DYNAMIC) {
            begin = reinterpret_cast<const ElfW(Dyn) *>(base + object.headers[i].p_vaddr);
            read();
        }
    }
    if (symbols == nullptr || strings == nullptr) {
        begin = nullptr;
        of_calls = others = {};
        hashes_ = nullptr;
    }
}

void Dynamic::read() {
    bool calls_have_addends = false;
    for (const ElfW(Dyn) *entry = begin; entry->d_tag != DT_NULL; ++entry) {
        // In most objects the linker has relocated these offsets to addresses, but not in all.
        const std::uintptr_t value = entry->d_un.d_ptr;
        const std::uintptr_t address = value < base ? base + value : value;
        switch (entry->d_tag) {
        case DT_JMPREL:
            of_calls.begin = reinterpret_cast<const ElfW(Rela) *>(address);
            break;
        case DT_PLTRELSZ:
            of_calls.count = value / sizeof(ElfW(Rela));
            break;
        case DT_PLTREL:
            calls_have_addends = value == DT_RELA;
            break;
        case DT_RELA:
            others.begin = reinterpret_cast<const ElfW(Rela) *>(address);
            break;
        case DT_RELASZ:
            others.count = value / sizeof(ElfW(Rela));
            break;
        case DT_SYMTAB:
            symbols = reinterpret_cast<const ElfW(Sym) *>(address);
            break;
        case DT_STRTAB:
            strings = reinterpret_cast<const char *>(address);
            break;
        case DT_GNU_HASH:
            hashes_ = reinterpret_cast<const std::uint32_t *>(address);
            break;
        case DT_VERSYM:
            versions_ = reinterpret_cast<const ElfW(Half) *>(address);
            break;
        case DT_VERNEED:
            needed_ = reinterpret_cast<const ElfW(Verneed) *>(address);
            break;
        case DT_VERDEF:
            defined_ = reinterpret_cast<const ElfW(Verdef) *>(address);
            break;
        case DT_SONAME:
            own_name_ = value;
            break;
        default:
            break;
        }
    }
    if (of_calls.begin == nullptr || !calls_have_addends) {
        of_calls = {};
    }
    if (others.begin == nullptr) {
        others = {};
    }
}

const char *Dynamic::own_name() const {
    return begin != nullptr && own_name_ != 0 ? strings + own_name_ : nullptr;
}

// DT_GNU_HASH: the number of buckets, the first symbol, the number of words of a filter, its shift,
// the filter, the buckets, the chains. The last hash of a chain has its lowest bit set.
const void *Dynamic::definition_of(const SymbolName &name, const char *version) const {
    if (hashes_ == nullptr || hashes_[0] == 0) {
        return nullptr;
    }
    const std::uint32_t first = hashes_[1];
    const std::uint32_t *buckets =
        hashes_ + 4 + hashes_[2] * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
    const std::uint32_t *chain = buckets + hashes_[0];
    const std::uint32_t hash = name.hash;
    constexpr unsigned kBits = 8 * sizeof(ElfW(Addr));
    const ElfW(Addr) filter = part_of<ElfW(Addr)>(hashes_ + 4, 0)[hash / kBits % hashes_[2]];
    if ((filter >> hash % kBits & filter >> (hash >> hashes_[3]) % kBits & 1U) == 0) {
        return nullptr;
    }
    for (std::uint32_t i = buckets[hash % hashes_[0]]; i >= first; ++i) {
        const std::uint32_t candidate = chain[i - first];
        if ((candidate | 1U) == (hash | 1U) && symbols[i].st_shndx != SHN_UNDEF &&
            std::strcmp(strings + symbols[i].st_name, name.text) == 0 && has_version(i, version)) {
            return reinterpret_cast<const void *>(base + symbols[i].st_value);
        }
        if ((candidate & 1U) != 0) {
            break;
        }
    }
    return nullptr;
}

bool Dynamic::has_version(std::size_t symbol, const char *version) const {
    if (versions_ == nullptr) {
        return true;
    }
    if (version == nullptr) {
        return (versions_[symbol] & kHiddenVersion) == 0;
    }
    const char *defined = defined_version(versions_[symbol] & kVersionNumber);
    return defined == nullptr || std::strcmp(defined, version) == 0;
}

// Null: the symbol has none.
const char *Dynamic::defined_version(unsigned number) const {
    if (defined_ == nullptr || number <= VER_NDX_GLOBAL) {
        return nullptr;
    }
    for (const ElfW(Verdef) *one = defined_;; one = next_of(one, one->vd_next)) {
        if (one->vd_ndx == number) {
            return strings + part_of<ElfW(Verdaux)>(one, one->vd_aux)->vda_name;
        }
        if (one->vd_next == 0) {
            return nullptr;
        }
    }
}

const char *Dynamic::needed_version(std::size_t symbol) const {
    if (versions_ == nullptr || needed_ == nullptr) {
        return nullptr;
    }
    const unsigned number = versions_[symbol] & kVersionNumber;
    if (number <= VER_NDX_GLOBAL) {
        return nullptr;
    }
    for (const ElfW(Verneed) *file = needed_;; file = next_of(file, file->vn_next)) {
        const auto *version = part_of<ElfW(Vernaux)>(file, file->vn_aux);
        for (unsigned i = 0; i < file->vn_cnt; ++i) {
            if ((version->vna_other & kVersionNumber) == number) {
                return strings + version->vna_name;
            }
            version = next_of(version, version->vna_next);
        }
        if (file->vn_next == 0) {
            return nullptr;
        }
    }
}

} // namespace ocb::front
