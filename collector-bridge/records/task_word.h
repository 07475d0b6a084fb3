// SPDX-License-Identifier: Apache-2.0
// The 64 bits that the runtime keeps for us with each task: what its thread was doing when it left
// the task and, for explicit tasks that were created while somebody asked for tasks, the ids of the
// task and of its creator. Zero: a task of which nothing is known, an implicit one at first.
#pragma once

#include <cstdint>

namespace ocb {

using TaskWord = std::uint64_t;

constexpr unsigned kActivityBits = 3;
constexpr unsigned kTaskIdBits = 29;
constexpr TaskWord kTaskWasLeft = 1U << kActivityBits;
// The task was left in a call that the front (front.h) has not marked.
constexpr TaskWord kTaskLeftUnmarked = kTaskWasLeft << 1;
// It has been entered since.
constexpr TaskWord kTaskRuns = kTaskLeftUnmarked << 1;
constexpr unsigned kTaskIdShift = kActivityBits + 3;
constexpr unsigned kTaskParentShift = kTaskIdShift + kTaskIdBits;
static_assert(kTaskParentShift + kTaskIdBits <= 64);

// Ids begin with 1 again behind this one, so that they always fit.
constexpr std::uint64_t kLastTaskId = (1U << kTaskIdBits) - 1;

constexpr TaskWord make_task_word(std::uint32_t id, std::uint32_t parent_id) {
    return TaskWord{id} << kTaskIdShift | TaskWord{parent_id} << kTaskParentShift;
}

// 0: no id.
constexpr std::uint32_t task_id(TaskWord word) {
    return static_cast<std::uint32_t>(word >> kTaskIdShift & kLastTaskId);
}
constexpr std::uint32_t parent_task_id(TaskWord word) {
    return static_cast<std::uint32_t>(word >> kTaskParentShift & kLastTaskId);
}
constexpr bool was_left(TaskWord word) {
    return (word & kTaskWasLeft) != 0;
}
// Not in a wait: Activity::kUser.
constexpr bool was_left_at_work(TaskWord word) {
    return was_left(word) && (word & (kTaskWasLeft - 1)) == 0;
}
constexpr bool runs(TaskWord word) {
    return (word & kTaskRuns) != 0;
}
constexpr TaskWord ids_of(TaskWord word) {
    return word >> kTaskIdShift << kTaskIdShift;
}
// What is kept with a task that is left for another one. An untied task at the end of a part is
// left, without a wait, for a task that was left before, and begins anew with its next part.
constexpr TaskWord word_between(TaskWord left, TaskWord entered) {
    return was_left(entered) && was_left_at_work(left) ? ids_of(left) : left;
}

} // namespace ocb
