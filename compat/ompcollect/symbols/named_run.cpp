// SPDX-License-Identifier: Apache-2.0
#include "named_run.h"

#include "line_table.h"
#include "place_names.h"
#include "reader_places.h"
#include "symbol_names.h"
#include "words.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ompcollect {
namespace {

using report::Cell;
using report::Node;
using report::NodeKind;
using report::Process;

size_t index(int node) {
    return static_cast<size_t>(node);
}

// Code of a file, which has no name yet.
bool is_nameless_code(const Node &node) {
    return node.kind == NodeKind::kFunction && node.function.empty() && !node.module.empty();
}

// What the compiler has cut out for the region. A task's body may be among it.
bool is_regions_code(const Node &node, const std::vector<Node> &nodes, PlaceNames &names) {
    return is_nameless_code(node) && node.parent >= 0 &&
           nodes[index(node.parent)].kind == NodeKind::kRegion &&
           names.code_at(node.module, node.offset).is_part;
}

struct OwnCode {
    report::SharedText module;
    uint64_t begin = 0;
    unsigned line = 0;
};

// A function that forks by a jump has left its stack frame to the runtime, so the fork's place is
// in its caller. An outlined function's caller is the runtime itself, or what starts a thread. The
// region's own code is in the module that forks: where the place is in another one, the region is
// where its code begins.
void move_forks_by_jumps(std::vector<Node> &nodes, PlaceNames &names) {
    std::map<size_t, OwnCode> code; // by region; without a module: at home, the place is right
    for (const Node &node : nodes) {
        if (!is_regions_code(node, nodes, names)) {
            continue;
        }
        const Node &above = nodes[index(node.parent)];
        const size_t region = index(above.same_as < 0 ? node.parent : above.same_as);
        const auto [found, is_first] = code.try_emplace(region);
        OwnCode &own = found->second;
        if (node.module == nodes[region].module) {
            own = {};
        } else if (is_first || !own.module.empty()) {
            const unsigned line =
                report::source_place(names.begin_of(node.module, node.offset)).line;
            if (is_first || line < own.line) {
                own = {node.module, names.begin(node.module, node.offset), line};
            }
        }
    }
    for (auto &[region, own] : code) {
        if (!own.module.empty() && own.begin != 0) {
            nodes[region].module = own.module;
            nodes[region].offset = own.begin;
        }
    }
}

class NamedTree {
  public:
    // `from`: nodes as a profile file has them. The new ones go to `to`.
    // `has_others`: runtimes that are not observed.
    NamedTree(const std::vector<Node> &from, PlaceNames &names, std::vector<Node> &to,
              bool has_others)
        : from_(from), names_(names), to_(to), has_others_(has_others), python_lines_(from) {}
    void make();

    // The new node of an old one. The special numbers stay.
    [[nodiscard]] int operator[](int old) const { return old < 0 ? old : node_of_[index(old)]; }
    // Of each old node.
    [[nodiscard]] const std::vector<const CodeAt *> &code() const { return code_; }
    void move_clearing();

  private:
    void name_regions();
    void correct_lines();
    std::vector<std::string> code_of_regions();
    void join_alike();
    void name_by_python();
    const CodeAt &code_of_line(const Node &node);
    int node_for(const Node &old);
    int region_node(const Node &old, int parent);
    int unobserved_region(const Node &old, const CodeAt &at, int parent);
    int frame_nodes(const Node &old, const CodeAt &at, int parent);
    int child(int parent, NodeKind kind, const Node &old, const FunctionAt &function, int region);
    [[nodiscard]] bool is_body_of(const CodeAt &at, const Node &old, int parent) const;
    [[nodiscard]] bool is_own_name(const std::string &name, int region) const;

