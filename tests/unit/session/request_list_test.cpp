// SPDX-License-Identifier: Apache-2.0
// The walk over the packed list: where it begins, where it ends, what ends it early, and which
// bytes of the collector's memory it leaves alone. No runtime.
#include "base/compiler.h"
#include "events/session.h"
#include "fresh_process.h"
#include "scene.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <memory>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ocb::test {
namespace {

constexpr int kMalformed = -1;

TEST(RequestList, NullIsRefused) {
    EXPECT_EQ(__omp_collector_api(nullptr), kMalformed);
}

TEST(RequestList, EmptyListIsDone) {
    RequestList list;
    EXPECT_EQ(list.send(), 0);
    EXPECT_TRUE(list.surroundings_are_untouched());
}

TEST(RequestList, MisalignedListIsLeftAlone) {
    const Session session;
    for (const std::size_t offset : {1, 2, 3, 5, 6, 7}) {
        SCOPED_TRACE(offset);
        RequestList list(offset);
        const std::size_t state = list.add(OMP_REQ_STATE, kPackedMem);
        EXPECT_EQ(list.send(), kMalformed);
        EXPECT_EQ(list.error(state), RequestList::kGuardInt);
        EXPECT_TRUE(list.mem_is_untouched(state, 0, kPackedMem));
    }
}

TEST(RequestList, FourByteAlignmentIsEnough) {
    const Session session;
    for (const std::size_t offset : {0, 4, 8, 12}) {
        SCOPED_TRACE(offset);
        RequestList list(offset);
        const std::size_t state = list.add(OMP_REQ_STATE, kPackedMem);
        const std::size_t region = list.add(OMP_REQ_CURRENT_PRID, 8);
        EXPECT_EQ(list.send(), 0);
        EXPECT_EQ(list.error(state), OMP_ERRCODE_OK);
        EXPECT_EQ(list.error(region), OMP_ERRCODE_OK);
        EXPECT_EQ(list.mem<std::uint64_t>(region, 0), 0U);
        EXPECT_TRUE(list.surroundings_are_untouched());
    }
}

TEST(RequestList, MalformedSizeEndsTheListThere) {
    const Session session;
    const int sizes[] = {1,  2,   4,   8,       12,      15,          17,
                         18, 19,  21,  22,      23,      30,          -1,
                         -4, -16, -20, INT_MIN, INT_MAX, INT_MAX - 3, OMP_COLLECTOR_MAX_RECORD + 4};
    for (const int size : sizes) {
        SCOPED_TRACE(size);
        RequestList list;
        const std::size_t before = list.add(OMP_REQ_STATE, 4);
        const std::size_t bad = list.add(OMP_REQ_STATE, 4);
        const std::size_t behind = list.add(OMP_REQ_STATE, 4);
        list.set_size(bad, size);
        EXPECT_EQ(list.send(), kMalformed);
        EXPECT_EQ(list.error(before), OMP_ERRCODE_OK);
        EXPECT_EQ(list.mem<int>(before, 0), THR_SERIAL_STATE);
        for (const std::size_t untouched : {bad, behind}) {
            EXPECT_EQ(list.error(untouched), RequestList::kGuardInt);
            EXPECT_EQ(list.return_size(untouched), RequestList::kGuardInt);
            EXPECT_TRUE(list.mem_is_untouched(untouched, 0, 4));
        }
        EXPECT_TRUE(list.surroundings_are_untouched());
    }
}

TEST(RequestList, LargestRecordIsCarriedOut) {
    const Session session;
    constexpr std::size_t kInts = OMP_COLLECTOR_MAX_RECORD / sizeof(int) + 1;
    const auto list = std::make_unique<int[]>(kInts);
    list[0] = OMP_COLLECTOR_MAX_RECORD;
    list[1] = OMP_REQ_STATE;
    list[2] = RequestList::kGuardInt;
    EXPECT_EQ(__omp_collector_api(list.get()), 0);
    EXPECT_EQ(list[2], OMP_ERRCODE_OK);
    EXPECT_EQ(list[4], THR_SERIAL_STATE);
}

TEST(RequestList, RequestsAreCarriedOutInOrderAndOnTheirOwn) {
    request(OMP_REQ_STOP);
    const struct {
        int request;
        int error;
    } rows[] = {
        {OMP_REQ_STATE, OMP_ERRCODE_SEQUENCE_ERR},
        {OMP_REQ_START, OMP_ERRCODE_OK},
        {OMP_REQ_START, OMP_ERRCODE_SEQUENCE_ERR},
        {OMP_REQ_STATE, OMP_ERRCODE_OK},
        {OMP_REQ_LAST, OMP_ERRCODE_UNKNOWN},
        {OMP_REQ_PAUSE, OMP_ERRCODE_OK},
        {-1, OMP_ERRCODE_UNKNOWN},
        {OMP_REQ_RESUME, OMP_ERRCODE_OK},
        {INT_MAX, OMP_ERRCODE_UNKNOWN},
        {INT_MIN, OMP_ERRCODE_UNKNOWN},
        {OMP_REQ_STOP, OMP_ERRCODE_OK},
        {OMP_REQ_STATE, OMP_ERRCODE_SEQUENCE_ERR},
        {OMP_REQ_START, OMP_ERRCODE_OK},
        {OMP_REQ_STOP, OMP_ERRCODE_OK},
    };
    RequestList list;
    for (const auto &row : rows) {
        list.add(row.request, kPackedMem);
    }
    EXPECT_EQ(list.send(), 0);
    std::size_t index = 0;
    for (const auto &row : rows) {
        EXPECT_EQ(list.error(index++), row.error) << "record " << index - 1;
    }
}

#ifndef OCB_THREAD_SANITIZER // which finds the race that the collector is guilty of
// Another thread changes the size of a record that is being carried out: a callback does so, which
// STOP waits for.
constinit std::array<int, 8> changing_list{};
std::atomic<bool> list_callback_has_begun;

void change_size_when_stopped(OMP_COLLECTORAPI_EVENT) {
    list_callback_has_begun = true;
    while (session::is_started()) {
        sched_yield();
    }
    __atomic_store_n(changing_list.data(), INT_MIN, __ATOMIC_SEQ_CST);
}

OCB_FRESH_TEST(RequestList, SizeIsReadOnce) {
    const Scene scene;
    register_callback(OMP_EVENT_FORK, change_size_when_stopped);
    UserThread thread;
    thread.begin([] {
        FakeRegion region(1);
        region.begin_on_master();
        region.end_on_master();
    });
    while (!list_callback_has_begun) {
        sched_yield();
    }
    changing_list = {OMP_COLLECTOR_HEADER_SIZE, OMP_REQ_STOP, -1, -1, 0};
    EXPECT_EQ(__omp_collector_api(changing_list.data()), 0);
    EXPECT_EQ(changing_list[0], INT_MIN);
    EXPECT_EQ(changing_list[2], OMP_ERRCODE_OK);
    thread.done();
}
#endif

// TAU's batch: 35 registrations of 28 bytes; sent again as it is.
TEST(RequestList, BatchOfPackedRegistrations) {
    const Session session;
    for (const std::size_t offset : {0, 4}) {
        SCOPED_TRACE(offset);
        RequestList list(offset);
        for (int event = 1; event <= kLastTaskEvent; ++event) {
            list.add_register(event, record);
        }
        for (int round = 0; round < 2; ++round) {
            EXPECT_EQ(list.send(), 0);
            for (int event = 1; event <= kLastTaskEvent; ++event) {
                const auto index = static_cast<std::size_t>(event - 1);
                EXPECT_EQ(list.error(index),
                          is_never_delivered(event) ? OMP_ERRCODE_UNSUPPORTED : OMP_ERRCODE_OK)
                    << event;
                EXPECT_EQ(list.return_size(index), 0) << event;
            }
        }
        EXPECT_TRUE(list.surroundings_are_untouched());
    }
}

// Two pages of which the second cannot be touched; a list's last byte is the first one's last.
class ListAtTheEndOfMemory {
  public:
    ListAtTheEndOfMemory() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
        memory_ = static_cast<unsigned char *>(
            mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        EXPECT_EQ(mprotect(memory_ + page_, page_, PROT_NONE), 0);
    }
    ~ListAtTheEndOfMemory() { munmap(memory_, 2 * page_); }
    ListAtTheEndOfMemory(const ListAtTheEndOfMemory &) = delete;
    ListAtTheEndOfMemory &operator=(const ListAtTheEndOfMemory &) = delete;

