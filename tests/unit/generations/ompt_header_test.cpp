// SPDX-License-Identifier: Apache-2.0
// Our declarations of OMPT against those that LLVM ships: every number by its name, from the text
// of both headers (so that none is left out), and the shape of every function while compiling.
// Skipped where CMake has found no omp-tools.h.
#include "spec/ompt5.h"

#include <gtest/gtest.h>

#ifdef OCB_OMP_TOOLS_DIR

#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <omp-tools.h>
#include <regex>
#include <string>
#include <type_traits>

namespace ocb::test {
namespace {

// Two values are passed alike: pointers, or integers and enumerations of one size.
template <class Left, class Right> constexpr bool is_alike() {
    if constexpr (std::is_pointer_v<Left> || std::is_pointer_v<Right>) {
        return std::is_pointer_v<Left> && std::is_pointer_v<Right>;
    } else if constexpr (std::is_void_v<Left> || std::is_void_v<Right>) {
        return std::is_void_v<Left> && std::is_void_v<Right>;
    } else {
        return sizeof(Left) == sizeof(Right);
    }
}

template <class Left, class Right> struct Functions { static constexpr bool kAreAlike = false; };
template <class Left, class... LeftArgs, class Right, class... RightArgs>
struct Functions<Left (*)(LeftArgs...), Right (*)(RightArgs...)> {
    static constexpr bool are_alike() {
        if constexpr (sizeof...(LeftArgs) == sizeof...(RightArgs)) {
            return is_alike<Left, Right>() && (is_alike<LeftArgs, RightArgs>() && ...);
        } else {
            return false;
        }
    }
    static constexpr bool kAreAlike = are_alike();
};

#define OCB_SAME_FUNCTION(type) static_assert(Functions<ompt5::type, ::type>::kAreAlike, #type)

OCB_SAME_FUNCTION(ompt_function_lookup_t);
OCB_SAME_FUNCTION(ompt_initialize_t);
OCB_SAME_FUNCTION(ompt_finalize_t);
OCB_SAME_FUNCTION(ompt_set_callback_t);
OCB_SAME_FUNCTION(ompt_get_thread_data_t);
OCB_SAME_FUNCTION(ompt_get_state_t);
OCB_SAME_FUNCTION(ompt_get_parallel_info_t);
OCB_SAME_FUNCTION(ompt_get_task_info_t);
OCB_SAME_FUNCTION(ompt_callback_thread_begin_t);
OCB_SAME_FUNCTION(ompt_callback_thread_end_t);
OCB_SAME_FUNCTION(ompt_callback_parallel_begin_t);
OCB_SAME_FUNCTION(ompt_callback_parallel_end_t);
OCB_SAME_FUNCTION(ompt_callback_implicit_task_t);
OCB_SAME_FUNCTION(ompt_callback_sync_region_t);
OCB_SAME_FUNCTION(ompt_callback_mutex_acquire_t);
OCB_SAME_FUNCTION(ompt_callback_mutex_t);
OCB_SAME_FUNCTION(ompt_callback_nest_lock_t);
OCB_SAME_FUNCTION(ompt_callback_work_t);
OCB_SAME_FUNCTION(ompt_callback_masked_t);
OCB_SAME_FUNCTION(ompt_callback_task_create_t);
OCB_SAME_FUNCTION(ompt_callback_task_schedule_t);
OCB_SAME_FUNCTION(ompt_callback_control_tool_t);

static_assert(sizeof(ompt5::ompt_data_t) == sizeof(::ompt_data_t));
static_assert(alignof(ompt5::ompt_data_t) == alignof(::ompt_data_t));
static_assert(sizeof(ompt5::ompt_wait_id_t) == sizeof(::ompt_wait_id_t));
static_assert(sizeof(ompt5::ompt_start_tool_result_t) == sizeof(::ompt_start_tool_result_t));
static_assert(offsetof(ompt5::ompt_start_tool_result_t, finalize) ==
              offsetof(::ompt_start_tool_result_t, finalize));
static_assert(offsetof(ompt5::ompt_start_tool_result_t, tool_data) ==
              offsetof(::ompt_start_tool_result_t, tool_data));

using Numbers = std::map<std::string, unsigned long>;

// All "name = number" of a header whose name begins with ompt_; LLVM marks some as deprecated.
Numbers numbers_of(const std::string &path) {
    std::ifstream file(path);
    EXPECT_TRUE(file.is_open()) << path;
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::regex assignment(
        "\\b(ompt_\\w+)\\s*(?:DEPRECATED_\\w+\\s*)?=\\s*(0[xX][0-9a-fA-F]+|[0-9]+)");
    Numbers numbers;
    for (std::sregex_iterator at(text.begin(), text.end(), assignment), end; at != end; ++at) {
        numbers.emplace((*at)[1], std::stoul((*at)[2], nullptr, 0));
    }
    return numbers;
}

TEST(OmptHeader, NumbersAreThoseOfTheSpecification) {
    const Numbers ours = numbers_of(OCB_SOURCE_DIR "/ompt-backend/spec/ompt5.h");
    const Numbers theirs = numbers_of(OCB_OMP_TOOLS_DIR "/omp-tools.h");
    // The ways of writing that the search must know.
    ASSERT_EQ(ours.at("ompt_state_wait_ordered"), 0x044U);
    ASSERT_EQ(ours.at("ompt_callback_reduction"), 31U);
    ASSERT_EQ(ours.at("ompt_task_undeferred"), 0x08000000U);
    for (const auto &[name, number] : ours) {
        const auto their = theirs.find(name);
        if (their == theirs.end()) {
            ADD_FAILURE() << name << " is not in omp-tools.h";
            continue;
        }
        EXPECT_EQ(number, their->second) << name;
    }
}

} // namespace
} // namespace ocb::test

#else

TEST(OmptHeader, NumbersAreThoseOfTheSpecification) {
    GTEST_SKIP() << "no omp-tools.h here";
}

#endif
