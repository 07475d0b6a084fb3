// SPDX-License-Identifier: Apache-2.0
//
// Nodes that stand for a line of Python. Their function is the line's, with the line behind it:
// "solve s.py:8". Two lines of one function are two nodes, as each is a place that people look for.
#pragma once

#include "run.h"

#include <string>
#include <string_view>
#include <vector>

namespace ompcollect::report {

// Gives the node its names.
void name_python_line(Node &node, const std::string &function, const std::string &file,
                      unsigned line);

bool is_python_line(const Node &node);

// Of a line of Python the function alone; of others what they have.
std::string_view function_without_line(const Node &node);

// A file of Python's own or of an installed package, which its reader has not written.
bool is_python_library(const std::string &file);

// For each node, by which line of Python it was called.
class PythonLines {
  public:
    PythonLines() = default;
    explicit PythonLines(const std::vector<Node> &nodes);
    // The next node; parents come before their children.
    void add(const Node &node);

    // At a node or above it, in the same region: the nearest line that is no library's, else the
    // nearest one. Below 0: there is none.
    [[nodiscard]] int at(int node) const {
        return node < 0 ? -1 : lines_[static_cast<size_t>(node)].nearest;
    }
    // Whether the node's code is of a function without lines that Python has called.
    [[nodiscard]] bool hides(int node) const {
        return node >= 0 && lines_[static_cast<size_t>(node)].is_hidden;
    }

  private:
    struct Line {
        int nearest;
        bool is_library;
        bool is_hidden;
    };
    std::vector<Line> lines_;
};

} // namespace ompcollect::report
