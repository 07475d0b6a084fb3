// SPDX-License-Identifier: Apache-2.0
// OpenMP 5.0 to 5.2 (libomp 8 and later): what tables.h and capabilities.cpp say holds, so there
// are no notes.
#include "adapter.h"

#include "attachment.h"
#include "multiplex/client_tool.h"
#include "ompt5/callbacks.h"
#include "ompt5/entry_points.h"
#include "records/front.h"
#include "start.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace ocb::ompt5 {

constinit EntryPoints entry_points;

namespace {

// The code of a function of the runtime, empty if it has none of that name.
CodeRange code_of(void *library, const char *name) {
    void *address = dlsym(library, name);
    if (address == nullptr)
        return {};
    Dl_info info;
    void *entry = nullptr;
    if (dladdr1(address, &info, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr)
        return {};
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    return {begin, begin + static_cast<const ElfW(Sym) *>(entry)->st_size};
}

void find_test_locks(ompt_function_lookup_t lookup) {
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(lookup), &info) == 0 || info.dli_fname == nullptr)
        return;
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr)
        return;
    test_lock_code = code_of(library, "__kmpc_test_lock");
    test_nest_lock_code = code_of(library, "__kmpc_test_nest_lock");
    dlclose(library);
}

int set_callback(const ompt::CallbackRow &row) {
    const auto id = static_cast<ompt_callbacks_t>(row.number);
    return entry_points.set_callback(id, chain::shared_callback(id, row.function));
}

// By the value of ompt_set_result_t.
constexpr ompt::SetResult kResults[] = {
    {"error", runtime::Service::kNone},
    {"never", runtime::Service::kNone},
    {"impossible", runtime::Service::kNone},
    {"sometimes", runtime::Service::kPartial},
    {"sometimes_paired", runtime::Service::kPartial},
    {"always", runtime::Service::kFull},
};
static_assert(sizeof(kResults) / sizeof(kResults[0]) == ompt_set_always + 1);

} // namespace

bool find_entry_points(ompt_function_lookup_t lookup) {
    ompt::find(lookup, "ompt_set_callback", entry_points.set_callback);
    ompt::find(lookup, "ompt_get_state", entry_points.get_state);
    ompt::find(lookup, "ompt_get_task_info", entry_points.get_task_info);
    ompt::find(lookup, "ompt_get_thread_data", entry_points.get_thread_data);
    if (entry_points.set_callback == nullptr || entry_points.get_state == nullptr ||
        entry_points.get_task_info == nullptr || entry_points.get_thread_data == nullptr) {
        ompt::refuse(
            "the OpenMP runtime's tools interface lacks a function that OpenMP 5.0 demands");
        return false;
    }
    find_test_locks(lookup);
    const char *lock_kind = secure_getenv("KMP_LOCK_KIND");
    locks_are_futexes = lock_kind != nullptr && std::strcmp(lock_kind, "futex") == 0;
    return true;
}

bool start(ompt_function_lookup_t lookup, int initial_device_num) {
    if (!find_entry_points(lookup))
        return false;
    ompt::stay_and_become_visible();
    chain::begin(lookup, initial_device_num);
    // The guest's data live in our records of regions and tasks, so there is nothing to leave out.
    if (chain::has_guest)
        runtime::want(kNeedAll);
    front::is_wanted = true;
    ompt::attach(kAdapter, lookup, entry_points.get_state);
    return true;
}

constinit const ompt::Adapter kAdapter = {
    .name = "OpenMP 5",
    .callbacks = {kCallbacks, kCallbackCount},
    .results = ompt::Rows<ompt::SetResult>::of(kResults),
    .notes = {},
    .registers_at_once = false,
    .told_by_callbacks = kNeedAll,
    .first_mutex_state = ompt_state_wait_mutex,
    .last_mutex_state = ompt_state_wait_ordered,
    .set_callback = set_callback,
    .facts_of_caller = facts_of_caller,
    .adopt_caller = adopt_caller,
    .reset_after_fork = chain::reset_after_fork,
};

} // namespace ocb::ompt5