    // By function where it is known, else by place.
    using Key = std::tuple<int, NodeKind, int, std::string, std::string, uint64_t>;
    const std::vector<Node> &from_;
    PlaceNames &names_;
    std::vector<Node> &to_;
    const bool has_others_;
    const report::PythonLines python_lines_;
    std::map<Key, int> nodes_;
    std::vector<FunctionAt> region_names_; // by old node; of first ones
    std::vector<int> first_of_;            // by old node: the first of its region
    std::vector<int> node_of_;             // by old node
    std::vector<const CodeAt *> code_;
    std::deque<CodeAt> moved_;
};

// The source has no name for a part that clang cut out; it is part of the function that forked the
// region around it. Those around a region stand before it.
void NamedTree::name_regions() {
    region_names_.resize(from_.size());
    std::vector<int> inner(from_.size(), -1);             // first node of the nearest region
    std::vector<const std::string *> known(from_.size()); // name of the nearest that has one
    for (size_t i = 0; i < from_.size(); ++i) {
        const Node &node = from_[i];
        inner[i] = node.parent < 0 ? -1 : inner[index(node.parent)];
        if (node.kind != NodeKind::kRegion) {
            continue;
        }
        const std::string *above = inner[i] < 0 ? nullptr : known[index(inner[i])];
        inner[i] = node.same_as < 0 ? static_cast<int>(i) : node.same_as;
        if (node.same_as >= 0) {
            continue;
        }
        FunctionAt &name = region_names_[i];
        // Where the program calls one of its own functions, that one forks by a jump.
        name = names_.called_at(node.module, node.offset);
        name = name.name.empty() ? names_.place_at(node.module, node.offset) : name;
        if (!is_nameless_part(name.name)) {
            known[i] = name.name.empty() ? above : &name.name;
        } else {
            known[i] = above;
            name.name = above ? *above : name.name;
        }
    }
}

// gcc gives the call that forks a region the line of a statement before it. The first line behind
// that of which the region's own code has any is the pragma's. Bodies of tasks come later.
void NamedTree::correct_lines() {
    std::vector<int> nearest(from_.size());
    std::set<std::pair<size_t, uint64_t>> seen; // regions, and where their code begins
    for (const Node &node : from_) {
        if (!is_regions_code(node, from_, names_) ||
            !names_.code_at(node.module, node.offset).is_part_by_gcc) {
            continue;
        }
        const Node &above = from_[index(node.parent)];
        const size_t region = index(above.same_as < 0 ? node.parent : above.same_as);
        const report::SourcePlace fork = report::source_place(region_names_[region].source);
        if (fork.line == 0 ||
            !seen.insert({region, names_.begin(node.module, node.offset)}).second) {
            continue;
        }
        const std::string source = names_.begin_of(node.module, node.offset);
        if (report::source_place(source).file != fork.file) {
            continue;
        }
        const auto from = static_cast<int>(fork.line);
        const int line = names_.first_line_from(node.module, node.offset, from);
        constexpr int kFarthest = 3;
        if (line != 0 && line - from <= kFarthest &&
            (nearest[region] == 0 || line < nearest[region])) {
            nearest[region] = line;
        }
    }
    for (size_t i = 0; i < from_.size(); ++i) {
        if (nearest[i] != 0) {
            std::string &source = region_names_[i].source;
            source = source.substr(0, source.rfind(':') + 1) + std::to_string(nearest[i]);
        }
    }
}

// By first node of a region: where its own code begins; empty: it has no sample there.
std::vector<std::string> NamedTree::code_of_regions() {
    std::vector<std::string> code(from_.size());
    for (const Node &node : from_) {
        if (!is_regions_code(node, from_, names_)) {
            continue;
        }
        std::string &of_region = code[index(first_of_[index(node.parent)])];
        if (of_region.empty()) {
            of_region = names_.begin_of(node.module, node.offset);
        }
    }
    return code;
}

// A compiler that unrolls a loop, or takes a function into its callers, makes several forks of one
// pragma. Those of one line, in one region, that run the same code are one. One without a sample in
// its code runs the same as the others of its line, if those have one code. The offset is the same
// in each process, whichever fork comes first.
void NamedTree::join_alike() {
    first_of_.resize(from_.size());
    for (size_t i = 0; i < from_.size(); ++i) {
        first_of_[i] = from_[i].same_as < 0 ? static_cast<int>(i) : from_[i].same_as;
    }
    using Pragma = std::tuple<std::string, std::string, std::string>;
    const auto pragma_of = [&](size_t i) {
        return Pragma{from_[i].module, region_names_[i].name, region_names_[i].source};
    };
    const std::vector<std::string> code = code_of_regions();
    std::map<Pragma, std::set<std::string>> code_of_pragma;
    for (size_t i = 0; i < from_.size(); ++i) {
        if (!code[i].empty()) {
            code_of_pragma[pragma_of(i)].insert(code[i]);
        }
    }
    std::map<std::tuple<int, Pragma, std::string>, int> known;
    std::vector<int> around(from_.size(), -1); // the first node of the region
    for (size_t i = 0; i < from_.size(); ++i) {
        const Node &node = from_[i];
        if (node.parent >= 0) {
            const size_t above = index(node.parent);
            around[i] = from_[above].kind == NodeKind::kRegion ? first_of_[above] : around[above];
        }
        if (node.same_as >= 0) {
            first_of_[i] = first_of_[index(node.same_as)];
        } else if (node.kind == NodeKind::kRegion &&
                   report::source_place(region_names_[i].source).line != 0) {
            const std::set<std::string> &others = code_of_pragma[pragma_of(i)];
            const std::string &own =
                code[i].empty() && others.size() == 1 ? *others.begin() : code[i];
            first_of_[i] =
                known.try_emplace({around[i], pragma_of(i), own}, first_of_[i]).first->second;
        }
    }
}

// A fork in a library without lines that Python has called is where the line of Python is.
void NamedTree::name_by_python() {
    for (size_t i = 0; i < from_.size(); ++i) {
        const int line = python_lines_.at(from_[i].parent);
        FunctionAt &region = region_names_[i];
        if (from_[i].kind != NodeKind::kRegion || line < 0 || !region.source.empty()) {
            continue;
        }
        if (region.name.empty()) { // one line may call several places of a library
            region.name = report::node_name(from_[i]);
        }
        region.source = from_[index(line)].source;
    }
}

int NamedTree::child(int parent, NodeKind kind, const Node &old, const FunctionAt &function,
                     int region) {
    const bool by_place = function.name.empty() && region < 0;
    const auto [found, is_new] = nodes_.try_emplace(
        Key{parent, kind, region, function.name, old.module, by_place ? old.offset : 0},
        static_cast<int>(to_.size()));
    if (is_new) {
        Node &node = to_.emplace_back();
        node.parent = parent;
        node.kind = kind;
        node.function = function.name;
        node.source = function.source;
        node.module = old.module;
        node.offset = old.offset;
    }
    return found->second;
}

int NamedTree::region_node(const Node &old, int parent) {
    const size_t own = node_of_.size();
    const int first = first_of_[own];
    const int node =
        child(parent, NodeKind::kRegion, from_[index(first)], region_names_[index(first)], first);
    Node &kept = to_[index(index(first) == own ? node : node_of_[index(first)])];
    if (old.same_as < 0) {
        kept.offset = std::min(kept.offset, old.offset);
        kept.entries += old.entries;
        kept.single_seconds += old.single_seconds;
    }
    if (&kept != &to_[index(node)]) {
        to_[index(node)].same_as = node_of_[index(first)];
    }
    return node;
}

// The region's own code, which the source has in the function that holds the fork.
bool NamedTree::is_body_of(const CodeAt &at, const Node &old, int parent) const {
    return at.is_part && old.parent >= 0 && from_[index(old.parent)].kind == NodeKind::kRegion &&
           is_own_name(at.function.name, parent);
}

bool NamedTree::is_own_name(const std::string &name, int region) const {
    return name.empty() || name.front() == '.' || name == to_[index(region)].function;
}

// The node of the region whose code it is, where that is a runtime's that nobody observes. Below 0:
// it is not. Debug information has one more function inside of it.
int NamedTree::unobserved_region(const Node &old, const CodeAt &at, int parent) {
    for (int above = parent; has_others_ && at.is_part; above = to_[index(above)].parent) {
        if (above < 0) {
            const bool has_no_name = is_nameless_part(at.function.name) && parent >= 0;
            FunctionAt region = at.function;
            region.name = has_no_name ? to_[index(parent)].function.str() : region.name;
            region.name += report::kUnobservedRegion;
            return child(parent, NodeKind::kFunction, old, region, -1);
        }
        if (to_[index(above)].kind == NodeKind::kRegion) {
            break;
        }
        if (to_[index(above)].function.str().ends_with(report::kUnobservedRegion)) {
            return parent;
        }
    }
    return -1;
}

int NamedTree::frame_nodes(const Node &old, const CodeAt &at, int parent) {
    const int unobserved = unobserved_region(old, at, parent);
    const bool is_body = unobserved < 0 && is_body_of(at, old, parent);
    int node = unobserved >= 0 ? unobserved
               : is_body       ? parent
                               : child(parent, NodeKind::kFunction, old, at.function, -1);
    for (const FunctionAt &inlined : at.inlined) {
        if (node != parent || !is_body || !is_own_name(inlined.name, parent)) {
            node = child(node, NodeKind::kFunction, old, inlined, -1);
        }
    }
    return node;
}

// A line of Python as code that has been looked up.
const CodeAt &NamedTree::code_of_line(const Node &node) {
    CodeAt &at = moved_.emplace_back();
    at.function = {std::string(report::function_without_line(node)), node.source};
    at.line = node.source;
    at.line_path = node.module.str() + at.line.substr(at.line.rfind(':'));
    return at;
}

int NamedTree::node_for(const Node &old) {
    const int parent = old.parent >= 0 ? node_of_[index(old.parent)] : -1;
    code_.push_back(nullptr);
    if (old.kind == NodeKind::kRegion) {
        return region_node(old, parent);
    }
    if (report::is_python_line(old)) {
        code_.back() = &code_of_line(old);
        return child(parent, NodeKind::kFunction, old, {old.function, old.source}, -1);
    }
    if (old.module.empty()) { // or a cut path, which has its name
        return child(parent, NodeKind::kFunction, old, {old.function, {}}, -1);
    }
    code_.back() = &names_.code_at(old.module, old.offset);
    return frame_nodes(old, *code_.back(), parent);
}

void NamedTree::make() {
    name_regions();
    correct_lines();
    join_alike();
    name_by_python();
    node_of_.reserve(from_.size());
    code_.reserve(from_.size());
    for (const Node &old : from_) {
        node_of_.push_back(node_for(old));
    }
    for (Node &node : to_) {
        node.offset = node.same_as < 0 ? node.offset : to_[index(node.same_as)].offset;
    }
}

// A reduction's copies of an array are cleared before the pragma's statement. The call of memset()
// has the pragma's line by gcc. By clang it has the line where the statement begins.
void NamedTree::move_clearing() {
    for (const Node &node : from_) {
        const int caller = node.parent;
        if (caller < 0 || !is_nameless_code(node) || code_[index(caller)] == nullptr ||
            !is_regions_code(from_[index(caller)], from_, names_) ||
            code_[index(caller)]->is_part_by_gcc ||
            names_.code_at(node.module, node.offset).function.name.find("memset") ==
                std::string::npos) {
            continue;
        }
        const Node &part = from_[index(caller)];
        const size_t region = index(first_of_[index(part.parent)]);
        const CodeAt &at = *code_[index(caller)];
        const report::SourcePlace pragma = report::source_place(region_names_[region].source);
        const report::SourcePlace call = report::source_place(at.line);
        const auto line = static_cast<int>(pragma.line);
        if (line != 0 && pragma.file == call.file &&
            names_.first_line_from(part.module, part.offset, line + 1) ==
                static_cast<int>(call.line)) {
            CodeAt &moved = moved_.emplace_back(at);
            moved.line = region_names_[region].source;
            moved.line_path = at.line_path.substr(0, at.line_path.rfind('/') + 1) + moved.line;
            code_[index(caller)] = &moved;
        }
    }
}

void name_place(report::NamedPlace &place, PlaceNames &names) {
    if (place.module.empty()) {
        return;
    }
    FunctionAt found = names.place_at(place.module, place.offset);
    place.name = std::move(found.name);
    place.source = std::move(found.source);
    if (place.source.empty()) {
        (place.name.empty() ? place.name : place.source) =
            report::place_in_module(place.module, place.offset);
    }
}

// The interpreter runs and none of its frames has been read.
bool has_nameless_python(const std::vector<Node> &nodes) {
    return std::any_of(
               nodes.begin(), nodes.end(),
               [](const Node &node) { return node.function == "_PyEval_EvalFrameDefault"; }) &&
           std::none_of(nodes.begin(), nodes.end(), report::is_python_line);
}

} // namespace

