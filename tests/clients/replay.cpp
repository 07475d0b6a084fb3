// SPDX-License-Identifier: Apache-2.0
// See replay.h. The table of clients says who sends what; the rest sends it and looks at the
// memory.
#include "replay.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <sys/mman.h>

namespace ocb::clients {

// clang-format off
const Client kClients[] = {
    // name             events  register             state                                tasks  locks  validates stops
    {"tau-2012-12",     22, 12, Callback::kWritten,      12, StateEnd::kTerminated,    false, true,  false, false},
    {"tau-2013-05",     35, 12, Callback::kWritten,      12, StateEnd::kPastItsMalloc, false, true,  false, false},
    {"tau-2013-11",     35, 12, Callback::kWritten,      12, StateEnd::kMissing,       false, true,  false, false},
    {"tau-2014-05",     35, 12, Callback::kWritten,       4, StateEnd::kTerminated,    true,  true,  false, false},
    {"openuh-validation", 22, 12, Callback::kNeverWritten, 12, StateEnd::kTerminated,  false, false, true,  true},
    {"oracle-packed",   22, 12, Callback::kWritten,      12, StateEnd::kTerminated,    false, false, false, true},
    {"oracle-natural",  22, 16, Callback::kWritten,      16, StateEnd::kTerminated,    false, false, false, true},
};
// clang-format on
const std::size_t kClientCount = sizeof kClients / sizeof kClients[0];

namespace {

constexpr std::size_t kHeader = OMP_COLLECTOR_HEADER_SIZE;
constexpr std::size_t kInt = 4;
constexpr std::size_t kWord = 8;
constexpr int kPackedMem = 12;
constexpr int kNaturalMem = 16;
constexpr std::size_t kPage = 4096;
constexpr int kMalformed = -1;

constinit std::atomic<unsigned> complaint_count{0};
char complaint_text[512] = "";

__attribute__((format(printf, 1, 2))) void complain(const char *format, ...) {
    if (complaint_count.fetch_add(1) != 0) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(complaint_text, sizeof complaint_text, format, arguments);
    va_end(arguments);
}

void put_header(Message &message, std::size_t at, int mem, int request, int rsz) {
    message.put_int(at, static_cast<int>(kHeader) + mem);
    message.put_int(at + 4, request);
    message.put_int(at + 8, OMP_ERRCODE_OK);
    message.put_int(at + 12, rsz);
}

struct Answer {
    int error;
    int return_size;
};

// The record's ec and rsz, which must be there and be these.
void expect_answer(Message &message, const char *what, std::size_t at, const Answer &expected) {
    const Answer answer{message.get_int(at + 8), message.get_int(at + 12)};
    if (answer.error != expected.error || answer.return_size != expected.return_size) {
        complain("%s: ec %d rsz %d, not ec %d rsz %d", what, answer.error, answer.return_size,
                 expected.error, expected.return_size);
    }
    message.accept(at + 8, 2 * kInt);
}

// Everything that was to be written has been accepted.
void expect_nothing_else(const Message &message, const char *what, int result,
                         int expected_result) {
    if (result != expected_result) {
        complain("%s: the call returned %d, not %d", what, result, expected_result);
    }
    if (!message.is_untouched_elsewhere()) {
        complain("%s: a byte was written that must not be", what);
    }
}

bool waits(int state) {
    return state == THR_IBAR_STATE || state == THR_EBAR_STATE || state == THR_LKWT_STATE ||
           state == THR_CTWT_STATE || state == THR_ODWT_STATE || state == THR_ATWT_STATE;
}

Answer expected_of_state(int state, int mem) {
    const int pair = mem >= kNaturalMem ? kNaturalMem : kPackedMem;
    if (!waits(state)) {
        return {OMP_ERRCODE_OK, static_cast<int>(kInt)};
    }
    return {mem >= kPackedMem ? OMP_ERRCODE_OK : OMP_ERRCODE_MEM_TOO_SMALL, pair};
}

// A list of requests without input or answer, in one call. Returns the last one's error code.
int send_plain(OMP_COLLECTOR_API_FUNCTION api, const char *what, const int *requests,
               const int *errors, std::size_t count) {
    Message message;
    if (!message.allocate(count * kHeader + kInt, Place::kEndOfMemory)) {
        return OMP_ERRCODE_ERROR;
    }
    for (std::size_t i = 0; i < count; ++i) {
        put_header(message, i * kHeader, 0, requests[i], 0);
    }
    message.put_int(count * kHeader, 0);
    const int result = message.send(api);
    int last = OMP_ERRCODE_OK;
    for (std::size_t i = 0; i < count; ++i) {
        last = message.get_int(i * kHeader + 8);
        expect_answer(message, what, i * kHeader, {errors != nullptr ? errors[i] : last, 0});
    }
    expect_nothing_else(message, what, result, 0);
    message.free();
    return last;
}

// Before a session: an empty list, and what may not be asked yet; then sessions begun and ended.
void validate(OMP_COLLECTOR_API_FUNCTION api) {
    send_plain(api, "empty list", nullptr, nullptr, 0);
    const int early[] = {OMP_REQ_STOP, OMP_REQ_PAUSE, OMP_REQ_RESUME};
    const int early_errors[] = {OMP_ERRCODE_SEQUENCE_ERR, OMP_ERRCODE_SEQUENCE_ERR,
                                OMP_ERRCODE_SEQUENCE_ERR};
    send_plain(api, "before START", early, early_errors, 3);
    const int start_stop[] = {OMP_REQ_START, OMP_REQ_STOP};
    const int both_ok[] = {OMP_ERRCODE_OK, OMP_ERRCODE_OK};
    send_plain(api, "START, STOP", start_stop, both_ok, 2);
    const int stop_start[] = {OMP_REQ_STOP, OMP_REQ_START};
    const int only_start[] = {OMP_ERRCODE_SEQUENCE_ERR, OMP_ERRCODE_OK};
    send_plain(api, "STOP, START", stop_start, only_start, 2);
}

// The search for tasks and their queues, of which no runtime reports anything.
bool is_never_delivered(int event) {
    return event == OMP_EVENT_THR_BEGIN_SCHD_TASK || event == OMP_EVENT_THR_END_SCHD_TASK ||
           event == OMP_EVENT_THR_BEGIN_STEAL_TASK || event == OMP_EVENT_THR_END_STEAL_TASK ||
           event == OMP_EVENT_THR_FETCHED_TASK;
}

// The one call with all registrations: the terminator is the allocation's last int.
void register_all(const Client &client, OMP_COLLECTOR_API_FUNCTION api,
                  std::uint64_t callback_bytes, int expected_error) {
    const std::size_t size = kHeader + static_cast<std::size_t>(client.register_mem);
    const auto count = static_cast<std::size_t>(client.last_event);
    const std::size_t word = kHeader + (client.register_mem >= kNaturalMem ? kWord : kInt);
    Message message;
    if (!message.allocate(count * size + kInt, Place::kEndOfMemory)) {
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        put_header(message, i * size, client.register_mem, OMP_REQ_REGISTER, 0);
        message.put_int(i * size + kHeader, static_cast<int>(i) + 1);
        message.put_word(i * size + word, callback_bytes);
    }
    message.put_int(count * size, 0);
    const int result = message.send(api);
    for (std::size_t i = 0; i < count; ++i) {
        const int error =
            is_never_delivered(static_cast<int>(i) + 1) ? OMP_ERRCODE_UNSUPPORTED : expected_error;
        expect_answer(message, "REGISTER", i * size, {error, 0});
    }
    expect_nothing_else(message, "REGISTER", result, 0);
    message.free();
}

void unregister_all(const Client &client, OMP_COLLECTOR_API_FUNCTION api) {
    constexpr std::size_t kSize = kHeader + kInt;
    const auto count = static_cast<std::size_t>(client.last_event);
    Message message;
    if (!message.allocate(count * kSize + kInt, Place::kEndOfMemory)) {
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        put_header(message, i * kSize, static_cast<int>(kInt), OMP_REQ_UNREGISTER, 0);
        message.put_int(i * kSize + kHeader, static_cast<int>(i) + 1);
    }
    message.put_int(count * kSize, 0);
    const int result = message.send(api);
    for (std::size_t i = 0; i < count; ++i) {
        expect_answer(message, "UNREGISTER", i * kSize, {OMP_ERRCODE_OK, 0});
    }
    expect_nothing_else(message, "UNREGISTER", result, 0);
    message.free();
}

} // namespace

const Client *client_of(const char *name) {
    for (const Client &client : kClients) {
        if (std::strcmp(client.name, name) == 0) {
            return &client;
        }
    }
    return nullptr;
}

bool Message::allocate(std::size_t size, Place place) {
    void *memory =
        mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || size > kPage / 2) {
        return false;
    }
    page_ = static_cast<unsigned char *>(memory);
    before_ = page_ + 2 * kPage;
    if (mprotect(page_ + kPage, kPage, PROT_NONE) != 0) {
        return false;
    }
    std::memset(page_, kUnwritten, kPage);
    // malloc aligns to 16 bytes; at the end of memory the alignment is that of the size.
    constexpr std::size_t kAlignment = 16;
    first_ = place == Place::kEndOfMemory ? page_ + kPage - size : page_ + kPage / 2 - kAlignment;
    return true;
}

