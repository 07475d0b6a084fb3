// SPDX-License-Identifier: Apache-2.0
// The loaded objects, read as the dynamic linker has mapped them. Nothing here opens an object, as
// that would run the constructors of objects whose turn has not come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>

namespace ocb::front {

// The dynamic linker's counters of loaded and unloaded objects.
struct Changes {
    unsigned long long added = 0, removed = 0;
    bool operator==(const Changes &) const = default;
};
Changes changes();

// A loaded object. What it points to lives as long as the object is loaded.
struct Object {
    std::uintptr_t base;
    const ElfW(Phdr) * headers;
    int header_count;
    const char *name; // empty: the program

    [[nodiscard]] bool holds(std::uintptr_t address) const;
};

// Calls visit(object) for each loaded object, in the linker's order, under its lock for that list:
// nothing may be opened, closed or looked up meanwhile.
template <class Visit> void for_each_object(Visit visit) {
    dl_iterate_phdr(
        [](dl_phdr_info *info, std::size_t, void *data) {
            (*static_cast<Visit *>(data))(
                Object{info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, info->dlpi_name});
            return 0;
        },
        &visit);
}

// A name to look for, with its value in the objects' hash tables (DT_GNU_HASH).
struct SymbolName {
    constexpr SymbolName(const char *name) : text(name), hash(hash_of(name)) {}

    const char *text;
    std::uint32_t hash;

  private:
    static constexpr std::uint32_t hash_of(const char *name) {
        std::uint32_t hash = 5381;
        for (; *name != '\0'; ++name) {
            hash = hash * 33 + static_cast<unsigned char>(*name);
        }
        return hash;
    }
};

// The tables of an object's dynamic section.
struct Dynamic {
    explicit Dynamic(const Object &object);
    // What the object itself defines of that name and version (null: the default one); null:
    // nothing.
    [[nodiscard]] const void *definition_of(const SymbolName &name,
                                            const char *version = nullptr) const;
    [[nodiscard]] bool defines(const SymbolName &name) const {
        return definition_of(name) != nullptr;
    }
    // The name of the version in which the object needs the symbol; null: any.
    [[nodiscard]] const char *needed_version(std::size_t symbol) const;
    [[nodiscard]] const char *own_name() const; // null: none
    // Calls visit(name) for each library that the object needs, in order.
    template <class Visit> void for_each_needed(Visit visit) const {
        for (const ElfW(Dyn) *entry = begin; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_NEEDED) {
                visit(strings + entry->d_un.d_val);
            }
        }
    }

    struct Relocations {
        const ElfW(Rela) *begin = nullptr;
        std::size_t count = 0;
    };
    std::uintptr_t base;
    const ElfW(Dyn) *begin = nullptr;
    const ElfW(Sym) *symbols = nullptr;
    const char *strings = nullptr;
    Relocations of_calls, others;

  private:
    void read();
    [[nodiscard]] bool has_version(std::size_t symbol, const char *version) const;
    [[nodiscard]] const char *defined_version(unsigned number) const;

    const std::uint32_t *hashes_ = nullptr;
    const ElfW(Half) *versions_ = nullptr; // by symbol
    const ElfW(Verneed) *needed_ = nullptr;
    const ElfW(Verdef) *defined_ = nullptr;
    std::uint64_t own_name_ = 0;
};

// A copy of the linker's list, for longer work.
class ObjectList {
  public:
    // False: no memory.
    bool take();
    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] const Object &operator[](int number) const { return list_[number]; }
    // The tables of an object of this list, as they were when the list was taken.
    [[nodiscard]] const Dynamic &dynamic_of(const Object &object) const {
        return dynamics_[&object - list_];
    }
    [[nodiscard]] const Object *holding(const void *address) const; // null: none does
    // The first object that was loaded for a name of DT_NEEDED; null: there is none.
    [[nodiscard]] const Object *needed_as(const char *name) const;
    // Frees the memory.
    void drop();

  private:
    bool make_room(int room);

    Object *list_ = nullptr;
    Dynamic *dynamics_ = nullptr; // in the same memory
    int room_ = 0;
    int count_ = 0;
};

} // namespace ocb::front
