// SPDX-License-Identifier: Apache-2.0
//
// What a thread of the Firefox Profiler's format refers to by number: strings, functions, frames,
// stacks. Rows are made once. The viewer takes a stack's category from its frames, so a function
// has a frame for each state that it was seen in; call trees join them by function.
#pragma once

#include "frames.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <utility>

namespace ompcollect::report {

using Json = nlohmann::ordered_json;

// Texts may hold bytes that are no UTF-8.
inline std::string text_of(const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class FirefoxTables {
  public:
    explicit FirefoxTables(const Process &process) : process_(process) {}

    // Of a call path in a state.
    int stack(int node, unsigned state);
    int string(const std::string &text) { return strings_.number(text); }
    void put_into(Json &thread);

  private:
    // NOLINTBEGIN(modernize-use-nullptr): clang-tidy 14 takes the comparisons with 0 for one
    struct Function {
        std::string name;
        std::string file;   // empty: not known
        unsigned line = 0;  // of a region, where it was forked
        std::string module; // empty: not known
        auto operator<=>(const Function &) const = default;
    };
    struct Frame {
        int function;
        int category;
        auto operator<=>(const Frame &) const = default;
    };
    struct Stack {
        int prefix; // -1: none
        int frame;
        auto operator<=>(const Stack &) const = default;
    };
    // NOLINTEND(modernize-use-nullptr)
    [[nodiscard]] Function function_of(int node, const std::string &name) const;
    int below(int prefix, const Function &function, unsigned state);
    [[nodiscard]] Json stack_table() const;
    [[nodiscard]] Json frame_table() const;
    void put_functions(Json &thread);

    const Process &process_;
    NameTable strings_;
    RowTable<Function> functions_;
    RowTable<Frame> frames_;
    RowTable<Stack> stacks_;
    std::map<std::pair<int, unsigned>, int> paths_of_;  // of a node, frames in that state
    std::map<std::pair<int, unsigned>, int> stacks_of_; // the same with the state's own frame
};

} // namespace ompcollect::report
