// SPDX-License-Identifier: Apache-2.0
// Explicit tasks: their creation, and a thread that goes from one task to another.
#include "tracker/tracker.h"

#include "base/log.h"
#include "tracker/waits.h"

namespace ocb::tracker {
namespace {

void record_tasks_of_part(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    if (implicit_task == nullptr || implicit_task->region == nullptr) {
        return;
    }
    // Once per part: with the first task the workers learn that their end is reported in time.
    const BarrierId part = part_of(*implicit_task);
    if (implicit_task->region->part_with_tasks.load(std::memory_order_relaxed) != part) {
        implicit_task->region->part_with_tasks.store(part, std::memory_order_relaxed);
    }
}

EventAnswers answers_for_task(const ThreadRecord &record, TaskWord task) {
    EventAnswers answers = events::answers_of(record);
    answers.task = ids_of(task);
    return answers;
}

void suspend_task(ThreadRecord &record, TaskWord task) {
    if (record.tasks_suspended == ThreadRecord::kMostSuspended) {
        log_once(LogCause::kTooManySuspended);
        return;
    }
    record.suspended[record.tasks_suspended++] = task;
    begin_event(record, Event::kBeginSuspendTask, answers_for_task(record, task));
}

// Ends the suspension of tasks from the innermost down to `depth`.
OCB_NEVER_INLINE void resume_tasks(ThreadRecord &record, std::uint32_t depth) {
    while (record.tasks_suspended > depth) {
        const TaskWord task = record.suspended[--record.tasks_suspended];
        end_event(record, Event::kEndSuspendTask, answers_for_task(record, task));
    }
}

// Tasks that the thread has suspended above the one that it enters are untied, and other threads
// may go on with them: they are taken off its list. False for a task with an id that the thread has
// not suspended: it begins here, or goes on here.
bool resume_task(ThreadRecord &record, TaskWord task) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    const std::uint32_t bottom = implicit_task != nullptr ? implicit_task->tasks_suspended : 0;
    if (task_id(task) == 0) {
        // The implicit task, which is below all suspended tasks.
        if ((task & kTaskWasLeft) != 0 && record.tasks_suspended > bottom) {
            resume_tasks(record, bottom);
        }
        return true;
    }
    for (std::uint32_t depth = record.tasks_suspended; depth > bottom; --depth) {
        if (task_id(record.suspended[depth - 1]) == task_id(task)) {
            resume_tasks(record, depth - 1);
            return true;
        }
    }
    return false;
}

} // namespace

namespace {

OCB_NEVER_INLINE TaskWord create_task_with_id(TaskKind kind, const void *frame) {
    ThreadRecord *record = record_at_report_of(frame);
    if (record == nullptr) {
        return 0;
    }
    if (kind == TaskKind::kDeferred) {
        record_tasks_of_part(*record);
    }
    const Event end = kind == TaskKind::kUndeferred ? Event::kEndCreateTaskImmediate
                                                    : Event::kEndCreateTaskDelayed;
    begin_event(*record, Event::kBeginCreateTask, end, events::answers_of(*record));
    const TaskWord task = make_task_word(next_task_id(*record), task_id(record->task.get()));
    end_event(*record, end, answers_for_task(*record, task));
    return task;
}

} // namespace

TaskWord task_created(TaskKind kind) {
    if ((runtime::wanted_needs() & kNeedTasks) != 0) [[unlikely]] {
        return create_task_with_id(kind, __builtin_dwarf_cfa());
    }
    if (kind != TaskKind::kDeferred) {
        return 0;
    }
    if (const ThreadRecord *record = own_record; record != nullptr) {
        record_tasks_of_part(*record);
    }
    return 0;
}

