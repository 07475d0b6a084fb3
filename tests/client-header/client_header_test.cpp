// SPDX-License-Identifier: Apache-2.0
// The client's header: the bytes of its lists against the contract's picture, what it reads out of
// answers wherever they lie, lists without room, lists of others, names, and its requests against
// the library, which has no runtime here. In C++ and, through in_c.h, in C.
#include "in_c.h"
#include "omp_collector_bridge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

void callback(OMP_COLLECTORAPI_EVENT /*event*/) {}

void append(Bytes &bytes, std::initializer_list<int> values) {
    for (const int value : values) {
        std::array<unsigned char, sizeof value> parts{};
        std::memcpy(parts.data(), &value, sizeof value);
        bytes.insert(bytes.end(), parts.begin(), parts.end());
    }
}

// REGISTER of JOIN and STATE, as the contract draws them.
Bytes two_requests_by_hand() {
    Bytes bytes;
    append(bytes, {28, 1, 0, 0, 2});
    const OMP_COLLECTORAPI_CALLBACK function = callback;
    std::array<unsigned char, sizeof function> address{};
    std::memcpy(address.data(), &function, sizeof function);
    bytes.insert(bytes.end(), address.begin(), address.end());
    append(bytes, {28, 3, 0, 0, 0, 0, 0});
    append(bytes, {0});
    return bytes;
}

TEST(ClientHeader, ListsAreThoseOfTheContract) {
    using Build = int (*)(char *, int, OMP_COLLECTORAPI_CALLBACK);
    for (const Build build : {Build(two_requests), Build(c_two_requests)}) {
        alignas(int) std::array<char, 128> memory{};
        memory.fill('\x5A');
        const int size = build(memory.data(), static_cast<int>(memory.size()), callback);
        const Bytes wanted = two_requests_by_hand();
        EXPECT_EQ(wanted, Bytes(memory.begin(), memory.begin() + size));
        EXPECT_TRUE(std::all_of(memory.begin() + size, memory.end(),
                                [](char byte) { return byte == '\x5A'; }));
    }
}

TEST(ClientHeader, TheNaturalLayoutLeavesAGap) {
    std::array<int, 16> memory{};
    omp_collector_list list = omp_collector_list_in(memory.data(), sizeof memory);
    const int record =
        omp_collector_add_register(&list, OMP_EVENT_FORK, callback, OMP_COLLECTOR_NATURAL_PAIR);
    EXPECT_EQ(memory[0], 32);
    EXPECT_EQ(memory[4], OMP_EVENT_FORK);
    EXPECT_EQ(memory[5], 0);
    OMP_COLLECTORAPI_CALLBACK found = nullptr;
    std::memcpy(&found, &memory[6], sizeof found);
    EXPECT_EQ(found, &callback);
    EXPECT_EQ(omp_collector_word_offset(&list, record), 8);
}

// On 4-byte boundaries that are no 8-byte boundaries; ubsan looks on.
TEST(ClientHeader, AnswersAreReadWhereverTheyLie) {
    for (const int places : {0, 1, 2, 3}) {
        std::array<int, 32> memory{};
        int *const first = memory.data() + places;
        omp_collector_list list = omp_collector_list_in(first, 100);
        const int state = omp_collector_add_state(&list);
        const int region = omp_collector_add_region(&list);
        omp_collector_put_int(&list, state, 0, THR_LKWT_STATE);
        omp_collector_put_word(&list, state, 4, 0x1122334455667788U);
        omp_collector_put_word(&list, region, 0, 0x99AABBCCDDEEFF01U);
        first[2] = OMP_ERRCODE_OK;
        first[3] = 12;
        EXPECT_EQ(omp_collector_state_in(&list, state), THR_LKWT_STATE);
        EXPECT_EQ(omp_collector_wait_id_in(&list, state), 0x1122334455667788U);
        EXPECT_EQ(omp_collector_region_in(&list, region), 0x99AABBCCDDEEFF01U);
        EXPECT_EQ(omp_collector_answer_size(&list, state), 12);
        std::uint64_t stored = 0;
        std::memcpy(&stored, first + 5, sizeof stored);
        EXPECT_EQ(stored, 0x1122334455667788U);
    }
}

TEST(ClientHeader, AStateWithoutAWaitIdShowsNone) {
    std::array<int, 8> memory{};
    omp_collector_list list = omp_collector_list_in(memory.data(), sizeof memory);
    const int state = omp_collector_add_state(&list);
    omp_collector_put_word(&list, state, 4, 77);
    for (int number = 0; number <= THR_LAST_STATE; ++number) {
        omp_collector_put_int(&list, state, 0, number);
        const bool waits = number == THR_IBAR_STATE || number == THR_EBAR_STATE ||
                           (number >= THR_LKWT_STATE && number <= THR_ATWT_STATE);
        EXPECT_EQ(omp_collector_wait_id_in(&list, state), waits ? 77U : 0U) << number;
    }
}

