// SPDX-License-Identifier: Apache-2.0
// The teams construct on the host. libgomp runs the league's teams one after the other on the
// encountering thread: each is an initial task in the league's region.
#include "team.h"
#include "tool.h"

namespace ocb::gomp {
namespace {

constexpr int kLeagueFlags = ompt_parallel_league | kInvokedByProgram;

struct League {
    Outlined function;
    void *data;
    RegionRecord *region;
    ThreadRecord *thread;
    unsigned teams;
    unsigned team;
};

void run_team(void *raw) {
    League &league = *static_cast<League *>(raw);
    ThreadRecord &thread = *league.thread;
    TaskRecord &encountering = *league.region->encountering;
    TaskRecord &task = take_task(thread, nullptr, &encountering);
    task.region = league.region;
    task.region_run = league.region->run.load(std::memory_order_relaxed);
    task.flags = ompt_task_initial;
    task.thread_num = 0;
    task.frame.exit_frame.ptr = __builtin_frame_address(0);
    thread.task.store(&task, std::memory_order_relaxed);
    const unsigned number = league.team++;
    if (auto tell = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task)) {
        tell(ompt_scope_begin, &league.region->word, &task.word, league.teams, number,
             ompt_task_initial);
    }
    league.function(league.data);
    task.frame.exit_frame.ptr = nullptr;
    if (auto tell = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task)) {
        tell(ompt_scope_end, &league.region->word, &task.word, 0, number, ompt_task_initial);
    }
    thread.task.store(&encountering, std::memory_order_relaxed);
    task.flags = ompt_task_implicit; // no thread's own: it goes back
    release(task);
}

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

ENTRY_POINT(void, GOMP_teams_reg,
            (Outlined function, void *data, unsigned teams, unsigned threads, unsigned flags),
            (function, data, teams, threads, flags)) {
    ThreadRecord &thread = this_thread(call);
    RegionRecord &region =
        begin_region(call, thread, {function, data, teams != 0 ? teams : 1}, kLeagueFlags);
    League league{function, data, &region, &thread, teams != 0 ? teams : 1, 0};
    region.team_size.store(static_cast<int>(league.teams), std::memory_order_relaxed);
    REAL(GOMP_teams_reg)(run_team, &league, teams, threads, flags);
    end_region(call, thread, region);
}