    int *place(const std::vector<int> &list) {
        int *first = static_cast<int *>(static_cast<void *>(memory_ + page_)) - list.size();
        for (std::size_t i = 0; i < list.size(); ++i) {
            first[i] = list[i];
        }
        return first;
    }

  private:
    std::size_t page_;
    unsigned char *memory_;
};

TEST(RequestList, NothingIsTouchedBehindTheLastInt) {
    const Session session;
    ListAtTheEndOfMemory memory;
    const struct {
        const char *name;
        std::vector<int> list;
        int result;
    } rows[] = {
        {"empty", {0}, 0},
        {"no mem", {16, OMP_REQ_PAUSE, 0, 0, 0}, 0},
        {"state alone", {20, OMP_REQ_STATE, 0, 0, 0, 0}, 0},
        {"packed state", {28, OMP_REQ_STATE, 0, 0, 0, 0, 0, 0}, 0},
        {"natural state", {32, OMP_REQ_STATE, 0, 0, 0, 0, 0, 0, 0}, 0},
        {"region in 4 bytes", {20, OMP_REQ_CURRENT_PRID, 0, 0, 0, 0}, 0},
        {"parent in 4 bytes", {20, OMP_REQ_PARENT_PRID, 0, 0, 0, 0}, 0},
        {"region", {24, OMP_REQ_CURRENT_PRID, 0, 0, 0, 0, 0}, 0},
        {"registration in 4 bytes", {20, OMP_REQ_REGISTER, 0, 0, OMP_EVENT_FORK, 0}, 0},
        {"registration", {28, OMP_REQ_REGISTER, 0, 0, OMP_EVENT_FORK, 0, 0, 0}, 0},
        {"unregistration without event", {16, OMP_REQ_UNREGISTER, 0, 0, 0}, 0},
        {"unregistration", {20, OMP_REQ_UNREGISTER, 0, 0, OMP_EVENT_FORK, 0}, 0},
        {"bad size in the last int", {8}, kMalformed},
        {"garbage in the last int", {16, OMP_REQ_STATE, 0, 0, -1}, kMalformed},
        {"size too large in the last int", {0x10004}, kMalformed},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(__omp_collector_api(memory.place(row.list)), row.result);
    }
}

TEST(RequestList, GarbageBehindAMissingTerminatorIsNoRecord) {
    const Session session;
    for (const int garbage : {-1, 1, 0x7F454C46, 0x25252524, INT_MIN, 0x21, 0x00010010}) {
        SCOPED_TRACE(garbage);
        RequestList list;
        const std::size_t state = list.add(OMP_REQ_STATE, kPackedMem);
        list.add_int(garbage);
        EXPECT_EQ(list.send_without_terminator(), kMalformed);
        EXPECT_EQ(list.error(state), OMP_ERRCODE_OK);
        EXPECT_EQ(list.mem<int>(state, 0), THR_SERIAL_STATE);
    }
}

TEST(RequestList, ErrnoIsKept) {
    constexpr int kErrno = 4711;
    request(OMP_REQ_STOP);
    const auto expect_kept = [&](int number) {
        RequestList list;
        list.add(number, kPackedMem);
        errno = kErrno;
        list.send();
        const int after = errno;
        EXPECT_EQ(after, kErrno) << "request " << number;
    };
    for (int number = -1; number <= OMP_REQ_LAST; ++number) {
        expect_kept(number);
    }
    expect_kept(OMP_REQ_STOP);
    const Session session;
    errno = kErrno;
    register_address(OMP_EVENT_FORK, 1); // looks for the address, in a file
    EXPECT_EQ(errno, kErrno);
    errno = kErrno;
    EXPECT_EQ(__omp_collector_api(nullptr), kMalformed);
    EXPECT_EQ(errno, kErrno);
}

} // namespace
} // namespace ocb::test
