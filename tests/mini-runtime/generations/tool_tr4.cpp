// SPDX-License-Identifier: Apache-2.0
// TR4 (2016), only so far that a tool can recognise it: ompt_start_tool returns an ompt_fns_t,
// whose address is the initializer's second argument. No callback can be registered, nothing is
// told.
#include "spec/tr6.h"
#include "start_tool.h"
#include "tool.h"

#include <cstring>

namespace mini::tool {
namespace {

using namespace ocb::ompt_tr4;
using ocb::ompt5::ompt_interface_fn_t;

ompt_fns_t *functions;
bool is_active = false;

int set_callback(int, void (*)()) {
    return 0; // an error
}

ompt_interface_fn_t lookup(const char *name) {
    return std::strcmp(name, "ompt_set_callback") == 0
               ? reinterpret_cast<ompt_interface_fn_t>(set_callback)
               : nullptr;
}

} // namespace

const unsigned kHaving = 0;

void find() {
    functions = static_cast<ompt_fns_t *>(start_tool(kOmpVersion, "mini-omp with OMPT of TR4"));
}

void initialize() {
    is_active = functions != nullptr && functions->initialize(lookup, functions) != 0;
}

void report_end() {
    if (is_active && functions->finalize != nullptr) {
        functions->finalize(functions);
    }
    is_active = false;
}

void finalize() {}

bool begins_anew_in_child() {
    return false;
}

Word new_word() {
    return 0;
}

void thread_begin(ThreadKind, Word *) {}
void thread_end(ThreadKind, Word *) {}
void parallel_begin(const ParallelBegin &) {}
void parallel_end(Word *, Word *, bool, const void *) {}
void initial_task(Endpoint, Word *, Word *) {}
void implicit_task(Endpoint, Word *, Word *, unsigned, unsigned) {}
void idle(Endpoint, Word *) {}
void sync(SyncKind, Endpoint, Word *, Word *, const void *) {}
void sync_wait(SyncKind, Endpoint, Word *, Word *, const void *) {}
void reduction(Endpoint, Word *, Word *, const void *) {}
void mutex_wanted(const MutexUse &) {}
void mutex_waited_for(const MutexUse &) {}
void mutex_acquired(const MutexUse &) {}
void mutex_released(const MutexUse &) {}
void nest_lock_again(Endpoint, const MutexUse &) {}
void lock_initialised(const MutexUse &) {}
void lock_destroyed(const MutexUse &) {}
void work(WorkKind, Endpoint, Word *, Word *, std::uint64_t, const void *) {}
void masked(Endpoint, Word *, Word *, const void *) {}
void task_create(const TaskCreate &) {}
void task_switch(Word *, TaskStatus, Word *) {}
void task_end(Word *) {}
void flush(Word *, const void *) {}
void cancel(Word *, int, const void *) {}
int control(std::uint64_t, std::uint64_t, void *, const void *) {
    return -2; // no tool
}

} // namespace mini::tool
