// SPDX-License-Identifier: Apache-2.0
#include "tool.h"

#include "code_mapping.h"

#include "spec/ompt5.h"
#include "spec/tr2.h"

namespace compliance {
namespace {

Interface *the_interface = nullptr;

// Counts a call of an entry point; the first one decides.
bool first_entry(Generation generation) {
    Registration &registration = shared().registration;
    if (registration.entry_calls.fetch_add(1) != 0) {
        return false;
    }
    registration.generation = generation;
    return true;
}

int initialize_with(Interface *made, Lookup lookup) {
    if (shared().registration.initializer_calls.fetch_add(1) != 0) {
        return 1;
    }
    the_interface = made;
    made->bind(lookup);
    if (tool_plan().in_initializer != nullptr) {
        tool_plan().in_initializer(lookup);
    }
    return 1;
}

// ompt_start_tool ---------------------------------------------------------------------------------

void finalize(ocb::ompt5::ompt_data_t *) {
    on_shutdown();
}
ocb::ompt5::ompt_start_tool_result_t start_result = {nullptr, finalize, {}};

// The second argument is an int in 5.x, and an address in TR6 and TR4: the whole register tells.
// In 5.x its upper half is undefined, but a device number is never the lower half of the address
// together with the address' upper half by chance, as the third argument then is tool_data.
int initialize_any(ocb::ompt5::ompt_function_lookup_t lookup, std::uintptr_t second,
                   std::uintptr_t third) {
    Registration &registration = shared().registration;
    if (third != reinterpret_cast<std::uintptr_t>(&start_result.tool_data) &&
        second == reinterpret_cast<std::uintptr_t>(&start_result)) {
        registration.generation = Generation::kTr4;
        return 0;
    }
    const bool tr6 = second == reinterpret_cast<std::uintptr_t>(&start_result.tool_data);
    registration.generation = tr6 ? Generation::kTr6 : Generation::k5;
    registration.right_tool_data =
        tr6 || third == reinterpret_cast<std::uintptr_t>(&start_result.tool_data);
    registration.initial_device = tr6 ? 0 : static_cast<int>(second);
    return initialize_with(make_data_interface(tr6), lookup);
}

// ompt_tool ---------------------------------------------------------------------------------------

// The report gives the arguments in two orders; code tells the lookup from a string and a number.
void initialize_tr2(std::uintptr_t first, std::uintptr_t second, std::uintptr_t third) {
    Registration &registration = shared().registration;
    const bool last = !is_code(first);
    registration.generation = last ? Generation::kTr2Last : Generation::kTr2;
    registration.has_runtime_version = (last ? first : second) != 0;
    registration.omp_version = static_cast<unsigned>(last ? second : third);
    const auto lookup = reinterpret_cast<Lookup>(last ? third : first);
    if (lookup("ompt_get_parallel_info") != lookup("ompt_no_such_function")) {
        registration.generation = Generation::kTr2Draft;
    }
    initialize_with(make_id_interface(false), lookup);
}

} // namespace

Interface *interface() {
    return the_interface;
}

ToolPlan &tool_plan() {
    static ToolPlan plan;
    return plan;
}

void on_shutdown() {
    record(Event::kShutdown, {});
    if (tool_plan().at_shutdown != nullptr) {
        tool_plan().at_shutdown();
    }
}

} // namespace compliance

using namespace compliance;

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED ocb::ompt5::ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version,
                                                               const char *runtime_version) {
    if (first_entry(Generation::k5)) {
        shared().registration.omp_version = omp_version;
        shared().registration.has_runtime_version = runtime_version != nullptr;
    }
    start_result.initialize =
        reinterpret_cast<ocb::ompt5::ompt_initialize_t>(reinterpret_cast<void *>(initialize_any));
    return &start_result;
}

EXPORTED ocb::ompt_tr2::ompt_initialize_fn_t ompt_tool() {
    first_entry(Generation::kTr2);
    return reinterpret_cast<ocb::ompt_tr2::ompt_initialize_fn_t>(
        reinterpret_cast<void *>(initialize_tr2));
}

EXPORTED int ompt_initialize(ocb::ompt_tr2::ompt_function_lookup_t lookup,
                             const char *runtime_version, unsigned ompt_version) {
    if (first_entry(Generation::k2014)) {
        shared().registration.omp_version = ompt_version;
        shared().registration.has_runtime_version = runtime_version != nullptr;
    }
    return initialize_with(make_id_interface(true), lookup);
}
