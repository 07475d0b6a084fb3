// SPDX-License-Identifier: Apache-2.0
// docs/GENERATIONS.md says of each generation what its adapter's rows say: which callbacks are
// used, and where an answer of the Collector API comes from otherwise than on OpenMP 5.
#include "generation.h"

#include "omp_collector_bridge.h"

#include <algorithm>
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
    for (std::size_t i = 0; i < count; ++i) {
        if (rows[i].kind == kind && rows[i].number == number) {
            return rows[i].name;
        }
    }
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

// "BEGIN_IBAR" for an event, "CURRENT_PRID" for a request, "state IBAR" for a state.
std::string short_name(const ompt::CapabilityOverride &note) {
    std::string name = name_of(note.kind, note.number);
    for (const char *prefix : {"OMP_REQ_", "OMP_EVENT_", "THR_"}) {
        if (name.rfind(prefix, 0) == 0) {
            name.erase(0, std::string(prefix).size());
        }
    }
    if (note.kind == OMP_COLLECTOR_BRIDGE_STATE) {
        name = "state " + name.substr(0, name.size() - std::string("_STATE").size());
    }
    return name;
}

// Names with commas between them, in lines of at most 100 columns.
std::string list_of(const std::vector<std::string> &names) {
    std::string text, line;
    for (const std::string &name : names) {
        const std::string item = name + (&name == &names.back() ? "." : ",");
        if (line.size() + 1 + item.size() > 100) {
            text += line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + item;
    }
    return text + line + "\n";
}

// One row for answers that have status and reason in common. Answers that are exact have no row:
// the document's own sentence holds for them.
std::string table_of(const ompt::Adapter &adapter) {
    struct Row {
        std::string names, rest;
    };
    std::vector<Row> rows;
    for (const ompt::CapabilityOverride &note : adapter.overrides) {
        if (note.status == OMP_COLLECTOR_BRIDGE_EXACT) {
            continue;
        }
        const std::string rest =
            " | " + std::string(status_text(note.status)) + " | " + note.reason + " |\n";
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&rest](const Row &other) { return other.rest == rest; });
        if (row != rows.end()) {
            row->names += ", " + short_name(note);
        } else {
            rows.push_back({short_name(note), rest});
        }
    }
    if (rows.empty()) {
        return "";
    }
    std::string text = "| answer | | where it comes from |\n|---|---|---|\n";
    for (const Row &row : rows) {
        text += "| " + row.names + row.rest;
    }
    return text;
}

// As a block of code: a list is no sentence.
std::string callbacks_of(const ompt::Adapter &adapter) {
    std::vector<std::string> names;
    for (const ompt::CallbackRow &row : adapter.callbacks) {
        names.push_back(row.name);
    }
    return ":\n```text\n" + list_of(names) + "```\n";
}

// The three of before TR6 have a section in common.
TEST(GenerationDocument, SaysWhatTheAdaptersSay) {
    const std::string text = document();
    for (const ompt::Adapter *adapter : ompt::all_adapters()) {
        EXPECT_NE(text.find("\n| " + std::string(adapter->name) + " | "), std::string::npos)
            << "docs/GENERATIONS.md has no row for " << adapter->name;
        std::vector<std::string> parts{callbacks_of(*adapter)};
        if (!adapter->overrides.empty()) {
            parts.push_back("\n" + table_of(*adapter) + "\n");
        }
        for (const std::string &part : parts) {
            EXPECT_NE(text.find(part), std::string::npos)
                << "docs/GENERATIONS.md lacks, for " << adapter->name << ":\n"
                << part;
        }
    }
}

TEST(Adapters, AreWhole) {
    std::set<std::string> names;
    for (const ompt::Adapter *adapter : ompt::all_adapters()) {
        EXPECT_TRUE(names.insert(adapter->name).second) << adapter->name;
        EXPECT_LE(adapter->callbacks.size(), ompt::kMostCallbacks);
        EXPECT_NE(adapter->set_callback, nullptr);
        EXPECT_NE(adapter->facts_of_caller, nullptr);
        EXPECT_NE(adapter->register_caller_late, nullptr);
        EXPECT_NE(adapter->reset_after_fork, nullptr);
        std::set<int> numbers;
        for (const ompt::CallbackRow &row : adapter->callbacks) {
            EXPECT_TRUE(numbers.insert(row.number).second) << adapter->name << " " << row.name;
            EXPECT_NE(row.function, nullptr) << row.name;
            EXPECT_NE(row.needs, 0U) << row.name;
        }
        // One override per answer, which rests on callbacks that are used.
        std::set<std::pair<int, int>> answers;
        for (const ompt::CapabilityOverride &row : adapter->overrides) {
            EXPECT_TRUE(answers.insert({row.kind, row.number}).second) << row.reason;
            EXPECT_NE(name_of(row.kind, row.number), "?") << row.reason;
            for (const int callback : row.callbacks) {
                EXPECT_TRUE(callback == 0 || numbers.count(callback) == 1)
                    << adapter->name << " " << row.reason << " rests on " << callback;
            }
        }
    }
}

} // namespace
} // namespace ocb::test
