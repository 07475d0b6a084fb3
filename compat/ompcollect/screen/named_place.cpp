// SPDX-License-Identifier: Apache-2.0
#include "named_place.h"

#include "reader_places.h"
#include "text_layout.h"
#include "words.h"

#include <algorithm>

namespace ompcollect::report {

NamedPlace place_of(const Process &process, int node) {
    if (node < 0 || static_cast<size_t>(node) >= process.nodes.size()) {
        return {place_name(process, node), {}};
    }
    const Node &at = process.nodes[static_cast<size_t>(node)];
    const bool has_line = !at.source.empty() || at.module.empty();
    const std::string source = has_line ? at.source.str() : place_in_module(at.module, at.offset);
    // A function without a name has its first address for one: the place says more.
    const bool has_name = has_line || !at.function.str().starts_with(base_name(at.module) + "+0x");
    return {has_name ? std::string(function_without_line(at)) : std::string(), source};
}

std::string place_in_line(const Process &process, int node, size_t width, size_t column) {
    constexpr size_t kLeastRoom = 16;
    const size_t room = std::max(kLeastRoom, width - std::min(width, column));
    const NamedPlace at = place_of(process, node);
    return shortened_place(at.name, at.source, room);
}

} // namespace ompcollect::report