void Message::free() {
    if (page_ != nullptr) {
        munmap(page_, 3 * kPage);
    }
    page_ = nullptr;
}

void Message::put_int(std::size_t offset, int value) {
    std::memcpy(first_ + offset, &value, sizeof value);
}
void Message::put_word(std::size_t offset, std::uint64_t value) {
    std::memcpy(first_ + offset, &value, sizeof value);
}
int Message::get_int(std::size_t offset) const {
    int value = 0;
    std::memcpy(&value, first_ + offset, sizeof value);
    return value;
}
std::uint64_t Message::get_word(std::size_t offset) const {
    std::uint64_t value = 0;
    std::memcpy(&value, first_ + offset, sizeof value);
    return value;
}

int Message::send(OMP_COLLECTOR_API_FUNCTION api) {
    std::memcpy(before_, page_, kPage);
    return api(first_);
}

void Message::accept(std::size_t offset, std::size_t size) {
    std::memcpy(before_ + (first_ - page_) + offset, first_ + offset, size);
}

bool Message::is_untouched_elsewhere() const {
    return std::memcmp(before_, page_, kPage) == 0;
}

// Messages of a thread; the same memory for each query of the thread's life, ec and rsz included.
bool ThreadMessages::allocate(const Client &client, Place place, int behind_state) {
    const auto state_size = kHeader + static_cast<std::size_t>(client.state_mem);
    if (!state_.allocate(state_size + kInt, place) ||
        !region_.allocate(kHeader + kWord + kInt, place) ||
        !region_in_4_.allocate(kHeader + kInt + kInt, place) ||
        !task_.allocate(kHeader + kInt + kInt, place)) {
        return false;
    }
    put_header(state_, 0, client.state_mem, OMP_REQ_STATE, client.state_mem);
    const bool ends = client.state_end != StateEnd::kMissing;
    state_.put_int(state_size, ends ? 0 : behind_state);
    state_result_ = ends || behind_state == 0 ? 0 : kMalformed;
    put_header(region_, 0, static_cast<int>(kWord), OMP_REQ_CURRENT_PRID, static_cast<int>(kWord));
    region_.put_int(kHeader + kWord, 0);
    put_header(region_in_4_, 0, static_cast<int>(kInt), OMP_REQ_CURRENT_PRID,
               static_cast<int>(kInt));
    region_in_4_.put_int(kHeader + kInt, 0);
    put_header(task_, 0, static_cast<int>(kInt), OMP_REQ_TASK_ID, static_cast<int>(kInt));
    task_.put_int(kHeader + kInt, 0);
    client_ = &client;
    return true;
}

