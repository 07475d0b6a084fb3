// SPDX-License-Identifier: Apache-2.0
// The draft chapter after TR2: ompt_tool, lookup first, and only the inquiry functions that its
// text names. It does not print the types of ompt_get_parallel_info and ompt_get_task_info; those
// here are the later ones with ids for data words.
#include "defects.h"
#include "inquiry.h"
#include "tool_ids.h"

using namespace ocb::ompt_tr2;

extern "C" [[gnu::weak]] ompt_initialize_fn_t ompt_tool() {
    return nullptr;
}

namespace mini::tool {
namespace {

ompt_initialize_fn_t initializer;

std::uint32_t get_parallel_info(int ancestor_level, ompt_parallel_id_t *parallel_id,
                                int *team_size) {
    const inquiry::RegionView region =
        inquiry::region(ancestor_level, inquiry::Outermost::kDoesNot);
    if (!region.exists) {
        return 0;
    }
    if (parallel_id != nullptr) {
        *parallel_id = *region.word;
    }
    if (team_size != nullptr) {
        *team_size = region.size;
    }
    return 1;
}

// Outside of any target region.
std::uint32_t get_target_info(int *device, std::uint64_t *target_id, std::uint64_t *operation_id) {
    *device = 0;
    *target_id = *operation_id = ompt_id_none;
    return 0;
}

} // namespace

const unsigned kHaving = kWithIds;

namespace generation {

const bool kRegistersAtAnyTime = false;
const bool kIs2014 = false;
const int kUndefinedState = ompt_state_undefined_tr2;

bool find_tool() {
    initializer = tool_is_enabled_or_end() ? ompt_tool() : nullptr;
    return initializer != nullptr;
}

bool initialize(ompt_function_lookup_t lookup) {
    constexpr unsigned kVersion = 2;
    initializer(lookup, told_runtime("mini-omp with OMPT of the draft after TR2"),
                told_version(kVersion));
    return true;
}

ompt_interface_fn_t lookup(const char *name) {
    static const Named kFunctions[] = {named("ompt_enumerate_state", enumerate_state),
                                       named("ompt_get_parallel_info", get_parallel_info),
                                       named("ompt_get_task_info", get_task_info),
                                       named("ompt_get_target_info", get_target_info),
                                       {}};
    return find_in(kFunctions, name);
}

} // namespace generation

bool begins_anew_in_child() {
    return true;
}

} // namespace mini::tool
