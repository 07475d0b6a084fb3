// SPDX-License-Identifier: Apache-2.0
// Explicit tasks: their creation, and a thread that goes from one task to another.
#include "tracker/tracker.h"

#include "tracker/waits.h"

namespace ocb::tracker {
namespace {

void note_tasks_of_part(const ThreadRecord &record) {
    const Frame *frame = record.frame.get();
    if (frame == nullptr || frame->region == nullptr)
        return;
    // Once per part: the first task tells the workers that their end will be reported in time.
    const std::uint64_t part = part_of(*frame);
    if (frame->region->part_with_tasks.load(std::memory_order_relaxed) != part)
        frame->region->part_with_tasks.store(part, std::memory_order_relaxed);
}

EventAnswers answers_for_task(const ThreadRecord &record, TaskWord task) {
    EventAnswers answers = answers_now(record);
    answers.task = ids_of(task);
    return answers;
}

void suspend_task(ThreadRecord &record, TaskWord task) {
    if (record.tasks_suspended == ThreadRecord::kMostSuspended)
        return;
    record.suspended[record.tasks_suspended++] = task;
    begin_event(record, OMP_EVENT_THR_BEGIN_SUSPEND_TASK, answers_for_task(record, task));
}

// The suspended tasks end to be so from the innermost down to `depth`.
void resume_tasks(ThreadRecord &record, std::uint32_t depth) {
    while (record.tasks_suspended > depth) {
        const TaskWord task = record.suspended[--record.tasks_suspended];
        end_event(record, OMP_EVENT_THR_END_SUSPEND_TASK, answers_for_task(record, task));
    }
}

// What the thread has suspended above the task that it enters is no longer its own: untied tasks
// that other threads may go on with. False for a task with an id that the thread has not suspended:
// it begins here, or goes on here.
bool resume_task(ThreadRecord &record, TaskWord task) {
    const Frame *frame = record.frame.get();
    const std::uint32_t bottom = frame != nullptr ? frame->tasks_suspended : 0;
    if (task_id(task) == 0) {
        if ((task & kTaskWasLeft) != 0) // the implicit task, below all of them
            resume_tasks(record, bottom);
        return true;
    }
    for (std::uint32_t depth = record.tasks_suspended; depth > bottom; --depth)
        if (task_id(record.suspended[depth - 1]) == task_id(task)) {
            resume_tasks(record, depth - 1);
            return true;
        }
    return false;
}

} // namespace

TaskWord task_created(bool is_deferred) {
    const bool gets_id = (runtime::wanted_needs() & kNeedTasks) != 0;
    ThreadRecord *record = gets_id ? record_of_caller() : own_record;
    if (record == nullptr)
        return 0;
    if (is_deferred)
        note_tasks_of_part(*record);
    if (!gets_id)
        return 0;
    close_mutex_wait(*record);
    const OMP_COLLECTORAPI_EVENT end =
        is_deferred ? OMP_EVENT_THR_END_CREATE_TASK_DEL : OMP_EVENT_THR_END_CREATE_TASK_IMM;
    begin_event(*record, OMP_EVENT_THR_BEGIN_CREATE_TASK, end, answers_now(*record));
    const TaskWord task = make_task_word(next_task_id(*record), task_id(record->task.get()));
    end_event(*record, end, answers_for_task(*record, task));
    return task;
}

TaskWord task_left(TaskWord word) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return word;
    close_mutex_wait(*record);
    const Activity activity = record->activity.get();
    leave_wait(*record, activity);
    record->activity.set(Activity::kUser);
    if (task_id(word) != 0)
        suspend_task(*record, word);
    return ids_of(word) | kTaskWasLeft | static_cast<TaskWord>(activity) |
           (record->front.is_in_runtime() ? 0 : kTaskLeftUnmarked);
}

void task_finished(TaskWord word) {
    ThreadRecord *record = own_record;
    if (record == nullptr || task_id(word) == 0)
        return;
    close_mutex_wait(*record);
    begin_event(*record, OMP_EVENT_THR_BEGIN_FINISH_TASK, answers_for_task(*record, word));
    end_event(*record, OMP_EVENT_THR_END_FINISH_TASK, answers_for_task(*record, word));
}

void task_entered(TaskWord word) {
    ThreadRecord *record = own_record;
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    const bool is_resumed = resume_task(*record, word);
    const bool goes_on = (word & kTaskWasLeft) != 0;
    const auto activity =
        goes_on ? static_cast<Activity>(word & (kTaskWasLeft - 1)) : Activity::kUser;
    if (goes_on && (word & kTaskLeftUnmarked) == 0)
        front::leave_program(record->front);
    else
        front::enter_program(record->front);
    // The barrier's id has been overwritten if the task took a mutex.
    if (const Frame *frame = record->frame.get(); frame != nullptr)
        record->wait_id.set(barrier_id(*frame));
    record->task.set(ids_of(word));
    order_for_handler();
    record->activity.set(activity);
    if (!is_resumed && wants(OMP_EVENT_THR_BEGIN_EXEC_TASK))
        deliver_as(*record, OMP_EVENT_THR_BEGIN_EXEC_TASK, answers_now(*record));
    enter_wait(*record, activity);
}

} // namespace ocb::tracker
