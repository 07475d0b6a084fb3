// SPDX-License-Identifier: Apache-2.0
#include "attachment/unmarked_loops.h"

#include "attachment/loaded_object.h"
#include "base/log.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ocb::ompt {
namespace {

// LLVM's ident_t: the compiler makes one for each place of a call.
struct Ident {
    std::int32_t zero;
    std::uint32_t flags;
    std::int32_t zero_too;
    std::int32_t length;
    const char *source; // ";file;function;line;column;;"
};
constexpr std::uint32_t kOfCompiler = 0x2;
constexpr std::uint32_t kLoop = 0x200;
constexpr std::uint32_t kSections = 0x400;
constexpr std::uint32_t kDistribute = 0x800;
constexpr std::uint32_t kMarked = kLoop | kSections | kDistribute;
constexpr std::uint32_t kFlags = 0xfff;

class Segments {
  public:
    explicit Segments(const dl_phdr_info &object) : object_(object) {}

    // Calls visit(begin, end) for each one that has data. True: one of the calls was.
    template <class Visit> [[nodiscard]] bool any(Visit visit) const {
        for (int i = 0; i < object_.dlpi_phnum; ++i) {
            const ElfW(Phdr) &header = object_.dlpi_phdr[i];
            const std::uintptr_t begin = object_.dlpi_addr + header.p_vaddr;
            if (header.p_type == PT_LOAD && (header.p_flags & (PF_R | PF_X)) == PF_R &&
                visit(begin, begin + header.p_filesz)) {
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] bool hold(std::uintptr_t address) const {
        return any([=](std::uintptr_t begin, std::uintptr_t end) {
            return address >= begin && address < end;
        });
    }

  private:
    const dl_phdr_info &object_;
};

bool is_ident(const Ident &at, const Segments &segments) {
    return at.zero == 0 && at.zero_too == 0 && (at.flags & kOfCompiler) != 0 &&
           (at.flags & ~kFlags) == 0 && at.length >= 0 &&
           segments.hold(reinterpret_cast<std::uintptr_t>(at.source)) && *at.source == ';';
}

bool has_idents_and_marks_none(const dl_phdr_info &object) {
    const Segments segments(object);
    bool has_some = false;
    const bool is_one_marked = segments.any([&](std::uintptr_t begin, std::uintptr_t end) {
        std::uintptr_t at = (begin + alignof(Ident) - 1) & ~(alignof(Ident) - 1);
        for (; at + sizeof(Ident) <= end; at += alignof(Ident)) {
            const Ident &ident = *reinterpret_cast<const Ident *>(at);
            if (is_ident(ident, segments)) {
                has_some = true;
                if ((ident.flags & kMarked) != 0) {
                    return true;
                }
            }
        }
        return false;
    });
    return has_some && !is_one_marked;
}

// By the names of its symbols. A runtime, which has the entries of gcc too, is none.
bool begins_static_loops(const LoadedObject &object) {
    return object.names_have("__kmpc_for_static_init_") &&
           !object.names_have("__kmpc_global_num_threads");
}

constinit std::atomic<bool> some_are{false};

} // namespace

void look_for_unmarked_loops() {
    bool found = false;
    look_at_objects(
        [](dl_phdr_info *object, std::size_t, void *data) {
            if (begins_static_loops(LoadedObject(*object)) && has_idents_and_marks_none(*object)) {
                *static_cast<bool *>(data) = true;
                return 1;
            }
            return 0;
        },
        &found);
    some_are.store(found, std::memory_order_release);
    if (found) {
        log_once(LogCause::kUnmarkedLoops);
    }
}

bool some_loops_are_unmarked() {
    return some_are.load(std::memory_order_acquire);
}

} // namespace ocb::ompt
