// SPDX-License-Identifier: Apache-2.0
// The generations with ompt_start_tool, where threads, regions and tasks have a word that the tool
// fills. tool_data.cpp has what TR6 and 5.x share; tool_tr6.cpp and tool_5.cpp what differs.
#pragma once

#include "spec/tr6.h"
#include "tool.h"

namespace mini::tool {

using ocb::ompt5::ompt_callback_t;
using ocb::ompt5::ompt_data_t;
using ocb::ompt5::ompt_function_lookup_t;
using ocb::ompt5::ompt_interface_fn_t;

constexpr int kCallbacks = 64;
extern std::atomic<ompt_callback_t> callbacks[kCallbacks];

template <class Function, class... Arguments> void tell(int callback, Arguments... arguments) {
    const auto function =
        reinterpret_cast<Function>(callbacks[callback].load(std::memory_order_acquire));
    if (function != nullptr) {
        function(arguments...);
    }
}

ompt_interface_fn_t lookup(const char *name);

inline ompt_data_t *data(Word *word) {
    return reinterpret_cast<ompt_data_t *>(word);
}

inline auto endpoint_of(Endpoint endpoint) {
    return static_cast<ocb::ompt5::ompt_scope_endpoint_t>(endpoint);
}

struct NamedState {
    State state;
    const char *name;
};

// Numbers that both have.
bool is_common_callback(int callback);
int common_state(State state);

// What a generation has of its own.
namespace generation {

extern const unsigned kOmpVersion;
extern const char *const kRuntimeVersion;
extern const int kAlways, kNever;  // of ompt_set_callback
extern const int kFirstState;      // with which the enumeration begins
extern const NamedState kStates[]; // the last one has no name
bool initialize(void *result, ompt_function_lookup_t lookup);
void finalize(void *result);
bool has_callback(int callback);
ompt_interface_fn_t lookup(const char *name); // what only this one has

int state_of(State state);
int sync_of(SyncKind kind);
int mutex_of(MutexKind kind, bool is_test);
int work_of(WorkKind kind);
int status_of(TaskStatus status);
int parallel_flags(bool is_invoked_by_program);

} // namespace generation
} // namespace mini::tool