TEST(ClientHeader, AListWithoutRoomStaysAsItIs) {
    std::array<int, 10> memory{};
    memory.back() = 4711;
    omp_collector_list list = omp_collector_list_in(memory.data(), 9 * sizeof(int));
    const int first = omp_collector_add(&list, OMP_REQ_STOP, 0);
    EXPECT_EQ(first, 0);
    const int none = omp_collector_add(&list, OMP_REQ_STOP, 4);
    EXPECT_EQ(none, OMP_COLLECTOR_NO_RECORD);
    EXPECT_EQ(omp_collector_add_state(&list), OMP_COLLECTOR_NO_RECORD);
    EXPECT_EQ(omp_collector_add(&list, OMP_REQ_STOP, 0), 16);
    EXPECT_EQ(omp_collector_add(&list, OMP_REQ_STOP, 0), OMP_COLLECTOR_NO_RECORD);
    EXPECT_EQ(memory[8], 0);
    EXPECT_EQ(memory.back(), 4711);
    for (const int odd : {-4, 1, 2, 3, 6}) {
        EXPECT_EQ(omp_collector_add(&list, OMP_REQ_STOP, odd), OMP_COLLECTOR_NO_RECORD) << odd;
    }
    // What is asked of no record.
    EXPECT_EQ(omp_collector_error(&list, none), OMP_ERRCODE_MEM_TOO_SMALL);
    EXPECT_EQ(omp_collector_int_at(&list, none, 0), 0);
    EXPECT_EQ(omp_collector_region_in(&list, none), 0U);
    EXPECT_EQ(omp_collector_answer_size(&list, none), 0);
    omp_collector_put_word(&list, none, 0, 1);
    // What is asked behind the end of a record.
    EXPECT_EQ(omp_collector_mem(&list, first, 0, 4), nullptr);
    EXPECT_EQ(omp_collector_word_at(&list, first, 0), 0U);
}

TEST(ClientHeader, AListOfOthersIsReadToItsEnd) {
    std::array<int, 64> memory{};
    omp_collector_list own = omp_collector_list_in(memory.data(), sizeof memory);
    omp_collector_add(&own, OMP_REQ_START, 0);
    omp_collector_add_state(&own);
    omp_collector_add_region(&own);
    const omp_collector_list list{reinterpret_cast<char *>(memory.data()), sizeof memory, 0};
    std::vector<int> requests;
    for (int record = omp_collector_next(&list, OMP_COLLECTOR_NO_RECORD); record >= 0;
         record = omp_collector_next(&list, record)) {
        requests.push_back(omp_collector_request_of(&list, record));
    }
    EXPECT_EQ(requests, (std::vector<int>{OMP_REQ_START, OMP_REQ_STATE, OMP_REQ_CURRENT_PRID}));
}

TEST(ClientHeader, AMalformedListEndsThere) {
    for (const int size :
         {-16, -4, 1, 4, 15, 17, 18, 30, 52, OMP_COLLECTOR_MAX_RECORD + 4, 1 << 30}) {
        std::array<int, 16> memory{16, OMP_REQ_STOP, 0, 0, size};
        const omp_collector_list list{reinterpret_cast<char *>(memory.data()), sizeof memory, 0};
        const int first = omp_collector_next(&list, OMP_COLLECTOR_NO_RECORD);
        EXPECT_EQ(first, 0);
        EXPECT_EQ(omp_collector_next(&list, first), OMP_COLLECTOR_NO_RECORD) << size;
    }
    // A record that reaches to the end of the memory has nothing behind it.
    std::array<int, 4> whole{16, OMP_REQ_STOP, 0, 0};
    const omp_collector_list list{reinterpret_cast<char *>(whole.data()), sizeof whole, 0};
    EXPECT_EQ(omp_collector_next(&list, omp_collector_next(&list, OMP_COLLECTOR_NO_RECORD)),
              OMP_COLLECTOR_NO_RECORD);
}

