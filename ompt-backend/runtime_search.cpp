// SPDX-License-Identifier: Apache-2.0
#include "runtime_search.h"

#include "log.h"
#include "options.h"
#include "runtime.h"
#include "tool.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <strings.h>

extern "C" void *ompt_start_tool(unsigned, const char *);

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

// OpenMP runtimes define omp_get_max_threads; those with OMPT define ompt_start_tool as well, weak,
// as the answer for programs without a tool.
void examine(void *library, const link_map &object, RuntimeSearch &result) {
    const ElfW(Addr) base = object.l_addr;
    void *initialise = own_symbol(library, base, "omp_get_max_threads");
    if (initialise == nullptr)
        return;
    if (own_symbol(library, base, "ompt_start_tool") != nullptr) {
        if (!result.has_ompt) {
            result.initialise = reinterpret_cast<int (*)()>(initialise);
            copy_path(result.path, sizeof result.path, object.l_name);
        }
        result.has_ompt = true;
    } else {
        result.has_other = true;
        copy_path(result.other_path, sizeof result.other_path, object.l_name);
    }
}

} // namespace

RuntimeSearch find_runtimes() {
    RuntimeSearch result;
    void *program = dlopen(nullptr, RTLD_LAZY);
    if (program == nullptr)
        return result;
    link_map *object = nullptr;
    if (dlinfo(program, RTLD_DI_LINKMAP, &object) == 0)
        for (; object != nullptr; object = object->l_next) {
            // The program itself has an empty name and is opened as null.
            const char *name = object->l_name[0] != '\0' ? object->l_name : nullptr;
            if (void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD); library != nullptr) {
                examine(library, *object, result);
                dlclose(library);
            }
        }
    dlclose(program);
    return result;
}

bool other_tool_is_in_front(char *path, unsigned long size) {
    void *first = dlsym(RTLD_DEFAULT, "ompt_start_tool");
    if (first == nullptr || first == reinterpret_cast<void *>(&ompt_start_tool))
        return false;
    Dl_info info;
    if (dladdr(first, &info) == 0 || info.dli_fname == nullptr)
        return false;
    // The runtime's own weak definition is no tool.
    if (dlsym(RTLD_DEFAULT, "omp_get_max_threads") != nullptr) {
        Dl_info runtime_info;
        if (dladdr(dlsym(RTLD_DEFAULT, "omp_get_max_threads"), &runtime_info) != 0 &&
            runtime_info.dli_fbase == info.dli_fbase)
            return false;
    }
    copy_path(path, size, info.dli_fname);
    return true;
}

namespace runtime {
namespace {

bool tool_is_disabled() {
    const char *value = getenv("OMP_TOOL");
    return value != nullptr && strcasecmp(value, "disabled") == 0;
}

void explain_refusal() {
    char path[256];
    if (tool_is_disabled())
        log_once(LogLevel::kError, LogCause::kToolDisabled,
                 "START refused: the OpenMP runtime takes no tool because OMP_TOOL=disabled is "
                 "set; unset OMP_TOOL");
    else if (other_tool_is_in_front(path, sizeof path))
        log_once(LogLevel::kError, LogCause::kOtherTool,
                 "START refused: another OMPT tool took the runtime's only place: ", path,
                 "; load this library before it (first in LD_PRELOAD) or leave the other tool out");
    else
        log_once(LogLevel::kError, LogCause::kInitialisedEarlier,
                 "START refused: the OpenMP runtime was initialised before this library was "
                 "loaded; load it at program start (LD_PRELOAD, OMP_TOOL_LIBRARIES or linking)");
}

} // namespace

AttachResult attach() {
    if (is_attached())
        return AttachResult::kAttached;
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
    search.initialise();
    if (is_attached())
        return AttachResult::kAttached;
    explain_refusal();
    return AttachResult::kTooLate;
}

} // namespace runtime
} // namespace ocb
