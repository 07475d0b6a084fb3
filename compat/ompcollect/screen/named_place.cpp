// SPDX-License-Identifier: Apache-2.0
#include "named_place.h"

#include "words.h"

namespace ompcollect::report {

NamedPlace place_of(const Process &process, int node) {
    if (node < 0 || static_cast<size_t>(node) >= process.nodes.size()) {
        return {place_name(process, node), {}};
    }
    const Node &at = process.nodes[static_cast<size_t>(node)];
    const bool has_line = !at.source.empty() || at.module.empty();
    return {at.function, has_line ? at.source : place_in_module(at.module, at.offset)};
}

} // namespace ompcollect::report
