// SPDX-License-Identifier: Apache-2.0
// Worksharing loops of clang's code, for the four types of loop variables.
#include "kmpc.h"

#include <algorithm>
#include <type_traits>

using namespace mini;
using namespace mini::kmpc;

namespace {

constexpr int kStaticChunked = 33, kStatic = 34, kGuided = 36, kRuntime = 37, kAuto = 38;
constexpr int kOrderedStaticChunked = 65, kOrderedAuto = 70;
constexpr int kDistributeChunked = 91, kDistribute = 92;
constexpr int kModifiers = 0x60000000; // monotonic, nonmonotonic

std::uint64_t as_number(auto value) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

template <class T> std::uint64_t trip_count(T lower, T upper, std::make_signed_t<T> step) {
    if (step > 0) {
        return upper < lower ? 0 : (as_number(upper) - as_number(lower)) / as_number(step) + 1;
    }
    return lower < upper ? 0 : (as_number(lower) - as_number(upper)) / as_number(-step) + 1;
}

WorkKind work_kind(const ident_t *where) {
    if ((where->flags & kFlagSections) != 0) {
        return WorkKind::kSections;
    }
    return (where->flags & kFlagDistribute) != 0 ? WorkKind::kDistribute : WorkKind::kLoop;
}

// The thread's part of a loop that is divided beforehand. Bounds are inclusive.
template <class T>
void static_init(const ident_t *where, int schedule, std::int32_t *is_last, T *lower, T *upper,
                 std::make_signed_t<T> *stride, std::make_signed_t<T> step,
                 std::make_signed_t<T> chunk, const Entry &entry) {
    const Task &task = *current().task;
    const std::uint64_t count = trip_count(*lower, *upper, step);
    schedule &= ~kModifiers;
    const bool is_league = schedule == kDistributeChunked || schedule == kDistribute;
    work_begin(is_league ? WorkKind::kDistribute : work_kind(where), count, entry);
    const auto size = static_cast<std::uint64_t>(is_league ? 1 : task.team->size);
    const auto num = static_cast<std::uint64_t>(is_league ? 0 : task.thread_num);
    std::uint64_t length = 0, last = 0;
    if (schedule == kStaticChunked || schedule == kDistributeChunked) {
        length = static_cast<std::uint64_t>(std::max<std::make_signed_t<T>>(chunk, 1));
        last = count == 0 ? 0 : (count - 1) / length % size;
    } else {
        length = std::max<std::uint64_t>((count + size - 1) / size, 1);
        last = count == 0 ? 0 : (count - 1) / length;
    }
    const std::uint64_t first = num * length;
    const std::uint64_t end = schedule == kStaticChunked || schedule == kDistributeChunked
                                  ? first + length
                                  : std::min(first + length, count);
    const T begin = *lower;
    *lower = static_cast<T>(as_number(begin) + first * as_number(step));
    // An empty part ends before it begins.
    *upper = first >= count ? static_cast<T>(as_number(*lower) - as_number(step))
                            : static_cast<T>(as_number(begin) + (end - 1) * as_number(step));
    if (stride != nullptr) {
        *stride = static_cast<std::make_signed_t<T>>(length * size * as_number(step));
    }
    if (is_last != nullptr) {
        *is_last = count > 0 && num == last;
    }
}

template <class T>
void dispatch_init(int schedule, T lower, T upper, std::make_signed_t<T> step,
                   std::make_signed_t<T> chunk, const Entry &entry) {
    schedule &= ~kModifiers;
    LoopPlan plan;
    plan.count = trip_count(lower, upper, step);
    plan.is_ordered = schedule >= kOrderedStaticChunked && schedule <= kOrderedAuto;
    const int plain = plan.is_ordered ? schedule - 32 : schedule;
    plan.is_static = plain == kStaticChunked || plain == kStatic || plain == kAuto;
    plan.is_guided = plain == kGuided;
    plan.chunk = plain != kRuntime && chunk > 0 ? static_cast<std::uint64_t>(chunk) : 1;
    if (plain == kStatic || plain == kAuto) {
        const auto size = static_cast<std::uint64_t>(current().task->team->size);
        plan.chunk = std::max<std::uint64_t>((plan.count + size - 1) / size, 1);
    }
    loop_begin(plan, entry);
    Member &member = member_of(current());
    member.loop_begin = as_number(lower);
    member.loop_step = as_number(step);
}

template <class T>
std::int32_t dispatch_next(std::int32_t *is_last, T *lower, T *upper, std::make_signed_t<T> *stride,
                           const Entry &entry) {
    Member &member = member_of(current());
    const std::uint64_t count = member.loop->count;
    std::uint64_t begin = 0, end = 0;
    if (!loop_next(&begin, &end, entry)) {
        return 0;
    }
    *lower = static_cast<T>(member.loop_begin + begin * member.loop_step);
    *upper = static_cast<T>(member.loop_begin + (end - 1) * member.loop_step);
    if (stride != nullptr) {
        *stride = static_cast<std::make_signed_t<T>>(member.loop_step);
    }
    if (is_last != nullptr) {
        *is_last = end == count;
    }
    return 1;
}

struct Dimension {
    std::int64_t lower, upper, step;
};

// Doacross loops have one dimension here.
thread_local Dimension doacross;

std::uint64_t doacross_iteration(std::int64_t value) {
    return as_number(value - doacross.lower) / as_number(doacross.step);
}

} // namespace

