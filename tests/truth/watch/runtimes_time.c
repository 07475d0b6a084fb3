/* SPDX-License-Identifier: Apache-2.0
 *
 * runtimes_time.c - constructs in which the runtime's own time matters, one a run, repeated for MS
 * milliseconds by a team of two under witness.c:
 *
 * runtimes_time CONSTRUCT [MS]
 *
 * Between two constructs each thread works a little in the program's code.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double end;
static omp_lock_t shared_lock;
static omp_nest_lock_t shared_nest_lock;
static double sum;
static long checks;

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* The program's code. */
static void __attribute__((noinline)) work(int turns) {
    for (volatile int i = 0; i < turns; ++i) {
    }
}

static void dispatch(const char *kind) {
    omp_set_schedule(strcmp(kind, "guided") == 0 ? omp_sched_guided : omp_sched_dynamic, 1);
#pragma omp for schedule(runtime)
    for (int i = 0; i < 3000; ++i) {
        work(100);
    }
}
static void loop_dynamic(void) {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 3000; ++i) {
        work(100);
    }
}
static void loop_dynamic_long(void) {
#pragma omp for schedule(dynamic, 1)
    for (unsigned long long i = 0; i < 3000; ++i) {
        work(100);
    }
}
static void loop_guided(void) {
#pragma omp for schedule(guided, 1) nowait
    for (int i = 0; i < 20; ++i) {
        work(100);
    }
}
static void loop_runtime(void) {
    dispatch("dynamic");
}
static void loop_static(void) {
    for (int turn = 0; turn < 300; ++turn) {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 4; ++i) {
            work(100);
        }
    }
}
static void loop_ordered(void) {
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 300; ++i) {
        work(100);
#pragma omp ordered
        work(20);
    }
}
static void loop_sections(void) {
    for (int turn = 0; turn < 100; ++turn) {
#pragma omp sections nowait
        {
            work(100);
#pragma omp section
            work(100);
#pragma omp section
            work(100);
        }
    }
}
static void doacross(void) {
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < 300; ++i) {
#pragma omp ordered depend(sink : i - 1)
        work(200);
#pragma omp ordered depend(source)
        work(1);
    }
}
static void tasks(void) {
#pragma omp single
    for (int i = 0; i < 300; ++i) {
#pragma omp task
        work(40000);
    }
}
static void tasks_if0(void) {
    for (int i = 0; i < 300; ++i) {
#pragma omp task if (0)
        work(40000);
    }
}
static void tasks_depend(void) {
#pragma omp single
    {
        int x[4];
        for (int i = 0; i < 300; ++i) {
#pragma omp task depend(inout : x[i % 4])
            work(40000);
        }
#pragma omp taskwait
        (void)x;
    }
}
static void tasks_in_taskwait(void) {
#pragma omp single
    for (int i = 0; i < 30; ++i) {
        for (int j = 0; j < 4; ++j) {
#pragma omp task
            {
                work(40000);
#pragma omp task
                work(40000);
#pragma omp taskwait
                work(1000);
            }
        }
#pragma omp taskwait
        work(100);
    }
}
static void tasks_untied(void) {
#pragma omp single
    for (int i = 0; i < 30; ++i) {
        for (int j = 0; j < 4; ++j) {
#pragma omp task untied
            {
                work(40000);
#pragma omp taskyield
                work(40000);
            }
        }
#pragma omp taskwait
        work(100);
    }
}
static void task_loop(void) {
#pragma omp single
    {
#pragma omp taskloop grainsize(1)
        for (int i = 0; i < 100; ++i) {
            work(40000);
        }
    }
}
static void task_group(void) {
#pragma omp single
    for (int i = 0; i < 30; ++i) {
#pragma omp taskgroup
        for (int j = 0; j < 4; ++j) {
#pragma omp task
            work(40000);
        }
    }
}
static void lock(void) {
    for (int i = 0; i < 1000; ++i) {
        omp_set_lock(&shared_lock);
        work(50);
        omp_unset_lock(&shared_lock);
        work(100);
    }
}
static void lock_alone(void) {
#pragma omp master
    for (int i = 0; i < 3000; ++i) {
        omp_set_lock(&shared_lock);
        work(50);
        omp_unset_lock(&shared_lock);
    }
#pragma omp barrier
}
static void nest_lock(void) {
    for (int i = 0; i < 1000; ++i) {
        omp_set_nest_lock(&shared_nest_lock);
        omp_set_nest_lock(&shared_nest_lock);
        work(50);
        omp_unset_nest_lock(&shared_nest_lock);
        omp_unset_nest_lock(&shared_nest_lock);
    }
}
static void test_lock(void) {
    for (int i = 0; i < 1000; ++i) {
        if (omp_test_lock(&shared_lock)) {
            work(50);
            omp_unset_lock(&shared_lock);
        }
        work(50);
    }
}
static void critical(void) {
    for (int i = 0; i < 1000; ++i) {
#pragma omp critical
        work(50);
        work(100);
    }
}
static void single(void) {
    for (int i = 0; i < 300; ++i) {
#pragma omp single nowait
        work(100);
    }
}
/* The copying of x is the construct's, in a function of the program that the runtime calls: it
 * waits for a line of the other thread's cache, and is little beside the work. */
