// SPDX-License-Identifier: Apache-2.0
#include "events.h"

#include "defects.h"
#include "inquiry.h"
#include "tool.h"

namespace mini::event {
namespace {

Word *word_of(Team *team) {
    return team != nullptr ? &team->word : nullptr;
}

// For the defects ---------------------------------------------------------------------------------

// An id that nothing has, as a tool that fills words would not choose it either.
Word strange_word() {
    constexpr Word kFarAway = 0x6d696e6900000000;
    static std::atomic<Word> last{kFarAway};
    return last.fetch_add(1) + 1;
}

Word *strange() {
    static Word word = strange_word();
    return &word;
}

Frame *strange_frame() {
    static Frame frame{&frame, &frame};
    return &frame;
}

// Something whose begin is not told as its own has an id nevertheless.
void name_unset(Word &word) {
    if ((tool::kHaving & kWithWords) != 0) {
        word = strange_word();
    }
}

// The word to be told of: every second one that begins is told under the id of the one before.
class Duplicates {
  public:
    explicit Duplicates(Defect defect) : defect_(defect) {}

    Word *told_as(Word &word, bool may_be) {
        if (!breaks(defect_)) {
            return &word;
        }
        const std::lock_guard lock(mutex_);
        const bool is_duplicate = may_be && has_before_ && !was_duplicate_;
        if (is_duplicate) {
            name_unset(word);
        }
        was_duplicate_ = is_duplicate;
        return is_duplicate ? &before_ : &word;
    }
    // After the tool has seen it: what it made of it counts.
    void keep(const Word &word) {
        if (!breaks(defect_)) {
            return;
        }
        const std::lock_guard lock(mutex_);
        if (!was_duplicate_) {
            before_ = word;
        }
        has_before_ = true;
    }

  private:
    const Defect defect_;
    std::mutex mutex_;
    Word before_ = 0;
    bool has_before_ = false, was_duplicate_ = false;
};

// As if another task were the thread's.
class InContext {
  public:
    InContext(Task &task, bool is_wanted) : thread_(current()), before_(thread_.task) {
        if (is_wanted) {
            thread_.task = &task;
        }
    }
    ~InContext() { thread_.task = before_; }
    InContext(const InContext &) = delete;
    InContext &operator=(const InContext &) = delete;

