// SPDX-License-Identifier: Apache-2.0
//
// Time by line of the source, of the program's own files. Their text is read when the run is saved:
// where a report is made of it later, they may not be there.
#include "run.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

namespace ompcollect::report {
namespace {

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
        const SourcePlace place = source_place(where.path);
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

// By path, the place whose line a reader can do something about: time of libraries without lines is
// their caller's. Null: there is none in the region.
std::vector<const PathPlace *> own_places(const Profile &profile) {
    std::vector<const PathPlace *> to(profile.path_count, nullptr);
    for (size_t i = 0; i < profile.path_count; ++i) {
        const PathRow &row = profile.paths[i];
        const bool has_place = row.kind == PathKind::kFrame && row.place >= 0 &&
                               static_cast<size_t>(row.place) < profile.place_count;
        if (!has_place) {
            continue;
        }
        const PathPlace &at = profile.places[row.place];
        const bool is_own = at.line && at.line_path && !is_system_library(at.place.module);
        to[i] = is_own ? &at : row.parent >= 0 ? to[static_cast<size_t>(row.parent)] : nullptr;
    }
    return to;
}

} // namespace

void take_lines(const Profile &profile, Process &to) {
    std::map<std::pair<std::string_view, std::string_view>, size_t> found; // path, function
    std::vector<Where> lines;
    const std::vector<const PathPlace *> own = own_places(profile);
    for (size_t i = 0; i < profile.path_cell_count; ++i) {
        const PathCell &cell = profile.path_cells[i];
        const bool has_path = cell.path >= 0 && static_cast<size_t>(cell.path) < own.size();
        const PathPlace *found_at = has_path ? own[static_cast<size_t>(cell.path)] : nullptr;
        if (!found_at || cell.state >= kStateColumns) {
            continue;
        }
        const PathPlace &at = *found_at;
        const Place &innermost =
            at.inlined_count != 0 ? at.inlined[at.inlined_count - 1] : at.place;
        const std::string_view function = innermost.symbol ? innermost.symbol : "";
        const auto [entry, is_new] = found.try_emplace({at.line_path, function}, lines.size());
        if (is_new) {
            lines.push_back({at.line_path, {at.line, std::string(function), {}, {}, 0}});
        }
        Line &line = lines[entry->second].line;
        line.times.wall[cell.state] += cell.wall;
        line.samples += cell.samples;
    }
    std::stable_sort(lines.begin(), lines.end(), [](const Where &a, const Where &b) {
        return total_wall(a.line.times) > total_wall(b.line.times);
    });
    lines.resize(std::min(lines.size(), kMostLines));
    read_texts(lines);
    for (Where &where : lines) {
        to.lines.push_back(std::move(where.line));
    }
}

} // namespace ompcollect::report
