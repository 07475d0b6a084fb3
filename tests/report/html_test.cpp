// SPDX-License-Identifier: Apache-2.0
//
// The HTML report: what it holds, and, in a headless Chromium, what it shows. The numbers on the
// page are those of the JSON, nothing is asked of the network, and the console stays empty.
#include "formats.h"
#include "long_form.h"
#include "made_runs.h"
#include "process.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
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

constexpr char kDataBegin[] = "<script type=\"application/json\" id=\"data\">";

TEST(Html, HoldsTheDataOfTheJson) {
    const auto run = tricky_run();
    const std::string page = format_of(run, "html");
    const Json data = Json::parse(between(page, kDataBegin, "</script>"));
    Json expected = Json::parse(format_of(run, "json"));
    expected["processes"][0].erase("samples");
    EXPECT_EQ(data.at("run"), expected);
    // 50 samples of each thread in one state are one stretch.
    const Json &line = data.at("timelines").at(0);
    EXPECT_EQ(line.at("thread"), Json({0, 0, 1, 1, 1}));
    EXPECT_EQ(line.at("length_us"), Json({500000, 1500000, 500000, 500000, 1000000}));
}

TEST(Html, NamesNoOtherPlace) {
    const std::string page = format_of({{made_imbalance()}}, "html");
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
    for (const char *wrong : {"src=\"", "href=\"", "@CSS@", "@SCRIPT@", "@D3@", "@DATA@"}) {
        EXPECT_EQ(page.find(wrong), std::string::npos) << wrong;
    }
}

struct Shown {
    Outcome outcome;
    std::string dom;
};

Shown shown_in_chromium(const std::string &page) {
    const TemporaryFolder folder;
    const std::string path = folder.file("page.html");
    std::ofstream(path) << page;
    Command command;
    command.arguments = {"/usr/bin/chromium",
                         "--headless",
                         "--no-sandbox",
                         "--disable-gpu",
                         "--disable-dev-shm-usage",
                         "--disable-extensions",
                         "--disable-background-networking",
                         "--enable-logging=stderr",
                         "--user-data-dir=" + folder.file("user"),
                         "--timeout=120000",
                         "--dump-dom",
                         "file://" + path};
    command.environment["HOME"] = folder.file("home");
    command.time_limit_s = 300;
    Shown shown;
    shown.outcome = run(command);
    shown.dom = shown.outcome.out;
    return shown;
}

double value_of(const std::string &dom, const std::string &id) {
    std::smatch match;
    if (std::regex_search(dom, match, std::regex("id=\"" + id + "\" data-value=\"([^\"]*)\""))) {
        return std::stod(match[1]);
    }
    return -1;
}

// All data-value of the cells of one table, row by row.
std::vector<double> cells_of(const std::string &dom, const std::string &id) {
    const std::string table = between(dom, "<table id=\"" + id + "\"", "</table>");
    const std::regex cell("data-value=\"([^\"]*)\"");
    std::vector<double> values;
    for (std::sregex_iterator at(table.begin(), table.end(), cell), end; at != end; ++at) {
        values.push_back(std::stod((*at)[1]));
    }
    return values;
}

TEST(HtmlInChromium, ShowsTheNumbersOfTheJsonAndAsksNobody) {
    if (!std::filesystem::exists("/usr/bin/chromium")) {
        if (is_long()) {
            FAIL() << "chromium is not installed";
        }
        GTEST_SKIP() << "chromium is not installed";
    }
    const auto run = tricky_run();
    const Shown shown = shown_in_chromium(format_of(run, "html"));
    ASSERT_TRUE(shown.outcome.succeeded()) << shown.outcome.describe();
    EXPECT_EQ(shown.outcome.err.find("CONSOLE"), std::string::npos) << shown.outcome.err;
    ASSERT_NE(shown.dom.find("data-ready=\"yes\""), std::string::npos) << shown.dom.substr(0, 2000);
    const Json document = Json::parse(format_of(run, "json"));
    const Json &process = document["processes"][0];
    const Json &figures = process["figures"];
    EXPECT_EQ(value_of(shown.dom, "parallel"), figures["parallel_efficiency"].get<double>());
    EXPECT_EQ(value_of(shown.dom, "serialisation"),
              figures["serialisation_efficiency"].get<double>());
    EXPECT_EQ(value_of(shown.dom, "balance"), figures["load_balance"].get<double>());
    EXPECT_EQ(value_of(shown.dom, "scheduling"), figures["scheduling_efficiency"].get<double>());
    double wall = 0;
    for (const Json &cell : process["cells"]["wall"]) {
        wall += cell.get<double>();
    }
    EXPECT_NEAR(value_of(shown.dom, "flame"), wall, 1e-9);
    const std::vector<double> regions = cells_of(shown.dom, "regions");
    const Json &region = figures["regions"][0];
    ASSERT_GE(regions.size(), 8U);
    EXPECT_EQ(regions[0], region["potential_gain"].get<double>());
    EXPECT_EQ(regions[1], process["nodes"][1]["entries"].get<double>());
    EXPECT_EQ(regions[2], region["mean_length"].get<double>());
    EXPECT_EQ(regions[7], region["seconds"].get<double>());
    const std::vector<double> blame = cells_of(shown.dom, "blame");
    ASSERT_EQ(blame.size(), 4U);
    EXPECT_EQ(blame[0], process["blame"][0]["seconds"].get<double>());
    const std::string findings = between(shown.dom, "<ol id=\"findings\">", "</ol>");
    for (const Json &finding : process["findings"]) {
        EXPECT_NE(findings.find(finding["place"].get<std::string>()), std::string::npos);
    }
    EXPECT_NE(shown.dom.find("d3-flame-graph"), std::string::npos);
}

} // namespace
} // namespace ocb_test
