// SPDX-License-Identifier: Apache-2.0
// Each client's replay against the library in this process, on the fake runtime: every event, in
// states with a wait id and without, from buffers at the end of memory and in the middle of a heap.
// And the replay against providers with a fault each, to see that it notices.
#include "replay.h"

#include "scene.h"

#include <cstring>

namespace ocb::test {
namespace {

using clients::Client;
using clients::Place;
using clients::ThreadMessages;

// The client whose callbacks run, and what its calling thread keeps.
const Client *current = nullptr;
thread_local ThreadMessages *messages = nullptr;
thread_local std::string heard;
constexpr std::uint64_t kClientsLock = 0x7A0;

// What TAU does in each callback: its own lock, the region's id, the task's at EXEC.
void on_event(OMP_COLLECTORAPI_EVENT event) {
    heard += std::string(heard.empty() ? "" : " ") + name_of_event(event);
    if (current->locks) {
        take_mutex(ompt5::ompt_mutex_lock, kClientsLock);
        mutex_released(ompt5::ompt_mutex_lock, kClientsLock);
    }
    messages->ask_region(__omp_collector_api);
    messages->ask_state(__omp_collector_api);
    if (current->asks_tasks && event == OMP_EVENT_THR_BEGIN_EXEC_TASK) {
        EXPECT_GE(messages->ask_task(__omp_collector_api), 1);
    }
}

std::string take_heard() {
    std::string taken;
    taken.swap(heard);
    return taken;
}

// No terminator: what glibc's heap may hold there.
constexpr int kBehind[] = {0, 0x21, -1, 1, 0x25252524, 0x7F454C46};

struct Row {
    const Client *client;
    Place place;
    int behind;
};

void PrintTo(const Row &row, std::ostream *out) {
    *out << row.client->name << (row.place == Place::kHeap ? " heap" : " end of memory")
         << " behind " << row.behind;
}

std::vector<Row> all_rows() {
    std::vector<Row> all;
    for (std::size_t i = 0; i < clients::kClientCount; ++i) {
        for (const Place place : {Place::kEndOfMemory, Place::kHeap}) {
            for (const int behind : kBehind) {
                if (behind == 0 || clients::kClients[i].state_end == clients::StateEnd::kMissing) {
                    all.push_back({&clients::kClients[i], place, behind});
                }
            }
        }
    }
    return all;
}

class Replay : public testing::TestWithParam<Row> {
  protected:
    void SetUp() override {
        clients::forget_complaints();
        current = &client();
        ASSERT_TRUE(kept_.allocate(client(), GetParam().place, GetParam().behind));
        messages = &kept_;
    }
    void TearDown() override {
        EXPECT_STREQ(clients::first_complaint(), "");
        messages = nullptr;
        kept_.free();
        take_heard();
        request(OMP_REQ_STOP);
    }

    [[nodiscard]] const Client &client() const { return *GetParam().client; }
    [[nodiscard]] bool hears_tasks() const { return client().last_event >= kLastTaskEvent; }
    [[nodiscard]] bool hears() const { return client().callback == clients::Callback::kWritten; }

    int begin(std::uint64_t garbage = 0) {
        return clients::begin(client(), __omp_collector_api, on_event, garbage);
    }
    int ask_state() { return kept_.ask_state(__omp_collector_api); }

