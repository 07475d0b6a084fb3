// SPDX-License-Identifier: Apache-2.0
// docs/GENERATIONS.md says of each generation what its adapter's rows say: which callbacks are
// used, and where an answer of the Collector API comes from otherwise than on OpenMP 5.
#include "adapters.h"

#include "omp_collector_bridge.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ocb::test {
namespace {

std::string document() {
    std::ifstream file(OCB_SOURCE_DIR "/docs/GENERATIONS.md");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string name_of(omp_collector_bridge_kind kind, int number) {
    std::size_t count = 0;
    const omp_collector_bridge_capability *rows = omp_collector_bridge_capabilities(&count);
    for (std::size_t i = 0; i < count; ++i)
        if (rows[i].kind == kind && rows[i].number == number)
            return rows[i].name;
    return "?";
}

const char *status_text(omp_collector_bridge_status status) {
    switch (status) {
    case OMP_COLLECTOR_BRIDGE_EXACT:
        return "exact";
    case OMP_COLLECTOR_BRIDGE_SYNTHESISED:
        return "synthesised";
    case OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE:
        return "not observable";
    }
    return "?";
}

// The section of one adapter; the three of before TR6 have one in common.
std::string section_of(const ompt::Adapter &adapter) {
    std::string text = "Callbacks:";
    for (const ompt::CallbackRow &row : adapter.callbacks)
        text += " " + std::to_string(row.number) + " " + row.name + ",";
    text.back() = '.';
    text += "\n";
    if (adapter.overrides.empty())
        return text;
    text += "\n| answer | | where it comes from |\n|---|---|---|\n";
    for (const ompt::CapabilityOverride &row : adapter.overrides)
        text += "| " + name_of(row.kind, row.number) + " | " + status_text(row.status) + " | " +
                row.reason + " |\n";
    return text;
}

TEST(GenerationDocument, SaysWhatTheAdaptersSay) {
    const std::string text = document();
    for (const ompt::Adapter *adapter : ompt::all_adapters()) {
        EXPECT_NE(text.find("| " + std::string(adapter->name) + " |"), std::string::npos)
            << "docs/GENERATIONS.md has no row for " << adapter->name;
        const std::string section = section_of(*adapter);
        EXPECT_NE(text.find(section), std::string::npos)
            << "docs/GENERATIONS.md lacks, for " << adapter->name << ":\n"
            << section;
    }
}

TEST(Adapters, AreWhole) {
    std::set<std::string> names;
    for (const ompt::Adapter *adapter : ompt::all_adapters()) {
        EXPECT_TRUE(names.insert(adapter->name).second) << adapter->name;
        EXPECT_LE(adapter->callbacks.size(), ompt::kMostCallbacks);
        EXPECT_NE(adapter->set_callback, nullptr);
        EXPECT_NE(adapter->facts_of_caller, nullptr);
        EXPECT_NE(adapter->adopt_caller, nullptr);
        EXPECT_NE(adapter->reset_after_fork, nullptr);
        std::set<int> numbers;
        for (const ompt::CallbackRow &row : adapter->callbacks) {
            EXPECT_TRUE(numbers.insert(row.number).second) << adapter->name << " " << row.name;
            EXPECT_NE(row.function, nullptr) << row.name;
            EXPECT_NE(row.needs, 0U) << row.name;
        }
        // One override per answer, resting on callbacks that are used.
        std::set<std::pair<int, int>> answers;
        for (const ompt::CapabilityOverride &row : adapter->overrides) {
            EXPECT_TRUE(answers.insert({row.kind, row.number}).second) << row.reason;
            EXPECT_NE(name_of(row.kind, row.number), "?") << row.reason;
            for (const int callback : row.callbacks)
                EXPECT_TRUE(callback == 0 || numbers.count(callback) == 1)
                    << adapter->name << " " << row.reason << " rests on " << callback;
        }
    }
}

} // namespace
} // namespace ocb::test
