// SPDX-License-Identifier: Apache-2.0
#include "python_lines.h"

#include "words.h"

#include <algorithm>
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

bool is_python_library(const std::string &file) {
    constexpr std::string_view kFolders[] = {"/site-packages/", "/dist-packages/", "/lib/python3"};
    return file.starts_with("<frozen ") ||
           (file.ends_with(".py") &&
            std::any_of(std::begin(kFolders), std::end(kFolders), [&](std::string_view folder) {
                return file.find(folder) != std::string::npos;
            }));
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

} // namespace ompcollect::report
