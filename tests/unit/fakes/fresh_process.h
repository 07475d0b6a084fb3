// SPDX-License-Identifier: Apache-2.0
// Tests that need a process in which nothing has happened yet (the library keeps what it has once
// observed, and reads its options once): the body runs in a fork of the program as it began, with
// just this test selected and the given variables set; what fails there fails here.
#pragma once

#include <gtest/gtest.h>

#include <vector>

namespace ocb::test {

using Environment = std::vector<const char *>; // "NAME=value"

// From here to testing::internal::GetCapturedStderr() the library's lines are caught: descriptor 2
// is another one then, which the library is told.
void capture_stderr();

// Runs `body` in a new process, or here if this is that process.
void in_fresh_process(const Environment &environment, void (*body)());

#define OCB_FRESH_TEST_WITH(area, name, ...)                                                       \
    static void area##_##name##_in_fresh_process();                                                \
    TEST(area, name) {                                                                             \
        in_fresh_process({__VA_ARGS__}, area##_##name##_in_fresh_process);                         \
    }                                                                                              \
    static void area##_##name##_in_fresh_process()

#define OCB_FRESH_TEST(area, name) OCB_FRESH_TEST_WITH(area, name, "OCB_LOG=warn")

} // namespace ocb::test
