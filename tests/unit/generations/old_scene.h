// SPDX-License-Identifier: Apache-2.0
//
// What tests of an old generation share: a runtime of before TR6 under a session, its worker, and a
// team of the two.
#pragma once

#include "fake_tr2.h"
#include "fresh_process.h"
#include "scene.h"

#include "omp_collector_bridge.h"

#include <gtest/gtest.h>

#include <string>

namespace ocb::test {

using namespace tr2; // NOLINT(google-build-using-namespace)

inline omp_collector_bridge_capability here(const std::string &name) {
    omp_collector_bridge_capability row{};
    for (std::size_t i = 0; omp_collector_bridge_capability_here(i, &row) == 1; ++i) {
        if (name == row.name) {
            return row;
        }
    }
    ADD_FAILURE() << "no row " << name;
    return row;
}

// An old runtime under a session that has asked for everything, its initial thread the caller.
struct OldScene {
    explicit OldScene(bool has_session = true) {
        EXPECT_TRUE(attach());
        thread_begins(ompt_thread_initial, 1);
        if (has_session) {
            start();
        }
    }
    ~OldScene() {
        request(OMP_REQ_STOP);
        thread_ends(ompt_thread_initial);
        shut_down();
        reset();
        take_seen();
    }
    static void start() {
        EXPECT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
        record_all_events();
        take_seen();
    }
};

struct OldWorker : FakeThread {
    explicit OldWorker(ompt_thread_id_t id) {
        run([id] {
            thread_begins(ompt_thread_worker, id);
            idle(true);
        });
    }
    ~OldWorker() {
        run([] {
            idle(false);
            thread_ends(ompt_thread_worker);
        });
    }
};

inline constexpr ompt_parallel_id_t kRegion = 0xF000000000000001;
inline constexpr ompt_task_id_t kMastersTask = 20, kWorkersTask = 21;

inline void begin_team(OldWorker &worker, ompt_parallel_id_t id = kRegion) {
    tr2::fork(id);
    enter(id, kMastersTask);
    worker.run([id] {
        idle(false);
        enter(id, kWorkersTask);
    });
}

// A whole barrier on one thread, in which it waits.
inline void pass_barrier(int kind = ompt_state_wait_barrier_implicit,
                         ompt_parallel_id_t id = kRegion) {
    barrier(true, id);
    wait_barrier(true, id, kind);
    wait_barrier(false, id);
    barrier(false, id);
}

inline void end_team(OldWorker &worker, ompt_parallel_id_t id = kRegion) {
    worker.run([id] {
        pass_barrier(ompt_state_wait_barrier_implicit, id);
        tr2::leave(id, kWorkersTask);
        idle(true);
    });
    pass_barrier(ompt_state_wait_barrier_implicit, id);
    tr2::leave(id, kMastersTask);
    join(id);
}

} // namespace ocb::test
