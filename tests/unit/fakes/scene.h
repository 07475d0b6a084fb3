// SPDX-License-Identifier: Apache-2.0
// What most tests begin with: a runtime that has come up under the bridge, the calling thread as
// the program's initial thread, a session; and threads that carry out what the test tells them, one
// step at a time, so that every order of events is the test's own. Everything is undone at the end.
#pragma once

#include "fake_collector.h"
#include "fake_runtime.h"

#include <condition_variable>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

namespace ocb::test {

// Does one thing after the other, as told by other threads.
class FakeThread {
  public:
    FakeThread();
    ~FakeThread();
    FakeThread(const FakeThread &) = delete;
    FakeThread &operator=(const FakeThread &) = delete;

    // Returns when `work` is done.
    void run(const std::function<void()> &work);
    // Returns at once; done() waits for the end.
    void begin(std::function<void()> work);
    void done();

    template <class F> auto ask(F question) {
        decltype(question()) answer{};
        run([&] { answer = question(); });
        return answer;
    }

  private:
    void serve();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> work_;
    bool is_ending_ = false;
    std::thread thread_;
};

// A thread of the runtime's pool, from its thread_begin to its thread_end.
class Worker : public FakeThread {
  public:
    Worker() {
        run([] { worker_begins(); });
    }
    ~Worker() {
        run([] { worker_ends(); });
    }
};

// A thread of the program's own that the runtime has met.
class UserThread : public FakeThread {
  public:
    UserThread() {
        run([] { user_thread_begins(); });
    }
    ~UserThread() {
        run([] { user_thread_ends(); });
    }
};

enum class Begin {
    kWithSession, // START, then the runtime comes: the usual order under a preloaded collector
    kWithoutSession,
};

struct Scene {
    explicit Scene(Flavour flavour = Flavour::kLibomp19, Begin begin = Begin::kWithSession);
    // Stops the session if it runs.
    ~Scene();
    Scene(const Scene &) = delete;
    Scene &operator=(const Scene &) = delete;

    FakeRuntime runtime;
};

// From here on the runtime reports everything, as if all had been asked for earlier in the process.
void observe_everything();

// A team of two: the caller is its master. The worker stays behind in the barrier at the end.
void begin_team(FakeRegion &region, Worker &worker);
void end_team(FakeRegion &region, Worker &worker);

// START, on a runtime that is there.
void start_session();

// A session without any runtime, for tests of requests alone.
struct Session {
    Session() { EXPECT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK); }
    ~Session() { request(OMP_REQ_STOP); }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;
};

// For tests that hold for each flavour of libomp.
class PerFlavour : public testing::TestWithParam<Flavour> {};
std::string name_of_flavour(const testing::TestParamInfo<Flavour> &info);

#define OCB_FOR_EACH_FLAVOUR(area)                                                                 \
    INSTANTIATE_TEST_SUITE_P(                                                                      \
        Libomp, area, testing::Values(Flavour::kLibomp14, Flavour::kLibomp19), name_of_flavour)

} // namespace ocb::test
