// SPDX-License-Identifier: Apache-2.0
//
// The HTML report: what it holds. What it shows is looked at in a browser (browser/page_test.py).
#include "formats.h"
#include "made_runs.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace ocb_test {
namespace {

using Json = nlohmann::json;

std::string format_of(const ompcollect::report::Run &run, const std::string &format) {
    std::ostringstream out;
    format_named(format).write(run, {}, out);
    return out.str();
}

std::string between(const std::string &text, const std::string &from, const std::string &to) {
    const size_t begin = text.find(from);
    if (begin == std::string::npos) {
        return {};
    }
    const size_t end = text.find(to, begin + from.size());
    return text.substr(begin + from.size(), end - begin - from.size());
}

ompcollect::report::Run tricky_run() {
    auto process = made_with_samples();
    process.program = "/made </script><!-- @CSS@ \"quoted\" \xff";
    return {{process}};
}

constexpr char kLinesBegin[] = "<script type=\"application/json\" id=\"timelines\">";
constexpr char kDataBegin[] = "<script type=\"application/json\" id=\"data\">";

// The nodes of the page as the export has them.
Json nodes_of(const Json &columns) {
    Json nodes = Json::array();
    for (size_t i = 0; i < columns.at("parent").size(); ++i) {
        Json node = Json::object();
        for (const char *number : {"parent", "offset", "entries", "masters", "same_as"}) {
            node[number] = columns.at(number).at(i);
        }
        for (const char *text : {"function", "source", "module"}) {
            node[text] = columns.at("texts").at(columns.at(text).at(i).get<size_t>());
        }
        node["kind"] = columns.at("is_region").at(i) == 1 ? "region" : "function";
        nodes.push_back(std::move(node));
    }
    return nodes;
}

TEST(Html, HoldsTheDataOfTheJson) {
    const auto run = tricky_run();
    const std::string page = format_of(run, "html");
    Json data = Json::parse(between(page, kDataBegin, "</script>"));
    Json &process = data.at("run").at("processes").at(0);
    process["nodes"] = nodes_of(process.at("node_columns"));
    ASSERT_FALSE(process["nodes"].empty());
    process.erase("node_columns");
    Json expected = Json::parse(format_of(run, "json"));
    expected["processes"][0].erase("samples");
    for (Json &node : expected["processes"][0]["nodes"]) {
        node.erase("single_seconds"); // of the verdict, which the page has in words
    }
    EXPECT_EQ(data.at("run"), expected);
    // 50 samples of each thread in one state are one piece; the first begins 5 ms after the run.
    const Json lines = Json::parse(between(page, kLinesBegin, "</script>"));
    const Json &line = lines.at(0);
    EXPECT_EQ(line.at("counts"), Json({3, 4}));
    EXPECT_EQ(line.at("tick_us"), Json(1));
    EXPECT_EQ(line.at("node").size(), 5U);
}

TEST(Html, HasNoTimeLineWhereTheOrderIsNotKnown) {
    const std::string page = format_of({{made_imbalance()}}, "html");
    EXPECT_EQ(Json::parse(between(page, kLinesBegin, "</script>")), Json::array({Json::object()}));
}

TEST(Html, NamesNoOtherPlace) {
    const std::string page = format_of({{made_imbalance()}}, "html");
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
    // The one link leads to the page itself.
    for (const char *wrong :
         {"src=\"", "href=\"h", "href=\"/", "href=\"f", "@CSS@", "@SCRIPT@", "@D3@", "@DATA@"}) {
        EXPECT_EQ(page.find(wrong), std::string::npos) << wrong;
    }
}

} // namespace
} // namespace ocb_test
