// SPDX-License-Identifier: Apache-2.0
// Every request with every size of mem, in a state with a wait id and in one without: error code,
// rsz, and exactly which bytes are written.
#include "scene.h"

namespace ocb::test {
namespace {

// mem[first, last) is written.
struct Bytes {
    int first, last;
};
struct Expected {
    int error;
    int return_size;
    Bytes written[2];
};
constexpr Bytes kNothing{0, 0};

Expected expected_of_state(int mem, bool waits) {
    if (mem < 4) {
        return {OMP_ERRCODE_MEM_TOO_SMALL, 12, {kNothing, kNothing}};
    }
    if (!waits) {
        return {OMP_ERRCODE_OK, 4, {{0, 4}, kNothing}};
    }
    if (mem < kPackedMem) {
        return {OMP_ERRCODE_MEM_TOO_SMALL, 12, {{0, 4}, kNothing}};
    }
    if (mem < kNaturalMem) {
        return {OMP_ERRCODE_OK, 12, {{0, 4}, {4, 12}}};
    }
    return {OMP_ERRCODE_OK, 16, {{0, 4}, {8, 16}}};
}

Expected expected_of_id(int mem) {
    if (mem < 8) {
        return {OMP_ERRCODE_MEM_TOO_SMALL, 8, {kNothing, kNothing}};
    }
    return {OMP_ERRCODE_OK, 8, {{0, 8}, kNothing}};
}

Expected expected_of_task(int mem) {
    if (mem < 4) {
        return {OMP_ERRCODE_MEM_TOO_SMALL, 4, {kNothing, kNothing}};
    }
    return {OMP_ERRCODE_OK, 4, {{0, 4}, kNothing}};
}

Expected expected_of_input(int mem, int needed) {
    if (mem < needed) {
        return {OMP_ERRCODE_MEM_TOO_SMALL, needed, {kNothing, kNothing}};
    }
    return {OMP_ERRCODE_OK, 0, {kNothing, kNothing}};
}

Expected expected_of(int number, int mem, bool waits) {
    switch (number) {
    case OMP_REQ_STATE:
        return expected_of_state(mem, waits);
    case OMP_REQ_CURRENT_PRID:
    case OMP_REQ_PARENT_PRID:
        return expected_of_id(mem);
    case OMP_REQ_TASK_ID:
    case OMP_REQ_TASK_PID:
        return expected_of_task(mem);
    case OMP_REQ_REGISTER:
        return expected_of_input(mem, kPackedMem);
    case OMP_REQ_UNREGISTER:
        return expected_of_input(mem, 4);
    case OMP_REQ_START:
        return {OMP_ERRCODE_SEQUENCE_ERR, 0, {kNothing, kNothing}};
    default: // PAUSE, RESUME
        return {OMP_ERRCODE_OK, 0, {kNothing, kNothing}};
    }
}

bool is_input(int number, int mem, int at) {
    if (number == OMP_REQ_UNREGISTER) {
        return at < 4;
    }
    if (number != OMP_REQ_REGISTER) {
        return false;
    }
    const int word = mem >= kNaturalMem ? 8 : 4;
    return at < 4 || (mem >= kPackedMem && at >= word && at < word + 8);
}

void expect_sizes(bool waits) {
    constexpr int kRequests[] = {OMP_REQ_REGISTER,     OMP_REQ_UNREGISTER,  OMP_REQ_STATE,
                                 OMP_REQ_CURRENT_PRID, OMP_REQ_PARENT_PRID, OMP_REQ_PAUSE,
                                 OMP_REQ_RESUME,       OMP_REQ_START,       OMP_REQ_TASK_ID,
                                 OMP_REQ_TASK_PID};
    for (const int number : kRequests) {
        for (const int mem : {0, 4, 8, 12, 16, 20, 24, 28, 64}) {
            for (const std::size_t offset : {0, 4}) {
                SCOPED_TRACE(testing::Message() << "request " << number << ", mem " << mem
                                                << (waits ? ", waiting" : ", not waiting"));
                RequestList list(offset);
                if (number == OMP_REQ_REGISTER) {
                    list.add_register(OMP_EVENT_FORK, record, mem);
                } else {
                    list.add(number, mem);
                }
                if (number == OMP_REQ_UNREGISTER && mem >= 4) {
                    list.set_mem<int>(0, 0, OMP_EVENT_FORK);
                }
                ASSERT_EQ(list.send(), 0);
                const Expected expected = expected_of(number, mem, waits);
                EXPECT_EQ(list.error(0), expected.error);
                EXPECT_EQ(list.return_size(0), expected.return_size);
                for (int at = 0; at < mem; ++at) {
                    const auto byte = static_cast<std::size_t>(at);
                    bool is_written = is_input(number, mem, at);
                    for (const Bytes &bytes : expected.written) {
                        is_written |= at >= bytes.first && at < bytes.last;
                    }
                    if (!is_written) {
                        EXPECT_TRUE(list.mem_is_untouched(0, byte, byte + 1)) << "mem+" << at;
                    }
                }
                for (const Bytes &bytes : expected.written) {
                    if (bytes.first != bytes.last) {
                        EXPECT_FALSE(list.mem_is_untouched(0, static_cast<std::size_t>(bytes.first),
                                                           static_cast<std::size_t>(bytes.last)));
                    }
                }
                EXPECT_TRUE(list.surroundings_are_untouched());
            }
        }
    }
}

TEST(RequestSize, InAStateWithoutWaitId) {
    const Scene scene;
    expect_sizes(false);
}

TEST(RequestSize, InAStateWithWaitId) {
    const Scene scene;
    FakeRegion region(2);
    region.begin_on_master();
    barrier_begins(Barrier::kExplicit);
    expect_sizes(true);
    barrier_ends(Barrier::kExplicit);
    region.end_on_master();
}

TEST(RequestSize, PackedAndNaturalLayoutsCarryTheSameWaitId) {
    const Scene scene;
    FakeRegion region(2);
    region.begin_on_master();
    state(); // from here on barriers are observed
    barrier_begins(Barrier::kExplicit);
    RequestList list(4);
    const std::size_t packed = list.add(OMP_REQ_STATE, kPackedMem);
    const std::size_t natural = list.add(OMP_REQ_STATE, kNaturalMem);
    ASSERT_EQ(list.send(), 0);
    EXPECT_EQ(list.mem<int>(packed, 0), THR_EBAR_STATE);
    EXPECT_EQ(list.mem<int>(natural, 0), THR_EBAR_STATE);
    EXPECT_NE(list.mem<std::uint64_t>(packed, 4), 0U);
    EXPECT_EQ(list.mem<std::uint64_t>(packed, 4), list.mem<std::uint64_t>(natural, 8));
    barrier_ends(Barrier::kExplicit);
    region.end_on_master();
}

TEST(RequestSize, ErrorsReturnNoSize) {
    request(OMP_REQ_STOP);
    const auto expect_error = [](RequestList &list, int error) {
        ASSERT_EQ(list.send(), 0);
        EXPECT_EQ(list.error(0), error);
        EXPECT_EQ(list.return_size(0), 0);
    };
    RequestList too_early;
    too_early.add(OMP_REQ_STATE, kPackedMem);
    expect_error(too_early, OMP_ERRCODE_SEQUENCE_ERR);
    EXPECT_TRUE(too_early.mem_is_untouched(0, 0, kPackedMem));

    const Session session;
    RequestList unknown_request;
    unknown_request.add(OMP_REQ_LAST, kPackedMem);
    expect_error(unknown_request, OMP_ERRCODE_UNKNOWN);
    EXPECT_TRUE(unknown_request.mem_is_untouched(0, 0, kPackedMem));

    RequestList unknown_event;
    unknown_event.add_register(kLastTaskEvent + 1, record);
    expect_error(unknown_event, OMP_ERRCODE_UNKNOWN);

    RequestList second_start;
    second_start.add(OMP_REQ_START);
    expect_error(second_start, OMP_ERRCODE_SEQUENCE_ERR);

    FakeThread thread; // knows nothing of OpenMP
    thread.run([&] {
        RequestList not_master;
        not_master.add(OMP_REQ_PARENT_PRID, 8);
        expect_error(not_master, OMP_ERRCODE_THREAD_ERR);
        EXPECT_TRUE(not_master.mem_is_untouched(0, 0, 8));
    });
}

} // namespace
} // namespace ocb::test