// The library's own names, which have a prefix and an ending.
TEST(ClientHeader, NamesAreThoseOfTheContract) {
    std::size_t count = 0;
    const omp_collector_bridge_capability *rows = omp_collector_bridge_capabilities(&count);
    ASSERT_GT(count, 40U);
    for (std::size_t i = 0; i < count; ++i) {
        if (rows[i].number >= OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED) {
            continue; // the bridge's own
        }
        std::string wanted = rows[i].name;
        for (const std::string prefix : {"OMP_REQ_", "OMP_EVENT_", "THR_"}) {
            if (wanted.rfind(prefix, 0) == 0) {
                wanted.erase(0, prefix.size());
            }
        }
        if (rows[i].kind == OMP_COLLECTOR_BRIDGE_STATE) {
            wanted.erase(wanted.rfind("_STATE"));
        }
        const std::string in_c = c_names(rows[i].kind, rows[i].number);
        EXPECT_EQ(in_c, wanted);
        constexpr const char *(*kNames[])(int) = {
            omp_collector_request_name, omp_collector_event_name, omp_collector_state_name};
        EXPECT_EQ(in_c, kNames[rows[i].kind](rows[i].number));
    }
    EXPECT_STREQ(omp_collector_error_name(OMP_ERRCODE_OK), "OK");
    EXPECT_STREQ(omp_collector_error_name(OMP_ERRCODE_SEQUENCE_ERR), "SEQUENCE_ERR");
    EXPECT_STREQ(omp_collector_error_name(OMP_ERRCODE_MEM_TOO_SMALL), "MEM_TOO_SMALL");
    EXPECT_STREQ(omp_collector_error_name(OMP_COLLECTOR_NO_CALL), "no call");
    for (int kind = 0; kind < 4; ++kind) {
        for (const int number : {-2, 36, 4096, 1 << 30}) {
            EXPECT_STREQ(c_names(kind, number), "?") << kind << " " << number;
        }
    }
    EXPECT_STREQ(omp_collector_event_name(0), "?");
    EXPECT_STREQ(omp_collector_state_name(0), "?");
}

int refuses(void * /*list*/) {
    return -1;
}

TEST(ClientHeader, WithoutAProducerThereIsNoCall) {
    for (const OMP_COLLECTOR_API_FUNCTION api : {OMP_COLLECTOR_API_FUNCTION(nullptr), &refuses}) {
        EXPECT_EQ(omp_collector_request(api, OMP_REQ_START), OMP_COLLECTOR_NO_CALL);
        EXPECT_EQ(omp_collector_register(api, 1, callback), OMP_COLLECTOR_NO_CALL);
        EXPECT_EQ(omp_collector_unregister(api, 1), OMP_COLLECTOR_NO_CALL);
        EXPECT_EQ(omp_collector_register_range(api, 1, 22, callback), 0);
        const omp_collector_thread_answer answer = c_ask_thread(api);
        EXPECT_EQ(answer.state_error, OMP_COLLECTOR_NO_CALL);
        EXPECT_EQ(answer.region_error, OMP_COLLECTOR_NO_CALL);
        EXPECT_EQ(answer.state, 0);
    }
}

// The library with no runtime in the process: serial code.
TEST(ClientHeader, TheLibraryUnderstandsIt) {
    const OMP_COLLECTOR_API_FUNCTION api = __omp_collector_api;
    EXPECT_EQ(omp_collector_request(api, OMP_REQ_PAUSE), OMP_ERRCODE_SEQUENCE_ERR);
    ASSERT_EQ(omp_collector_request(api, OMP_REQ_START), OMP_ERRCODE_OK);
    EXPECT_EQ(omp_collector_register_range(api, 1, OMP_EVENT_THR_END_ATWT, callback), 22);
    EXPECT_EQ(omp_collector_register(api, 4000, callback), OMP_ERRCODE_UNKNOWN);
    EXPECT_EQ(omp_collector_unregister(api, OMP_EVENT_FORK), OMP_ERRCODE_OK);
    for (const omp_collector_thread_answer &answer :
         {omp_collector_ask_thread(api), c_ask_thread(api)}) {
        EXPECT_EQ(answer.state_error, OMP_ERRCODE_OK);
        EXPECT_EQ(answer.state, THR_SERIAL_STATE);
        EXPECT_EQ(answer.wait_id, 0U);
        EXPECT_EQ(answer.region_error, OMP_ERRCODE_OK);
        EXPECT_EQ(answer.region, 0U);
    }
    std::uint64_t parent = 1;
    EXPECT_EQ(omp_collector_ask_word(api, OMP_REQ_PARENT_PRID, &parent), OMP_ERRCODE_OK);
    EXPECT_EQ(parent, 0U);
    int task = 0;
    EXPECT_EQ(omp_collector_ask_int(api, OMP_REQ_TASK_ID, &task), OMP_ERRCODE_OK);
    EXPECT_EQ(task, -1);
    EXPECT_EQ(omp_collector_request(api, OMP_REQ_STOP), OMP_ERRCODE_OK);
    EXPECT_EQ(omp_collector_ask_thread(api).state_error, OMP_ERRCODE_SEQUENCE_ERR);
}

} // namespace
