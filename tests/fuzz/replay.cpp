// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer, built by any compiler for any machine: the inputs of a
// corpus (corpus.h), then COUNT inputs of its own, always the same ones: random bytes, and inputs
// of the corpus with a few bytes changed.
//   replay-TARGET COUNT CORPUS
//   replay-TARGET --unpack CORPUS FOLDER   a file per input, for libFuzzer
//   replay-TARGET --pack FOLDER            the other way, to standard output
#include "corpus.h"
#include "input.h"

#include <exception>
#include <iostream>
#include <random>
#include <string>

namespace {

using ocb::test::Bytes;
using ocb::test::Corpus;
using ocb::test::CorpusEntry;

void execute(const Bytes &bytes) {
    // A copy of exactly this size, for the address sanitizer and valgrind.
    const Bytes exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

Bytes random_bytes(std::mt19937 &random) {
    constexpr unsigned kMostBytes = 160;
    Bytes bytes(random() % kMostBytes);
    for (std::uint8_t &byte : bytes) {
        byte = static_cast<std::uint8_t>(random());
    }
    return bytes;
}

Bytes changed(Bytes bytes, std::mt19937 &random) {
    constexpr unsigned kMostChanges = 6;
    for (unsigned changes = 1 + random() % kMostChanges; changes-- > 0 && !bytes.empty();) {
        const std::size_t place = random() % bytes.size();
        if (random() % 8 == 0) {
            bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(place));
        } else {
            bytes[place] = static_cast<std::uint8_t>(random());
        }
    }
    return bytes;
}

int replay(long inputs, const Corpus &corpus) {
    if (corpus.empty()) {
        std::fprintf(stderr, "no corpus\n");
        return 2;
    }
    for (const CorpusEntry &entry : corpus) {
        execute(entry.bytes);
    }
    std::mt19937 random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same inputs each time
    for (long i = 0; i < inputs; ++i) {
        execute(i % 2 == 0 ? random_bytes(random)
                           : changed(corpus[random() % corpus.size()].bytes, random));
    }
    std::printf("%zu inputs of the corpus, %ld others\n", corpus.size(), inputs);
    return 0;
}

int run(int count, char **arguments) {
    const std::string first = count > 1 ? arguments[1] : "";
    if (count == 4 && first == "--unpack") {
        ocb::test::unpack(ocb::test::read_corpus(arguments[2]), arguments[3]);
        return 0;
    }
    if (count == 3 && first == "--pack") {
        for (const CorpusEntry &entry : ocb::test::pack(arguments[2])) {
            ocb::test::write_line(entry, std::cout);
        }
        return 0;
    }
    if (count == 3) {
        return replay(std::strtol(arguments[1], nullptr, 10), ocb::test::read_corpus(arguments[2]));
    }
    std::fprintf(stderr, "usage: %s COUNT CORPUS | --unpack CORPUS FOLDER | --pack FOLDER\n",
                 arguments[0]);
    return 2;
}

} // namespace

int main(int count, char **arguments) {
    try {
        return run(count, arguments);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
