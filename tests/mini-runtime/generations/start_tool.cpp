// SPDX-License-Identifier: Apache-2.0
#include "start_tool.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

using StartTool = void *(*)(unsigned omp_version, const char *runtime_version);

// The program's own or a preloaded tool's definition takes the place of this one; here the tool may
// still come later in the search order.
extern "C" [[gnu::weak]] void *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    const auto next = reinterpret_cast<StartTool>(dlsym(RTLD_NEXT, "ompt_start_tool"));
    return next != nullptr && next != &ompt_start_tool ? next(omp_version, runtime_version)
                                                       : nullptr;
}

namespace mini::tool {
namespace {

void *start_from(const std::string &path, unsigned omp_version, const char *runtime_version) {
    void *library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY);
    if (library == nullptr) {
        return nullptr;
    }
    // What the library itself or one that it needs defines, not the runtime's.
    const auto start = reinterpret_cast<StartTool>(dlsym(library, "ompt_start_tool"));
    void *result = start != nullptr && start != &ompt_start_tool
                       ? start(omp_version, runtime_version)
                       : nullptr;
    if (result == nullptr) {
        dlclose(library);
    }
    return result;
}

} // namespace

void *start_tool(unsigned omp_version, const char *runtime_version) {
    switch (wish_of_user()) {
    case Wish::kEnabled:
        break;
    case Wish::kDisabled:
        return nullptr;
    case Wish::kOther:
        std::fputs("mini-omp: OMP_TOOL is neither enabled nor disabled; no tool is used\n", stderr);
        return nullptr;
    }
    if (void *result = ompt_start_tool(omp_version, runtime_version); result != nullptr) {
        return result;
    }
    const char *list = std::getenv("OMP_TOOL_LIBRARIES");
    std::string rest = list != nullptr ? list : "";
    while (!rest.empty()) {
        const auto end = rest.find(':');
        if (void *result = start_from(rest.substr(0, end), omp_version, runtime_version);
            result != nullptr) {
            return result;
        }
        rest = end != std::string::npos ? rest.substr(end + 1) : "";
    }
    return nullptr;
}

} // namespace mini::tool