void ThreadMessages::free() {
    for (Message *message : {&state_, &region_, &region_in_4_, &task_}) {
        message->free();
    }
    client_ = nullptr;
}

int ThreadMessages::ask_state(OMP_COLLECTOR_API_FUNCTION api) {
    const int mem = client_->state_mem;
    const int result = state_.send(api);
    const int state = state_.get_int(kHeader);
    if (state < THR_OVHD_STATE || state >= THR_LAST_STATE) {
        complain("STATE: %d is no state", state);
    }
    const Answer expected = expected_of_state(state, mem);
    expect_answer(state_, "STATE", 0, expected);
    state_.accept(kHeader, kInt);
    if (waits(state) && mem >= kPackedMem) {
        const std::size_t word = kHeader + (mem >= kNaturalMem ? kWord : kInt);
        if (state_.get_word(word) == 0) {
            complain("STATE: a wait without a wait id");
        }
        state_.accept(word, kWord);
    }
    expect_nothing_else(state_, "STATE", result, state_result_);
    return state;
}

std::uint64_t ThreadMessages::ask_region(OMP_COLLECTOR_API_FUNCTION api) {
    constexpr std::uint64_t kMostOf31Bits = 0x7FFFFFFF;
    const int result = region_.send(api);
    const std::uint64_t region = region_.get_word(kHeader);
    if (region > kMostOf31Bits) {
        complain("CURRENT_PRID: %llu is not an id of 31 bits",
                 static_cast<unsigned long long>(region));
    }
    expect_answer(region_, "CURRENT_PRID", 0, {OMP_ERRCODE_OK, static_cast<int>(kWord)});
    region_.accept(kHeader, kWord);
    expect_nothing_else(region_, "CURRENT_PRID", result, 0);
    return region;
}

