/* SPDX-License-Identifier: Apache-2.0
 * Explicit tasks of each kind, in a team of two. The second thread stays in user code until the
 * first has finished, so that the first executes all tasks itself; in `other` it is the other way
 * round: the second executes a task in the barrier at the region's end. */
#include "marks.h"

#include <omp.h>
#include <string.h>

static int is_done, is_taken;

static void wait_for(const int *flag) {
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {
        usleep(50);
    }
}

static void set(int *flag) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

static void own(void) {
#pragma omp task
    mark("in task");
#pragma omp taskwait
}

static void nested(void) {
#pragma omp task
    {
        mark("before");
#pragma omp task
        mark("in child");
#pragma omp taskwait
        mark("after");
    }
#pragma omp taskwait
}

static void yield(void) {
#pragma omp task
    {
#pragma omp task
        mark("in child");
#pragma omp taskyield
        mark("after");
#pragma omp taskwait
    }
#pragma omp taskwait
}

static void undeferred(int condition) {
#pragma omp task if (condition)
    {
        mark("in task");
#pragma omp task
        mark("in child");
#pragma omp taskwait
    }
}

static void untied(void) {
#pragma omp task untied
    {
        mark("before");
#pragma omp task
        mark("in child");
#pragma omp taskwait
        mark("after");
    }
#pragma omp taskwait
}

static void group(void) {
#pragma omp taskgroup
    {
#pragma omp task
        {
#pragma omp task
            mark("in child");
        }
    }
}

static void region_in_task(void) {
#pragma omp task
    {
#pragma omp parallel num_threads(1)
        {
            mark("in region");
#pragma omp task if (0)
            mark("in task of region");
        }
        mark("after");
    }
#pragma omp taskwait
}

static void other(void) {
#pragma omp task
    {
        mark("in task");
        set(&is_taken);
    }
    wait_for(&is_taken);
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            if (strcmp(kind, "own") == 0) {
                own();
            } else if (strcmp(kind, "nested") == 0) {
                nested();
            } else if (strcmp(kind, "yield") == 0) {
                yield();
            } else if (strcmp(kind, "if0") == 0) {
                undeferred(argc > 2);
            } else if (strcmp(kind, "untied") == 0) {
                untied();
            } else if (strcmp(kind, "group") == 0) {
                group();
            } else if (strcmp(kind, "region") == 0) {
                region_in_task();
            } else if (strcmp(kind, "other") == 0) {
                other();
            }
            mark("end");
            set(&is_done);
        } else if (strcmp(kind, "other") != 0) {
            wait_for(&is_done);
        }
    }
    return 0;
}
