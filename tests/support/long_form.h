// SPDX-License-Identifier: Apache-2.0
// Which form of the tests is run: the short one takes seconds each, the long one minutes.
#pragma once

#include <cstdlib>

namespace ocb_test {

// OCB_TEST_LONG is set, and not empty; `sh tests/run.sh --long` sets it.
inline bool is_long() {
    const char *value = std::getenv("OCB_TEST_LONG");
    return value != nullptr && *value != '\0';
}

} // namespace ocb_test
