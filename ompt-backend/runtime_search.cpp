// SPDX-License-Identifier: Apache-2.0
#include "runtime_search.h"

#include "attachment.h"
#include "log.h"
#include "options.h"
#include "runtime.h"
#include "start.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <strings.h>

namespace ocb {
namespace {

// The library's own definition of a symbol, not one that its dependencies bring.
void *own_symbol(void *library, ElfW(Addr) base, const char *name) {
    void *address = dlsym(library, name);
    Dl_info info;
    if (address == nullptr || dladdr(address, &info) == 0 ||
        reinterpret_cast<ElfW(Addr)>(info.dli_fbase) != base)
        return nullptr;
    return address;
}

void copy_path(char *to, unsigned long size, const char *from) {
    std::strncpy(to, from, size - 1);
    to[size - 1] = '\0';
}

// The undefined symbols of an object: those in front of the first that its hash table knows.
class Imports {
  public:
    explicit Imports(const link_map &object) {
        for (const ElfW(Dyn) *entry = object.l_ld; entry != nullptr && entry->d_tag != DT_NULL;
             ++entry) {
            // glibc has made addresses of them on most machines.
            const ElfW(Addr) value = entry->d_un.d_ptr;
            const ElfW(Addr) address = value < object.l_addr ? value + object.l_addr : value;
            if (entry->d_tag == DT_SYMTAB)
                symbols_ = reinterpret_cast<const ElfW(Sym) *>(address);
            else if (entry->d_tag == DT_STRTAB)
                names_ = reinterpret_cast<const char *>(address);
            else if (entry->d_tag == DT_GNU_HASH)
                first_defined_ = reinterpret_cast<const std::uint32_t *>(address)[1];
        }
    }

    bool have(const char *name) const {
        for (std::uint32_t i = 1; symbols_ != nullptr && names_ != nullptr && i < first_defined_;
             ++i)
            if (symbols_[i].st_shndx == SHN_UNDEF &&
                std::strcmp(names_ + symbols_[i].st_name, name) == 0)
                return true;
        return false;
    }

  private:
    const ElfW(Sym) *symbols_ = nullptr;
    const char *names_ = nullptr;
    std::uint32_t first_defined_ = 0; // 0: no such table, nothing is known
};

// The symbol by which a runtime asks for its tool. It defines it itself, weak, as the answer for
// programs without a tool, or leaves it undefined and weak. Null: it has no tools interface.
const char *entry_of(void *library, const link_map &object) {
    for (const char *entry : ompt::kEntryNames)
        if (own_symbol(library, object.l_addr, entry) != nullptr)
            return entry;
    const Imports imports(object);
    for (const char *entry : ompt::kEntryNames)
        if (imports.have(entry))
            return entry;
    return nullptr;
}

// A library that gives OMPT to a runtime without it, and asks for a tool in its place.
struct Provider {
    void *initialise = nullptr;
    const char *path = ""; // the linker's
};
constexpr char kProviderFunction[] = "libgomp_ompt_initialize";

void look_for_provider(void *library, const link_map &object, Provider &provider) {
    void *initialise = own_symbol(library, object.l_addr, kProviderFunction);
    if (initialise == nullptr || provider.initialise != nullptr)
        return;
    provider.initialise = initialise;
    provider.path = object.l_name;
}

// OpenMP runtimes define omp_get_max_threads.
void examine(void *library, const link_map &object, RuntimeSearch &result) {
    void *initialise = own_symbol(library, object.l_addr, "omp_get_max_threads");
    if (initialise == nullptr)
        return;
    if (const char *entry = entry_of(library, object); entry != nullptr) {
        if (!result.has_ompt) {
            result.initialise = reinterpret_cast<int (*)()>(initialise);
            result.entry = entry;
            copy_path(result.path, sizeof result.path, object.l_name);
        }
        result.has_ompt = true;
    } else {
        result.has_other = true;
        copy_path(result.other_path, sizeof result.other_path, object.l_name);
    }
}

// Calls `visit(library, object)` for every loaded object, in the linker's order, until it is false.
template <class Visit> void for_each_object(Visit visit) {
    void *program = dlopen(nullptr, RTLD_LAZY);
    if (program == nullptr)
        return;
    link_map *object = nullptr;
    if (dlinfo(program, RTLD_DI_LINKMAP, &object) != 0)
        object = nullptr;
    for (bool goes_on = true; goes_on && object != nullptr; object = object->l_next) {
        // The program itself has an empty name and is opened as null.
        const char *name = object->l_name[0] != '\0' ? object->l_name : nullptr;
        if (void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD); library != nullptr) {
            goes_on = visit(library, *object);
            dlclose(library);
        }
    }
    dlclose(program);
}

// In this very object, whatever name it was loaded by or linked into.
ElfW(Addr) own_base() {
    Dl_info info;
    return dladdr(reinterpret_cast<void *>(&own_base), &info) != 0
               ? reinterpret_cast<ElfW(Addr)>(info.dli_fbase)
               : 0;
}

ElfW(Addr) base_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) != 0 ? reinterpret_cast<ElfW(Addr)>(info.dli_fbase) : 0;
}

} // namespace

