// SPDX-License-Identifier: Apache-2.0
// What TR6 has otherwise than OpenMP 5.0, as libomp 6 and 7 say it: an idle callback that begins
// and ends when the worker's next region is about to begin, one kind of barrier, mutex kinds and
// task statuses with other numbers, and no flags.
#include "scene.h"

#include "spec/tr6.h"

#include <cstring>

extern "C" void *ompt_start_tool(unsigned, const char *);

namespace ocb::test {
namespace {

using namespace ompt_tr6;
using ompt5::ompt_scope_begin;
using ompt5::ompt_scope_end;

ompt_callback_t callbacks[64];
thread_local int own_state = 0;
thread_local ompt_data_t own_data{0};

int set_callback(int event, ompt_callback_t callback) {
    callbacks[event] = callback;
    return ompt_set_always;
}
int get_state(ompt_wait_id_t *) {
    return own_state;
}
int get_task_info(int, int *, ompt_data_t **, ompt5::ompt_frame_t **, ompt_data_t **, int *) {
    return 0;
}
ompt_data_t *get_thread_data() {
    return &own_data;
}
// The names tell TR6 where the register of the argument that 5.0 has more holds our data by chance.
int enumerate_states(int current, int *next, const char **name) {
    *next = omp_state_work_serial;
    *name = "omp_state_work_serial";
    return current == omp_state_undefined;
}

ompt5::ompt_interface_fn_t lookup(const char *name) {
    const struct {
        const char *name;
        void *function;
    } entries[] = {
        {"ompt_set_callback", reinterpret_cast<void *>(set_callback)},
        {"ompt_get_state", reinterpret_cast<void *>(get_state)},
        {"ompt_get_task_info", reinterpret_cast<void *>(get_task_info)},
        {"ompt_get_thread_data", reinterpret_cast<void *>(get_thread_data)},
        {"ompt_enumerate_states", reinterpret_cast<void *>(enumerate_states)},
    };
    for (const auto &entry : entries) {
        if (std::strcmp(entry.name, name) == 0) {
            return reinterpret_cast<ompt5::ompt_interface_fn_t>(entry.function);
        }
    }
    return nullptr;
}

template <class F, class... Arguments> void tell(int event, Arguments... arguments) {
    if (callbacks[event] != nullptr) {
        reinterpret_cast<F>(callbacks[event])(arguments...);
    }
}

void begin_thread(ompt_thread_type_t type) {
    tell<void (*)(ompt_thread_type_t, ompt_data_t *)>(ompt5::ompt_callback_thread_begin, type,
                                                      &own_data);
}
void end_thread() {
    tell<ompt5::ompt_callback_thread_end_t>(ompt5::ompt_callback_thread_end, &own_data);
}
void implicit_task(ompt5::ompt_scope_endpoint_t endpoint, ompt_data_t *region, unsigned team_size,
                   unsigned thread_num) {
    static ompt_data_t task{0};
    tell<ompt_callback_implicit_task_t>(ompt5::ompt_callback_implicit_task, endpoint, region, &task,
                                        team_size, thread_num);
}
void barrier(ompt5::ompt_scope_endpoint_t endpoint, ompt_data_t *region, int state) {
    own_state = state;
    tell<ompt_callback_sync_region_t>(ompt5::ompt_callback_sync_region_wait,
                                      ompt_sync_region_barrier, endpoint, region, nullptr,
                                      static_cast<const void *>(&own_data));
    own_state = omp_state_work_parallel;
}
void idle(ompt5::ompt_scope_endpoint_t endpoint) {
    tell<ompt_callback_idle_t>(ompt_callback_idle, endpoint);
}

class Tr6Scene {
  public:
    Tr6Scene() {
        EXPECT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
        tool_ = static_cast<ompt_start_tool_result_t *>(ompt_start_tool(kOmpVersion, "libomp 6"));
        EXPECT_EQ(tool_->initialize(lookup, &tool_->tool_data), 1);
        begin_thread(ompt_thread_initial);
        record_all_events();
        state();
        take_seen();
    }
    ~Tr6Scene() {
        request(OMP_REQ_STOP);
        end_thread();
        tool_->finalize(&tool_->tool_data);
        for (ompt_callback_t &callback : callbacks) {
            callback = nullptr;
        }
        take_seen();
    }

