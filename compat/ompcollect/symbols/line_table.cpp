// SPDX-License-Identifier: Apache-2.0
#include "line_table.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

namespace ompcollect {
namespace {

using report::Cell;
using report::Line;
using report::Node;

constexpr size_t kMostLines = 2000;
constexpr size_t kLongestText = 160;

// The texts of some lines of a file, without what they are indented by.
class FileTexts {
  public:
    // A pipe or a device, which has no end, is nobody's source.
    explicit FileTexts(const std::string &path) {
        std::error_code ignored;
        if (std::filesystem::is_regular_file(path, ignored)) {
            file_.open(path);
        }
    }

    // Numbers must grow from call to call.
    std::string line(size_t number) {
        std::string text;
        while (at_ < number && std::getline(file_, text)) {
            ++at_;
        }
        if (at_ != number || !file_) {
            return {};
        }
        const size_t begin = text.find_first_not_of(" \t");
        text = begin == std::string::npos ? "" : text.substr(begin, kLongestText);
        const auto is_no_text = [](char c) { return static_cast<unsigned char>(c) < ' '; };
        std::replace_if(text.begin(), text.end(), is_no_text, ' ');
        return text;
    }

  private:
    std::ifstream file_;
    size_t at_ = 0;
};

struct Where {
    std::string path; // "folder/file:line"
    Line line;
};

// Files of a line that are sorted by file and number.
void read_texts(std::vector<Where> &lines) {
    std::map<std::string, std::map<size_t, std::vector<Line *>>> by_file;
    for (Where &where : lines) {
        const report::SourcePlace place = report::source_place(where.path);
        if (place.line != 0) {
            by_file[place.file][place.line].push_back(&where.line);
        }
    }
    for (auto &[file, numbers] : by_file) {
        FileTexts texts(file);
        for (auto &[number, at] : numbers) {
            const std::string text = texts.line(number);
            for (Line *line : at) {
                line->text = text;
            }
        }
    }
}

// By node, the place whose line a reader can do something about: time of libraries without lines is
// their caller's. Null: there is none in the region.
std::vector<const CodeAt *> own_places(const std::vector<Node> &nodes,
                                       const std::vector<const CodeAt *> &code) {
    std::vector<const CodeAt *> to(nodes.size(), nullptr);
    for (size_t i = 0; i < nodes.size(); ++i) {
        const Node &node = nodes[i];
        if (!code[i]) {
            continue;
        }
        const bool is_own = !code[i]->line.empty() && !code[i]->line_path.empty() &&
                            !report::is_system_library(node.module);
        to[i] = is_own             ? code[i]
                : node.parent >= 0 ? to[static_cast<size_t>(node.parent)]
                                   : nullptr;
    }
    return to;
}

} // namespace

std::vector<Line> lines_of(const std::vector<Cell> &cells, const std::vector<Node> &nodes,
                           const std::vector<const CodeAt *> &code, uint64_t &left_out) {
    std::map<std::pair<std::string_view, std::string_view>, size_t> found; // path, function
    std::vector<Where> lines;
    const std::vector<const CodeAt *> own = own_places(nodes, code);
    for (const Cell &cell : cells) {
        const CodeAt *at = cell.node >= 0 ? own[static_cast<size_t>(cell.node)] : nullptr;
        if (!at) {
            continue;
        }
        const auto [entry, is_new] =
            found.try_emplace({at->line_path, at->innermost()}, lines.size());
        if (is_new) {
            lines.push_back({at->line_path, {at->line, at->innermost(), {}, {}, 0}});
            lines.back().line.folder =
                std::filesystem::path(report::source_place(at->line_path).file)
                    .parent_path()
                    .string();
        }
        Line &line = lines[entry->second].line;
        line.times.wall[cell.state] += cell.wall;
        line.samples += cell.samples;
    }
    std::stable_sort(lines.begin(), lines.end(), [](const Where &a, const Where &b) {
        return total_wall(a.line.times) > total_wall(b.line.times);
    });
    left_out = lines.size() - std::min(lines.size(), kMostLines);
    lines.resize(lines.size() - left_out);
    read_texts(lines);
    std::vector<Line> to;
    to.reserve(lines.size());
    for (Where &where : lines) {
        to.push_back(std::move(where.line));
    }
    return to;
}

} // namespace ompcollect
