// SPDX-License-Identifier: Apache-2.0
//
// Prose in lines.
#pragma once

#include <string>

namespace ompcollect {

// The sentence in lines of at most `width` columns, each behind `indent` spaces and with its end. A
// word that is longer has a line of its own.
std::string wrapped(const std::string &sentence, size_t indent, size_t width);

} // namespace ompcollect
