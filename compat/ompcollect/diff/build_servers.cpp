// SPDX-License-Identifier: Apache-2.0
//
// A comparison for build servers, in the forms that they document:
//   JUnit XML, as Jenkins (junit-10.xsd of its xUnit plugin) and GitLab read it
//   GitHub's workflow commands, "::error file=...::message", with their escapes
//   GitLab's Code Quality report, JSON
#include "comparison_formats.h"

#include "node_keys.h"
#include "words.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ompcollect::report {
namespace {

using Json = nlohmann::ordered_json;

size_t number_of(const std::vector<Ruling> &rulings, Holds holds) {
    return static_cast<size_t>(std::count_if(
        rulings.begin(), rulings.end(), [&](const Ruling &one) { return one.holds == holds; }));
}

// XML 1.0 has no place for most control characters, not even escaped.
std::string xml(const std::string &text) {
    std::string to = text;
    std::replace_if(
        to.begin(), to.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n'; }, '?');
    return markup(to);
}

// A change that stands out, in a line.
std::string finding_line(const ComparedRow &row, const Comparison &comparison) {
    return row.name + ": " +
           NumberForm::seconds(row.headline_change.middle, row.headline_error())
               .change(row.headline_change.middle) +
           " of all threads: " + parts_text(row, comparison);
}

void replace_all(std::string &text, const std::string &what, const std::string &by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
        text.replace(at, what.size(), by);
    }
}

std::string github_data(std::string text) {
    replace_all(text, "%", "%25");
    replace_all(text, "\r", "%0D");
    replace_all(text, "\n", "%0A");
    return text;
}

std::string github_property(const std::string &text) {
    std::string to = github_data(text);
    replace_all(to, ":", "%3A");
    replace_all(to, ",", "%2C");
    return to;
}

std::string github_command(const char *command, const std::string &source, const std::string &title,
                           const std::string &message) {
    const SourcePlace place = source_place(source);
    std::string properties = "title=" + github_property(title);
    if (!place.file.empty() && place.line > 0) {
        properties =
            "file=" + github_property(place.file) + format(",line=%u,", place.line) + properties;
    }
    return "::" + std::string(command) + " " + properties + "::" + github_data(message) + "\n";
}

// The same for the same rule or place in each pipeline: what the server compares.
std::string fingerprint_of(const std::string &text) {
    return format("%016llx", static_cast<unsigned long long>(hash_of(text)));
}

Json gitlab_issue(const std::string &what, const std::string &check, const std::string &key,
                  const char *severity, const std::string &source, const std::string &program) {
    const SourcePlace place = source_place(source);
    return {{"description", what},
            {"check_name", check},
            {"fingerprint", fingerprint_of(check + "\n" + key)},
            {"severity", severity},
            {"location",
             {{"path", place.file.empty() ? program : place.file},
              {"lines", {{"begin", std::max(1U, place.line)}}}}}};
}

} // namespace

void write_diff_junit(const Judged &judged, const DiffStyle &, std::ostream &out) {
    const std::string name = xml("ompcollect diff of " + judged.comparison.program);
    const double time = judged.comparison.elapsed.median_after();
    const std::string counts =
        format(R"(tests="%zu" failures="%zu" errors="0" time="%.3f")", judged.rulings.size(),
               number_of(judged.rulings, Holds::kBroken), time);
    out << R"(<?xml version="1.0" encoding="UTF-8"?>)"
        << "\n<testsuites name=\"" << name << "\" " << counts << ">\n  <testsuite name=\"" << name
        << "\" " << counts << " skipped=\"" << number_of(judged.rulings, Holds::kUndecided)
        << "\">\n";
    for (const Ruling &ruling : judged.rulings) {
        out << "    <testcase classname=\"" << name << "\" name=\"" << xml(ruling.rule.text)
            << "\" time=\"0\"";
        if (ruling.holds == Holds::kHeld) {
            out << "/>\n";
        } else if (ruling.holds == Holds::kUndecided) {
            out << ">\n      <skipped message=\"" << xml(ruling_line(ruling))
                << "\"/>\n    </testcase>\n";
        } else {
            out << ">\n      <failure type=\"broken\" message=\"" << xml(ruling_line(ruling))
                << "\">";
            for (const ComparedRow *row : findings_of(judged.comparison, true)) {
                out << xml(finding_line(*row, judged.comparison)) << "\n";
            }
            out << "</failure>\n    </testcase>\n";
        }
    }
    out << "  </testsuite>\n</testsuites>\n";
}

void write_diff_github(const Judged &judged, const DiffStyle &style, std::ostream &out) {
    for (const Ruling &ruling : judged.rulings) {
        const char *command = ruling.holds == Holds::kBroken      ? "error"
                              : ruling.holds == Holds::kUndecided ? "warning"
                                                                  : "notice";
        out << github_command(command, ruling.place, "ompcollect: " + ruling.words(),
                              ruling_line(ruling));
    }
    size_t left = style.top == 0 ? SIZE_MAX : style.top;
    for (const ComparedRow *row : findings_of(judged.comparison, true)) {
        if (left-- == 0) {
            break;
        }
        out << github_command("warning", row->source, "ompcollect: slower",
                              finding_line(*row, judged.comparison));
    }
}

void write_diff_gitlab(const Judged &judged, const DiffStyle &, std::ostream &out) {
    const Comparison &comparison = judged.comparison;
    Json issues = Json::array();
    for (const Ruling &ruling : judged.rulings) {
        if (ruling.holds != Holds::kHeld) {
            issues.push_back(gitlab_issue(ruling_line(ruling), "ompcollect-rule", ruling.rule.text,
                                          ruling.holds == Holds::kBroken ? "major" : "info",
                                          ruling.place, comparison.program));
        }
    }
    for (const ComparedRow *row : findings_of(comparison, true)) {
        issues.push_back(gitlab_issue(finding_line(*row, comparison), "ompcollect-slower",
                                      row->region + "\n" + row->name, "minor", row->source,
                                      comparison.program));
    }
    out << issues.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

} // namespace ompcollect::report
