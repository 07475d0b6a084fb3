// SPDX-License-Identifier: Apache-2.0
// What the tool wants only grows: a thread may be inside a construct whose begin went one way, and
// records that are kept once are kept on.
#include "routes.h"

extern "C" {
#define ENTRY(name) extern const ocb::gomp::Entry ocb_gomp_entry_##name;
#define LOCK(name)  extern const ocb::gomp::Entry ocb_gomp_entry_##name, ocb_gomp_entry_##name##_old;
#include "entries.inc"
}

namespace ocb::gomp {
namespace {

constexpr Events kAnswers = Events{1} << 63U; // no event has this number
constinit std::atomic<Events> wanted{0};

const Entry *const kAll[] = {
#define ENTRY(name) &ocb_gomp_entry_##name,
#define LOCK(name)  &ocb_gomp_entry_##name, &ocb_gomp_entry_##name##_old,
#include "entries.inc"
};

AnyFunction route_of(const Entry &entry, int row, Events what) {
    const Runtime &runtime = runtimes[row];
    const auto own = function_of<AnyFunction>(runtime, entry.function);
    switch (runtime.observation.load(std::memory_order_acquire)) {
    case Observation::kUndecided:
        return ocb_front_call_of_row;
    case Observation::kNone:
        return own;
    case Observation::kObserved:
        break;
    }
    const bool is_wanted = (entry.events & what) != 0;
    if (what == 0 || (!is_wanted && entry.quiet == nullptr)) {
        return own;
    }
    if (row != 0) {
        return ocb_front_call_of_row;
    }
    return is_wanted ? entry.observed : entry.quiet;
}

void route_row(int row, Events what) {
    for (const Entry *entry : kAll) {
        __atomic_store_n(&ocb_front_slots[row][entry->stub].target,
                         reinterpret_cast<void *>(route_of(*entry, row, what)), __ATOMIC_RELEASE);
    }
}

void want(Events what) {
    if ((wanted.fetch_or(what, std::memory_order_acq_rel) & what) != what) {
        route_calls();
    }
}

} // namespace

void begin_routes(int row) {
    for (const Entry *entry : kAll) {
        ocb_front_slots[row][entry->stub].by_row = reinterpret_cast<void *>(entry->by_row);
    }
    route_row(row, wanted.load(std::memory_order_acquire));
}

// Two threads may do this at once: who sees that more is wanted by now does it again.
void route_calls() {
    Events what = wanted.load(std::memory_order_acquire);
    for (bool is_new = true; is_new;) {
        for (int row = 0; row < front::kMostRows; ++row) {
            if (runtimes[row].base != 0) {
                route_row(row, what);
            }
        }
        const Events now = wanted.fetch_or(0, std::memory_order_seq_cst); // behind the stores
        is_new = now != what;
        what = now;
    }
}

void want_event(unsigned event) {
    want(Events{1} << event);
}

void want_answers() {
    want(kAnswers);
}

} // namespace ocb::gomp