namespace {

// The word that the runtime keeps with the task that is left.
OCB_ALWAYS_INLINE TaskWord word_of_left(const ThreadRecord &record, TaskWord word,
                                        Activity activity) {
    return ids_of(word) | (word & kTaskRuns) | kTaskWasLeft | static_cast<TaskWord>(activity) |
           (record.front.is_in_runtime() ? 0 : kTaskLeftUnmarked);
}

// Tasks with ids, and those that are left in a wait.
OCB_NEVER_INLINE TaskWord leave_task(TaskWord word, const void *frame) {
    ThreadRecord *record = record_at_report_of(frame);
    if (record == nullptr) {
        return word;
    }
    const Activity activity = record->activity.get();
    leave_wait(*record, activity);
    record->activity.set(Activity::kUser);
    if (task_id(word) != 0) {
        suspend_task(*record, word);
    }
    return word_of_left(*record, word, activity);
}

} // namespace

TaskWord task_left(TaskWord word) {
    const ThreadRecord *record = own_record;
    if (record == nullptr || !record->is_in_code() || ids_of(word) != 0) [[unlikely]] {
        return leave_task(word, __builtin_dwarf_cfa());
    }
    return word_of_left(*record, word, Activity::kUser);
}

void task_finished(TaskWord word) {
    ThreadRecord *record = known_record_at_report();
    if (record == nullptr || task_id(word) == 0) {
        return;
    }
    begin_event(*record, Event::kBeginFinishTask, answers_for_task(*record, word));
    end_event(*record, Event::kEndFinishTask, answers_for_task(*record, word));
}

namespace {

OCB_ALWAYS_INLINE Activity activity_of(TaskWord word) {
    return was_left(word) ? static_cast<Activity>(word & (kTaskWasLeft - 1)) : Activity::kUser;
}

OCB_ALWAYS_INLINE void move_front(ThreadRecord &record, TaskWord word) {
    if (was_left(word) && (word & kTaskLeftUnmarked) == 0) {
        front::leave_program(record.front);
    } else {
        front::enter_program(record.front);
    }
}

// Tasks with ids, and those that were left in a wait or a call.
OCB_NEVER_INLINE void enter_task(ThreadRecord &record, TaskWord word, const void *frame) {
    if (!record.is_plain()) {
        prepare_report(record, Report::kAny, frame);
    }
    const bool is_resumed = resume_task(record, word);
    const Activity activity = activity_of(word);
    move_front(record, word);
    // The barrier's id has been overwritten if the task took a mutex.
    if (const ImplicitTask *implicit_task = record.implicit_task.get(); implicit_task != nullptr) {
        set_wait_id_of_barrier(record, *implicit_task);
    }
    record.task.set(ids_of(word));
    order_for_handler();
    record.activity.set(activity);
    if (!is_resumed && events::wants(Event::kBeginExecuteTask)) {
        events::deliver_with_state_of_event(record, Event::kBeginExecuteTask,
                                            events::answers_of(record));
    }
    enter_wait(record, activity);
}

} // namespace

void task_entered(TaskWord word) {
    ThreadRecord *record = own_record;
    if (record == nullptr) [[unlikely]] {
        return;
    }
    // The fast path: the task has no id, and was left in no wait.
    constexpr TaskWord kThese = kTaskWasLeft | kTaskLeftUnmarked | kTaskRuns;
    if ((word & ~kThese) != 0 || !record->is_plain() || record->tasks_suspended != 0) [[unlikely]] {
        return enter_task(*record, word, __builtin_dwarf_cfa());
    }
    move_front(*record, word);
    record->task.set(0);
    order_for_handler();
    record->activity.set(Activity::kUser);
}

void tasks_switched(TaskWord &left, TaskWord entered) {
    left = word_between(task_left(left), entered);
    task_entered(entered);
}

namespace {
OCB_NEVER_INLINE void begin_task_on_slow_path(TaskWord &left) {
    tasks_switched(left, 0);
}
} // namespace

void task_begins(TaskWord &left) {
    ThreadRecord *record = own_record;
    const TaskWord word = left;
    if (record == nullptr || !record->is_in_code() || record->tasks_suspended != 0 ||
        ids_of(word) != 0) [[unlikely]] {
        return begin_task_on_slow_path(left);
    }
    left = word_of_left(*record, word, Activity::kUser);
    front::enter_program(record->front);
    record->task.set(0); // in code before and behind
}

} // namespace ocb::tracker
