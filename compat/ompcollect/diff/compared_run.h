// SPDX-License-Identifier: Apache-2.0
//
// What is compared of one run, or of one job: facts, totals, and thread time by region and by
// function of a region. Keys are names and places in the source, as addresses change with each
// build. The run itself is not needed any more.
#pragma once

#include "causes.h"
#include "run.h"

#include <compare>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ompcollect::report {

struct Job;

// What thread time is for who compares: the states of a kind or two.
enum class TimePart : unsigned { kWork, kWaiting, kOverhead, kNoProcessor, kAsleep, kIdle, kCount };
TimePart part_of_state(unsigned state);
const char *part_title(TimePart part); // "work", for people
// kCount: no part has this name.
TimePart part_named(const std::string &name);

// A region, or a function of a region or of what is outside of them. All its code of one name.
struct ItemKey {
    bool is_function = false;
    std::string region; // the text of the region that a function's time is in
    std::string name;   // without what a compiler adds to it; never empty
    std::string source; // of a region "file:line", of a function the file; empty: not known
    // A function's name alone, a region's place too.
    [[nodiscard]] std::string text() const {
        return is_function || source.empty() ? name : name + " " + source;
    }
    auto operator<=>(const ItemKey &) const = default; // NOLINT(modernize-use-nullptr): its own
};

// What an item is called in a path: its text, and a region is marked.
std::string path_name(const ItemKey &key);

struct ItemTime {
    double seconds[kStateColumns] = {}; // thread seconds by state
    double elapsed = 0;                 // of a region, by the clock
    double waited_for = 0;              // thread seconds in which others waited for this code
    double variance = 0;                // of sampling, of all but idle time; square seconds

    [[nodiscard]] double part(TimePart part) const;
    [[nodiscard]] double sum() const; // of all but idle time
    void add(const ItemTime &other);
};

// Whom an item has around it, by name. They tell a renamed function from a new one.
struct Neighbours {
    std::set<std::string> callers;
    std::set<std::string> callees;
};

// A mutex for which threads waited.
struct LockTime {
    double seconds = 0; // of threads
    std::string holder; // the code that held it for most of that; empty: not known
};

// A place of the call tree, by the names from its root.
struct PathTime {
    std::vector<std::string> names;
    ItemTime time; // its own
};

struct ComparedRun {
    std::string name;     // of its file
    std::string identity; // which run it is: a copy has the same; empty: not known
    bool is_job = false;
    bool has_stacks = true;
    std::vector<std::pair<std::string, std::string>> facts; // for people: what it is, its value
    double elapsed = 0;                                     // seconds
    double threads = 0;
    double efficiency = 1;        // parallel, 0 .. 1
    double processor = kNotKnown; // seconds of all threads on a processor
    std::map<Cause, double> lost; // elapsed seconds
    ItemTime all;
    std::map<ItemKey, ItemTime> items;
    std::map<ItemKey, Neighbours> neighbours;
    std::map<std::string, LockTime> locks;
    std::vector<PathTime> paths;
};

// Of a run's processes that ran side by side. Names are made printable before. `with_paths`: of the
// call tree, too.
ComparedRun compared_run(const Run &run, const std::string &name, bool with_paths);
ComparedRun compared_job(const Job &job, const std::string &name, bool with_paths);

// The name without what a compiler puts behind it for a part or a copy of the function.
std::string name_in_source(const std::string &name);

} // namespace ompcollect::report