  private:
    ThreadMessages kept_;
};

INSTANTIATE_TEST_SUITE_P(Of, Replay, testing::ValuesIn(all_rows()));

TEST_P(Replay, GetsItsEventsAndAnswers) {
    constexpr std::uint64_t kCritical = 0xC817;
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    ASSERT_EQ(begin(), OMP_ERRCODE_OK);
    EXPECT_EQ(ask_state(), THR_SERIAL_STATE);
    EXPECT_EQ(messages->ask_region(__omp_collector_api), 0U);

    FakeRegion region(2);
    region.begin_on_master();
    EXPECT_EQ(ask_state(), THR_WORK_STATE);
    EXPECT_GE(messages->ask_region(__omp_collector_api), 1U);
    messages->ask_region_in_4_bytes(__omp_collector_api);
    EXPECT_EQ(take_heard(), hears() ? "FORK" : "");

    barrier_begins(Barrier::kExplicit);
    EXPECT_EQ(ask_state(), THR_EBAR_STATE);
    EXPECT_EQ(ask_state(), THR_EBAR_STATE); // with ec and rsz of the last time
    barrier_ends(Barrier::kExplicit);
    EXPECT_EQ(ask_state(), THR_WORK_STATE);
    EXPECT_EQ(take_heard(), hears() ? "BEGIN_EBAR END_EBAR" : "");

    UserThread holder;
    holder.run([] { take_mutex(ompt5::ompt_mutex_critical, kCritical); });
    mutex_acquire(ompt5::ompt_mutex_critical, kCritical);
    EXPECT_EQ(ask_state(), THR_CTWT_STATE);
    holder.run([] { mutex_released(ompt5::ompt_mutex_critical, kCritical); });
    mutex_acquired(ompt5::ompt_mutex_critical, kCritical);
    mutex_released(ompt5::ompt_mutex_critical, kCritical);
    EXPECT_EQ(take_heard(), hears() ? "BEGIN_CTWT END_CTWT" : "");

    FakeTask task;
    task_created(task);
    EXPECT_EQ(take_heard(), hears_tasks() ? "BEGIN_CREATE_TASK END_CREATE_TASK_DEL" : "");
    task_starts(task);
    EXPECT_EQ(take_heard(), hears_tasks() ? "BEGIN_EXEC_TASK" : "");
    if (client().asks_tasks) {
        EXPECT_GE(messages->ask_task(__omp_collector_api), 1);
    }
    task_completes(task);
    EXPECT_EQ(take_heard(), hears_tasks() ? "BEGIN_FINISH_TASK END_FINISH_TASK" : "");
    if (client().asks_tasks) {
        EXPECT_EQ(messages->ask_task(__omp_collector_api), -1);
    }

    region.end_on_master();
    EXPECT_EQ(take_heard(), hears() ? "BEGIN_IBAR END_IBAR JOIN" : "");
    clients::end(client(), __omp_collector_api);
}

TEST_P(Replay, OnceMoreAfterItsEnd) {
    const Scene scene(Flavour::kLibomp14, Begin::kWithoutSession);
    for (int round = 0; round < 3; ++round) {
        ASSERT_EQ(begin(), OMP_ERRCODE_OK);
        EXPECT_EQ(ask_state(), THR_SERIAL_STATE);
        FakeRegion region(1);
        region.begin_on_master();
        region.end_on_master();
        EXPECT_EQ(take_heard(), hears() ? "FORK JOIN" : "");
        clients::end(client(), __omp_collector_api);
        request(OMP_REQ_STOP); // for those that do not
    }
}

// Clients that do not write the callback: what lies there is never called, wherever it points.
class UnwrittenCallback : public Replay {};

std::vector<Row> rows_without_callback() {
    std::vector<Row> rows = all_rows();
    std::erase_if(
        rows, [](const Row &row) { return row.client->callback == clients::Callback::kWritten; });
    return rows;
}
INSTANTIATE_TEST_SUITE_P(Of, UnwrittenCallback, testing::ValuesIn(rows_without_callback()));

TEST_P(UnwrittenCallback, IsNeverCalled) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    static int in_data = 0;
    for (const std::uint64_t garbage :
         {std::uint64_t{0xA5A5A5A5A5A5A5A5}, std::uint64_t{0x21}, ~std::uint64_t{0},
          reinterpret_cast<std::uint64_t>(&in_data)}) {
        ASSERT_EQ(begin(garbage), OMP_ERRCODE_OK);
        FakeRegion region(2);
        region.begin_on_master();
        region.end_on_master();
        clients::end(client(), __omp_collector_api);
    }
    EXPECT_EQ(take_heard(), "");
}

// Providers that do one thing wrong, around the library.
int too_far(void *list) {
    const int result = __omp_collector_api(list);
    unsigned char *byte = static_cast<unsigned char *>(list) - 1;
    *byte ^= 1;
    return result;
}
int no_error_code(void *list) {
    int before = 0;
    unsigned char *error = static_cast<unsigned char *>(list) + 8;
    std::memset(error, 0x77, sizeof before);
    std::memcpy(&before, error, sizeof before);
    const int result = __omp_collector_api(list);
    std::memcpy(error, &before, sizeof before);
    return result;
}
int size_of_nothing(void *list) {
    const int result = __omp_collector_api(list);
    std::memset(static_cast<unsigned char *>(list) + 12, 0, sizeof(int));
    return result;
}
int over_the_terminator(void *list) {
    int size = 0;
    std::memcpy(&size, list, sizeof size);
    const int result = __omp_collector_api(list);
    std::memset(static_cast<unsigned char *>(list) + size, 0x11, sizeof(int));
    return result;
}
int always_fails(void *list) {
    __omp_collector_api(list);
    return -1;
}

class Faulty : public testing::TestWithParam<OMP_COLLECTOR_API_FUNCTION> {};
INSTANTIATE_TEST_SUITE_P(Provider, Faulty,
                         testing::Values(too_far, no_error_code, size_of_nothing,
                                         over_the_terminator, always_fails));

TEST_P(Faulty, IsNoticedByEachClient) {
    const Session session;
    for (std::size_t i = 0; i < clients::kClientCount; ++i) {
        const Client &client = clients::kClients[i];
        SCOPED_TRACE(client.name);
        ThreadMessages faulted;
        ASSERT_TRUE(faulted.allocate(client, Place::kHeap, 0));
        clients::forget_complaints();
        faulted.ask_state(__omp_collector_api);
        EXPECT_STREQ(clients::first_complaint(), "");
        faulted.ask_state(GetParam());
        EXPECT_STRNE(clients::first_complaint(), "");
        faulted.free();
    }
    clients::forget_complaints();
}

} // namespace
} // namespace ocb::test