void name_process(Process &process, SourceLines &lines) {
    PlaceNames names(lines);
    std::vector<Node> from = std::exchange(process.nodes, {});
    move_forks_by_jumps(from, names);
    NamedTree tree(from, names, process.nodes, !process.other_runtimes.empty());
    tree.make();
    tree.move_clearing();
    process.lines = lines_of(process.cells, from, tree.code(), process.lines_left_out);
    for (Cell &cell : process.cells) {
        cell.node = tree[cell.node];
    }
    merge_cells(process.cells);
    for (report::Sample &sample : process.samples) {
        sample.node = tree[sample.node];
    }
    for (auto &[region, thread] : process.forkers) {
        const int node = tree[region];
        const int first = process.nodes[index(node)].same_as;
        region = first < 0 ? node : first;
    }
    report::count_masters(process);
    for (report::Lock &lock : process.locks) {
        name_place(lock.object, names);
        name_place(lock.first_wait, names);
        for (report::Holder &holder : lock.holders) {
            name_place(holder.place, names);
            holder.node = tree[holder.node];
        }
    }
    if (process.python_missing.empty() && has_nameless_python(process.nodes)) {
        process.python_missing = "no lines of Python: its program does not export _PyRuntime";
    }
    process.lines_missing = lines.why_lines_are_missing();
    process.node_index = {};
    process.path_bound = {};
}

} // namespace ompcollect
