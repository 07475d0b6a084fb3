// SPDX-License-Identifier: Apache-2.0
// Threads that do as they are told, and the common beginning and end of tests.
#include "scene.h"

#include <utility>

namespace ocb::test {

FakeThread::FakeThread() : thread_([this] { serve(); }) {}

FakeThread::~FakeThread() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void FakeThread::run(const std::function<void()> &work) {
    begin(work);
    done();
}

void FakeThread::begin(std::function<void()> work) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        work_ = std::move(work);
    }
    changed_.notify_all();
}

void FakeThread::done() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !work_; });
}

void FakeThread::serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return work_ || is_ending_; });
        if (!work_) {
            return;
        }
        lock.unlock();
        work_();
        lock.lock();
        work_ = nullptr;
        changed_.notify_all();
    }
}

Scene::Scene(Flavour flavour, Begin begin) : runtime(flavour) {
    take_seen();
    if (begin == Begin::kWithSession) {
        EXPECT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
    }
    EXPECT_TRUE(runtime.attach());
    user_thread_begins();
}

Scene::~Scene() {
    request(OMP_REQ_STOP);
    user_thread_ends();
    runtime.finalize();
}

void start_session() {
    ASSERT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
}

void observe_everything() {
    record_all_events();
    state();
    for (int event = kFirstEvent; event <= kLastEvent; ++event) {
        unregister(event);
    }
}

void begin_team(FakeRegion &region, Worker &worker) {
    region.begin_on_master();
    worker.run([&] { region.enter(1); });
}

void end_team(FakeRegion &region, Worker &worker) {
    worker.run([&] { region.arrive(); });
    region.end_on_master();
}

std::string name_of_flavour(const testing::TestParamInfo<Flavour> &info) {
    return info.param == Flavour::kLibomp14 ? "14" : "19";
}

} // namespace ocb::test
