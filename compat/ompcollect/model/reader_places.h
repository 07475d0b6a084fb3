// SPDX-License-Identifier: Apache-2.0
//
// Which place of a call path a reader looks for: lines of Python before what they call, functions
// of the program before those of system libraries.
//
// Some nodes stand for a line of Python. Their function is the line's, with the line behind it:
// "solve s.py:8". Two lines of one function are two nodes, as each is a place that people look for.
#pragma once

#include "run.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ompcollect::report {

// Gives the node its names.
void name_python_line(Node &node, const std::string &function, const std::string &file,
                      unsigned line);

bool is_python_line(const Node &node);

// Of a line of Python the function alone; of others what they have.
std::string_view function_without_line(const Node &node);

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

// Whose time a node's is for a reader: the nearest function of the program or of its own libraries
// at or above it, as libc's time is its caller's. One node stands for a function of a region,
// however many call paths lead to it. Special numbers are themselves.
class Responsible {
  public:
    explicit Responsible(const Process &process);
    int at(int node);

  private:
    int made_for(int node);

    const Process &process_;
    std::vector<int> own_;  // nearest node that is not of a system library; -1: none
    std::vector<int> made_; // the answers, kNotMade where nobody has asked
    std::map<std::tuple<int, std::string, std::string, uint64_t>, int> first_;
};

} // namespace ompcollect::report
