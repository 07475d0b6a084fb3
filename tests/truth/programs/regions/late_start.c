/* SPDX-License-Identifier: Apache-2.0
 * START comes late: between two regions, with workers that are there already, or inside a region.
 * "@" before a region that began unseen: it has an id all the same, one for all its threads. */
#include "../truth.h"

#include "omp_collector_api.h"

static meeting met;

static void unseen(void) {
#pragma omp parallel num_threads(2)
    stay(0.2);
}

static void seen(void) {
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        stay(1);
        say_region_ends();
    }
    say("SERIAL");
    stay(2);
}

/* STOP and START within one region: it keeps its id. */
static void session_ends_inside(void) {
    start_session();
    say("SERIAL");
    stay(0.5);
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        stay(1);
        /* Between STOP and START nobody is answered. */
        say("any");
        gather(&met, 2);
        if (omp_get_thread_num() == 0) {
            request(OMP_REQ_STOP);
            start_session();
        }
        gather(&met, 2);
        say("WORK @");
        stay(1);
        /* Its FORK was the former session's, so there is no JOIN in this one. */
        say(omp_get_thread_num() == 0 ? "any BEGIN_IBAR END_IBAR"
                                      : "any BEGIN_IBAR END_IBAR BEGIN_IDLE END_IDLE?");
    }
    say("SERIAL");
    stay(1);
    seen();
    say_program_ends();
}

/* START while the workers of a region are idle, and nothing after it. */
static void workers_stay_idle(void) {
    unseen();
    start_session();
    mark("started");
    stay(4);
    mark("ends");
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "idle") == 0) {
        workers_stay_idle();
        return 0;
    }
    if (strcmp(kind, "between") == 0) {
        unseen();
        start_session();
        say("SERIAL");
        stay(1);
        seen();
        say_program_ends();
        return 0;
    }
    if (strcmp(kind, "again") == 0) {
        session_ends_inside();
        return 0;
    }
    const int starter = strcmp(kind, "inside_worker") == 0;
#pragma omp parallel num_threads(2)
    {
        gather(&met, 2);
        if (omp_get_thread_num() == starter) {
            start_session();
        }
        gather(&met, 2);
        say("WORK @");
        stay(1);
        if (omp_get_thread_num() == 0) {
            say("WORK");
            stay(2);
            say("any BEGIN_" EBAR " END_" EBAR);
        } else {
            say(AT_EXPLICIT_BARRIER);
        }
#pragma omp barrier
        say("WORK");
        stay(1);
        /* Its FORK was before the session, so there is no JOIN. */
        say(omp_get_thread_num() == 0 ? "any BEGIN_IBAR END_IBAR"
                                      : "any BEGIN_IBAR END_IBAR BEGIN_IDLE END_IDLE?");
    }
    say("SERIAL");
    stay(1);
    seen();
    say_program_ends();
    return 0;
}
