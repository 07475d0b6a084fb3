// SPDX-License-Identifier: Apache-2.0
// What the tool wants only grows: a thread may be inside a construct whose begin went one way, and
// records that are kept once are kept on.
#include "routes.h"

#include "shortcut.h"

namespace ocb::gomp {
namespace {

constexpr Events kAnswers = Events{1} << 63U; // no event has this number
constinit std::atomic<Events> wanted{0};

AnyFunction route_of(const Entry &entry, Events what) {
    const int known = mode.load(std::memory_order_acquire);
    const auto own = function_of<AnyFunction>(shared_runtime, entry.function);
    if ((known != kDirect && known != kObserved) || own == nullptr) {
        return entry.by_caller; // says so where libgomp has no such function
    }
    if (known == kDirect) {
        return entry.by_caller; // until its first call
    }
    if (what == 0) {
        return own;
    }
    if ((entry.events & what) != 0) {
        return entry.observed;
    }
    return entry.quiet != nullptr ? entry.quiet : own;
}

} // namespace
} // namespace ocb::gomp

extern "C" {
#define ENTRY(name) extern ocb::gomp::Entry ocb_gomp_entry_##name;
#define LOCK(name)  extern ocb::gomp::Entry ocb_gomp_entry_##name, ocb_gomp_entry_##name##_old;
#include "entries.inc"
}

namespace ocb::gomp {
namespace {

Entry *const kAll[] = {
#define ENTRY(name) &ocb_gomp_entry_##name,
#define LOCK(name)  &ocb_gomp_entry_##name, &ocb_gomp_entry_##name##_old,
#include "entries.inc"
};

void want(Events what) {
    if ((wanted.fetch_or(what, std::memory_order_acq_rel) & what) != what) {
        route_calls();
    }
}

} // namespace

// Two threads may do this at once: who sees that more is wanted by now does it again.
void route_calls() {
    Events what = wanted.load(std::memory_order_acquire);
    for (bool is_new = true; is_new;) {
        for (Entry *entry : kAll) {
            __atomic_store_n(&entry->route, route_of(*entry, what), __ATOMIC_RELEASE);
        }
        const Events now = wanted.fetch_or(0, std::memory_order_seq_cst); // behind the stores
        is_new = now != what;
        what = now;
    }
}

// All objects at each time: another one may have bound another function since.
void route_past(Function function) {
    constexpr int kCount = sizeof kAll / sizeof kAll[0];
    Shortcut shortcuts[kCount];
    for (int i = 0; i < kCount; ++i) {
        const auto own = function_of<AnyFunction>(shared_runtime, kAll[i]->function);
        shortcuts[i] = {reinterpret_cast<std::uintptr_t>(kAll[i]->stub),
                        reinterpret_cast<std::uintptr_t>(own)};
        if (kAll[i]->function == function && own != nullptr) {
            __atomic_store_n(&kAll[i]->route, own, __ATOMIC_RELEASE);
        }
    }
    take_shortcuts(shortcuts, kCount);
}

void want_event(unsigned event) {
    want(Events{1} << event);
}

void want_answers() {
    want(kAnswers);
}

} // namespace ocb::gomp