    void fork() {
        tell<ompt_callback_parallel_begin_t>(ompt5::ompt_callback_parallel_begin, nullptr, nullptr,
                                             &region, 2U, ompt_invoker_runtime,
                                             static_cast<const void *>(&region));
        implicit_task(ompt_scope_begin, &region, 2, 0);
    }
    void join() {
        implicit_task(ompt_scope_end, &region, 2, 0);
        tell<ompt_callback_parallel_end_t>(ompt5::ompt_callback_parallel_end, &region, nullptr,
                                           ompt_invoker_runtime,
                                           static_cast<const void *>(&region));
    }
    ompt_data_t region{0};

  private:
    ompt_start_tool_result_t *tool_ = nullptr;
};

// The worker's whole stay, with libomp's report of its end, which comes with the next region.
TEST(Tr6, IdleIsSaidOnceThoughItComesLate) {
    Tr6Scene scene;
    FakeThread worker;
    scene.fork();
    worker.run([&] {
        begin_thread(ompt_thread_worker);
        EXPECT_EQ(take_names(), "");
        implicit_task(ompt_scope_begin, &scene.region, 2, 1);
        EXPECT_EQ(take_names(), "BEGIN_IDLE END_IDLE");
        EXPECT_EQ(state(), THR_WORK_STATE);
        barrier(ompt_scope_begin, &scene.region, omp_state_overhead);
        EXPECT_EQ(take_names(), "BEGIN_IBAR END_IBAR BEGIN_IDLE");
        EXPECT_EQ(state(), THR_IBAR_STATE) << "the region still runs";
    });
    scene.join();
    worker.run([] { EXPECT_EQ(state(), THR_IDLE_STATE); });
    scene.region.value = 0;
    scene.fork();
    worker.run([&] {
        barrier(ompt_scope_end, nullptr, omp_state_wait_barrier_implicit);
        implicit_task(ompt_scope_end, nullptr, 0, 1);
        idle(ompt_scope_begin);
        idle(ompt_scope_end);
        EXPECT_EQ(take_names(), "");
        implicit_task(ompt_scope_begin, &scene.region, 2, 1);
        EXPECT_EQ(take_names(), "END_IDLE");
        EXPECT_NE(region(), 0U);
        barrier(ompt_scope_begin, &scene.region, omp_state_overhead);
        end_thread();
    });
    scene.join();
}

// A runtime that means it, and says nothing of the region's end before.
TEST(Tr6, IdleEndsTheRegion) {
    Tr6Scene scene;
    FakeThread worker;
    scene.fork();
    worker.run([&] {
        begin_thread(ompt_thread_worker);
        implicit_task(ompt_scope_begin, &scene.region, 2, 1);
        take_seen();
        idle(ompt_scope_begin);
        EXPECT_EQ(take_names(), "BEGIN_IDLE");
        end_thread();
    });
    scene.join();
}

TEST(Tr6, BarriersByTheState) {
    Tr6Scene scene;
    scene.fork();
    take_seen();
    const struct {
        int state;
        const char *events;
    } rows[] = {
        {omp_state_wait_barrier_explicit, "BEGIN_EBAR END_EBAR"},
        {omp_state_wait_barrier_implicit_workshare, "BEGIN_IBAR END_IBAR"},
        {omp_state_wait_barrier_implicit_parallel, "BEGIN_IBAR END_IBAR"},
        {omp_state_wait_barrier, "BEGIN_IBAR END_IBAR"},
        {omp_state_work_parallel, "BEGIN_IBAR END_IBAR"},
    };
    for (const auto &row : rows) {
        barrier(ompt_scope_begin, &scene.region, row.state);
        barrier(ompt_scope_end, &scene.region, row.state);
        EXPECT_EQ(take_names(), row.events) << row.state;
    }
    scene.join();
}

TEST(Tr6, MutexKinds) {
    Tr6Scene scene;
    scene.fork();
    take_seen();
    const auto acquire = [](int kind, ompt_wait_id_t id) {
        tell<ompt_callback_mutex_acquire_t>(ompt5::ompt_callback_mutex_acquire,
                                            static_cast<ompt_mutex_kind_t>(kind), 0U, 2U, id,
                                            static_cast<const void *>(nullptr));
    };
    const auto report_mutex = [](int event, int kind, ompt_wait_id_t id) {
        tell<ompt_callback_mutex_t>(event, static_cast<ompt_mutex_kind_t>(kind), id,
                                    static_cast<const void *>(nullptr));
    };
    const struct {
        int kind, state;
    } rows[] = {{ompt_mutex_lock, THR_LKWT_STATE},
                {ompt_mutex_nest_lock, THR_LKWT_STATE},
                {ompt_mutex_critical, THR_CTWT_STATE},
                {ompt_mutex_atomic, THR_ATWT_STATE}};
    for (const auto &row : rows) {
        const ompt_wait_id_t id = 0x6000U + static_cast<unsigned>(row.kind);
        FakeThread other;
        other.run([&] {
            begin_thread(ompt_thread_worker);
            report_mutex(ompt5::ompt_callback_mutex_acquired, row.kind, id);
        });
        acquire(row.kind, id);
        EXPECT_EQ(state(), row.state) << row.kind;
        other.run([&] {
            report_mutex(ompt5::ompt_callback_mutex_released, row.kind, id);
            end_thread();
        });
        report_mutex(ompt5::ompt_callback_mutex_acquired, row.kind, id);
        EXPECT_EQ(state(), THR_WORK_STATE);
        report_mutex(ompt5::ompt_callback_mutex_released, row.kind, id);
    }
    take_seen();
    acquire(ompt_mutex_ordered, 1);
    EXPECT_EQ(state(), THR_ODWT_STATE);
    report_mutex(ompt5::ompt_callback_mutex_acquired, ompt_mutex_ordered, 1);
    report_mutex(ompt5::ompt_callback_mutex_released, ompt_mutex_ordered, 1);
    EXPECT_EQ(take_names(), "BEGIN_ODWT END_ODWT BEGIN_ORDERED END_ORDERED");
    scene.join();
}

// "others", 4, is "detach" in 5.0, which ends the task on its thread.
TEST(Tr6, StatusOthersSuspends) {
    Tr6Scene scene;
    for (int event = kLastEvent + 1; event <= kLastTaskEvent; ++event) {
        register_callback(event, record);
    }
    scene.fork();
    task();
    ompt_data_t implicit{0}, first{0}, second{0};
    const auto create = [](ompt_data_t *created) {
        tell<ompt5::ompt_callback_task_create_t>(ompt5::ompt_callback_task_create, nullptr, nullptr,
                                                 created, ompt_task_explicit, 0,
                                                 static_cast<const void *>(nullptr));
    };
    const auto schedule = [](ompt_data_t *prior, int status, ompt_data_t *next) {
        tell<void (*)(ompt_data_t *, int, ompt_data_t *)>(ompt5::ompt_callback_task_schedule, prior,
                                                          status, next);
    };
    create(&first);
    create(&second);
    take_seen();
    schedule(&implicit, ompt_task_others, &first);
    schedule(&first, ompt_task_others, &second);
    EXPECT_EQ(take_names(), "BEGIN_EXEC_TASK BEGIN_SUSPEND_TASK BEGIN_EXEC_TASK");
    schedule(&second, ompt_task_complete, &first);
    schedule(&first, ompt_task_cancel, &implicit);
    EXPECT_EQ(take_names(), "BEGIN_FINISH_TASK END_FINISH_TASK END_SUSPEND_TASK BEGIN_FINISH_TASK "
                            "END_FINISH_TASK");
    scene.join();
}

} // namespace
} // namespace ocb::test