extern "C" {

#define MINI_LOOPS(suffix, T, S)                                                                   \
    void __kmpc_for_static_init_##suffix(ident_t *where, std::int32_t, std::int32_t schedule,      \
                                         std::int32_t *is_last, T *lower, T *upper, S *stride,     \
                                         S step, S chunk) {                                        \
        static_init<T>(where, schedule, is_last, lower, upper, stride, step, chunk, MINI_ENTRY);   \
    }                                                                                              \
    void __kmpc_dispatch_init_##suffix(ident_t *, std::int32_t, std::int32_t schedule, T lower,    \
                                       T upper, S step, S chunk) {                                 \
        dispatch_init<T>(schedule, lower, upper, step, chunk, MINI_ENTRY);                         \
    }                                                                                              \
    std::int32_t __kmpc_dispatch_next_##suffix(ident_t *, std::int32_t, std::int32_t *is_last,     \
                                               T *lower, T *upper, S *stride) {                    \
        return dispatch_next<T>(is_last, lower, upper, stride, MINI_ENTRY);                        \
    }                                                                                              \
    void __kmpc_dispatch_fini_##suffix(ident_t *, std::int32_t) {                                  \
        loop_iteration_done();                                                                     \
    }

MINI_LOOPS(4, std::int32_t, std::int32_t)
MINI_LOOPS(4u, std::uint32_t, std::int32_t)
MINI_LOOPS(8, std::int64_t, std::int64_t)
MINI_LOOPS(8u, std::uint64_t, std::int64_t)

void __kmpc_for_static_fini(ident_t *where, std::int32_t) {
    work_end(work_kind(where), 0, MINI_ENTRY);
}

void __kmpc_doacross_init(ident_t *, std::int32_t, std::int32_t, const Dimension *dimensions) {
    doacross = dimensions[0];
    doacross_begin(trip_count(doacross.lower, doacross.upper, doacross.step));
}

void __kmpc_doacross_wait(ident_t *, std::int32_t, const std::int64_t *value) {
    if (*value >= std::min(doacross.lower, doacross.upper) &&
        *value <= std::max(doacross.lower, doacross.upper)) {
        doacross_wait(doacross_iteration(*value));
    }
}

void __kmpc_doacross_post(ident_t *, std::int32_t, const std::int64_t *value) {
    doacross_post(doacross_iteration(*value));
}

void __kmpc_doacross_fini(ident_t *, std::int32_t) {
    doacross_end();
}

} // extern "C"
