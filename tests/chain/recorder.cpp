// SPDX-License-Identifier: Apache-2.0
// A further OMPT tool, as modern ones are: gives every thread, region and task a value of its own,
// registers every callback that it can, and writes down each call with the values it finds, and
// with what the inquiry functions say there. What depends on the run (addresses, the order of
// threads) is left out, so that two runs of one program give the same lines. Written at the end,
// thread by thread in order of appearance, to the file that OCB_CHAIN_LOG names.
#include "spec/ompt5.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

using namespace ocb::ompt5;

ompt_get_parallel_info_t get_parallel_info;
ompt_get_task_info_t get_task_info;
ompt_get_thread_data_t get_thread_data;
void (*finalize_tool)();

constexpr int kMostThreads = 64;
// Not destroyed: the runtime finalizes the tool behind the destructors of the process.
std::string *const kLogs = new std::string[kMostThreads];
std::atomic<int> threads{0};
thread_local int own_index = -1;
thread_local std::uint64_t given = 0;

int index_of_thread() {
    if (own_index < 0) {
        own_index = threads++;
    }
    return own_index;
}

// Values tell kind, thread and number: they are checked wherever they turn up again.
std::uint64_t new_value(char kind) {
    return (static_cast<std::uint64_t>(kind) << 48) |
           (static_cast<std::uint64_t>(index_of_thread()) << 32) | ++given;
}

std::string text_of(const ompt_data_t *data) {
    if (data == nullptr) {
        return "none";
    }
    if (data->value == 0) {
        return "0";
    }
    char text[64];
    std::snprintf(text, sizeof text, "%c%d.%d", static_cast<char>(data->value >> 48),
                  static_cast<int>((data->value >> 32) & 0xFFFF),
                  static_cast<int>(data->value & 0xFFFFFFFF));
    return text;
}

// Where in the program, or in which library.
std::string code(const void *address) {
    Dl_info info;
    if (address == nullptr) {
        return " no code";
    }
    if (dladdr(address, &info) == 0) {
        return " unknown code";
    }
    const char *name = std::strrchr(info.dli_fname, '/');
    name = name != nullptr ? name + 1 : info.dli_fname;
    char text[128];
    std::snprintf(text, sizeof text, " code %s", name);
    if (std::strncmp(name, "lib", 3) == 0) {
        return text;
    }
    std::snprintf(text, sizeof text, " code %s+%lx", name,
                  reinterpret_cast<unsigned long>(address) -
                      reinterpret_cast<unsigned long>(info.dli_fbase));
    return text;
}

std::string inquiries() {
    ompt_data_t *region = nullptr, *task = nullptr, *task_region = nullptr;
    int size = 0, flags = 0, thread_num = -1;
    std::string text = " thread " + text_of(get_thread_data());
    if (get_parallel_info(0, &region, &size) == 2) {
        text += " in " + text_of(region) + "/" + std::to_string(size);
    }
    if (get_task_info(0, &flags, &task, nullptr, &task_region, &thread_num) == 2) {
        text += " task " + text_of(task) + " of " + text_of(task_region) + " flags " +
                std::to_string(flags) + " num " + std::to_string(thread_num);
    }
    return text;
}

void note(const std::string &line, bool asks = true) {
    kLogs[index_of_thread()] += line + (asks ? inquiries() : "") + "\n";
}

const char *name_of(ompt_scope_endpoint_t endpoint) {
    return endpoint == ompt_scope_begin ? " begin" : " end";
}

void on_thread_begin(ompt_thread_t type, ompt_data_t *thread) {
    thread->value = new_value('T');
    note("thread_begin " + std::to_string(type) + " " + text_of(thread), false);
}
void on_thread_end(ompt_data_t *thread) {
    note("thread_end " + text_of(thread), false);
}