void ThreadMessages::ask_region_in_4_bytes(OMP_COLLECTOR_API_FUNCTION api) {
    const int result = region_in_4_.send(api);
    expect_answer(region_in_4_, "CURRENT_PRID in 4 bytes", 0,
                  {OMP_ERRCODE_MEM_TOO_SMALL, static_cast<int>(kWord)});
    expect_nothing_else(region_in_4_, "CURRENT_PRID in 4 bytes", result, 0);
}

int ThreadMessages::ask_task(OMP_COLLECTOR_API_FUNCTION api) {
    const int result = task_.send(api);
    const int task = task_.get_int(kHeader);
    if (task == 0 || task < -1) {
        complain("TASK_ID: %d is no task", task);
    }
    expect_answer(task_, "TASK_ID", 0, {OMP_ERRCODE_OK, static_cast<int>(kInt)});
    task_.accept(kHeader, kInt);
    expect_nothing_else(task_, "TASK_ID", result, 0);
    return task;
}

int begin(const Client &client, OMP_COLLECTOR_API_FUNCTION api, OMP_COLLECTORAPI_CALLBACK callback,
          std::uint64_t garbage_callback) {
    int error = OMP_ERRCODE_OK;
    if (client.validates) {
        validate(api);
    } else {
        const int start[] = {OMP_REQ_START};
        error = send_plain(api, "START", start, nullptr, 1);
    }
    if (error != OMP_ERRCODE_OK) {
        return error;
    }
    if (client.callback == Callback::kWritten) {
        register_all(client, api, reinterpret_cast<std::uint64_t>(callback), OMP_ERRCODE_OK);
    } else {
        register_all(client, api, garbage_callback,
                     garbage_callback == 0 ? OMP_ERRCODE_OK : OMP_ERRCODE_ERROR);
    }
    return error;
}

void end(const Client &client, OMP_COLLECTOR_API_FUNCTION api) {
    if (client.validates) {
        unregister_all(client, api);
    }
    if (!client.stops) {
        return;
    }
    const int stop[] = {OMP_REQ_STOP};
    const int ok[] = {OMP_ERRCODE_OK};
    send_plain(api, "STOP", stop, ok, 1);
}

unsigned complaints() {
    return complaint_count.load();
}

const char *first_complaint() {
    return complaint_text;
}

void forget_complaints() {
    complaint_text[0] = '\0';
    complaint_count.store(0);
}

} // namespace ocb::clients
