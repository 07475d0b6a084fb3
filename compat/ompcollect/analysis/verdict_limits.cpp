// SPDX-License-Identifier: Apache-2.0
#include "verdict_limits.h"

#include <cstddef>

namespace ompcollect::report {

const std::vector<LimitRow> &all_limits() {
    static const std::vector<LimitRow> kRows = {
        {Limit::kNoticed, "noticed", 0.05, "of a whole",
         "healthy programs lose up to 3 % to a machine of their own; a part below it has no cause",
         "Findings.BeginAtATwentiethOfTheTime"},
        {Limit::kWorthALine, "worth a line", 0.01, "of the elapsed time",
         "a gain that a person does not feel: a minute of an hour and a half",
         "Findings.AreWorthItFromAHundredthAndTenSamplesOn"},
        {Limit::kShown, "shown", 0.0005, "of the elapsed time",
         "rounds to 0.1 %; too few processors stand first whatever that costs, but not with 0.0 %",
         "Findings.BeginAtATwentiethOfTheTime"},
        {Limit::kFewestSamples, "fewest samples", 10, "samples",
         "the error of a count of 10 is two thirds of it; of fewer it is all",
         "Findings.AreWorthItFromAHundredthAndTenSamplesOn"},
        {Limit::kDeviations, "deviations", 2, "standard deviations", "19 of 20 runs lie within two",
         "Findings.HaveTheErrorOfTheirSamples"},
        {Limit::kMajority, "majority", 0.5, "of a sum", "more than all the rest",
         "Findings.AreMeasuredWhereMoreThanHalfOfThemIs"},
        {Limit::kMost, "most", 2.0 / 3, "of a sum", "twice as much as all the rest",
         "LockCauses.OneLockHasTwoOfThreeParts"},
        {Limit::kMuch, "much", 0.1, "of a whole",
         "twice what is noticed: a cause in its own right; without it the rest is nearly all",
         "Findings.TooManyThreadsAreNamedWhereTheyLackProcessors"},
        {Limit::kQuarter, "quarter", 0.25, "of the work, or of a step",
         "five times what is noticed: what differs so is not the noise of samples",
         "TaskLosses.AreTheRuntimesFromAQuarterOfTheWorkOn"},
        {Limit::kTinyWork, "tiny work", 100e-6, "seconds of a thread in an entry",
         "entering and leaving a region takes 5 us or more: a twentieth of it",
         "TinyLosses.BeginAtAHundredEntriesOfAHundredMicroseconds"},
        {Limit::kOften, "often", 100, "times",
         "10 times the fewest samples: one disturbed time of 100 is no more than is worth a line",
         "TinyLosses.BeginAtAHundredEntriesOfAHundredMicroseconds"},
        {Limit::kShortLife, "short life", 2, "sampling periods",
         "a thread's first sample comes within one period, its second within two",
         "ShortLived.ThreadsHaveNoTimeForASecondSample"},
        {Limit::kSlice, "slice", 4e-3, "seconds of a region, on a shared machine",
         "slices of a processor end at the kernel's ticks, where samples come: what threads do "
         "first in a shorter region has none",
         "SharedMachine.HidesWhatShortRegionsDo"},
        {Limit::kFewestStretches, "fewest stretches", 4, "stretches of a job's time",
         "of fewer the one in which ranks begin, or end, is a third of all",
         "JobVarying.NeedsFourStretches"},
    };
    return kRows;
}

double limit(Limit which) {
    return all_limits()[static_cast<size_t>(which)].value;
}

} // namespace ompcollect::report
