// SPDX-License-Identifier: Apache-2.0
#include "source_files.h"

#include "people.h"
#include "words.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sys/stat.h>

namespace ompcollect::report {
namespace {

struct Found {
    std::string name;
    std::set<std::string> paths; // several: the name alone does not tell which
};

// In the order of the lines: most time first.
std::vector<Found> files_of(const Process &process) {
    std::vector<Found> files;
    std::map<std::string, size_t> known;
    for (const Line &line : process.lines) {
        const std::string name = source_place(line.source).file;
        const auto [at, is_new] = known.try_emplace(name, files.size());
        if (is_new) {
            files.emplace_back().name = name;
        }
        if (!line.folder.empty()) {
            files[at->second].paths.insert(line.folder.str() + "/" + name);
        }
    }
    return files;
}

// When the program that ran was there at the latest, in seconds since 1970; 0: not known.
int64_t time_of_program(const Process &process) {
    struct stat file = {};
    const bool is_there = stat(process.program.c_str(), &file) == 0;
    return is_there && (process.begin == 0 || file.st_mtime < process.begin) ? file.st_mtime
                                                                             : process.begin;
}

// Lines whose other control characters are escapes, and which are UTF-8.
std::string lines_made_printable(const std::string &text) {
    std::string to;
    size_t begin = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
        const bool is_end = i == text.size();
        if (is_end || text[i] == '\n' || text[i] == '\t') {
            to += printable(std::string_view(text).substr(begin, i - begin));
            to += is_end ? "" : std::string(1, text[i]);
            begin = i + 1;
        }
    }
    return to;
}

// Reads the file of the path, or gives the reason why not.
std::string read_file(const std::string &path, size_t room, std::string &text, int64_t &changed) {
    struct stat file = {};
    if (stat(path.c_str(), &file) != 0) {
        return path + ": " + strerror(errno);
    }
    if (!S_ISREG(file.st_mode)) {
        return path + " is no plain file";
    }
    const auto size = static_cast<size_t>(file.st_size);
    if (size > kMostOfAFile) {
        return path + " is larger than " + grouped(kMostOfAFile >> 10) + " kB";
    }
    if (size > room) {
        return path + " has no room: a page keeps " + grouped(kMostOfAllFiles >> 20) +
               " MB of sources";
    }
    std::ifstream in(path, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    if (!in) {
        return path + ": " + strerror(errno);
    }
    text = lines_made_printable(bytes.substr(0, size));
    changed = file.st_mtime;
    return {};
}

} // namespace

SourceFiles sources_of(const Process &process, size_t &room) {
    SourceFiles to;
    const int64_t program = time_of_program(process);
    for (const Found &file : files_of(process)) {
        if (file.paths.size() != 1) {
            to.notes.push_back(file.paths.empty()
                                   ? file.name + ": this run does not know its folder"
                                   : file.name + ": " + grouped(file.paths.size()) +
                                         " files have this name");
            continue;
        }
        std::string text;
        int64_t changed = 0;
        const std::string why = read_file(*file.paths.begin(), room, text, changed);
        if (!why.empty()) {
            to.notes.push_back(why);
            continue;
        }
        if (program != 0 && changed > program) {
            to.notes.push_back(*file.paths.begin() +
                               " is newer than the program: its lines may be others by now");
        }
        room -= std::min(room, text.size());
        to.texts.emplace(file.name, std::move(text));
    }
    return to;
}

} // namespace ompcollect::report