static void copyprivate(void) {
    for (int i = 0; i < 100; ++i) {
        double x;
#pragma omp single copyprivate(x)
        x = i;
        work(x < 0 ? 1 : 9000);
    }
}
static void barrier(void) {
    for (int i = 0; i < 300; ++i) {
        work(300);
#pragma omp barrier
    }
}
/* Regions of ten microseconds: gcc's code calls the region's function from inside of the
 * runtime, and what that does right before and behind the call is not reported. */
static void serialized(void) {
    for (int i = 0; i < 10; ++i) {
#pragma omp parallel if (0)
        work(16000);
    }
}
static void nested(void) {
    for (int i = 0; i < 10; ++i) {
#pragma omp parallel num_threads(1)
        work(16000);
    }
}
static void reduction(void) {
    for (int i = 0; i < 100; ++i) {
#pragma omp for reduction(+ : sum) schedule(static)
        for (int j = 0; j < 4; ++j) {
            sum += j;
        }
        work(3000);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} kConstructs[] = {
    {"loop_dynamic", loop_dynamic},
    {"loop_dynamic_long", loop_dynamic_long},
    {"loop_guided", loop_guided},
    {"loop_runtime", loop_runtime},
    {"loop_static", loop_static},
    {"loop_ordered", loop_ordered},
    {"sections", loop_sections},
    {"doacross", doacross},
    {"tasks", tasks},
    {"tasks_if0", tasks_if0},
    {"tasks_depend", tasks_depend},
    {"tasks_in_taskwait", tasks_in_taskwait},
    {"tasks_untied", tasks_untied},
    {"taskloop", task_loop},
    {"taskgroup", task_group},
    {"lock", lock},
    {"lock_alone", lock_alone},
    {"nest_lock", nest_lock},
    {"test_lock", test_lock},
    {"critical", critical},
    {"single", single},
    {"copyprivate", copyprivate},
    {"barrier", barrier},
    {"serialized", serialized},
    {"nested", nested},
    {"reduction", reduction},
};

static void call(const char *name) {
    void (*function)(void);
    *(void **)&function = dlsym(RTLD_DEFAULT, name);
    if (function) {
        function();
    }
}

int main(int argc, char **argv) {
    void (*run)(void) = NULL;
    for (unsigned i = 0; argc > 1 && i < sizeof kConstructs / sizeof *kConstructs; ++i) {
        if (strcmp(kConstructs[i].name, argv[1]) == 0) {
            run = kConstructs[i].run;
        }
    }
    if (!run) {
        return 2;
    }
    omp_init_lock(&shared_lock);
    omp_init_nest_lock(&shared_nest_lock);
#pragma omp parallel num_threads(2)
    work(1);
    end = now_ms() + (argc > 2 ? atof(argv[2]) : 100);
#pragma omp parallel num_threads(2)
    {
        int goes_on = 1;
#pragma omp master
        call("witness_on");
#pragma omp barrier
        while (goes_on) {
            for (int i = 0; i < 10; ++i) {
                run();
            }
#pragma omp barrier
#pragma omp master
            checks = now_ms() < end;
#pragma omp barrier
            goes_on = checks != 0;
        }
#pragma omp master
        call("witness_off");
    }
    return 0;
}
