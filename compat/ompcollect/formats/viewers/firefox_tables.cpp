// SPDX-License-Identifier: Apache-2.0
#include "firefox_tables.h"

#include "words.h"

#include <algorithm>

namespace ompcollect::report {
namespace {

constexpr int kLibrary = 1; // type of a resource

Json nulls(size_t count) {
    return Json(std::vector<Json>(count, nullptr));
}
template <class Value> Json repeated(size_t count, Value value) {
    return Json(std::vector<Value>(count, value));
}

} // namespace

FirefoxTables::Function FirefoxTables::function_of(int at, const std::string &name) const {
    Function to;
    to.name = name;
    if (at < 0) {
        return to;
    }
    const Node &node = process_.nodes[static_cast<size_t>(at)];
    to.module = base_name(node.module);
    const SourcePlace place = source_place(node.source);
    to.file = place.file;
    to.line = node.kind == NodeKind::kRegion ? place.line : 0;
    return to;
}

int FirefoxTables::stack(int node, unsigned state) {
    const auto found = stacks_of_.find({node, state});
    if (found != stacks_of_.end()) {
        return found->second;
    }
    std::vector<int> path;
    int prefix = -1;
    for (int at = node; at >= 0; at = process_.nodes[static_cast<size_t>(at)].parent) {
        const auto known = paths_of_.find({at, state});
        if (known != paths_of_.end()) {
            prefix = known->second;
            break;
        }
        path.push_back(at);
    }
    for (; !path.empty(); path.pop_back()) {
        const int at = path.back();
        prefix = below(prefix, function_of(at, path_name(process_.nodes[static_cast<size_t>(at)])),
                       state);
        paths_of_[{at, state}] = prefix;
    }
    // Behind the names of the path stands that of the state, if it has one.
    for (const std::string &name : leaf_names(node, state)) {
        prefix = below(prefix, function_of(kOutside, name), state);
    }
    stacks_of_[{node, state}] = prefix;
    return prefix;
}

int FirefoxTables::below(int prefix, const Function &function, unsigned state) {
    const int frame = frames_.number({functions_.number(function), static_cast<int>(state)});
    return stacks_.number({prefix, frame});
}

Json FirefoxTables::stack_table() const {
    Json frames = Json::array();
    Json prefixes = Json::array();
    Json categories = Json::array();
    for (const Stack &stack : stacks_.rows()) {
        frames.push_back(stack.frame);
        prefixes.push_back(stack.prefix < 0 ? Json(nullptr) : Json(stack.prefix));
        categories.push_back(frames_.rows()[static_cast<size_t>(stack.frame)].category);
    }
    const size_t count = stacks_.rows().size();
    return {{"frame", std::move(frames)},
            {"prefix", std::move(prefixes)},
            {"category", std::move(categories)},
            {"subcategory", repeated(count, 0)},
            {"length", count}};
}

Json FirefoxTables::frame_table() const {
    Json functions = Json::array();
    Json categories = Json::array();
    for (const Frame &frame : frames_.rows()) {
        functions.push_back(frame.function);
        categories.push_back(frame.category);
    }
    const size_t count = frames_.rows().size();
    return {{"address", repeated(count, -1)},
            {"inlineDepth", repeated(count, 0)},
            {"category", std::move(categories)},
            {"subcategory", repeated(count, 0)},
            {"func", std::move(functions)},
            {"nativeSymbol", nulls(count)},
            {"innerWindowID", nulls(count)},
            {"implementation", nulls(count)},
            {"line", nulls(count)},
            {"column", nulls(count)},
            {"length", count}};
}

void FirefoxTables::put_functions(Json &thread) {
    NameTable modules;
    Json names = Json::array();
    Json resources = Json::array();
    Json files = Json::array();
    Json lines = Json::array();
    for (const Function &function : functions_.rows()) {
        names.push_back(string(function.name));
        resources.push_back(function.module.empty() ? -1 : modules.number(function.module));
        files.push_back(function.file.empty() ? Json(nullptr) : Json(string(function.file)));
        lines.push_back(function.line == 0 ? Json(nullptr) : Json(function.line));
    }
    const size_t count = functions_.rows().size();
    thread["funcTable"] = {
        {"isJS", repeated(count, false)}, {"relevantForJS", repeated(count, false)},
        {"name", std::move(names)},       {"resource", std::move(resources)},
        {"fileName", std::move(files)},   {"lineNumber", std::move(lines)},
        {"columnNumber", nulls(count)},   {"length", count}};
    Json module_names = Json::array();
    for (const std::string &module : modules.rows()) {
        module_names.push_back(string(module));
    }
    const size_t module_count = modules.rows().size();
    thread["resourceTable"] = {{"lib", nulls(module_count)},
                               {"name", std::move(module_names)},
                               {"host", nulls(module_count)},
                               {"type", repeated(module_count, kLibrary)},
                               {"length", module_count}};
}

void FirefoxTables::put_into(Json &thread) {
    thread["stackTable"] = stack_table();
    thread["frameTable"] = frame_table();
    put_functions(thread);
    thread["nativeSymbols"] = {{"libIndex", Json::array()},
                               {"address", Json::array()},
                               {"name", Json::array()},
                               {"functionSize", Json::array()},
                               {"length", 0}};
    thread["stringArray"] = strings_.rows();
}

} // namespace ompcollect::report
