// SPDX-License-Identifier: Apache-2.0
#include "reader_places.h"

#include "words.h"

#include <string_view>

namespace ompcollect::report {

void name_python_line(Node &node, const std::string &function, const std::string &file,
                      unsigned line) {
    const std::string source = base_name(file) + ":" + std::to_string(line);
    node.function = function.empty() ? " " + source : function + " " + source;
    node.source = source;
    node.module = file;
}

bool is_python_line(const Node &node) {
    const std::string &function = node.function.str();
    const std::string &source = node.source.str();
    return node.kind == NodeKind::kFunction && !source.empty() && function.size() > source.size() &&
           function.ends_with(source) && function[function.size() - source.size() - 1] == ' ';
}

std::string_view function_without_line(const Node &node) {
    const std::string_view function = node.function.str();
    return is_python_line(node) ? function.substr(0, function.size() - node.source.str().size() - 1)
                                : function;
}

PythonLines::PythonLines(const std::vector<Node> &nodes) {
    lines_.reserve(nodes.size());
    for (const Node &node : nodes) {
        add(node);
    }
}

void PythonLines::add(const Node &node) {
    const auto own = static_cast<int>(lines_.size());
    if (node.kind == NodeKind::kRegion) {
        lines_.push_back({-1, false, false});
        return;
    }
    const Line above =
        node.parent >= 0 ? lines_[static_cast<size_t>(node.parent)] : Line{-1, false, false};
    if (!is_python_line(node)) {
        lines_.push_back(
            {above.nearest, above.is_library, above.nearest >= 0 && node.source.empty()});
        return;
    }
    const bool is_library = is_python_library(node.module);
    const bool is_better = above.nearest < 0 || above.is_library || !is_library;
    lines_.push_back(is_better ? Line{own, is_library, false} : above);
    lines_.back().is_hidden = !is_better;
}

namespace {

constexpr int kNotMade = -100;

} // namespace

Responsible::Responsible(const Process &process)
    : process_(process), made_(process.nodes.size(), kNotMade) {
    own_.reserve(process.nodes.size());
    SystemLibraries libraries;
    const PythonLines python(process.nodes);
    for (const Node &node : process.nodes) {
        const auto number = static_cast<int>(own_.size());
        const bool is_own = node.kind == NodeKind::kRegion ||
                            (!libraries.have(node.module) && !python.hides(number));
        const int above = node.parent < 0 ? -1 : own_[static_cast<size_t>(node.parent)];
        own_.push_back(is_own ? number : above);
    }
}

int Responsible::at(int node) {
    if (node < 0) {
        return node;
    }
    int &made = made_[static_cast<size_t>(node)];
    if (made == kNotMade) {
        made = made_for(node);
    }
    return made;
}

int Responsible::made_for(int node) {
    const int own = own_[static_cast<size_t>(node)];
    if (own < 0) {
        return node;
    }
    const Node &here = process_.nodes[static_cast<size_t>(own)];
    const uint64_t offset = here.function.empty() ? here.offset : 0;
    return first_.try_emplace({region_of(process_, own), here.function, here.module, offset}, own)
        .first->second;
}

} // namespace ompcollect::report
