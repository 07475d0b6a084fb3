// SPDX-License-Identifier: Apache-2.0
#include "ompt5/entry_points.h"

#include "attachment/attachment.h"
#include "attachment/loaded_object.h"
#include "attachment/runtime_search.h"

#include "tracker/tracker.h"

#include <cstdlib>
#include <cstring>
#include <strings.h>

namespace ocb::ompt5 {

constinit EntryPoints entry_points;
constinit CodeRange test_lock_code, test_nest_lock_code, runtime_code, provider_code;
constinit bool reads_first_thread = false;
constinit unsigned queuing_implementation = kQueuing;
constinit tracker::TaskKind deferred_kind = tracker::TaskKind::kDeferred;

namespace {

// The code of a function of the runtime, empty if it has none of that name.
CodeRange code_of(const ompt::LoadedObject &runtime, const char *name) {
    const ompt::Symbol function = runtime.definition_of(name);
    return {function.address, function.size};
}

template <class F>
void find_routine(const ompt::LoadedObject &runtime, const char *name, F &routine) {
    routine = reinterpret_cast<F>(runtime.definition_of(name).address);
}

// Goes by the names of libomp and Intel's libiomp5: an object of another name may have code of the
// program, too.
bool is_runtime_alone(const ompt::LoadedObject &object) {
    const char *slash = std::strrchr(object.path(), '/');
    const char *name = slash != nullptr ? slash + 1 : object.path();
    return std::strncmp(name, "libomp", 6) == 0 || std::strncmp(name, "libiomp", 7) == 0;
}

// With OMP_WAIT_POLICY=passive workers of libomp 15 and later sleep at the end of a region, at once
// or after KMP_BLOCKTIME. They report the end when the next region wakes them, with tasks or
// without.
bool workers_sleep_among_tasks() {
    const char *policy = secure_getenv("OMP_WAIT_POLICY");
    return policy != nullptr && strncasecmp(policy, "pa", 2) == 0;
}

} // namespace

bool find_entry_points(ompt_function_lookup_t lookup) {
    ompt::find(lookup, "ompt_set_callback", entry_points.set_callback);
    ompt::find(lookup, "ompt_get_state", entry_points.get_state);
    ompt::find(lookup, "ompt_get_task_info", entry_points.get_task_info);
    ompt::find(lookup, "ompt_get_thread_data", entry_points.get_thread_data);
    if (entry_points.set_callback == nullptr || entry_points.get_state == nullptr ||
        entry_points.get_task_info == nullptr || entry_points.get_thread_data == nullptr) {
        ompt::reject(
            "the OpenMP runtime's tools interface lacks a function that OpenMP 5.0 demands");
        return false;
    }
    const auto *entry = reinterpret_cast<const void *>(lookup);
    ompt::visit_object_of(entry, [entry](const ompt::LoadedObject &runtime) {
        find_routine(runtime, "omp_get_level", entry_points.get_level);
        find_routine(runtime, "omp_get_ancestor_thread_num", entry_points.get_ancestor_thread_num);
        test_lock_code = code_of(runtime, "__kmpc_test_lock");
        test_nest_lock_code = code_of(runtime, "__kmpc_test_nest_lock");
        // libgomp-ompt before libgomp, which reports no end at all. The provider has no threads of
        // its own, and the program's calls that the front marks return into its code.
        const bool is_provider = runtime.definition_of(ompt::kProviderFunction).is_found();
        if (is_provider) {
            deferred_kind = tracker::TaskKind::kDeferredEndUnreported;
        }
        reads_first_thread =
            !is_provider && runtime.definition_of("__kmpc_end_critical").is_found();
        const ompt::Symbol code = runtime.segment_of(entry);
        const CodeRange range{code.address, code.size};
        runtime_code = is_runtime_alone(runtime) && !is_provider ? range : CodeRange{};
        provider_code = is_provider ? range : CodeRange{};
    });
    tracker::expect_timely_ends(!workers_sleep_among_tasks());
    const char *lock_kind = secure_getenv("KMP_LOCK_KIND");
    const bool locks_are_futexes = lock_kind != nullptr && std::strcmp(lock_kind, "futex") == 0;
    queuing_implementation = locks_are_futexes ? kNoneQueues : kQueuing;
    return true;
}

} // namespace ocb::ompt5
