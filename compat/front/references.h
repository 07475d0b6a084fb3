// SPDX-License-Identifier: Apache-2.0
// The slots through which an object calls functions that another object may define.
#pragma once

#include "objects.h"

#include <initializer_list>

namespace ocb::front {

struct Reference {
    const char *name;
    const char *version;  // null: any
    std::uintptr_t *slot; // where the function's address is, or will be at the first call
    bool is_call;         // the slot is for calls alone, and may be bound at the first one
};

class References {
  public:
    explicit References(const Object &object);
    // Calls visit(reference) for each function that the object refers to by a slot. `is_wanted`
    // chooses by the name.
    template <class IsWanted, class Visit> void for_each(IsWanted is_wanted, Visit visit) const {
        for_each_relocation([&](const ElfW(Rela) & relocation) {
            const std::size_t symbol = ELF64_R_SYM(relocation.r_info);
            const char *name = dynamic_.strings + dynamic_.symbols[symbol].st_name;
            if (is_wanted(name)) {
                visit(Reference{name, dynamic_.needed_version(symbol), slot_of(relocation),
                                is_of_call(relocation)});
            }
        });
    }
    // Calls visit(slot) for each of them.
    template <class Visit> void for_each_slot(Visit visit) const {
        for_each_relocation([&](const ElfW(Rela) & relocation) { visit(slot_of(relocation)); });
    }
    // True where the object's code calls through the slot of a reference and never reads it. Then
    // the slot's content is not used as the function's address. Looked up only for functions of the
    // API, whose addresses programs take (omp_set_lock); the others are called by compilers alone.
    [[nodiscard]] bool is_only_called(const Reference &reference) const;
    // Stores the value. A page that the linker has made read-only is made writable for that. False
    // where the system refuses it.
    bool store(std::uintptr_t *slot, std::uintptr_t value) const;

  private:
    static bool is_slot(const ElfW(Rela) & relocation);
    static bool is_of_call(const ElfW(Rela) & relocation);
    template <class Visit> void for_each_relocation(Visit visit) const {
        for (const Dynamic::Relocations &part : {dynamic_.of_calls, dynamic_.others}) {
            for (std::size_t i = 0; i < part.count; ++i) {
                if (is_slot(part.begin[i])) {
                    visit(part.begin[i]);
                }
            }
        }
    }
    [[nodiscard]] std::uintptr_t *slot_of(const ElfW(Rela) & relocation) const {
        return reinterpret_cast<std::uintptr_t *>(dynamic_.base + relocation.r_offset);
    }

    Dynamic dynamic_;
    const Object &object_;
    std::uintptr_t read_only_begin_ = 0, read_only_end_ = 0; // after relocation; whole pages
};

} // namespace ocb::front
