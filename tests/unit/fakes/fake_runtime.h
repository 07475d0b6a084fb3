// SPDX-License-Identifier: Apache-2.0
// An OpenMP runtime with OMPT 5.x and nothing else: it asks the library for its tool, keeps the
// callbacks it is given, answers the entry points per thread, and is driven by the test, which
// calls on each thread what the thread's construct does. Orders, kinds and flags are those of
// libomp (13 to 16, and 19). What the driver does is kept in the thread's model whether or not a
// callback is registered, so that a tool that comes late finds it through the entry points.
#pragma once

#include "spec/ompt5.h"

#include <cstdint>
#include <functional>

namespace ocb::test {

// libomp 13 to 16 have fewer barrier kinds, and report tests of locks as acquisitions.
enum class Flavour { kLibomp14, kLibomp19 };

enum class Barrier {
    kExplicit,
    kWorkshare,
    kImplementation, // all of gcc's but the one at a region's end; reductions, copyprivate
    kRegionEnd,
    kTeams,
    kTaskWait,
    kTaskGroup,
};

constexpr int kFlagsTeam = static_cast<int>(0x80000002);    // clang; also where it serializes
constexpr int kFlagsIfFalse = static_cast<int>(0x80000001); // clang's if(0)
constexpr int kFlagsGcc = static_cast<int>(0x80000001);     // gcc, always
constexpr int kFlagsLeague = 0x40000002;                    // host teams

class FakeRuntime {
  public:
    // One at a time in the process. Not attached yet.
    explicit FakeRuntime(Flavour flavour);
    // Finalizes where that has not been done.
    ~FakeRuntime();
    FakeRuntime(const FakeRuntime &) = delete;
    FakeRuntime &operator=(const FakeRuntime &) = delete;

    // Asks for the tool and initializes it; false if it does not want to (or there is none).
    bool attach();
    void finalize();

    // Before attach(): an entry point that the lookup does not know, and a callback that is
    // accepted by no ompt_set_callback.
    void leave_out(const char *entry_point);
    void never_call(int callback);
    // Runs inside each ompt_set_callback, before it takes effect.
    void at_set_callback(std::function<void()> what);

    static bool has_callback(int callback);
    static int count_of_callbacks();

  private:
    bool is_up_ = false;
    ompt5::ompt_start_tool_result_t *tool_ = nullptr;
};

// One level of tasks on a thread, as ompt_get_task_info tells it.
struct TaskLevel {
    int flags = 0;
    int thread_num = 0;
    int team_size = 1;
    ompt5::ompt_data_t *parallel_data = nullptr;
    ompt5::ompt_data_t task_data{};
    ompt5::ompt_frame_t *frame = nullptr;
};

// What the entry points answer on the calling thread.
struct ThreadModel {
    static constexpr int kMostLevels = 40;

    bool is_known = false;
    bool is_worker = false;
    bool owes_region_end = false; // a worker's report of its last region's end is yet to come
    int state = 0;
    std::uint64_t wait_id = 0;
    ompt5::ompt_data_t thread_data{};
    ompt5::ompt_data_t initial_data{};
    TaskLevel levels[kMostLevels]; // the outermost first
    int depth = 0;

    TaskLevel &innermost() { return levels[depth - 1]; }
    void enter(const TaskLevel &level) { levels[depth++] = level; }
};
ThreadModel &caller();

// A thread's life. The initial thread of the process and threads that the program makes begin and
// end with an initial task.
extern bool reports_initial_tasks; // libomp 8 does not
void user_thread_begins();
void user_thread_ends();
void worker_begins();
void worker_ends();

// A parallel region (or league): fork and join on its master, the rest on each thread of the team.
class FakeRegion {
  public:
    explicit FakeRegion(unsigned team_size, int flags = kFlagsTeam);
    FakeRegion(const FakeRegion &) = delete;
    FakeRegion &operator=(const FakeRegion &) = delete;

    void fork();
    void enter(unsigned thread_num);
    // The barrier at the region's end; not in regions of one thread.
    void arrive();
    // The master's (a worker's: report_region_end).
    void leave();
    void join();

    // fork + enter(0), and what the master does from the end of its body on.
    void begin_on_master();
    void end_on_master();

  private:
    [[nodiscard]] bool is_league() const { return flags_ == kFlagsLeague; }

    unsigned team_size_;
    int flags_;
    ompt5::ompt_data_t data_{};
};

// What a worker says of its last region's end. libomp says it when the worker enters its next
// region (FakeRegion::enter does it then) or ends; at once where the region had tasks.
void report_region_end();

void barrier_begins(Barrier barrier);
void barrier_ends(Barrier barrier);

enum class MutexImpl : unsigned { kSpinning = 1, kQueuing = 2 };
void mutex_acquire(ompt5::ompt_mutex_t kind, std::uint64_t wait_id,
                   MutexImpl impl = MutexImpl::kQueuing);
void mutex_acquired(ompt5::ompt_mutex_t kind, std::uint64_t wait_id);
void mutex_released(ompt5::ompt_mutex_t kind, std::uint64_t wait_id);
void lock_initialised(ompt5::ompt_mutex_t kind, std::uint64_t wait_id);
void lock_destroyed(ompt5::ompt_mutex_t kind, std::uint64_t wait_id);
void take_mutex(ompt5::ompt_mutex_t kind, std::uint64_t wait_id); // acquire and acquired
void test_lock(std::uint64_t wait_id, bool success);
void nest_lock_again(std::uint64_t wait_id);
void nest_lock_inner_release(std::uint64_t wait_id);

void single_begins();
void single_ends();
void masked_begins();
void masked_ends();
void reduction_begins();
void reduction_ends();

// Explicit tasks: created in, switched to from and completed into the caller's implicit task, where
// nothing else is said.
struct FakeTask {
    ompt5::ompt_data_t data{};
};
void task_created(FakeTask &task, int extra_flags = 0);
void task_starts(FakeTask &task);
void task_completes(FakeTask &task, ompt5::ompt_task_status_t status = ompt5::ompt_task_complete);
void task_completes_into(FakeTask &task, FakeTask &next);
void task_starts_in(FakeTask &encountering, FakeTask &task);
void task_fulfilled(FakeTask &task, ompt5::ompt_task_status_t status);

// omp_control_tool; the tool's answer, or -1 where it has no callback for it.
int control_tool(std::uint64_t command);

} // namespace ocb::test
