// SPDX-License-Identifier: Apache-2.0
// The session as requests see it: what is accepted in which state, and what registrations outlive.
// Delivery on several threads is in delivery_test.cpp.
#include "fresh_process.h"
#include "scene.h"

#include <sys/mman.h>
#include <vector>

namespace ocb::test {
namespace {

enum class When { kNeverStarted, kStarted, kPaused, kStopped, kStartedAgain, kCount };

void bring_to(When when) {
    if (when == When::kNeverStarted) {
        return;
    }
    request(OMP_REQ_STOP);
    if (when == When::kStopped) {
        return;
    }
    request(OMP_REQ_START);
    if (when == When::kPaused) {
        request(OMP_REQ_PAUSE);
    }
    if (when == When::kStartedAgain) {
        request(OMP_REQ_STOP);
        request(OMP_REQ_START);
    }
}

constexpr int kOk = OMP_ERRCODE_OK;
constexpr int kSeq = OMP_ERRCODE_SEQUENCE_ERR;
constexpr int kUnk = OMP_ERRCODE_UNKNOWN;

OCB_FRESH_TEST(Session, EveryRequestInEveryState) {
    constexpr int kNoRequest = -1;
    const struct {
        int request;
        int errors[static_cast<int>(When::kCount)];
    } rows[] = {
        // never started, started, paused, stopped, started again
        {OMP_REQ_REGISTER, {kSeq, kOk, kOk, kSeq, kOk}},
        {OMP_REQ_UNREGISTER, {kSeq, kOk, kOk, kSeq, kOk}},
        {OMP_REQ_STATE, {kSeq, kOk, kOk, kSeq, kOk}},
        {OMP_REQ_CURRENT_PRID, {kSeq, kOk, kOk, kSeq, kOk}},
        {OMP_REQ_PARENT_PRID, {kSeq, kOk, kOk, kSeq, kOk}},
        {OMP_REQ_STOP, {kSeq, kOk, kOk, kSeq, kOk}},
        {OMP_REQ_PAUSE, {kSeq, kOk, kOk, kSeq, kOk}},
        {OMP_REQ_RESUME, {kSeq, kOk, kOk, kSeq, kOk}},
        {OMP_REQ_TASK_ID, {kSeq, kOk, kOk, kSeq, kOk}},
        {OMP_REQ_TASK_PID, {kSeq, kOk, kOk, kSeq, kOk}},
        {OMP_REQ_LAST, {kUnk, kUnk, kUnk, kUnk, kUnk}},
        {kNoRequest, {kUnk, kUnk, kUnk, kUnk, kUnk}},
        // the last, as the first one that is accepted ends "never started"
        {OMP_REQ_START, {kOk, kSeq, kSeq, kOk, kSeq}},
    };
    for (int when = 0; when < static_cast<int>(When::kCount); ++when) {
        for (const auto &row : rows) {
            SCOPED_TRACE(testing::Message() << "request " << row.request << ", state " << when);
            bring_to(static_cast<When>(when));
            RequestList list;
            if (row.request == OMP_REQ_REGISTER) {
                list.add_register(OMP_EVENT_FORK, record);
            } else if (row.request == OMP_REQ_UNREGISTER) {
                list.add_unregister(OMP_EVENT_FORK);
            } else {
                list.add(row.request, kPackedMem);
            }
            EXPECT_EQ(list.send(), 0);
            EXPECT_EQ(list.error(0), row.errors[when]);
        }
    }
    request(OMP_REQ_STOP);
}

TEST(Session, MayBeginAgainAsOftenAsWanted) {
    request(OMP_REQ_STOP);
    for (int round = 0; round < 100; ++round) {
        ASSERT_EQ(request(OMP_REQ_START), kOk);
        ASSERT_EQ(request(OMP_REQ_STOP), kOk);
    }
}

TEST(Session, PauseAndResumeMayBeRepeated) {
    const Session session;
    EXPECT_EQ(request(OMP_REQ_RESUME), kOk);
    EXPECT_EQ(request(OMP_REQ_PAUSE), kOk);
    EXPECT_EQ(request(OMP_REQ_PAUSE), kOk);
    EXPECT_EQ(request(OMP_REQ_RESUME), kOk);
    EXPECT_EQ(request(OMP_REQ_RESUME), kOk);
}

TEST(Session, NumbersThatAreNoEventAreUnknown) {
    const Session session;
    for (const int event :
         {0, kLastTaskEvent + 1, -1, 63, 64, OMP_EVENT_THR_RESERVED_IMPL - 1, OMP_EVENT_LAST + 0}) {
        EXPECT_EQ(register_callback(event, record), kUnk) << event;
        EXPECT_EQ(register_callback(event, nullptr), kUnk) << event;
        EXPECT_EQ(unregister(event), kUnk) << event;
    }
}

TEST(Session, EveryEventThatCanComeIsAccepted) {
    const Session session;
    for (int event = kFirstEvent; event <= kLastTaskEvent; ++event) {
        EXPECT_EQ(register_callback(event, record),
                  is_never_delivered(event) ? OMP_ERRCODE_UNSUPPORTED : kOk)
            << name_of_event(event);
        EXPECT_EQ(unregister(event), kOk) << name_of_event(event);
    }
}

// OpenUH's validation client registers bytes that it never wrote.
TEST(Session, CallbackThatIsNoCodeIsAnError) {
    const Session session;
    static int in_data = 0;
    int on_stack = 0;
    const std::vector<int> on_heap(1);
    const std::uint64_t addresses[] = {1,
                                       0xA5A5A5A5A5A5A5A5U,
                                       ~0ULL,
                                       reinterpret_cast<std::uint64_t>(&in_data),
                                       reinterpret_cast<std::uint64_t>(&on_stack),
                                       reinterpret_cast<std::uint64_t>(on_heap.data())};
    for (const std::uint64_t address : addresses) {
        EXPECT_EQ(register_address(OMP_EVENT_FORK, address), OMP_ERRCODE_ERROR) << address;
    }
}

TEST(Session, UnregisteringWhatIsNotRegisteredIsFine) {
    const Session session;
    EXPECT_EQ(unregister(OMP_EVENT_FORK), kOk);
    EXPECT_EQ(register_callback(OMP_EVENT_FORK, record), kOk);
    EXPECT_EQ(unregister(OMP_EVENT_FORK), kOk);
    EXPECT_EQ(unregister(OMP_EVENT_FORK), kOk);
}

// Who was called last, in the tests of replaced callbacks.
int calls_of_first = 0, calls_of_second = 0;
void first_callback(OMP_COLLECTORAPI_EVENT) {
    ++calls_of_first;
}
void second_callback(OMP_COLLECTORAPI_EVENT) {
    ++calls_of_second;
}

void run_region() {
    FakeRegion region(1);
    region.begin_on_master();
    region.end_on_master();
}

// Runs a region and says how often each callback was called, as 10 * first + second.
int calls_in_region() {
    calls_of_first = calls_of_second = 0;
    run_region();
    return 10 * calls_of_first + calls_of_second;
}

TEST(Session, SecondRegistrationReplacesTheFirst) {
    const Scene scene;
    register_callback(OMP_EVENT_FORK, first_callback);
    EXPECT_EQ(calls_in_region(), 10);
    register_callback(OMP_EVENT_FORK, second_callback);
    EXPECT_EQ(calls_in_region(), 1);
}

TEST(Session, NullCallbackMeansNone) {
    const Scene scene;
    EXPECT_EQ(register_callback(OMP_EVENT_FORK, nullptr), kOk);
    EXPECT_EQ(calls_in_region(), 0);
    register_callback(OMP_EVENT_FORK, first_callback);
    EXPECT_EQ(calls_in_region(), 10);
    EXPECT_EQ(register_callback(OMP_EVENT_FORK, nullptr), kOk);
    EXPECT_EQ(calls_in_region(), 0);
}

TEST(Session, UnregisterEndsDelivery) {
    const Scene scene;
    register_callback(OMP_EVENT_FORK, first_callback);
    register_callback(OMP_EVENT_JOIN, second_callback);
    EXPECT_EQ(calls_in_region(), 11);
    unregister(OMP_EVENT_FORK);
    EXPECT_EQ(calls_in_region(), 1);
    unregister(OMP_EVENT_JOIN);
    EXPECT_EQ(calls_in_region(), 0);
}

// A page of code, as far as its protection goes.
class CodePage {
  public:
    CodePage() : page_(map(nullptr, PROT_READ | PROT_EXEC, 0)) {}
    ~CodePage() { munmap(page_, kSize); }
    CodePage(const CodePage &) = delete;
    CodePage &operator=(const CodePage &) = delete;

