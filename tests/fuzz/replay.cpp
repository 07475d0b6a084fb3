// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer, built by any compiler for any machine: the files of the
// corpus folders given, then COUNT inputs of its own, always the same ones: random bytes, and files
// of the corpus with a few bytes changed.
//   replay-TARGET COUNT FOLDER...
#include "input.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> read_corpus(int count, char **folders) {
    std::vector<std::filesystem::path> paths;
    for (int i = 0; i < count; ++i)
        for (const auto &entry : std::filesystem::directory_iterator(folders[i]))
            paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<Bytes> corpus;
    for (const auto &path : paths) {
        std::ifstream file(path, std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return corpus;
}

void execute(const Bytes &bytes) {
    // A copy of exactly this size, for the address sanitizer and valgrind.
    const Bytes exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

Bytes random_bytes(std::mt19937 &random) {
    constexpr unsigned kMostBytes = 160;
    Bytes bytes(random() % kMostBytes);
    for (std::uint8_t &byte : bytes)
        byte = static_cast<std::uint8_t>(random());
    return bytes;
}

Bytes changed(Bytes bytes, std::mt19937 &random) {
    constexpr unsigned kMostChanges = 6;
    for (unsigned changes = 1 + random() % kMostChanges; changes-- > 0 && !bytes.empty();) {
        const std::size_t place = random() % bytes.size();
        if (random() % 8 == 0)
            bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(place));
        else
            bytes[place] = static_cast<std::uint8_t>(random());
    }
    return bytes;
}

} // namespace

int main(int count, char **arguments) {
    if (count < 3) {
        std::fprintf(stderr, "usage: %s COUNT FOLDER...\n", arguments[0]);
        return 2;
    }
    const long inputs = std::strtol(arguments[1], nullptr, 10);
    const std::vector<Bytes> corpus = read_corpus(count - 2, arguments + 2);
    if (corpus.empty()) {
        std::fprintf(stderr, "no corpus\n");
        return 2;
    }
    for (const Bytes &bytes : corpus)
        execute(bytes);
    std::mt19937 random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same inputs each time
    for (long i = 0; i < inputs; ++i)
        execute(i % 2 == 0 ? random_bytes(random)
                           : changed(corpus[random() % corpus.size()], random));
    std::printf("%zu files, %ld inputs\n", corpus.size(), inputs);
    return 0;
}
