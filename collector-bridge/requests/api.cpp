// SPDX-License-Identifier: Apache-2.0
// The exported function: guard, walk the list, dispatch, write back. session.h and answers.h have
// what requests mean; here is their layout in memory.
#include "base/code_address.h"
#include "base/compiler.h"
#include "base/log.h"
#include "base/options.h"
#include "events/session.h"
#include "omp_collector_api.h"
#include "records/tables.h"
#include "requests/answers.h"
#include "requests/record_view.h"
#include "runtime.h"
#include "tracker/tracker.h"

#include <atomic>
#include <cerrno>
#include <iterator>

namespace ocb {
namespace {

void reject(RecordView record, OMP_COLLECTORAPI_EC error) {
    record.answer(error, 0);
}

void ask_for_room(RecordView record, int needed) {
    record.answer(OMP_ERRCODE_MEM_TOO_SMALL, needed);
}

void do_start(RecordView record) {
    const OMP_COLLECTORAPI_EC error = session::start();
    if (error == OMP_ERRCODE_OK) {
        tracker::session_begins();
    }
    record.answer(error, 0);
}
void do_stop(RecordView record) {
    record.answer(session::stop(), 0);
}
void do_pause(RecordView record) {
    record.answer(session::pause(), 0);
}
void do_resume(RecordView record) {
    record.answer(session::resume(), 0);
}

void do_register(RecordView record) {
    if (record.mem_size() < RecordView::kPackedPair) {
        return ask_for_room(record, RecordView::kPackedPair);
    }
    const Event event = event_of(record.int_at_start());
    if (event == Event::kNone) {
        return reject(record, OMP_ERRCODE_UNKNOWN);
    }
    if (event_row(event).needs == kNeedNothing) {
        return reject(record, OMP_ERRCODE_UNSUPPORTED);
    }
    const std::uint64_t address = record.word_behind_int();
    if (address != 0 && !is_code_address(address)) {
        static_cast<void>(options()); // may be the first request: OCB_LOG decides
        log_once(LogCause::kCallbackRefused, event_row(event).name);
        return reject(record, OMP_ERRCODE_ERROR);
    }
    record.answer(
        session::register_callback(event, reinterpret_cast<OMP_COLLECTORAPI_CALLBACK>(address)), 0);
}

void do_unregister(RecordView record) {
    if (record.mem_size() < RecordView::kInt) {
        return ask_for_room(record, RecordView::kInt);
    }
    const Event event = event_of(record.int_at_start());
    if (event == Event::kNone) {
        return reject(record, OMP_ERRCODE_UNKNOWN);
    }
    record.answer(session::unregister_callback(event), 0);
}

OCB_ALWAYS_INLINE void write_state(RecordView record, answers::State answer) {
    record.put_int_at_start(answer.state);
    if (!has_wait_id(answer.state)) {
        return record.answer(OMP_ERRCODE_OK, RecordView::kInt);
    }
    if (record.mem_size() < RecordView::kPackedPair) {
        return ask_for_room(record, RecordView::kPackedPair);
    }
    record.put_word_behind_int(number_of(answer.wait_id));
    record.answer(OMP_ERRCODE_OK, record.pair_size());
}

// A STOP may have come since.
OCB_NEVER_INLINE void want_states() {
    std::atomic<bool> &answers_states = events::delivery_state.answers_states;
    runtime::want(kNeedState);
    runtime::observe_wanted();
    answers_states.store(true, std::memory_order_seq_cst);
    if (!events::delivery_state.session_runs.load(std::memory_order_seq_cst)) {
        answers_states.store(false, std::memory_order_seq_cst);
    }
}

void do_state(RecordView record) {
    if (!events::delivery_state.answers_states.load(std::memory_order_acquire)) [[unlikely]] {
        want_states();
    }
    if (record.mem_size() < RecordView::kInt) {
        return ask_for_room(record, RecordView::kPackedPair);
    }
    write_state(record, answers::state_of_caller());
}

OCB_ALWAYS_INLINE void write_region(RecordView record, RegionId region) {
    record.put_word_at_start(number_of(region));
    record.answer(OMP_ERRCODE_OK, RecordView::kWord);
}

void do_current_prid(RecordView record) {
    if (record.mem_size() < RecordView::kWord) {
        return ask_for_room(record, RecordView::kWord);
    }
    write_region(record, answers::region_of_caller());
}

OCB_ALWAYS_INLINE void write_parent(RecordView record, answers::Parent parent) {
    if (parent.error != OMP_ERRCODE_OK) {
        return reject(record, parent.error);
    }
    write_region(record, parent.region_id);
}

void do_parent_prid(RecordView record) {
    if (record.mem_size() < RecordView::kWord) {
        return ask_for_room(record, RecordView::kWord);
    }
    write_parent(record, answers::parent_of_caller());
}

// The first of these requests makes tasks observed, as the first STATE does for waits.
void answer_task(RecordView record, int (*ask)()) {
    if ((runtime::wanted_needs() & kNeedTasks) == 0) {
        runtime::want(kNeedTasks);
        runtime::observe_wanted();
    }
    if (record.mem_size() < RecordView::kInt) {
        return ask_for_room(record, RecordView::kInt);
    }
    record.put_int_at_start(ask());
    record.answer(OMP_ERRCODE_OK, RecordView::kInt);
}

void do_task_id(RecordView record) {
    answer_task(record, answers::task_of_caller);
}
void do_task_pid(RecordView record) {
    answer_task(record, answers::parent_task_of_caller);
}

struct RequestRow {
    OMP_COLLECTORAPI_REQUEST request;
    bool needs_session;
    void (*carry_out)(RecordView record);
};

constexpr RequestRow kRequests[] = {
    {OMP_REQ_START, false, do_start},
    {OMP_REQ_REGISTER, true, do_register},
    {OMP_REQ_UNREGISTER, true, do_unregister},
    {OMP_REQ_STATE, true, do_state},
    {OMP_REQ_CURRENT_PRID, true, do_current_prid},
    {OMP_REQ_PARENT_PRID, true, do_parent_prid},
    {OMP_REQ_STOP, true, do_stop},
    {OMP_REQ_PAUSE, true, do_pause},
    {OMP_REQ_RESUME, true, do_resume},
    {OMP_REQ_TASK_ID, true, do_task_id},
    {OMP_REQ_TASK_PID, true, do_task_pid},
};
static_assert(std::size(kRequests) == OMP_REQ_LAST);

consteval bool requests_are_in_order() {
    int expected = 0;
    for (const RequestRow &row : kRequests) {
        if (static_cast<int>(row.request) != expected++) {
            return false;
        }
    }
    return true;
}
static_assert(requests_are_in_order(), "one row per request, in the order of the contract");

void dispatch(RecordView record, int request) {
    if (request < 0 || request >= OMP_REQ_LAST) {
        return reject(record, OMP_ERRCODE_UNKNOWN);
    }
    const RequestRow &row = kRequests[request];
    if (row.needs_session && !session::is_started()) {
        return reject(record, OMP_ERRCODE_SEQUENCE_ERR);
    }
    const int saved_errno = errno;
    row.carry_out(record);
    errno = saved_errno;
}

// Walks the list from this record on. Returns 0 at the end of the list, -1 if it is malformed.
OCB_NEVER_INLINE int walk_by_table(RecordView record) {
    for (; record.size() != 0; record = record.next()) {
        if (!record.is_well_formed()) {
            return -1;
        }
        dispatch(record, record.request());
    }
    return 0;
}

// The fast path for what samplers ask at every tick, in the sizes that they use. It passes by the
// table, and makes no call. False: the record has no answer. CURRENT_PRID has one taken branch, the
// last; with a few more it takes a third longer.

template <int kSize> OCB_ALWAYS_INLINE bool state_on_fast_path(RecordView record) {
    if (!load_acquire_in_place(events::delivery_state.answers_states)) {
        return false;
    }
    const answers::State answer = answers::state_on_fast_path(own_record);
    if (answer.state == 0) {
        return false;
    }
    write_state(record.of_size<kSize>(), answer);
    return true;
}

OCB_ALWAYS_INLINE bool region_on_fast_path(RecordView record) {
    if (!session::is_started()) [[unlikely]] {
        return false;
    }
    const answers::Region answer = answers::region_on_fast_path(own_record);
    if (!answer.is_known) [[unlikely]] {
        return false;
    }
    write_region(record, answer.id);
    return true;
}

OCB_ALWAYS_INLINE bool parent_on_fast_path(RecordView record) {
    const ThreadRecord *thread = own_record;
    if (!session::is_started() || !answers::records_parent(thread)) {
        return false;
    }
    write_parent(record, answers::recorded_parent(thread));
    return true;
}

constexpr int kIdSize = OMP_COLLECTOR_HEADER_SIZE + RecordView::kWord;
constexpr int kPackedStateSize = OMP_COLLECTOR_HEADER_SIZE + RecordView::kPackedPair;
constexpr int kNaturalStateSize = OMP_COLLECTOR_HEADER_SIZE + RecordView::kNaturalPair;

OCB_ALWAYS_INLINE bool answer_on_fast_path(RecordView record) {
    if (record.size() == kIdSize) [[likely]] {
        const int request = record.request();
        if (request == OMP_REQ_CURRENT_PRID) [[likely]] {
            return region_on_fast_path(record);
        }
        return request == OMP_REQ_PARENT_PRID && parent_on_fast_path(record);
    }
    if (record.size() == kNaturalStateSize) {
        return record.request() == OMP_REQ_STATE && state_on_fast_path<kNaturalStateSize>(record);
    }
    if (record.size() == kPackedStateSize) {
        return record.request() == OMP_REQ_STATE && state_on_fast_path<kPackedStateSize>(record);
    }
    return false; // what is no record, too: nothing behind its size is read
}

int walk(void *list) {
    if (list == nullptr || reinterpret_cast<std::uintptr_t>(list) % alignof(int) != 0) {
        return -1;
    }
    RecordView record(list);
    if (record.size() == 0) [[unlikely]] {
        return 0;
    }
    do {
        if (!answer_on_fast_path(record)) {
            return walk_by_table(record);
        }
        record = record.next();
    } while (record.size() != 0);
    return 0;
}

} // namespace
} // namespace ocb

OCB_EXPORT int __omp_collector_api(void *arg) {
    return ocb::walk(arg);
}
