// SPDX-License-Identifier: Apache-2.0
// Holds the log of a program of the matrix against what the program said of itself (truth.h): the
// events of every thread, their answers, and the samples of every phase. Owns nothing but its
// result.
#pragma once

#include "log.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ocb_test {

struct PhaseCount {
    std::uint64_t judged_ns = 0;           // how long the phases of this state are
    unsigned inside = 0, inside_right = 0; // samples in phases of this state
    unsigned outside = 0;                  // samples of this state in phases of another
};

struct Verdict {
    std::vector<std::string> complaints; // about events and their answers
    std::map<std::string, PhaseCount> states;
    unsigned samples = 0; // in phases that claim a state
    unsigned region_right = 0;
    std::set<std::uint64_t> unseen_regions; // that began before the session
    std::uint64_t long_ns = 10'000'000;     // a state that lasts so long must have samples

    // The complaints, and what the samples fail. A state that a thread stays in must have some. At
    // least 95 % of them, or all but one, must show it, no more than 1 % of the others may, and 99
    // % must name the right region.
    [[nodiscard]] std::vector<std::string> all_complaints() const;
    // Of these, the states that nearly no sample fell into: long ones, and those of which one or
    // two samples are wrong. A thread that gets no processor is not sampled, so this shows nothing
    // of the answers: only a longer run can.
    [[nodiscard]] std::vector<std::string> too_few_samples() const;
    // "IBAR 98.7 % of 150"; the worst state.
    [[nodiscard]] std::string summary() const;
};

// From where a phase's samples must show its state.
enum class From {
    kMark,  // just before the construct
    kEvent, // that begins the state: where the way to it is translated first, for milliseconds
};

Verdict check(const Log &log, From from = From::kMark);

} // namespace ocb_test
