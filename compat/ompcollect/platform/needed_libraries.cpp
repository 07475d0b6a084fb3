// SPDX-License-Identifier: Apache-2.0
#include "needed_libraries.h"

#include "elf_file.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

namespace ompcollect {
namespace {

namespace fs = std::filesystem;

constexpr const char *kSystemFolders[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};

// The head of glibc's cache since 2.2; entries and strings follow it. Offsets of strings count from
// the head.
constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";
constexpr std::streamoff kLongestCache = 64 << 20;
constexpr size_t kCacheHeadSize = 48;
constexpr size_t kCacheEntrySize = 24;

uint32_t number_at(std::string_view text, size_t offset) {
    uint32_t number = 0;
    if (offset + sizeof number <= text.size()) {
        memcpy(&number, text.data() + offset, sizeof number);
    }
    return number;
}

std::string_view string_at(std::string_view text, size_t offset) {
    if (offset >= text.size()) {
        return {};
    }
    text.remove_prefix(offset);
    return text.substr(0, text.find('\0'));
}

// With its end. Without looking for the end of another one.
bool is_string_at(std::string_view text, size_t offset, std::string_view string) {
    return offset < text.size() && string.size() < text.size() - offset &&
           memcmp(text.data() + offset, string.data(), string.size()) == 0 &&
           text[offset + string.size()] == '\0';
}

std::vector<std::string> split(const std::string &list, const char *separators) {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= list.size() && !list.empty();) {
        const size_t end = std::min(list.find_first_of(separators, begin), list.size());
        parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

void replace_all(std::string &text, const std::string &what, const std::string &by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
        text.replace(at, what.size(), by);
    }
}

// The folders of an RPATH or RUNPATH of the file.
std::vector<std::string> expanded(const std::string &list, const std::string &file) {
    std::error_code ignored;
    const std::string origin = fs::absolute(file, ignored).parent_path();
    std::vector<std::string> folders = split(list, ":");
    for (std::string &folder : folders) {
        for (const char *name : {"$ORIGIN", "${ORIGIN}"}) {
            replace_all(folder, name, origin);
        }
        for (const char *name : {"$LIB", "${LIB}"}) {
            replace_all(folder, name, "lib64");
        }
    }
    return folders;
}

class Search {
  public:
    Search() {
        const char *variable = getenv("LD_LIBRARY_PATH");
        variable_ = split(variable ? variable : "", ":;");
        std::ifstream in("/etc/ld.so.cache", std::ios::binary | std::ios::ate);
        const std::streamoff size = in.tellg(); // -1: none; anything where it is no file
        // At once, as it is long.
        cache_.resize(size > 0 && size <= kLongestCache ? static_cast<size_t>(size) : 0);
        in.seekg(0).read(cache_.data(), static_cast<std::streamsize>(cache_.size()));
        cache_.resize(static_cast<size_t>(in.gcount()));
    }

    // `rpaths`: of the file and of those that brought it, the file's first.
    [[nodiscard]] std::string find(const std::string &name, const std::vector<std::string> &rpaths,
                                   const std::vector<std::string> &runpaths) const {
        if (name.find('/') != std::string::npos) {
            return is_loadable_library(name) ? name : std::string();
        }
        for (const auto *folders : {&rpaths, &variable_, &runpaths}) {
            for (const std::string &folder : *folders) {
                std::string path = (folder.empty() ? "." : folder) + "/" + name;
                if (is_loadable_library(path)) {
                    return path;
                }
            }
        }
        for (const std::string &path : paths_in_linker_cache(cache_, name)) {
            if (is_loadable_library(path)) {
                return path;
            }
        }
        for (const char *folder : kSystemFolders) {
            std::string path = std::string(folder) + "/" + name;
            if (is_loadable_library(path)) {
                return path;
            }
        }
        return {};
    }

  private:
    std::vector<std::string> variable_;
    std::string cache_; // the text of the linker's
};

struct Loaded {
    std::string path;
    std::vector<std::string> inherited_rpaths;
};

} // namespace

std::vector<std::string> paths_in_linker_cache(const std::string &text, std::string_view name) {
    std::vector<std::string> paths;
    const size_t begin = text.find(kCacheMagic); // an older form may stand before it
    if (begin == std::string::npos) {
        return paths;
    }
    const std::string_view cache = std::string_view(text).substr(begin);
    const size_t count = number_at(cache, kCacheMagic.size());
    for (size_t i = 0; i < count; ++i) {
        const size_t at = kCacheHeadSize + i * kCacheEntrySize;
        if (at + kCacheEntrySize > cache.size()) {
            break;
        }
        if (is_string_at(cache, number_at(cache, at + 4), name)) {
            paths.emplace_back(string_at(cache, number_at(cache, at + 8)));
        }
    }
    return paths;
}

std::vector<NeededLibrary> needed_libraries(const std::string &program) {
    const Search search;
    std::vector<NeededLibrary> found;
    std::set<std::string> seen;
    std::deque<Loaded> unread = {{program, {}}};
    for (; !unread.empty(); unread.pop_front()) {
        const Loaded file = unread.front();
        const ElfFile elf(file.path);
        if (!elf.is_elf()) {
            continue;
        }
        const DynamicNeeds needs = elf.dynamic_needs();
        std::vector<std::string> rpaths;
        if (needs.runpath.empty()) { // which switches RPATH off
            rpaths = expanded(needs.rpath, file.path);
            rpaths.insert(rpaths.end(), file.inherited_rpaths.begin(), file.inherited_rpaths.end());
        }
        for (const std::string &name : needs.needed) {
            if (!seen.insert(name).second) {
                continue;
            }
            const std::string path = search.find(name, rpaths, expanded(needs.runpath, file.path));
            found.push_back({name, path});
            if (!path.empty()) {
                unread.push_back({path, rpaths});
            }
        }
    }
    return found;
}

} // namespace ompcollect
