/* SPDX-License-Identifier: Apache-2.0
 * Host leagues: no region, whatever the runtime makes of them. Their initial threads are in serial
 * code, and the regions that these fork are like any others. */
#include "../truth.h"

static void in_region(void) {
    say("WORK");
    stay(1);
}

/* A region of two inside a league, with a worksharing barrier in it. */
static void fork_region(void) {
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        in_region();
#pragma omp for
        for (int i = 0; i < 2; ++i) {
            stay(i == 0 ? 2 : 0.1);
            say(AT_IMPLICIT_BARRIER);
        }
        in_region();
        say_region_ends();
    }
    say("SERIAL");
    stay(1);
}

static void in_team(void) {
    say("SERIAL");
    stay(1);
}

static void default_league(void) {
#pragma omp teams
    in_team();
}

static void one_team(void) {
#pragma omp teams num_teams(1)
    in_team();
}

static void region_in_league(void) {
#pragma omp teams num_teams(1) thread_limit(2)
    fork_region();
}

static void one_combined(void) {
    int total = 0;
    say(FORKS);
#pragma omp teams num_teams(1) thread_limit(2)
#pragma omp distribute parallel for num_threads(2)
    for (int i = 0; i < 2; ++i) {
        in_region();
#pragma omp atomic
        ++total;
        say(omp_get_thread_num() == 0 ? MASTER_ENDS " *" : WORKER_ENDS " *");
    }
    if (total != 2) {
        abort();
    }
}

static void two_regions(void) {
#pragma omp teams num_teams(2) thread_limit(2)
    {
        fork_region();
        say("any *");
    }
}

static void two_serialized(void) {
#pragma omp teams num_teams(2) thread_limit(2)
    {
        say(FORKS);
#pragma omp parallel num_threads(1)
        {
            in_region();
            say(SERIALIZED_ENDS);
        }
        say("SERIAL");
        stay(1);
        say("any *");
    }
}

static void two_combined(void) {
    say("any FORK");
#pragma omp teams distribute parallel for num_teams(2) thread_limit(2)
    for (int i = 0; i < 4; ++i) {
        in_region();
        say("any *");
    }
}

static void two_teams(void) {
    /* The second team's thread is a worker, which leaves idleness for the league. On libgomp
     * one thread executes all teams. */
#pragma omp teams num_teams(2) thread_limit(2)
    {
        in_team();
        /* The first team's thread waits for the other: outside of any region, in no barrier. */
        if (ON_LIBGOMP) {
            say("any");
        } else if (omp_get_team_num() == 0) {
            say("OVHD");
        } else {
            stay(1);
            say("any BEGIN_IDLE END_IDLE?");
        }
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} kKinds[] = {{"default", default_league},     {"one_team", one_team},
              {"region", region_in_league},    {"one", one_combined},
              {"two_regions", two_regions},    {"two_ones", two_serialized},
              {"two_distribute", two_combined}};

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    use_openmp_once();
    stay(0.5);
    say("any");
    void (*run)(void) = two_teams;
    for (size_t i = 0; i < sizeof kKinds / sizeof kKinds[0]; ++i) {
        if (strcmp(kind, kKinds[i].name) == 0) {
            run = kKinds[i].run;
        }
    }
    run();
    say("SERIAL");
    stay(1);
    say_program_ends();
    return 0;
}
