// SPDX-License-Identifier: Apache-2.0
// TR2 as revised in November 2015: ompt_tool, version 2. The report gives two orders of the
// initializer's arguments: MINI_OMP_ARGUMENT_ORDER chooses, lookup-first (the default) or
// version-first. The functions that it has commented out and that LLVM's runtime has
// (ompt_get_task_id, ompt_get_task_frame, ompt_get_idle_frame) are there as well.
#include "defects.h"
#include "tool_ids.h"

#include <cstdlib>
#include <cstring>

using namespace ocb::ompt_tr2;

extern "C" [[gnu::weak]] ompt_initialize_fn_t ompt_tool() {
    return nullptr;
}

namespace mini::tool {
namespace {

ompt_initialize_fn_t initializer;

constexpr unsigned kVersion = 2;
constexpr const char *kRuntimeVersion = "mini-omp with OMPT of TR2, November 2015";

int enumerate_lock_type(ompt_lock_type_t current, ompt_lock_type_t *next, const char **name) {
    if (current != 0) {
        return 0;
    }
    *next = 1;
    *name = "mini_test_and_set";
    return 1;
}

int get_num_devices() {
    return 0;
}

int target_get_device_id() {
    return 0;
}

} // namespace

const unsigned kHaving = kWithIds | kWithIdleFrame;

namespace generation {

const bool kRegistersAtAnyTime = false;
const bool kIs2014 = false;
const int kUndefinedState = ompt_state_undefined_tr2;

bool find_tool() {
    initializer = tool_is_enabled_or_end() ? ompt_tool() : nullptr;
    return initializer != nullptr;
}

bool initialize(ompt_function_lookup_t lookup) {
    const char *order = std::getenv("MINI_OMP_ARGUMENT_ORDER");
    if (order != nullptr && std::strcmp(order, "version-first") == 0) {
        reinterpret_cast<ompt_initialize_lookup_last_t>(reinterpret_cast<void *>(initializer))(
            told_runtime(kRuntimeVersion), told_version(kVersion), lookup);
    } else {
        initializer(lookup, told_runtime(kRuntimeVersion), told_version(kVersion));
    }
    return true;
}

ompt_interface_fn_t lookup(const char *name) {
    static const Named kFunctions[] = {named("ompt_enumerate_state", enumerate_state),
                                       named("ompt_enumerate_lock_type", enumerate_lock_type),
                                       named("ompt_enumerate_atomic_type", enumerate_lock_type),
                                       named("ompt_get_parallel_id", get_parallel_id),
                                       named("ompt_get_parallel_team_size", get_parallel_team_size),
                                       named("ompt_get_task_info", get_task_info),
                                       named("ompt_get_num_devices", get_num_devices),
                                       named("ompt_target_get_device_id", target_get_device_id),
                                       named("ompt_get_task_id", get_task_id),
                                       named("ompt_get_task_frame", get_task_frame),
                                       named("ompt_get_idle_frame", get_idle_frame),
                                       {}};
    return find_in(kFunctions, name);
}

} // namespace generation

bool begins_anew_in_child() {
    return true;
}

} // namespace mini::tool
