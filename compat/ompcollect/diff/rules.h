// SPDX-License-Identifier: Apache-2.0
//
// The rules of a gate: "elapsed > +5%". A rule is broken where a change is beyond its limit and
// beyond the spread between runs. It is held where the change's interval does not reach the limit.
// Else these repetitions do not decide it.
#pragma once

#include "comparison.h"

#include <string>
#include <vector>

namespace ompcollect::report {

enum class Subject : unsigned { kElapsed, kEfficiency, kProcessor, kRegion, kFunction, kCause };
enum class RuleUnit : unsigned { kShare, kPoints, kSeconds };

struct Rule {
    std::string text; // as it was given
    Subject subject = Subject::kElapsed;
    std::string name;     // of a region, a function, a cause
    std::string quantity; // of a region "wall", else "time" or a part of it (TimePart)
    Cause cause = Cause::kCount;
    bool is_growth = true; // '>'
    RuleUnit unit = RuleUnit::kShare;
    double limit = 0; // a share, or seconds
};

// Throws Failure, exit code 2, that names what is wrong and the form that fits.
Rule rule_of(const std::string &text);

enum class Holds : unsigned { kHeld, kBroken, kUndecided };

struct Ruling {
    Rule rule;
    Holds holds = Holds::kHeld;
    Change change;                            // in the rule's unit
    std::string why;                          // of kUndecided
    std::string place;                        // "file:line" of the region or function; empty: none
    [[nodiscard]] std::string words() const;  // "held", "broken", "not decidable"
    [[nodiscard]] std::string detail() const; // the change with its interval
};

// Throws Failure, exit code 2, where neither side has the region or function.
Ruling ruling_of(const Rule &rule, const Comparison &comparison);

// What ompcollect diff ends with.
inline constexpr int kExitBroken = 1;
inline constexpr int kExitUndecided = 3;
int exit_code_of(const std::vector<Ruling> &rulings);

} // namespace ompcollect::report
