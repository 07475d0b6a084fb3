// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include "sampler.h"
#include "verdict.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace compliance {
namespace {

constexpr int kUndefinedSymbol = 127; // how ld.so ends a process that calls a missing function

void *the_runtime = nullptr;

void record_point(WorkloadPoint where, int a, int b) {
    Arguments arguments;
    arguments.number = where;
    arguments.a = a;
    arguments.b = b;
    record(Event::kPoint, arguments);
}

void forget_program() {
    Shared &memory = shared();
    const unsigned used = std::min(memory.record_count.load(), kMaxRecords);
    for (unsigned i = 0; i < used; ++i) {
        memory.records[i].complete = false;
    }
    memory.record_count = 0;
    memory.registration.entry_calls = 0;
    memory.registration.initializer_calls = 0;
}

[[noreturn]] void run_in_child(const Setup &setup, const ToolPlan &plan, const Body &body) {
    tool_plan() = plan;
    the_runtime = dlopen(setup.runtime.c_str(), RTLD_NOW | RTLD_GLOBAL);
    // Calls bind when they are made: a runtime that lacks some function runs the other programs.
    void *module =
        the_runtime != nullptr ? dlopen(setup.workload.c_str(), RTLD_LAZY | RTLD_GLOBAL) : nullptr;
    void *get = module != nullptr ? dlsym(module, WORKLOAD_SYMBOL) : nullptr;
    if (get == nullptr) {
        fprintf(stderr, "ompt-compliance: %s\n", dlerror());
        _exit(kSuiteFailed);
    }
    const Workload &workload = *reinterpret_cast<GetWorkload>(get)();
    const WorkloadHooks hooks = recording_hooks();
    workload.set_hooks(&hooks);
    workload.initialise();
    exit(body(workload));
}

// What a program has written to stderr is passed on, and it matters whether it was anything.
bool pass_on(int output) {
    char buffer[4096];
    bool any = false;
    lseek(output, 0, SEEK_SET);
    for (ssize_t size = read(output, buffer, sizeof buffer); size > 0;
         size = read(output, buffer, sizeof buffer)) {
        any = true;
        fwrite(buffer, 1, static_cast<size_t>(size), stderr);
    }
    close(output);
    return any;
}

} // namespace

WorkloadHooks recording_hooks() {
    return {record_point, arrive, hold, patience};
}

void *runtime_handle() {
    return the_runtime;
}

Ending run_program(const Setup &setup, const ToolPlan &plan, const Body &body) {
    shared(); // mapped before the fork
    forget_program();
    fflush(nullptr);
    const int output = memfd_create("stderr", MFD_CLOEXEC);
    const pid_t child = fork();
    if (child < 0) {
        perror("ompt-compliance: fork");
        _exit(kSuiteFailed);
    }
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(output, STDERR_FILENO);
        run_in_child(setup, plan, body);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const bool message = pass_on(output);
    return WIFSIGNALED(status) ? Ending{true, WTERMSIG(status), message}
                               : Ending{false, WEXITSTATUS(status), message};
}

bool run_with_tool(const Setup &setup, const Body &body, const ToolPlan &plan) {
    const Ending ending = run_program(setup, plan, body);
    if (ending.by_signal) {
        fflush(nullptr);
        std::signal(ending.code, SIG_DFL);
        raise(ending.code);
    }
    if (ending.code == kSuiteFailed) {
        _exit(kSuiteFailed);
    }
    if (ending.code == kUndefinedSymbol && ending.message) {
        not_implemented("the runtime lacks a function that the program calls, see stderr");
        return false;
    }
    if (ending.code != 0) {
        fail("the program ended with exit code %d", ending.code);
        return false;
    }
    const Registration &registration = shared().registration;
    if (registration.entry_calls == 0) {
        not_implemented("the runtime called none of ompt_start_tool, ompt_tool, ompt_initialize");
        return false;
    }
    if (registration.generation == Generation::kTr4) {
        not_implemented("the runtime has OMPT as in TR4, which this suite does not serve");
        return false;
    }
    if (registration.initializer_calls == 0) {
        not_implemented("the runtime found the tool and did not call its initializer");
        return false;
    }
    return true;
}

std::vector<const Record *> records() {
    const Shared &memory = shared();
    std::vector<const Record *> all;
    if (memory.record_count > kMaxRecords) {
        fail("more than %u events: the check cannot judge them", kMaxRecords);
    }
    for (unsigned i = 0; i < memory.record_count && i < kMaxRecords; ++i) {
        if (memory.records[i].complete.load(std::memory_order_acquire)) {
            all.push_back(&memory.records[i]);
        }
    }
    return all;
}

std::vector<const Record *> records(Event event) {
    std::vector<const Record *> some;
    for (const Record *one : records()) {
        if (one->event == event) {
            some.push_back(one);
        }
    }
    return some;
}

bool is_point(const Record &record, WorkloadPoint where) {
    return record.event == Event::kPoint && record.number == where;
}

bool must_tell(Event event, const char *name) {
    const int raw = shared().raw_result[static_cast<int>(event)];
    switch (support(event)) {
    case Support::kAlways:
        return true;
    case Support::kSometimes:
        fail("ompt_set_callback answers %d for %s: not every time, and it is mandatory", raw, name);
        return true;
    case Support::kNever:
    case Support::kRefused:
        not_implemented("ompt_set_callback answers %d for %s: it will not be called", raw, name);
        return false;
    case Support::kNotAsked:
        break;
    }
    not_implemented("%s could not be registered: there is no ompt_set_callback", name);
    return false;
}

} // namespace compliance