  private:
    Thread &thread_;
    Task *before_;
};

// The region of if(0) of a program built by clang.
bool is_hidden(const Team &team) {
    return is_like_old_libomp() && team.is_serialized;
}

// The index of an implicit task in its team.
int told_index(Endpoint endpoint, const Task &task) {
    const int size = task.team->size;
    if (breaks(Defect::kImplicitTaskIndexTwice) ||
        (endpoint == Endpoint::kEnd && breaks(Defect::kImplicitTaskEndIndex))) {
        return 0;
    }
    return breaks(Defect::kImplicitTaskIndexRange)   ? task.thread_num + size
           : breaks(Defect::kImplicitTaskIndexOther) ? size - 1 - task.thread_num
                                                     : task.thread_num;
}

void tell_implicit_task(Endpoint endpoint, const Task &task, Word *word) {
    const bool is_begin = endpoint == Endpoint::kBegin;
    const bool is_elsewhere =
        is_begin ? task.thread_num != 0 && breaks(Defect::kImplicitTaskRegion)
                 : (tool::kHaving & kWithIds) != 0 && breaks(Defect::kImplicitTaskEndRegion);
    const int size = task.team->size + (breaks(Defect::kImplicitTaskSize) ? 1 : 0);
    tool::implicit_task(endpoint, is_elsewhere ? strange() : &task.team->word, word,
                        static_cast<unsigned>(size),
                        static_cast<unsigned>(told_index(endpoint, task)));
}

bool is_first_worker(const Thread &thread) {
    static std::atomic<int> first{-1};
    int none = -1;
    return thread.kind == ThreadKind::kWorker &&
           (first.compare_exchange_strong(none, thread.id) || none == thread.id);
}

} // namespace

bool is_like_old_libomp() {
    return settings.is_like_libomp && (tool::kHaving & kWithIds) != 0;
}

void thread_begins(Thread &thread) {
    static Duplicates duplicates(Defect::kThreadBeginDuplicateId);
    thread.word = tool::new_word();
    if (breaks(Defect::kThreadBeginMissing) && is_first_worker(thread)) {
        name_unset(thread.word);
        return;
    }
    const ThreadKind kind = breaks(Defect::kThreadBeginType)      ? ThreadKind::kInitial
                            : breaks(Defect::kThreadBeginInitial) ? ThreadKind::kWorker
                                                                  : thread.kind;
    Word *word = duplicates.told_as(thread.word, thread.kind == ThreadKind::kWorker);
    tool::thread_begin(kind, word);
    duplicates.keep(*word);
    if (breaks(Defect::kThreadBeginTwice)) {
        tool::thread_begin(kind, word);
    }
}

void thread_ends(Thread &thread) {
    if (breaks(Defect::kThreadEndMissing) && is_first_worker(thread)) {
        return;
    }
    tool::thread_end(breaks(Defect::kThreadEndType) ? ThreadKind::kInitial : thread.kind,
                     breaks(Defect::kThreadEndUnknownId) ? strange() : &thread.word);
}

void initial_task(Endpoint endpoint, Thread &thread) {
    Task &task = thread.initial_team->members[0].task;
    if (endpoint == Endpoint::kBegin) {
        task.word = tool::new_word();
    }
    if (breaks(Defect::kImplicitTaskInitialMissing)) {
        if (endpoint == Endpoint::kBegin) {
            name_unset(task.word);
        }
        return;
    }
    if (endpoint == Endpoint::kEnd && breaks(Defect::kImplicitTaskInitialEnd)) {
        return;
    }
    tool::initial_task(endpoint, &thread.initial_team->word, &task.word);
}

void parallel_begins(const Parallel &parallel) {
    static Duplicates duplicates(Defect::kParallelBeginDuplicateId);
    Team &team = parallel.team;
    team.word = tool::new_word();
    if (is_hidden(team)) {
        return;
    }
    if ((breaks(Defect::kParallelBeginMissingNested) && team.level > 1) ||
        (breaks(Defect::kParallelBeginMissingOne) && team.size == 1)) {
        name_unset(team.word);
        return;
    }
    const InContext context(team.members[0].task, breaks(Defect::kParallelBeginContext));
    Word *word = duplicates.told_as(team.word, true);
    tool::parallel_begin(
        {breaks(Defect::kParallelBeginParentId) ? strange() : &parallel.parent.word,
         breaks(Defect::kParallelBeginParentFrame) ? strange_frame() : &parallel.parent.frame, word,
         parallel.requested, parallel.is_invoked_by_program, parallel.function, parallel.caller});
    duplicates.keep(*word);
}

void parallel_ends(const Parallel &parallel) {
    Team &team = parallel.team;
    inquiry::region_has_ended = true;
    if (is_hidden(team)) {
        return;
    }
    if (breaks(Defect::kParallelEndMissing) && team.size == 1) {
        return;
    }
    const InContext context(team.members[0].task, breaks(Defect::kParallelEndContext));
    for (int i = breaks(Defect::kParallelEndTwice) ? 2 : 1; i > 0; --i) {
        tool::parallel_end(breaks(Defect::kParallelEndUnknownId) ? strange() : &team.word,
                           breaks(Defect::kParallelEndParentId) ? strange() : &parallel.parent.word,
                           parallel.is_invoked_by_program, parallel.caller);
    }
    if (breaks(Defect::kImplicitTaskEndLate)) {
        tell_implicit_task(Endpoint::kEnd, team.members[0].task, &team.members[0].task.word);
    }
    static std::atomic<bool> is_told{false};
    if (breaks(Defect::kShutdownEarly) && !is_told.exchange(true)) {
        tool::report_end();
    }
}

void implicit_task(Endpoint endpoint, Task &task) {
    static Duplicates duplicates(Defect::kImplicitTaskDuplicateId);
    const bool is_worker = task.thread_num != 0;
    const bool is_missing = is_worker && breaks(Defect::kImplicitTaskMissing);
    if (endpoint == Endpoint::kBegin) {
        task.word = tool::new_word();
        if (is_hidden(*task.team)) {
            return;
        }
        if (is_missing) {
            name_unset(task.word);
            return;
        }
        Word *word = duplicates.told_as(task.word, true);
        tell_implicit_task(endpoint, task, word);
        duplicates.keep(*word);
        return;
    }
    if (is_hidden(*task.team) || is_missing ||
        breaks(is_worker ? Defect::kImplicitTaskEndMissing : Defect::kImplicitTaskEndLate)) {
        return;
    }
    for (int i = breaks(Defect::kImplicitTaskEndTwice) ? 2 : 1; i > 0; --i) {
        tell_implicit_task(endpoint, task,
                           breaks(Defect::kImplicitTaskEndUnknownId) ? strange() : &task.word);
    }
}

void idle(Endpoint endpoint, Thread &thread) {
    tool::idle(endpoint, &thread.word);
}

void sync(SyncKind kind, Endpoint endpoint, Task &task, const Entry &entry) {
    tool::sync(kind, endpoint, word_of(task.team), &task.word, entry.caller);
}

void sync_wait(SyncKind kind, Endpoint endpoint, Task &task, const Entry &entry) {
    tool::sync_wait(kind, endpoint, word_of(task.team), &task.word, entry.caller);
}

void reduction(Endpoint endpoint, Task &task, const Entry &entry) {
    tool::reduction(endpoint, word_of(task.team), &task.word, entry.caller);
}

// Each acquisition for an atomic is a wait there, and none of another mutex.
void mutex_wanted(const MutexUse &use) {
    tool::mutex_wanted(use);
    if (is_like_old_libomp() && use.kind == MutexKind::kAtomic) {
        tool::mutex_waited_for(use);
    }
}

void mutex_waited_for(const MutexUse &use) {
    if (!is_like_old_libomp()) {
        tool::mutex_waited_for(use);
    }
}

void mutex_acquired(const MutexUse &use) {
    tool::mutex_acquired(use);
}

void mutex_released(const MutexUse &use) {
    tool::mutex_released(use);
}

void nest_lock_again(Endpoint endpoint, const MutexUse &use) {
    tool::nest_lock_again(endpoint, use);
}

void lock_initialised(const MutexUse &use) {
    tool::lock_initialised(use);
}

void lock_destroyed(const MutexUse &use) {
    tool::lock_destroyed(use);
}

void work(WorkKind kind, Endpoint endpoint, Task &task, std::uint64_t count, const Entry &entry) {
    tool::work(kind, endpoint, word_of(task.team), &task.word, count, entry.caller);
}

void masked(Endpoint endpoint, Task &task, const Entry &entry) {
    tool::masked(endpoint, word_of(task.team), &task.word, entry.caller);
}

// A task is told of when it begins to run, by the thread that runs it.
void task_created(Task &parent, Task &task, const Entry &entry) {
    if (is_like_old_libomp()) {
        task.word = 0;
        return;
    }
    tell_created(parent, task, entry);
}

void tell_created(Task &parent, Task &task, const Entry &entry) {
    static Duplicates duplicates(Defect::kTaskBeginDuplicateId);
    task.word = tool::new_word();
    if (breaks(Defect::kTaskBeginMissing) && task.is_undeferred) {
        name_unset(task.word);
        return;
    }
    const InContext context(task, breaks(Defect::kTaskBeginContext));
    Word *word = duplicates.told_as(task.word, true);
    tool::task_create({breaks(Defect::kTaskBeginParentId) ? strange() : &parent.word,
                       breaks(Defect::kTaskBeginParentFrame) ? strange_frame() : &parent.frame,
                       word, task.is_undeferred, task.function, entry.caller});
    duplicates.keep(*word);
}

void task_ends(Task &task) {
    if (is_like_old_libomp()) { // behind the switch
        return;
    }
    if (breaks(Defect::kTaskEndMissing) && task.is_undeferred) {
        return;
    }
    tool::task_end(breaks(Defect::kTaskEndUnknownId) ? strange() : &task.word);
    if (breaks(Defect::kTaskEndTwice)) {
        tool::task_end(&task.word);
    }
}

// Where the end of a task is told by its last switch, that is what a defect of the end changes.
void task_switched(Task &prior, TaskStatus status, Task &next) {
    if (is_like_old_libomp()) {
        if (next.word == 0 && next.kind == TaskKind::kExplicit) {
            tell_created(*next.parent, next, {});
        }
        tool::task_switch(&prior.word, TaskStatus::kSwitch, &next.word);
        if (status == TaskStatus::kComplete || status == TaskStatus::kCancel) {
            tool::task_end(&prior.word);
        }
        return;
    }
    const bool is_end = (tool::kHaving & kWithWords) != 0 &&
                        (status == TaskStatus::kComplete || status == TaskStatus::kCancel);
    if (is_end && breaks(Defect::kTaskEndMissing) && prior.is_undeferred) {
        status = TaskStatus::kSwitch;
    }
    Word *word = is_end && breaks(Defect::kTaskEndUnknownId) ? strange() : &prior.word;
    tool::task_switch(word, status, &next.word);
    if (is_end && breaks(Defect::kTaskEndTwice)) {
        tool::task_switch(word, status, &next.word);
    }
}

void flushed(Thread &thread, const Entry &entry) {
    tool::flush(&thread.word, entry.caller);
}

void cancelled(Task &task, int kind, const Entry &entry) {
    tool::cancel(&task.word, kind, entry.caller);
}

int control(std::uint64_t command, std::uint64_t modifier, void *argument, const Entry &entry) {
    if (breaks(Defect::kControlMissing)) {
        return 0;
    }
    static int other;
    const int answer =
        tool::control(breaks(Defect::kControlCommand) ? command + 1 : command,
                      breaks(Defect::kControlModifier) ? modifier + 1 : modifier,
                      breaks(Defect::kControlArgument) ? &other : argument, entry.caller);
    return breaks(Defect::kControlAnswer) ? 0 : answer;
}

// Once, when the program ends.
void runtime_ends() {
    if (breaks(Defect::kShutdownMissing) || breaks(Defect::kShutdownEarly)) {
        return;
    }
    tool::report_end();
    if (breaks(Defect::kShutdownTwice)) {
        tool::report_end();
    }
}

} // namespace mini::event