RuntimeSearch find_runtimes() {
    RuntimeSearch result;
    Provider provider;
    for_each_object([&](void *library, const link_map &object) {
        examine(library, object, result);
        look_for_provider(library, object, provider);
        return true;
    });
    if (!result.has_ompt && result.has_other && provider.initialise != nullptr) {
        result.has_ompt = true;
        result.initialise = reinterpret_cast<int (*)()>(provider.initialise);
        result.entry = ompt::kEntryNames[0];
        copy_path(result.path, sizeof result.path, provider.path);
    }
    return result;
}

bool other_tool_is_in_front(const char *entry, char *path, unsigned long size) {
    bool is_found = false;
    for_each_object([&](void *library, const link_map &object) {
        const void *start = dlsym(library, entry);
        const ElfW(Addr) base = start != nullptr ? base_of(start) : 0;
        // The program's handle stands for everything that is loaded: its answer may lie elsewhere.
        const bool is_of_object = start != nullptr && (base == object.l_addr || object.l_addr == 0);
        if (!is_of_object)
            return true;
        if (base == own_base())
            return false;
        // The runtime's own definition, weak, is no tool.
        if (own_symbol(library, base, "omp_get_max_threads") != nullptr)
            return true;
        Dl_info info;
        is_found = dladdr(start, &info) != 0 && info.dli_fname != nullptr;
        if (is_found)
            copy_path(path, size, info.dli_fname);
        return !is_found;
    });
    return is_found;
}

namespace runtime {
namespace {

// Today's runtimes go on without a tool for any value but this and the ones that enable it; those
// of before OpenMP 5 say so themselves, or end the program. Blanks around it and its case do not
// count, by the documents.
bool tool_is_disabled(const char *value) {
    if (value == nullptr)
        return false;
    value += std::strspn(value, " \t");
    const std::size_t length = std::strcspn(value, " \t");
    constexpr char kEnabled[] = "enabled";
    return length != 0 &&
           (length != sizeof kEnabled - 1 || strncasecmp(value, kEnabled, length) != 0);
}

void explain_refusal(const RuntimeSearch &search) {
    char path[256];
    if (const char *value = getenv("OMP_TOOL"); tool_is_disabled(value))
        log_once(LogLevel::kError, LogCause::kToolDisabled,
                 "START refused: the OpenMP runtime takes no tool because OMP_TOOL=", value,
                 " is set; unset OMP_TOOL");
    else if (other_tool_is_in_front(search.entry, path, sizeof path))
        log_once(LogLevel::kError, LogCause::kOtherTool,
                 "START refused: another OMPT tool took the runtime's only place: ", path,
                 "; load this library before it (first in LD_PRELOAD) or leave the other tool out");
    else if (std::strcmp(search.entry, ompt::kEntryNames[0]) != 0)
        log_once(LogLevel::kError, LogCause::kInitialisedEarlier,
                 "START refused: the OpenMP runtime was initialised before this library was "
                 "loaded, or stands before it: its tools interface is older than OpenMP 5.0 and "
                 "looks for a tool in front of itself only; load it at program start, first in "
                 "LD_PRELOAD");
    else
        log_once(LogLevel::kError, LogCause::kInitialisedEarlier,
                 "START refused: the OpenMP runtime was initialised before this library was "
                 "loaded; load it at program start (LD_PRELOAD, OMP_TOOL_LIBRARIES or linking)");
}

} // namespace

AttachResult attach() {
    if (is_attached())
        return AttachResult::kAttached;
    // START from inside the runtime's initialisation (a library that it loads for a further tool):
    // to make it initialise would be to wait for ourselves.
    if (ompt::is_being_asked())
        return AttachResult::kNoRuntimeYet;
    const RuntimeSearch search = find_runtimes();
    if (!search.has_ompt) {
        if (!search.has_other) {
            log_once(LogLevel::kInfo, LogCause::kNoRuntimeYet,
                     "no OpenMP runtime is loaded yet; the first one with a tools interface will "
                     "be attached");
            return AttachResult::kNoRuntimeYet;
        }
        log_once(LogLevel::kError, LogCause::kNoOmptRuntime,
                 "START refused: the program's OpenMP runtime has no tools interface: ",
                 search.other_path,
                 "; run the program on LLVM libomp (ompcollect does, or LD_PRELOAD=libomp.so.5)");
        return AttachResult::kNeverPossible;
    }
    if (options().init == InitMode::kLazy)
        return AttachResult::kNoRuntimeYet;
    ompt::stay_and_become_visible();
    search.initialise();
    if (is_attached())
        return AttachResult::kAttached;
    if (ompt::is_insufficient.load(std::memory_order_acquire))
        return AttachResult::kNeverPossible;
    explain_refusal(search);
    return AttachResult::kTooLate;
}

} // namespace runtime
} // namespace ocb
