// SPDX-License-Identifier: Apache-2.0
// The three symbols by which runtimes ask for a tool, and how the generation behind each is
// recognised. A runtime may call them on any thread, also from inside our own START; no lock is
// held across them.
//
//   ompt_start_tool   OpenMP 5, TR6, TR4: an initializer with three arguments, two, or two others
//   ompt_tool         TR2 of 2015 and the draft after it: an initializer in one of two orders
//   ompt_initialize   the form of 2014
//
// Nothing is guessed. An address of ours, or the memory that an argument points to, distinguishes
// two forms. A call that fits no form, or two, is refused.
#include "attachment/attached_runtime.h"
#include "attachment/attachment.h"
#include "attachment/entry_names.h"
#include "base/code_address.h"
#include "base/compiler.h"
#include "omp_collector_bridge.h"
#include "ompt5/adapter.h"
#include "ompt5/client_tool.h"
#include "spec/tr2.h"
#include "spec/tr6.h"
#include "tr2/adapter.h"
#include "tr6/adapter.h"

#include <cstring>

namespace ocb {

const char *const ompt::kEntryNames[kEntryCount] = {"ompt_start_tool", "ompt_tool",
                                                    "ompt_initialize"};

namespace {

using ompt5::ompt_data_t;
using ompt5::ompt_function_lookup_t;

// ---- ompt_start_tool ---------------------------------------------------------------------------

// The forms of 5.0, TR6 and TR4 in one: the initializer with as many arguments as the longest has,
// and the finalizer with the address that is its only one in all.
struct StartResult {
    int (*initialize)(ompt_function_lookup_t lookup, std::uintptr_t second, std::uintptr_t third);
    void (*finalize)(void *);
    ompt_data_t tool_data;
};
static_assert(sizeof(StartResult) == sizeof(ompt5::ompt_start_tool_result_t));
static_assert(sizeof(StartResult) == sizeof(ompt_tr6::ompt_start_tool_result_t));

int initialize(ompt_function_lookup_t lookup, std::uintptr_t second, std::uintptr_t third);
void finalize(void *) {
    ompt5::multiplex::end();
    ompt::detach();
}

constinit StartResult start_result{initialize, finalize, {0}};

enum class Form { kOpenMp5, kTr6, kTr4, kNone };

// By the name of the first state: omp_state_... in TR6, ompt_state_... in 5.0.
Form form_by_names(ompt_function_lookup_t lookup) {
    const auto enumerate =
        reinterpret_cast<ompt_tr6::ompt_enumerate_states_t>(lookup("ompt_enumerate_states"));
    int state = 0;
    const char *name = nullptr;
    if (enumerate == nullptr || enumerate(ompt_tr6::omp_state_undefined, &state, &name) == 0 ||
        name == nullptr) {
        return Form::kNone;
    }
    if (std::strncmp(name, "ompt_state_", std::strlen("ompt_state_")) == 0) {
        return Form::kOpenMp5;
    }
    return std::strncmp(name, "omp_state_", std::strlen("omp_state_")) == 0 ? Form::kTr6
                                                                            : Form::kNone;
}

// 5.0 passes a device's number and the address of our tool_data, TR6 that address alone, TR4 that
// of what ompt_start_tool returned. What stands in the register of an argument that is not passed
// can be anything: the same address, even, and then the names of the states decide.
Form form_of(ompt_function_lookup_t lookup, std::uintptr_t second, std::uintptr_t third) {
    const auto data = reinterpret_cast<std::uintptr_t>(&start_result.tool_data);
    if (second == reinterpret_cast<std::uintptr_t>(&start_result)) {
        return Form::kTr4;
    }
    if ((second == data) == (third == data)) {
        return form_by_names(lookup);
    }
    return third == data ? Form::kOpenMp5 : Form::kTr6;
}

int initialize(ompt_function_lookup_t lookup, std::uintptr_t second, std::uintptr_t third) {
    switch (form_of(lookup, second, third)) {
    case Form::kOpenMp5:
        return ompt5::start(lookup, static_cast<int>(second)) ? 1 : 0;
    case Form::kTr6:
        return ompt_tr6::start(lookup) ? 1 : 0;
    case Form::kTr4:
        ompt::reject("the OpenMP runtime has OMPT in the form of technical report 4, which no "
                     "release of a runtime has");
        return 0;
    case Form::kNone:
        break;
    }
    ompt::reject("the OpenMP runtime initialises its tool in no form of OMPT that is known");
    return 0;
}

// ---- ompt_tool, ompt_initialize ----------------------------------------------------------------

// Of an argument that may be a small number: the other half of its register is anybody's.
bool can_be_version(std::uintptr_t argument) {
    constexpr std::uint32_t kHighest = 0xFFFF;
    return static_cast<std::uint32_t>(argument) <= kHighest;
}

bool can_be_text(std::uintptr_t argument) {
    return argument == 0 || mapping_of(argument).is_readable;
}

bool can_be_lookup(std::uintptr_t argument) {
    return argument != 0 && mapping_of(argument).is_executable;
}

// Keeps what can be read of it, should it have no end.
void keep_text(std::uintptr_t text) {
    if (text == 0) {
        return ompt::keep_version(0, "", 0);
    }
    ompt::keep_version(0, reinterpret_cast<const char *>(text), mapping_of(text).end - text);
}

// The report gives both orders of the arguments. A number is no address of code, so of the two at
// most one fits: the text may well lie beside the code, in the same mapping, but then its place
// decides, and the third of the three must be a number.
ompt_function_lookup_t lookup_in(std::uintptr_t first, std::uintptr_t second, std::uintptr_t third,
                                 bool may_be_last) {
    const bool is_first = can_be_lookup(first) && can_be_text(second) && can_be_version(third);
    const bool is_last =
        may_be_last && can_be_text(first) && can_be_version(second) && can_be_lookup(third);
    if (is_first == is_last) {
        return nullptr;
    }
    keep_text(is_first ? second : first);
    return reinterpret_cast<ompt_function_lookup_t>(is_first ? first : third);
}

bool start_tr2(std::uintptr_t first, std::uintptr_t second, std::uintptr_t third,
               ompt_tr2::Registration registration) {
    const ompt_function_lookup_t lookup =
        lookup_in(first, second, third, registration == ompt_tr2::Registration::kTool);
    if (lookup == nullptr) {
        ompt::reject("the OpenMP runtime initialises its tool in no form of OMPT that is known");
        return false;
    }
    return ompt_tr2::start(lookup, registration);
}

void initialize_tr2(std::uintptr_t first, std::uintptr_t second, std::uintptr_t third) {
    // After its shutdown a runtime may come again by this alone.
    if (!ompt::is_being_asked() && !ompt::claim(ompt::AsksAgain::kAfterFork)) {
        return;
    }
    start_tr2(first, second, third, ompt_tr2::Registration::kTool);
}

} // namespace
} // namespace ocb

