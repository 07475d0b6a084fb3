// SPDX-License-Identifier: Apache-2.0
// The native OMPT tool that the bridge is compared with. OCB_BENCH_TOOL=none: registers nothing;
// count: registers the callbacks that the bridge registers for all 22 events, each of which adds
// one to a counter of its thread; least: the same callbacks do what no bridge could leave out, and
// nothing else: the thread's state, and where an event of the Collector API belongs to the callback
// a call of the collector's function, which counts, if its bit is set; keep: least, and what the
// bridge promises with each event that it delivers, each by its cheapest means. Preloaded. Behind
// the front it has each thread's calls marked, as the bridge has.
#include "omp_collector_bridge.h"
#include "spec/ompt5.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

using namespace ocb::ompt5;

// The front finds them, if it is there.
extern "C" {
__attribute__((visibility(
    "default"))) constinit __thread omp_collector_bridge_front *omp_collector_bridge_own_front =
    nullptr;
__attribute__((visibility("default"))) void omp_collector_bridge_note_fork(const void *,
                                                                           const void *) {}
}

namespace {

thread_local std::uint64_t counters[64] __attribute__((tls_model("initial-exec")));

template <int kId> void count() {
    counters[kId] = counters[kId] + 1;
}

std::uint64_t events = ~0ULL;
void count_event(int event) {
    counters[event] = counters[event] + 1;
}
void (*volatile collector)(int event) = count_event;
thread_local int state __attribute__((tls_model("initial-exec")));
thread_local omp_collector_bridge_front marks __attribute__((tls_model("initial-exec")));

constexpr bool has_events(int id) {
    return id == ompt_callback_parallel_begin || id == ompt_callback_parallel_end ||
           id == ompt_callback_sync_region_wait || id == ompt_callback_work ||
           id == ompt_callback_masked;
}

// `kind`: of a mutex, for the callbacks that have one.
template <int kId> void least(int kind) {
    state = kId;
    if (kId == ompt_callback_thread_begin) {
        omp_collector_bridge_own_front = &marks;
    }
    const bool is_of_ordered =
        (kId == ompt_callback_mutex_acquired || kId == ompt_callback_mutex_released) &&
        kind == ompt_mutex_ordered;
    if ((has_events(kId) || is_of_ordered) && (events & (1ULL << kId)) != 0) {
        collector(kId);
    }
}

// What a delivery keeps of its thread.
struct Kept {
    const volatile void *volatile mark = nullptr; // where a callback that is left by longjmp lay
    int *own_errno = nullptr;                     // as the program had it
    volatile std::uint8_t delivering = 0;         // which callback STOP is to wait for
    volatile bool is_disturbed = false;           // OpenMP inside of the callback changed the state
    std::uint64_t open[64] = {};                  // no END without its BEGIN, two bits each
    std::uint32_t session = 0;                    // of which `open` is
    std::uint32_t barriers = 0;                   // met in the region: the barrier's id, for STATE
    std::uint64_t region = 0;
    volatile std::uint64_t wait_id = 0;
};
thread_local Kept kept __attribute__((tls_model("initial-exec")));

volatile std::uint32_t session = 0;

__attribute__((noinline)) void begin_session() {
    std::memset(kept.open, 0, sizeof kept.open);
    kept.session = session;
}
__attribute__((noinline)) void go_back() {
    state = 0;
    kept.is_disturbed = false;
}

inline __attribute__((always_inline)) void deliver(int event) {
    const volatile void *volatile mark = &mark;
    kept.mark = &mark;
    kept.delivering = static_cast<std::uint8_t>(event);
    const int saved_errno = *kept.own_errno;
    collector(event);
    *kept.own_errno = saved_errno;
    if (kept.is_disturbed) [[unlikely]] {
        return go_back();
    }
    kept.delivering = 0;
}

// Two of the callback's arguments. Where it has an endpoint, that is one of them.
template <int kId> bool begins(int first, int second) {
    switch (kId) {
    case ompt_callback_masked:
        return first == ompt_scope_begin;
    case ompt_callback_sync_region_wait:
    case ompt_callback_work:
        return second == ompt_scope_begin;
    default:
        return kId == ompt_callback_parallel_begin || kId == ompt_callback_mutex_acquired;
    }
}
constexpr int pair_of(int id) {
    return id == ompt_callback_parallel_end     ? static_cast<int>(ompt_callback_parallel_begin)
           : id == ompt_callback_mutex_released ? static_cast<int>(ompt_callback_mutex_acquired)
                                                : id;
}

template <int kId> void keep(int first, int second) {
    const bool is_wait = kId == ompt_callback_sync_region_wait;
    state = is_wait ? kId + first : kId; // what kind of barrier
    if (is_wait && first == ompt_sync_region_taskwait) {
        return;
    }
    if (kId == ompt_callback_thread_begin) {
        omp_collector_bridge_own_front = &marks;
        kept.own_errno = &errno;
    }
    constexpr bool kIsMutex =
        kId == ompt_callback_mutex_acquired || kId == ompt_callback_mutex_released;
    if (!has_events(kId) && !(kIsMutex && first == ompt_mutex_ordered)) {
        return;
    }
    if (kept.session != session) [[unlikely]] {
        begin_session();
    }
    std::uint64_t &open = kept.open[pair_of(kId)];
    if (begins<kId>(first, second)) {
        if (kId == ompt_callback_sync_region_wait) {
            kept.wait_id = kept.region << 20 | (++kept.barriers & 0xFFFFF);
        }
        if ((events & (1ULL << kId)) != 0 && static_cast<std::int64_t>(open) >= 0) [[likely]] {
            open = open << 2 | 3;
            deliver(kId);
        }
        return;
    }
    const bool is_begun = (open & 3) == 3;
    open >>= 2;
    if (is_begun && (events & (1ULL << kId)) != 0) [[likely]] {
        deliver(kId);
    }
}

enum class Way { kCount, kLeast, kKeep };

template <int... kIds> void register_all(ompt_set_callback_t set_callback, Way way) {
    (set_callback(kIds, way == Way::kLeast  ? reinterpret_cast<ompt_callback_t>(least<kIds>)
                        : way == Way::kKeep ? reinterpret_cast<ompt_callback_t>(keep<kIds>)
                                            : count<kIds>),
     ...);
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t *) {
    const char *wish = std::getenv("OCB_BENCH_TOOL");
    if (wish == nullptr || std::strcmp(wish, "none") == 0) {
        return 1;
    }
    const Way way = std::strcmp(wish, "least") == 0  ? Way::kLeast
                    : std::strcmp(wish, "keep") == 0 ? Way::kKeep
                                                     : Way::kCount;
    const auto set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
    register_all<ompt_callback_thread_begin, ompt_callback_thread_end, ompt_callback_parallel_begin,
                 ompt_callback_parallel_end, ompt_callback_implicit_task,
                 ompt_callback_control_tool, ompt_callback_task_create, ompt_callback_task_schedule,
                 ompt_callback_sync_region_wait, ompt_callback_mutex_released,
                 ompt_callback_mutex_acquired, ompt_callback_nest_lock, ompt_callback_mutex_acquire,
                 ompt_callback_work, ompt_callback_masked>(set_callback, way);
    return 1;
}

void finalize(ompt_data_t *) {}

ompt_start_tool_result_t result{initialize, finalize, {0}};

} // namespace

extern "C" __attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned, const char *) {
    return &result;
}
