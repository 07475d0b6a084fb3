// SPDX-License-Identifier: Apache-2.0
//
// Checks of ompt_get_state: the initial thread is sampled while the program makes it do, or wait
// for, one thing. A phase of the program must show one of the states that the document allows for
// it, and all that is sampled must come in the order of the phase's course.
#include "checks.h"

#include "sampler.h"
#include "verdict.h"

#include <algorithm>
#include <cstring>

namespace compliance {
namespace {

// What may be sampled in a phase before and after its own states.
enum class Course {
    kOwn,     // nothing: the program's own code runs from the begin to the end
    kWait,    // on the way in the region's code, on the way out that or the code behind it
    kCombine, // the code around a reduction, or the barrier in which some runtimes combine
    kOpen,    // another check's matter
};

struct PhaseRow {
    const char *what; // the thread does
    std::vector<State> accepted;
    Course course = Course::kWait;
};

struct StateRow {
    const char *name;
    // 0: the program could not make the thread wait.
    int (*program)(const Workload &);
    std::vector<PhaseRow> phases; // 1, 2, ...
};
// Where a phase ends in an implicit barrier whose states are another check's matter, a plain one is
// waited in to compare.
constexpr int kComparedPhase = 3;

template <void (*Workload::*kProgram)()> int run(const Workload &workload) {
    (workload.*kProgram)();
    return 1;
}

int serial(const Workload &workload) {
    arrive(1);
    hold(1);
    arrive(0);
    workload.nested(1, 2);
    arrive(2);
    hold(2);
    arrive(0);
    return 1;
}

int implicit_barriers(const Workload &workload) {
    workload.barrier_worksharing();
    workload.barrier_join();
    return 1;
}

int taskwait_then_taskgroup(const Workload &workload) {
    return workload.taskwait() != 0 && workload.taskgroup() != 0 ? 1 : 0;
}

const std::vector<State> kAnyBarrier = {
    State::kBarrier,
    State::kBarrierImplicit,
    State::kBarrierImplicitParallel,
    State::kBarrierImplicitWorksharing,
    State::kBarrierImplementation,
};

// A runtime may say of every mutex that it is one, where its generation has a state for that.
const StateRow kStateChecks[] = {
    {"state-serial",
     serial,
     {{"runs outside a region, before the first", {State::kSerial}, Course::kOwn},
      {"runs outside a region, after one", {State::kSerial}, Course::kOwn}}},
    {"state-parallel",
     run<&Workload::body>,
     {{"runs in a region", {State::kParallel}, Course::kOwn}}},
    {"state-reduction",
     run<&Workload::reduction>,
     {{"combines in a reduction", {State::kReduction}, Course::kCombine},
      {"waits at the end of a reduction", kAnyBarrier, Course::kOpen}}},
    {"state-barrier-explicit",
     run<&Workload::barrier_explicit>,
     {{"waits in an explicit barrier", {State::kBarrierExplicit, State::kBarrier}}}},
    {"state-barrier-implicit",
     implicit_barriers,
     {{"waits in an implicit barrier",
       {State::kBarrierImplicit, State::kBarrierImplicitParallel,
        State::kBarrierImplicitWorksharing, State::kBarrier}}}},
    {"state-taskwait",
     [](const Workload &workload) { return workload.taskwait(); },
     {{"waits in a taskwait", {State::kTaskwait}}}},
    {"state-taskgroup",
     taskwait_then_taskgroup,
     {{"waits in a taskwait", {State::kTaskwait}, Course::kOpen},
      {"waits at the end of a taskgroup", {State::kTaskgroup}}}},
    {"state-lock", run<&Workload::lock>, {{"waits for a lock", {State::kLock, State::kMutex}}}},
    {"state-nest-lock",
     run<&Workload::nest_lock>,
     {{"waits for a nestable lock", {State::kNestLock, State::kMutex}}}},
    {"state-critical",
     run<&Workload::critical>,
     {{"waits for a critical region", {State::kCritical, State::kMutex}}}},
    {"state-atomic",
     [](const Workload &workload) { return workload.atomic(); },
     {{"waits for an atomic region", {State::kAtomic, State::kMutex}}}},
    {"state-ordered",
     run<&Workload::ordered>,
     {{"waits for its turn in an ordered loop", {State::kOrdered, State::kMutex}},
      {"waits at the end of an ordered loop", kAnyBarrier, Course::kOpen}}},
};

// Nestable locks have lost their state between TR2 and TR6.
std::vector<State> accepted_here(const PhaseRow &row) {
    std::vector<State> accepted = row.accepted;
    if (!has_ids(shared().registration.generation)) {
        for (State &state : accepted) {
            if (state == State::kNestLock) {
                state = State::kLock;
            }
        }
    }
    return accepted;
}

std::string names_of(const std::vector<State> &states) {
    std::string text;
    for (const State state : states) {
        text += (text.empty() ? "" : " or ") + std::string(state_name(state));
    }
    return text;
}

void judge_phase(int phase, const PhaseRow &row) {
    if (seen_expected(phase)) {
        return;
    }
    const std::vector<State> accepted = accepted_here(row);
    // What would be accepted in place of the wait's own states makes no promise about it.
    bool listed = false;
    for (const State state : accepted) {
        const bool general = state == State::kBarrier || state == State::kMutex;
        listed = listed || (!general && interface()->lists(state));
    }
    if (listed) {
        fail("while the thread %s its state is never %s; seen: %s", row.what,
             names_of(accepted).c_str(), seen_states(phase).c_str());
    } else {
        not_implemented("the runtime does not list %s; while the thread %s it shows %s",
                        names_of(accepted).c_str(), row.what, seen_states(phase).c_str());
    }
}

// The document lets work_reduction be missed, which is fast; what may be there in its place is the
// work around it, and the barrier where some runtimes combine.
void judge_combining(const PhaseRow &row) {
    if (!interface()->lists(State::kReduction) && !seen(1, State::kReduction)) {
        not_implemented("the runtime does not list work_reduction; while the thread %s it shows %s",
                        row.what, seen_states(1).c_str());
        return;
    }
    for (int i = 0; i < static_cast<int>(State::kCount); ++i) {
        const auto state = static_cast<State>(i);
        bool allowed = state == State::kReduction || state == State::kParallel;
        for (const State barrier : kAnyBarrier) {
            allowed = allowed || state == barrier;
        }
        if (!allowed && seen(1, state)) {
            fail("while the thread %s its state is %s", row.what, state_name(state));
        }
    }
}

// Does the runtime show its implicit barriers at all?
bool shows_implicit_barriers(const Workload &workload) {
    WorkloadHooks hooks = recording_hooks();
    hooks.arrive = [](int phase) { arrive(phase != 0 ? kComparedPhase : 0); };
    hooks.hold = [](int) { hold(kComparedPhase); };
    workload.set_hooks(&hooks);
    expect_in_phase(kComparedPhase, kAnyBarrier);
    workload.barrier_worksharing();
    return seen_expected(kComparedPhase);
}

// A step of a course: states that may come in any order; each step may be missing.
using Step = std::vector<State>;

std::vector<Step> steps_of(const PhaseRow &row) {
    const Step own = accepted_here(row);
    Step around = kAnyBarrier;
    around.push_back(State::kParallel);
    switch (row.course) {
    case Course::kOwn:
        return {own};
    case Course::kWait:
        return {{State::kParallel, State::kOverhead},
                own,
                {State::kParallel, State::kSerial, State::kOverhead}};
    case Course::kCombine:
        return {around, own, around};
    case Course::kOpen:
        break;
    }
    return {};
}

bool contains(const Step &step, State state) {
    return std::find(step.begin(), step.end(), state) != step.end();
}

bool is_in_order(const std::vector<State> &sequence, const std::vector<Step> &steps) {
    size_t step = 0;
    for (const State state : sequence) {
        while (step < steps.size() && !contains(steps[step], state)) {
            ++step;
        }
        if (step == steps.size()) {
            return false;
        }
    }
    return true;
}

// Only where the phase has shown its own states: else that has been said.
void judge_course(int phase, const PhaseRow &row) {
    constexpr size_t kTold = 8; // states of a sequence that a message shows
    const std::vector<Step> steps = steps_of(row);
    if (steps.empty() || !seen_expected(phase)) {
        return;
    }
    for (const std::vector<State> &sequence : sequences(phase)) {
        if (is_in_order(sequence, steps)) {
            continue;
        }
        std::string told;
        for (size_t i = 0; i < sequence.size() && i < kTold; ++i) {
            told += (i == 0 ? "" : ", ") + std::string(state_name(sequence[i]));
        }
        std::string expected;
        for (const Step &step : steps) {
            expected += (expected.empty() ? "" : "; then ") + names_of(step);
        }
        fail("while the thread %s its states come in another order than \"%s\": %s", row.what,
             expected.c_str(), told.c_str());
        return;
    }
}

} // namespace

void check_state(const Setup &setup, const char *name) {
    const StateRow *row = nullptr;
    for (const StateRow &one : kStateChecks) {
        if (strcmp(one.name, name) == 0) {
            row = &one;
        }
    }
    if (row == nullptr) {
        fail("no such check");
        return;
    }
    run_with_tool(setup, [&](const Workload &workload) {
        if (interface() == nullptr) {
            return 0; // no tool: said by run_with_tool
        }
        if (!has(Entry::kState)) {
            not_implemented("lookup of ompt_get_state gives NULL");
            return 0;
        }
        for (size_t i = 0; i < row->phases.size(); ++i) {
            expect_in_phase(static_cast<int>(i) + 1, accepted_here(row->phases[i]));
        }
        workload.set_nesting(1);
        WorkloadHooks hooks = recording_hooks();
        hooks.point = [](WorkloadPoint, int, int) {};
        workload.set_hooks(&hooks);
        start_sampling();
        const int waited = row->program(workload);
        const bool is_reduction = row->program == run<&Workload::reduction>;
        const bool is_ordered = row->program == run<&Workload::ordered>;
        const bool barrier_is_elsewhere =
            (is_reduction || is_ordered) && !seen_expected(2) && !shows_implicit_barriers(workload);
        stop_sampling();
        if (waited == 0) {
            not_implemented("the program cannot make a thread wait like this on this runtime");
            return 0;
        }
        const bool is_taskgroup = row->program == taskwait_then_taskgroup;
        for (size_t i = 0; i < row->phases.size(); ++i) {
            const int phase = static_cast<int>(i) + 1;
            if (is_reduction && phase == 1) {
                judge_combining(row->phases[i]);
            } else if (phase == 2 ? !barrier_is_elsewhere : !is_taskgroup) {
                judge_phase(phase, row->phases[i]);
            }
            judge_course(phase, row->phases[i]);
            fact("while the thread %s: %s", row->phases[i].what, seen_states(phase).c_str());
        }
        return 0;
    });
}

} // namespace compliance
