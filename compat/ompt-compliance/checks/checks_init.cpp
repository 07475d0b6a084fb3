// SPDX-License-Identifier: Apache-2.0
//
// Checks of how a tool is found, started and ended, and of what a program says to it.
#include "checks.h"

#include "verdict.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

namespace compliance {
namespace {

int one_region(const Workload &workload) {
    workload.set_nesting(1);
    workload.nested(1, 2);
    return 0;
}

// The data generations' shutdown is the finalizer, and one event is for all implicit tasks.
bool is_registered(Event event) {
    switch (event) {
    case Event::kImplicitTaskEnd:
    case Event::kInitialTask:
    case Event::kInitialTaskEnd:
    case Event::kShutdown:
        return has_ids(shared().registration.generation);
    case Event::kPoint:
        return false;
    default:
        return true;
    }
}

} // namespace

void check_init_registration(const Setup &setup) {
    const bool started = run_with_tool(setup, [](const Workload &workload) {
        one_region(workload);
        const auto ask =
            reinterpret_cast<int (*)()>(dlsym(runtime_handle(), "omp_get_initial_device"));
        if (shared().registration.generation == Generation::k5 && ask != nullptr &&
            ask() != shared().registration.initial_device) {
            fail("the initializer gets %d as the initial device, omp_get_initial_device() is %d",
                 shared().registration.initial_device, ask());
        }
        return 0;
    });
    if (!started) {
        return;
    }
    const Registration &registration = shared().registration;
    if (registration.entry_calls != 1) {
        fail("the entry point is called %d times, not once", registration.entry_calls.load());
    }
    if (registration.initializer_calls != 1) {
        fail("the initializer is called %d times, not once", registration.initializer_calls.load());
    }
    if (!registration.has_runtime_version) {
        fail("the runtime gives no string for its version");
    }
    if (registration.omp_version == 0) {
        fail("the version that the runtime gives is 0");
    }
    if (!has_ids(registration.generation) && !registration.right_tool_data) {
        fail("the initializer gets another tool_data than that of the tool's result");
    }
    fact("omp_version %u", registration.omp_version);
}

void check_init_lookup(const Setup &setup) {
    ToolPlan plan;
    plan.in_initializer = [](Lookup lookup) {
        const std::vector<const char *> required = interface()->required_names();
        if (std::all_of(required.begin(), required.end(),
                        [&](const char *name) { return lookup(name) == nullptr; })) {
            not_implemented("lookup finds none of the functions that there must be");
            return;
        }
        for (const char *name : required) {
            if (lookup(name) == nullptr) {
                fail("lookup of %s gives NULL", name);
            }
        }
        for (const char *name : {"ompt_no_such_function", "set_callback", ""}) {
            if (lookup(name) != nullptr) {
                fail("lookup of \"%s\", which does not exist, gives an address", name);
            }
        }
    };
    run_with_tool(setup, one_region, plan);
}

namespace {

// Taken back inside the initializer, as some generations allow registration there only.
constexpr Event kTakenBack = Event::kControl;

void register_again(Lookup lookup) {
    if (lookup("ompt_set_callback") == nullptr) {
        not_implemented("there is no ompt_set_callback");
        return;
    }
    Interface &ompt = *interface();
    int not_found = 0;
    for (int i = 0; i < static_cast<int>(Event::kCount); ++i) {
        const auto event = static_cast<Event>(i);
        if (!is_registered(event)) {
            continue;
        }
        const char *name = ompt.event_name(event);
        const Support first = support(event);
        if (first == Support::kRefused && shared().raw_result[i] != 0) {
            fail("the answer for %s, %d, is none of the document", name, shared().raw_result[i]);
        }
        if (ompt.set_again(event) != first) {
            fail("a second registration of %s has another answer than the first", name);
        }
        not_found += is_reported(event) && ompt.get_callback(event) != 1 ? 1 : 0;
    }
    if (not_found != 0) {
        fail("inside the initializer ompt_get_callback does not give the callbacks that have just "
             "been set");
    }
    if (is_reported(kTakenBack)) {
        ompt.set_none(kTakenBack);
    }
    const Support unknown = ompt.set_unknown();
    if (unknown == Support::kAlways || unknown == Support::kSometimes) {
        fail("an event number that does not exist is accepted");
    }
}

} // namespace

void check_init_set_callback(const Setup &setup) {
    ToolPlan plan;
    plan.in_initializer = register_again;
    const auto body = [](const Workload &workload) {
        one_region(workload);
        if (interface() == nullptr || shared().missing != 0) {
            return 0;
        }
        Interface &ompt = *interface();
        for (int i = 0; i < static_cast<int>(Event::kCount); ++i) {
            const auto event = static_cast<Event>(i);
            if (!is_registered(event) || !is_reported(event)) {
                continue;
            }
            const int found = ompt.get_callback(event);
            if (event == kTakenBack ? found != 0 : found != 1) {
                fail(event == kTakenBack
                         ? "ompt_get_callback gives a callback of %s, which was taken back"
                         : "ompt_get_callback does not give the callback of %s",
                     ompt.event_name(event));
            }
        }
        return 0;
    };
    run_with_tool(setup, body, plan);
}

// OMP_TOOL ----------------------------------------------------------------------------------------

namespace {

struct WithValue {
    bool started;
    bool ran; // to its end
    Ending ending;
};

WithValue run_with_value(const Setup &setup, const char *value) {
    if (value == nullptr) {
        unsetenv("OMP_TOOL");
    } else {
        setenv("OMP_TOOL", value, 1);
    }
    const Ending ending = run_program(setup, {}, [](const Workload &workload) {
        workload.nested(1, 2);
        return 0;
    });
    unsetenv("OMP_TOOL");
    const bool started = shared().registration.entry_calls != 0;
    return {started, !ending.by_signal && ending.code == 0, ending};
}

} // namespace

void check_init_omp_tool_enabled(const Setup &setup) {
    if (!run_with_tool(setup, one_region)) {
        return;
    }
    int refused = 0;
    const char *values[] = {"enabled", "ENABLED", "Enabled", " enabled", "enabled \t"};
    for (const char *value : values) {
        const WithValue run = run_with_value(setup, value);
        if (!run.ran) {
            fail("with OMP_TOOL=\"%s\" the program does not run to its end", value);
        }
        refused += run.started ? 0 : 1;
    }
    if (refused == static_cast<int>(std::size(values))) {
        not_implemented("no tool is started whatever way OMP_TOOL says \"enabled\"");
    } else if (refused != 0) {
        for (const char *value : values) {
            if (!run_with_value(setup, value).started) {
                fail("with OMP_TOOL=\"%s\" no tool is started", value);
            }
        }
    }
}

void check_init_omp_tool_disabled(const Setup &setup) {
    if (!run_with_tool(setup, one_region)) {
        return;
    }
    const char *values[] = {"disabled", "DISABLED", "Disabled", " disabled", "disabled \t"};
    int ignored = 0;
    for (const char *value : values) {
        const WithValue run = run_with_value(setup, value);
        if (!run.ran) {
            fail("with OMP_TOOL=\"%s\" the program does not run to its end", value);
        }
        ignored += run.started ? 1 : 0;
    }
    if (ignored == static_cast<int>(std::size(values))) {
        not_implemented("a tool is started whatever way OMP_TOOL says \"disabled\"");
    } else if (ignored != 0) {
        for (const char *value : values) {
            if (run_with_value(setup, value).started) {
                fail("with OMP_TOOL=\"%s\" the tool is started", value);
            }
        }
    }
}

// The reports before OpenMP 5 demand an error that ends the program; 5.0 leaves the behaviour
// unspecified, so that only a crash is wrong. A runtime on which such values have no effect at all,
// the tool included, has not implemented the rule.
void check_init_omp_tool_other(const Setup &setup) {
    if (!run_with_tool(setup, one_region)) {
        return;
    }
    const bool must_end = has_ids(shared().registration.generation);
    const char *values[] = {"yes", "1", "enabled disabled"};
    int without_effect = 0;
    for (const char *value : values) {
        const WithValue run = run_with_value(setup, value);
        fact("OMP_TOOL=%s: %s, %s", value, run.ran ? "runs" : "ends with an error",
             run.started ? "with the tool" : "without the tool");
        if (run.ending.by_signal) {
            fail("with OMP_TOOL=\"%s\" the program ends by signal %d", value, run.ending.code);
        } else if (!must_end) {
            continue;
        } else if (run.ran && run.started) {
            ++without_effect;
        } else if (run.ran) {
            fail(
                "with OMP_TOOL=\"%s\" the program goes on without the tool, and is not ended by an "
                "error",
                value);
        } else if (!run.ending.message) {
            fail("with OMP_TOOL=\"%s\" the program ends without a word on stderr", value);
        } else if (run.started) {
            fail("with OMP_TOOL=\"%s\" the tool is started before the program ends", value);
        }
    }
    if (without_effect == static_cast<int>(std::size(values))) {
        not_implemented("other values of OMP_TOOL have no effect");
    } else if (without_effect != 0) {
        fail("some other values of OMP_TOOL have no effect");
    }
}

// Control and shutdown ----------------------------------------------------------------------------

namespace {

struct Command {
    std::uint64_t command;
    std::uint64_t modifier;
};
// Start, pause, flush, end, and one of the tool's own.
constexpr Command kCommands[] = {{1, 0}, {2, 17}, {3, 1}, {4, 0}, {64, 0x7654321}};
// For 64-bit arguments only.
constexpr Command kWideCommand = {0x100000041, 0x123456789abcdef0};

int issue_commands(const Workload &workload) {
    workload.initialise();
    // In the runtime, or in what stands in front of it.
    void *found = dlsym(runtime_handle(), "omp_control_tool");
    const auto control_tool = reinterpret_cast<int (*)(int, int, void *)>(
        found != nullptr ? found : dlsym(RTLD_DEFAULT, "omp_control_tool"));
    const auto control = reinterpret_cast<void (*)(std::uint64_t, std::uint64_t)>(
        dlsym(runtime_handle(), "ompt_control"));
    const bool ids = has_ids(shared().registration.generation);
    if (ids ? control == nullptr : control_tool == nullptr) {
        not_implemented("the runtime has no %s", ids ? "ompt_control" : "omp_control_tool");
        return 0;
    }
    for (const Command &row : kCommands) {
        if (ids) {
            control(row.command, row.modifier);
            continue;
        }
        const int answer = control_tool(static_cast<int>(row.command),
                                        static_cast<int>(row.modifier), shared().text);
        if (answer != kControlAnswer && is_reported(Event::kControl)) {
            fail("omp_control_tool returns %d where the tool answered %d", answer, kControlAnswer);
        }
    }
    if (ids) {
        control(kWideCommand.command, kWideCommand.modifier);
    }
    return 0;
}

} // namespace

void check_control(const Setup &setup) {
    if (!run_with_tool(setup, issue_commands) || shared().missing != 0) {
        return;
    }
    const bool ids = has_ids(shared().registration.generation);
    if (!must_tell(Event::kControl, ids ? "control" : "control_tool")) {
        // What omp_control_tool returned is of no interest then.
        shared().failures = 0;
        return;
    }
    const auto told = records(Event::kControl);
    std::vector<Command> given(std::begin(kCommands), std::end(kCommands));
    if (ids) {
        given.push_back(kWideCommand);
    }
    if (told.size() != given.size()) {
        fail("%zu commands of the program give %zu calls", given.size(), told.size());
        return;
    }
    for (size_t i = 0; i < given.size(); ++i) {
        if (told[i]->id != given[i].command || told[i]->parent != given[i].modifier) {
            fail("command %#llx with modifier %#llx arrives as %#llx with %#llx",
                 static_cast<unsigned long long>(given[i].command),
                 static_cast<unsigned long long>(given[i].modifier),
                 static_cast<unsigned long long>(told[i]->id),
                 static_cast<unsigned long long>(told[i]->parent));
        }
        if (!ids && told[i]->frame_address != reinterpret_cast<std::uint64_t>(shared().text)) {
            fail("the third argument of omp_control_tool arrives as another one");
        }
    }
}

void check_runtime_shutdown(const Setup &setup) {
    // Once to count, ...
    if (!run_with_tool(setup, one_region)) {
        return;
    }
    const bool ids = has_ids(shared().registration.generation);
    if (!must_tell(Event::kShutdown, "runtime_shutdown")) {
        return;
    }
    const char *name = ids ? "runtime_shutdown" : "the finalizer";
    size_t last_point = 0;
    std::vector<size_t> calls;
    const auto all = records();
    for (size_t i = 0; i < all.size(); ++i) {
        if (all[i]->event == Event::kPoint) {
            last_point = i;
        } else if (all[i]->event == Event::kShutdown) {
            calls.push_back(i);
        }
    }
    if (calls.size() > 1) {
        fail("%s is called %zu times, not once", name, calls.size());
    }
    if (!calls.empty() && calls.front() < last_point) {
        fail("%s is called before the program has ended", name);
    }
    // ... and once to see that it can still end the process in its own way.
    ToolPlan plan;
    plan.at_shutdown = [] { _exit(0); };
    constexpr int kNotByCallback = 33;
    const Ending ending = run_program(setup, plan, [](const Workload &workload) {
        one_region(workload);
        return kNotByCallback;
    });
    if (ending.by_signal || ending.code != 0) {
        fail("%s is not called before the process ends", name);
    }
}

} // namespace compliance
