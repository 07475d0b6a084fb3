// SPDX-License-Identifier: Apache-2.0
// The corpus of a fuzz target as one text file, so that a change of it can be read. A line per
// input: its name, then its bytes in hexadecimal; "00*65526" is a byte that is repeated. Lines that
// begin with # are comments. libFuzzer wants a folder with a file per input: replay.cpp turns the
// one form into the other. A file that breaks these rules is refused as a whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ocb::test {

using Bytes = std::vector<std::uint8_t>;

struct CorpusEntry {
    std::string name;
    Bytes bytes;
};
using Corpus = std::vector<CorpusEntry>;

inline unsigned hex_digit(char digit) {
    const std::string digits = "0123456789abcdef";
    const std::size_t value = digits.find(digit);
    if (value == std::string::npos) {
        throw std::runtime_error(std::string("no hexadecimal digit: ") + digit);
    }
    return static_cast<unsigned>(value);
}

// One word of a line: pairs of digits, or a pair, '*' and how often.
inline void append_word(const std::string &word, Bytes &bytes) {
    const std::size_t star = word.find('*');
    const std::string pairs = word.substr(0, star);
    if (pairs.empty() || pairs.size() % 2 != 0 ||
        (star != std::string::npos && pairs.size() != 2)) {
        throw std::runtime_error("no bytes: " + word);
    }
    const std::size_t times = star == std::string::npos ? 1 : std::stoul(word.substr(star + 1));
    for (std::size_t place = 0; place < pairs.size(); place += 2) {
        bytes.insert(
            bytes.end(), times,
            static_cast<std::uint8_t>(hex_digit(pairs[place]) * 16 + hex_digit(pairs[place + 1])));
    }
}

inline Corpus read_corpus(const std::filesystem::path &path) {
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("cannot be read: " + path.string());
    }
    Corpus corpus;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        CorpusEntry entry;
        if (!(words >> entry.name) || entry.name.front() == '#') {
            continue;
        }
        for (std::string word; words >> word;) {
            append_word(word, entry.bytes);
        }
        corpus.push_back(entry);
    }
    return corpus;
}

inline void write_line(const CorpusEntry &entry, std::ostream &out) {
    constexpr std::size_t kShortestRun = 64; // shorter ones are easier to read byte by byte
    const char *const digits = "0123456789abcdef";
    out << entry.name << ' ';
    for (auto first = entry.bytes.begin(); first != entry.bytes.end();) {
        const auto end = std::find_if(first, entry.bytes.end(),
                                      [&](std::uint8_t byte) { return byte != *first; });
        const auto run = static_cast<std::size_t>(end - first);
        const std::string pair = {digits[*first / 16], digits[*first % 16]};
        if (run >= kShortestRun) {
            out << ' ' << pair << '*' << run << ' ';
        } else {
            for (std::size_t i = 0; i < run; ++i) {
                out << pair;
            }
        }
        first = end;
    }
    out << '\n';
}

// A file per input, as libFuzzer reads and writes them.
inline void unpack(const Corpus &corpus, const std::filesystem::path &folder) {
    std::filesystem::create_directories(folder);
    for (const CorpusEntry &entry : corpus) {
        std::ofstream file(folder / entry.name, std::ios::binary);
        for (const std::uint8_t byte : entry.bytes) {
            file.put(static_cast<char>(byte));
        }
        if (!file.flush()) {
            throw std::runtime_error("cannot be written: " + entry.name);
        }
    }
}

// In the order of the names.
inline Corpus pack(const std::filesystem::path &folder) {
    Corpus corpus;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        corpus.push_back(
            {entry.path().filename().string(), Bytes(std::istreambuf_iterator<char>(file), {})});
    }
    std::sort(corpus.begin(), corpus.end(),
              [](const CorpusEntry &a, const CorpusEntry &b) { return a.name < b.name; });
    return corpus;
}

} // namespace ocb::test