void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *, ompt_data_t *region,
                       unsigned requested, int flags, const void *codeptr_ra) {
    region->value = new_value('R');
    note("parallel_begin by " + text_of(task) + " " + text_of(region) + " " +
         std::to_string(requested) + " " + std::to_string(flags) + code(codeptr_ra));
}
void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *codeptr_ra) {
    note("parallel_end " + text_of(region) + " by " + text_of(task) + " " + std::to_string(flags) +
         code(codeptr_ra));
}
void on_task_create(ompt_data_t *task, const ompt_frame_t *, ompt_data_t *created, int flags,
                    int dependences, const void *codeptr_ra) {
    created->value = new_value('t');
    note("task_create by " + text_of(task) + " " + text_of(created) + " " + std::to_string(flags) +
         " " + std::to_string(dependences) + code(codeptr_ra));
}
void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    note("task_schedule " + text_of(prior) + " " + std::to_string(status) + " " + text_of(next));
}
void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                      unsigned actual, unsigned index, int flags) {
    if (endpoint == ompt_scope_begin) {
        task->value = new_value('I');
    }
    note(std::string("implicit_task") + name_of(endpoint) + " " + text_of(region) + " " +
             text_of(task) + " " + std::to_string(actual) + " " + std::to_string(index) + " " +
             std::to_string(flags),
         endpoint == ompt_scope_begin);
}
template <char kName>
void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
             ompt_data_t *task, const void *codeptr_ra) {
    // A worker's last end comes with the next region, whenever that is.
    note(std::string("sync ") + kName + name_of(endpoint) + " " + std::to_string(kind) + " " +
             text_of(region) + " " + text_of(task) + code(codeptr_ra),
         region != nullptr);
}
void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t,
                      const void *codeptr_ra) {
    note("mutex_acquire " + std::to_string(kind) + " " + std::to_string(hint) + " " +
         std::to_string(impl) + code(codeptr_ra));
}
template <char kName> void on_mutex(ompt_mutex_t kind, ompt_wait_id_t, const void *codeptr_ra) {
    note(std::string("mutex ") + kName + " " + std::to_string(kind) + code(codeptr_ra));
}
void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t, const void *codeptr_ra) {
    note(std::string("nest_lock") + name_of(endpoint) + code(codeptr_ra));
}
void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
             ompt_data_t *task, std::uint64_t count, const void *codeptr_ra) {
    note("work " + std::to_string(type) + name_of(endpoint) + " " + text_of(region) + " " +
         text_of(task) + " " + std::to_string(count) + code(codeptr_ra));
}
void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
               const void *codeptr_ra) {
    note(std::string("masked") + name_of(endpoint) + " " + text_of(region) + " " + text_of(task) +
         code(codeptr_ra));
}
void on_dependences(ompt_data_t *task, const void *, int count) {
    note("dependences " + text_of(task) + " " + std::to_string(count));
}
void on_task_dependence(ompt_data_t *source, ompt_data_t *sink) {
    note("task_dependence " + text_of(source) + " " + text_of(sink));
}
void on_cancel(ompt_data_t *task, int flags, const void *codeptr_ra) {
    note("cancel " + text_of(task) + " " + std::to_string(flags) + code(codeptr_ra));
}
// A section is told by its address, a chunk of iterations by an address in the runtime's stack.
void on_dispatch(ompt_data_t *region, ompt_data_t *task, int kind, ompt_data_t instance) {
    note("dispatch " + text_of(region) + " " + text_of(task) + " " + std::to_string(kind) +
         (kind == ompt_dispatch_section ? code(instance.ptr) : ""));
}
void on_lock(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t, const void *) {
    note("lock_init " + std::to_string(kind) + " " + std::to_string(hint) + " " +
         std::to_string(impl));
}
void on_flush(ompt_data_t *thread, const void *) {
    note("flush " + text_of(thread));
}
int on_control_tool(std::uint64_t command, std::uint64_t modifier, void *, const void *) {
    note("control_tool " + std::to_string(command) + " " + std::to_string(modifier));
    return static_cast<int>(command) + 40;
}

int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool_data) {
    const auto set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
    get_parallel_info =
        reinterpret_cast<ompt_get_parallel_info_t>(lookup("ompt_get_parallel_info"));
    get_task_info = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));
    get_thread_data = reinterpret_cast<ompt_get_thread_data_t>(lookup("ompt_get_thread_data"));
    finalize_tool = reinterpret_cast<void (*)()>(lookup("ompt_finalize_tool"));
    note("initialize device " + std::to_string(device) + " data " +
             std::to_string(tool_data->value) +
             (lookup("ompt_no_such_function") == nullptr ? "" : " looks up anything"),
         false);
    constexpr int kLockInit = 24, kFlush = 29;
    const struct {
        int id;
        ompt_callback_t function;
    } callbacks[] = {
        {ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin},
        {ompt_callback_thread_end, (ompt_callback_t)on_thread_end},
        {ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin},
        {ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end},
        {ompt_callback_task_create, (ompt_callback_t)on_task_create},
        {ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule},
        {ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task},
        {ompt_callback_control_tool, (ompt_callback_t)on_control_tool},
        {ompt_callback_sync_region_wait, (ompt_callback_t)on_sync<'w'>},
        {ompt_callback_sync_region, (ompt_callback_t)on_sync<'s'>},
        {ompt_callback_reduction, (ompt_callback_t)on_sync<'r'>},
        {ompt_callback_mutex_acquire, (ompt_callback_t)on_mutex_acquire},
        {ompt_callback_mutex_acquired, (ompt_callback_t)on_mutex<'a'>},
        {ompt_callback_mutex_released, (ompt_callback_t)on_mutex<'r'>},
        {ompt_callback_nest_lock, (ompt_callback_t)on_nest_lock},
        {ompt_callback_work, (ompt_callback_t)on_work},
        {ompt_callback_masked, (ompt_callback_t)on_masked},
        {ompt_callback_dependences, (ompt_callback_t)on_dependences},
        {ompt_callback_task_dependence, (ompt_callback_t)on_task_dependence},
        {ompt_callback_cancel, (ompt_callback_t)on_cancel},
        {ompt_callback_dispatch, (ompt_callback_t)on_dispatch},
        {kLockInit, (ompt_callback_t)on_lock},
        {kFlush, (ompt_callback_t)on_flush},
    };
    for (const auto &row : callbacks) {
        note("set_callback " + std::to_string(row.id) + " " +
                 std::to_string(set_callback(row.id, row.function)),
             false);
    }
    tool_data->value = 4711;
    return 1;
}

void finalize(ompt_data_t *tool_data) {
    note("finalize data " + std::to_string(tool_data->value), false);
    const char *path = std::getenv("OCB_CHAIN_LOG");
    std::FILE *file = path != nullptr ? std::fopen(path, "w") : nullptr;
    if (file == nullptr) {
        return;
    }
    for (int i = 0; i < threads; ++i) {
        std::fprintf(file, "-- thread %d\n%s", i, kLogs[i].c_str());
    }
    std::fclose(file);
}

ompt_start_tool_result_t result{initialize, finalize, {0}};

} // namespace

// For the program: the tool wishes to end.
extern "C" __attribute__((visibility("default"))) int recorder_ends() {
    if (finalize_tool == nullptr) {
        return 0;
    }
    finalize_tool();
    return 1;
}

extern "C" __attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned, const char *) {
    return &result;
}