    [[nodiscard]] OMP_COLLECTORAPI_CALLBACK callback() const {
        return reinterpret_cast<OMP_COLLECTORAPI_CALLBACK>(page_);
    }
    // Other memory has the address from here on.
    void give_to_data() { map(page_, PROT_READ | PROT_WRITE, MAP_FIXED); }
    void give_to_code() { map(page_, PROT_READ | PROT_EXEC, MAP_FIXED); }

  private:
    static constexpr size_t kSize = 4096;
    static void *map(void *place, int protection, int flags) {
        return mmap(place, kSize, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    }
    void *page_;
};

TEST(Session, CodeOfACallbackIsKnownWhileItIsRegistered) {
    const Scene scene;
    CodePage page;
    EXPECT_EQ(register_callback(OMP_EVENT_FORK, page.callback()), kOk);
    unregister(OMP_EVENT_FORK);
    page.give_to_data();
    EXPECT_EQ(register_callback(OMP_EVENT_FORK, page.callback()), OMP_ERRCODE_ERROR);
    page.give_to_code();
    EXPECT_EQ(register_callback(OMP_EVENT_FORK, page.callback()), kOk);
    EXPECT_EQ(request(OMP_REQ_STOP), kOk);
    page.give_to_data();
    EXPECT_EQ(request(OMP_REQ_START), kOk);
    EXPECT_EQ(register_callback(OMP_EVENT_FORK, page.callback()), OMP_ERRCODE_ERROR);
}

TEST(Session, StopCancelsRegistrations) {
    const Scene scene;
    register_callback(OMP_EVENT_FORK, first_callback);
    EXPECT_EQ(calls_in_region(), 10);
    EXPECT_EQ(request(OMP_REQ_STOP), kOk);
    EXPECT_EQ(calls_in_region(), 0);
    EXPECT_EQ(request(OMP_REQ_START), kOk);
    EXPECT_EQ(calls_in_region(), 0);
    register_callback(OMP_EVENT_FORK, second_callback);
    EXPECT_EQ(calls_in_region(), 1);
}

TEST(Session, PauseHoldsEventsBackAndResumeLetsThemCome) {
    const Scene scene;
    register_callback(OMP_EVENT_FORK, first_callback);
    request(OMP_REQ_PAUSE);
    EXPECT_EQ(calls_in_region(), 0);
    request(OMP_REQ_RESUME);
    EXPECT_EQ(calls_in_region(), 10);
}

TEST(Session, RegistrationsArePossibleWhilePaused) {
    const Scene scene;
    request(OMP_REQ_PAUSE);
    EXPECT_EQ(register_callback(OMP_EVENT_FORK, first_callback), kOk);
    EXPECT_EQ(calls_in_region(), 0);
    request(OMP_REQ_RESUME);
    EXPECT_EQ(calls_in_region(), 10);
    request(OMP_REQ_PAUSE);
    EXPECT_EQ(unregister(OMP_EVENT_FORK), kOk);
    request(OMP_REQ_RESUME);
    EXPECT_EQ(calls_in_region(), 0);
}

TEST(Session, BeginsUnpaused) {
    const Scene scene;
    request(OMP_REQ_PAUSE);
    request(OMP_REQ_STOP);
    request(OMP_REQ_START);
    register_callback(OMP_EVENT_FORK, first_callback);
    EXPECT_EQ(calls_in_region(), 10);
}

TEST(Session, QueriesAreAnsweredWhilePaused) {
    const Scene scene;
    request(OMP_REQ_PAUSE);
    FakeRegion region(2);
    region.begin_on_master();
    EXPECT_EQ(state(), THR_WORK_STATE);
    EXPECT_NE(ocb::test::region(), 0U);
    EXPECT_EQ(parent(), 0U);
    region.end_on_master();
    EXPECT_EQ(state(), THR_SERIAL_STATE);
}

// omp_control_tool by the program acts on the session.
TEST(Session, ControlToolActsOnTheSession) {
    enum Command { kResume = 1, kPause, kFlush, kEnd };
    constexpr int kSuccess = 0, kIgnored = 1;
    const Scene scene;
    register_callback(OMP_EVENT_FORK, first_callback);
    EXPECT_EQ(control_tool(kPause), kSuccess);
    EXPECT_EQ(calls_in_region(), 0);
    EXPECT_EQ(control_tool(kResume), kSuccess);
    EXPECT_EQ(calls_in_region(), 10);
    EXPECT_EQ(control_tool(kFlush), kSuccess);
    EXPECT_EQ(calls_in_region(), 10);
    EXPECT_EQ(control_tool(kEnd + 1), kIgnored);
    EXPECT_EQ(control_tool(kEnd), kSuccess);
    EXPECT_EQ(request(OMP_REQ_STATE), kSeq);
    EXPECT_EQ(calls_in_region(), 0);
    EXPECT_EQ(control_tool(kResume), kIgnored);
}

} // namespace
} // namespace ocb::test