OCB_EXPORT void *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    using namespace ocb;
    // Handed on from one definition to the next, the question has come back.
    if (ompt5::multiplex::asks_for_client_tool()) {
        return nullptr;
    }
    if (!ompt::is_welcome() || !ompt::claim(ompt::AsksAgain::kNever)) {
        return nullptr;
    }
    ompt::keep_version(omp_version, runtime_version);
    const bool is_followed = ompt5::multiplex::find_client_tool(omp_version, runtime_version);
    start_result.tool_data.value = is_followed ? 0 : OMP_COLLECTOR_BRIDGE_IS_ALONE;
    return &start_result;
}

OCB_EXPORT ocb::ompt::Function ompt_tool() {
    using namespace ocb;
    if (!ompt::is_welcome() || !ompt::claim(ompt::AsksAgain::kAfterFork)) {
        return nullptr;
    }
    return OCB_OMPT_FUNCTION(initialize_tr2);
}

OCB_EXPORT int ompt_initialize(std::uintptr_t first, std::uintptr_t second, std::uintptr_t third) {
    using namespace ocb;
    if (!ompt::is_welcome() || !ompt::claim(ompt::AsksAgain::kAfterFork)) {
        return 0;
    }
    return start_tr2(first, second, third, ompt_tr2::Registration::k2014) ? 1 : 0;
}
