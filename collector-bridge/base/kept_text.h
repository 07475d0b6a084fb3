// SPDX-License-Identifier: Apache-2.0
// Text that callers hold on to: what has been handed out never changes and is never freed. For a
// few names in a process, each of which is kept once. Not for signal handlers.
#pragma once

#include <cstddef>

namespace ocb {

// At most `most` characters of it. Empty where the system has no memory left.
[[nodiscard]] const char *kept_text(const char *text, std::size_t most);

} // namespace ocb
