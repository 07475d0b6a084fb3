// SPDX-License-Identifier: Apache-2.0
//
// Every sentence of the contract: sentences.txt has them, with the checks of the collector; the
// table in docs/TRUTH.md is what the collector said in each way. OCB_WRITE=1 writes the table anew.
#include "openmp_run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ocb_test {
namespace {

const std::string kFolder = OCB_SOURCE_FOLDER;
const std::string kHead = "| number | sentence | way | result |\n|---|---|---|---|\n";

struct Sentence {
    std::string text;
    std::vector<std::string> checks;
    std::string reason;
};

std::string trimmed(const std::string &text) {
    const auto begin = text.find_first_not_of(" \n");
    return begin == std::string::npos
               ? ""
               : text.substr(begin, text.find_last_not_of(" \n") + 1 - begin);
}

std::vector<std::string> parts_of(const std::string &text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(trimmed(part));
    }
    return parts;
}

std::string text_of(const std::string &path) {
    std::stringstream text;
    text << std::ifstream(kFolder + "/" + path).rdbuf();
    return text.str();
}

std::vector<Sentence> sentences() {
    std::vector<Sentence> all;
    for (const std::string &line : parts_of(text_of("tests/contract/sentences.txt"), '\n')) {
        if (line.empty() || line[0] == '#') {
            continue;
        }
        std::vector<std::string> fields = parts_of(line, '|');
        fields.resize(3);
        all.push_back({fields[0], parts_of(fields[1], ';'), fields[2]});
    }
    return all;
}

// The header's comments, one space between words, without "[H: section]" and its like.
std::string prose_of_header() {
    const std::string header = text_of("include/omp_collector_api.h");
    std::string prose;
    for (std::size_t at = 0; (at = header.find("/*", at)) != std::string::npos;) {
        const std::size_t end = header.find("*/", at);
        std::istringstream lines(header.substr(at + 2, end - at - 2));
        for (std::string line; std::getline(lines, line);) {
            line = trimmed(line);
            prose += (line.rfind('*', 0) == 0 ? line.substr(1) : line) + " ";
        }
        at = end;
    }
    std::istringstream words(prose);
    std::string text;
    bool is_source = false;
    for (std::string word; words >> word;) {
        const bool begins =
            word.rfind("[H", 0) == 0 || word.rfind("[C]", 0) == 0 || word.rfind("[B]", 0) == 0;
        is_source = is_source || begins;
        const std::size_t end = word.find(']');
        if (!is_source) {
            text += (text.empty() ? "" : " ") + word;
        } else if (end != std::string::npos) {
            is_source = false;
            text += word.substr(end + 1);
        }
    }
    return text;
}

TEST(Contract, HasEverySentenceOfTheHeader) {
    std::string prose = prose_of_header();
    for (const Sentence &sentence : sentences()) {
        if (sentence.text.rfind("original: ", 0) == 0) {
            continue;
        }
        const std::size_t at = prose.find(sentence.text);
        EXPECT_NE(std::string::npos, at) << "the header does not say: " << sentence.text;
        if (at != std::string::npos) {
            prose.erase(at, sentence.text.size());
        }
    }
    std::istringstream left(prose);
    std::string words;
    for (std::string word; left >> word;) {
        words += word + " ";
    }
    EXPECT_EQ("SPDX-License-Identifier: Apache-2.0 OMP_COLLECTOR_API_H ", words)
        << "what is left is in no row of tests/contract/sentences.txt";
}

// The name of a check, and whether it holds.
std::map<std::string, bool> checks_in(const Runtime &runtime) {
    Options options;
    options.collector = "libocb-contract-collector.so";
    const Outcome outcome =
        run_program(OCB_TEST_PROGRAM_FOLDER, "program", runtime, options).outcome;
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    std::map<std::string, bool> checks;
    const std::string prefix = "check: ";
    for (const std::string &line : lines_with_prefix(outcome.out, prefix)) {
        const bool holds = line.ends_with(" holds");
        checks[line.substr(prefix.size(),
                           line.rfind(holds ? " holds" : " fails") - prefix.size())] = holds;
    }
    return checks;
}

std::string result_of(const Sentence &sentence, const std::map<std::string, bool> &checks) {
    std::string differing;
    for (const std::string &check : sentence.checks) {
        const auto found = checks.find(check);
        if (found == checks.end()) {
            ADD_FAILURE() << "not checked: " << check;
        } else if (!found->second) {
            differing += (differing.empty() ? "" : "; ") + check;
        }
    }
    EXPECT_TRUE(differing.empty() || !sentence.reason.empty())
        << "no reason is given for: " << differing << "\n"
        << sentence.text;
    return differing.empty() ? "holds" : "differs (" + differing + "): " + sentence.reason;
}

// Ways with one result, in one row.
std::string rows_of(const std::string &number, const Sentence &sentence,
                    const std::vector<std::pair<std::string, std::map<std::string, bool>>> &ways) {
    const std::string begin = "| " + number + " | `\"" + sentence.text + "\"` | ";
    if (sentence.checks.empty()) {
        return begin + "– | " + sentence.reason + " |\n";
    }
    std::vector<std::pair<std::string, std::string>> results;
    for (const auto &[way, checks] : ways) {
        const std::string result = result_of(sentence, checks);
        if (results.empty() || results.back().second != result) {
            results.emplace_back(way, result);
        } else {
            results.back().first += ", " + way;
        }
    }
    std::string rows;
    for (const auto &[way, result] : results) {
        rows += begin + (results.size() == 1 ? "all" : way) + " | " + result + " |\n";
    }
    return rows;
}

std::string table() {
    std::vector<Runtime> runtimes = {{14, Compiler::kClang}, {19, Compiler::kClang}};
    if (kHasLibgomp) {
        runtimes.push_back(kLibgomp);
    }
    std::vector<std::pair<std::string, std::map<std::string, bool>>> ways;
    for (const Runtime &runtime : in_both_ways(runtimes)) {
        ways.emplace_back(name_of(runtime), checks_in(runtime));
    }
    std::string text = kHead;
    int number = 0;
    for (const Sentence &sentence : sentences()) {
        text += rows_of(std::to_string(++number), sentence, ways);
    }
    return text;
}

TEST(Contract, IsWhatTheTableSays) {
    const std::string wanted = table();
    const std::string path = "docs/TRUTH.md";
    std::string document = text_of(path);
    const std::size_t begin = document.find(kHead);
    ASSERT_NE(std::string::npos, begin) << path << " has no such table";
    const std::size_t end = document.find("\n\n", begin);
    const std::string written = document.substr(begin, end + 1 - begin);
    if (std::getenv("OCB_WRITE") != nullptr && !HasFailure()) {
        std::ofstream(kFolder + "/" + path) << document.replace(begin, written.size(), wanted);
        return;
    }
    EXPECT_EQ(wanted, written) << "OCB_WRITE=1 contract-tests writes it anew";
}

} // namespace
} // namespace ocb_test
