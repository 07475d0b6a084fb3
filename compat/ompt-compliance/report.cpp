// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include "wrapped_text.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace compliance {
namespace {

std::string padded(std::string text, size_t width) {
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
}

std::string wrapped(const std::string &sentence) {
    constexpr size_t kIndent = 12, kWidth = 100;
    return ompcollect::wrapped(sentence, kIndent, kWidth);
}

std::string generation_of(const Report &report) {
    for (const Result &result : report.results) {
        if (!result.generation.empty()) {
            return result.generation;
        }
    }
    return "";
}

std::string code_of(const Result &result) {
    switch (result.status) {
    case Status::kNotInGeneration:
        return "-";
    case Status::kCrashed:
        return "crash";
    case Status::kHung:
        return "hang";
    default:
        return std::to_string(exit_code(result.status));
    }
}

void add_answers(const Report &report, std::string &text) {
    text += "\nThe Collector API on this runtime";
    if (report.answers.empty()) {
        text += ": " + report.no_answers + "\n";
        return;
    }
    text += ":\n";
    for (const CollectorAnswer &answer : report.answers) {
        text += padded(answer.kind, 9) + padded(answer.name, 38) + answer.status + '\n';
        text += wrapped(answer.reason);
        for (const std::string &measured : answer.measured) {
            text += wrapped("- " + measured);
        }
    }
}

} // namespace

std::string table(const Report &report) {
    std::string text = "OpenMP runtime: " + report.runtime + '\n';
    const std::string generation = generation_of(report);
    text += "OMPT:           " + (generation.empty() ? "none that was seen" : generation) + "\n\n";
    std::map<Status, int> counts;
    for (const Result &result : report.results) {
        ++counts[result.status];
        const bool counts_for_nothing = result.status == Status::kNotInGeneration;
        text += padded(result.name, 26) + padded(counts_for_nothing ? "-" : code_of(result), 7) +
                status_text(result.status);
        text += (result.detail.empty() ? "" : " " + result.detail) + '\n';
        for (const std::string &sentence : result.texts) {
            text += wrapped(sentence);
        }
        if (result.status == Status::kCrashed || result.status == Status::kHung ||
            result.status == Status::kSuiteFailed) {
            std::istringstream lines(result.errors);
            for (std::string line; std::getline(lines, line);) {
                text += "            | " + line + '\n';
            }
        }
    }
    text += '\n';
    bool first = true;
    for (const auto &[status, count] : counts) {
        text += (first ? "" : ", ") + std::to_string(count) + " " + status_text(status);
        first = false;
    }
    char seconds[32];
    snprintf(seconds, sizeof seconds, " (%.1f s)\n", report.seconds);
    text += seconds;
    if (!report.answers.empty() || !report.no_answers.empty()) {
        add_answers(report, text);
    }
    return text;
}

std::string json(const Report &report) {
    nlohmann::ordered_json root;
    root["runtime"] = report.runtime;
    root["generation"] = generation_of(report);
    root["seconds"] = report.seconds;
    root["checks"] = nlohmann::ordered_json::array();
    for (const Result &result : report.results) {
        nlohmann::ordered_json row;
        row["name"] = result.name;
        row["status"] = status_text(result.status);
        row["code"] = exit_code(result.status);
        row["counts"] = result.status != Status::kNotInGeneration;
        if (!result.detail.empty()) {
            row["detail"] = result.detail;
        }
        row["sentences"] = result.texts;
        row["facts"] = result.facts;
        row["seconds"] = result.seconds;
        root["checks"].push_back(std::move(row));
    }
    root["collector_api"] = nlohmann::ordered_json::array();
    for (const CollectorAnswer &answer : report.answers) {
        root["collector_api"].push_back({{"kind", answer.kind},
                                         {"number", answer.number},
                                         {"name", answer.name},
                                         {"status", answer.status},
                                         {"reason", answer.reason},
                                         {"measured", answer.measured}});
    }
    if (!report.no_answers.empty()) {
        root["no_collector_api"] = report.no_answers;
    }
    // What a runtime says may be any bytes.
    return root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::string brief(const Report &report) {
    std::string text;
    for (const Result &result : report.results) {
        text += result.name + ' ' + code_of(result) + '\n';
    }
    return text;
}

std::string differences(const Report &report, const std::string &expected) {
    std::map<std::string, std::string> codes;
    std::istringstream lines(expected);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        std::string code;
        if (words >> name >> code && name[0] != '#') {
            codes[name] = code;
        }
    }
    std::string text;
    for (const Result &result : report.results) {
        const auto known = codes.find(result.name);
        if (known == codes.end()) {
            text += result.name + ": " + code_of(result) + ", and no result is kept for it\n";
        } else if (known->second != code_of(result)) {
            text += result.name + ": " + code_of(result) + ", expected " + known->second + '\n';
            for (const std::string &sentence : result.texts) {
                text += "    " + sentence + '\n';
            }
        }
    }
    return text;
}

} // namespace compliance
