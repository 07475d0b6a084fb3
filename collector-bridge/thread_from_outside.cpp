// SPDX-License-Identifier: Apache-2.0
// What a thread does, asked by another thread: the answers that STATE and CURRENT_PRID would give,
// from the thread's record alone. Owns nothing. Records, frames and regions lie in type-stable
// memory, so a read never fails; a thread that goes on meanwhile is noticed and looked at again.
#include "answers.h"
#include "omp_collector_bridge.h"

namespace ocb {
namespace {

using Answer = omp_collector_bridge_thread_answer;

constexpr int kCannotBeSaid = 0;
constexpr int kAnswered = 1;
constexpr int kTries = 3;

// The thread writes these members plainly, as only its own handlers read them otherwise: one load
// each is all that may be made of them here.
template <class T> T peek(const T &member) {
    return __atomic_load_n(&member, __ATOMIC_RELAXED);
}

bool is_left_behind(const ThreadRecord &record, const Frame *frame, RegionKey key) {
    return peek(record.kind) == ThreadKind::kWorker && peek(frame->outer) == nullptr &&
           peek(frame->region) != nullptr && !peek(frame->region)->is_running(key);
}

// Without the runtime's own word, which only the thread itself may ask for.
int answer_of(const ThreadRecord &record, Answer &answer) {
    const Activity activity = record.activity.get();
    const Frame *frame = record.frame.get();
    const RegionKey key = frame != nullptr ? peek(frame->key) : 0;
    const bool is_idle = activity == Activity::kIdle;
    if (!is_idle && !record.sees_waits.get())
        return kCannotBeSaid;
    answer.wait_id = 0;
    answer.state = answers::state_by_record(record, answer.wait_id);
    answer.region_id =
        is_idle || frame == nullptr || is_left_behind(record, frame, key) ? 0 : visible_id(key);
    return kAnswered;
}

bool has_moved(const ThreadRecord &record, Activity activity, const Frame *frame, MutexKind mutex) {
    std::atomic_thread_fence(std::memory_order_acquire);
    return record.activity.get() != activity || record.frame.get() != frame ||
           record.mutex.get() != mutex;
}

__attribute__((no_sanitize("thread"))) int ask(const ThreadRecord &record, Answer &answer) {
    for (int i = 0; i < kTries; ++i) {
        const Activity activity = record.activity.get();
        const Frame *frame = record.frame.get();
        const MutexKind mutex = record.mutex.get();
        const bool in_callback = record.is_in_callback();
        std::atomic_thread_fence(std::memory_order_acquire);
        int result = kAnswered;
        if (in_callback) {
            answer.state = peek(record.answers.state);
            answer.wait_id = peek(record.answers.wait_id);
            answer.region_id = peek(record.answers.region_id);
        } else {
            result = answer_of(record, answer);
        }
        if (record.is_in_callback() == in_callback && !has_moved(record, activity, frame, mutex))
            return result;
    }
    return kCannotBeSaid;
}

} // namespace
} // namespace ocb

extern "C" __attribute__((visibility("default"))) const void *omp_collector_bridge_own_thread() {
    return ocb::own_record;
}

extern "C" __attribute__((visibility("default"))) int
omp_collector_bridge_ask_thread(const void *thread, omp_collector_bridge_thread_answer *answer) {
    return thread != nullptr ? ocb::ask(*static_cast<const ocb::ThreadRecord *>(thread), *answer)
                             : ocb::kCannotBeSaid;
}
