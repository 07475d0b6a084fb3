/* SPDX-License-Identifier: Apache-2.0
 *
 * asked_tasks [late]: an OMPT tool of its own, which registers no event of tasks and asks instead,
 * in tasks of each kind and at the program's first call, which task it is in. late: the events are
 * registered in the middle of a task, whose children outlive it. Prints what is wrong, and at last
 * "asked" and how often.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef union {
    uint64_t value;
    void *ptr;
} Data;
typedef struct {
    Data exit_frame, enter_frame;
    int exit_flags, enter_flags;
} Frame;
typedef void (*Function)(void);
typedef int (*TaskInfo)(int level, int *flags, Data **task, Frame **frame, Data **region,
                        int *thread_num);

enum {
    kInitial = 1,
    kImplicit = 2,
    kExplicit = 4,
    kUndeferred = 0x08000000,
    kUntied = 0x10000000,
    kFinal = 0x20000000,
    kMergeable = 0x40000000
};
enum { kTaskCreate = 5, kTaskSchedule = 6 };

static Function (*look_up)(const char *name);
static TaskInfo task_info;
static int wrong, asked, created;

static int initialise(Function (*lookup)(const char *), int device, Data *data) {
    (void)device, (void)data;
    look_up = lookup;
    task_info = (TaskInfo)lookup("ompt_get_task_info");
    return 1;
}
static void finalise(Data *data) {
    (void)data;
}
typedef struct {
    int (*initialise)(Function (*)(const char *), int, Data *);
    void (*finalise)(Data *);
    Data data;
} StartToolResult;
StartToolResult *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    static StartToolResult result = {initialise, finalise, {0}};
    (void)omp_version, (void)runtime_version;
    return &result;
}

static void expect(int is_right, const char *what, int line) {
    if (!is_right) {
#pragma omp critical
        {
            printf("%d: not so: %s\n", line, what);
            wrong = 1;
        }
    }
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

typedef struct {
    int flags;
    Data *task, *region;
    Frame *frame;
} Asked;

static Asked ask(int level) {
    Asked answer = {0, NULL, NULL, NULL};
    int thread_num = -1;
    const int is_there =
        task_info(level, &answer.flags, &answer.task, &answer.frame, &answer.region, &thread_num);
    EXPECT(is_there == 2);
    EXPECT(thread_num == omp_get_thread_num());
    __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
    return answer;
}

/* At the begin of a task: a new one, whose function the runtime has called from above. */
static Asked enter(int flags) {
    char here;
    const Asked task = ask(0);
    EXPECT(task.flags == (kExplicit | flags));
    EXPECT(task.task->value == 0);
    EXPECT((char *)task.frame->exit_frame.ptr > &here);
    EXPECT(task.frame->enter_frame.ptr == NULL);
    task.task->value = (uint64_t)(uintptr_t)&here;
    return task;
}
/* At its end: still the same one. */
static void leave(Asked before) {
    const Asked task = ask(0);
    EXPECT(task.task == before.task && task.frame == before.frame);
    EXPECT(task.region == before.region && task.flags == before.flags);
    EXPECT(task.task->value != 0);
    EXPECT(task.frame->enter_frame.ptr == NULL);
}

static long sum(int n, int flags) {
    long a = 0;
    long b = 0;
    const Asked around = ask(0);
    if (n < 2) {
        return n;
    }
#pragma omp task shared(a) firstprivate(n, around)
    {
        const Asked task = enter(flags);
        EXPECT(task.region == around.region);
        a = sum(n - 1, flags);
        leave(task);
    }
#pragma omp task shared(b) firstprivate(n, around) if (0)
    {
        const Asked task = enter(kUndeferred | (flags & kFinal));
        EXPECT(ask(1).task == around.task);
        EXPECT(around.frame->enter_frame.ptr != NULL);
        b = sum(n - 2, flags);
        leave(task);
    }
#pragma omp taskwait
    return a + b;
}

/* Data of every size and alignment arrive. */
typedef struct {
    _Alignas(64) char bytes[640];
} Large;
static void data_of_each_kind(void) {
    Large large;
    char odd[3] = {1, 2, 3};
    memset(&large, 7, sizeof large);
    int right = 0;
#pragma omp task firstprivate(large) shared(right)
    {
        const Asked task = enter(0);
        EXPECT((uintptr_t)&large % 64 == 0 && large.bytes[639] == 7);
        leave(task);
#pragma omp atomic
        ++right;
    }
#pragma omp task firstprivate(odd) shared(right)
    {
        const Asked task = enter(0);
        EXPECT(odd[0] == 1 && odd[1] == 2 && odd[2] == 3);
        leave(task);
#pragma omp atomic
        ++right;
    }
#pragma omp task untied mergeable shared(right)
    {
        const Asked task = enter(kUntied | kMergeable);
        leave(task);
#pragma omp atomic
        ++right;
    }
#pragma omp task depend(out : right) shared(right)
    {
        const Asked task = enter(0);
        leave(task);
#pragma omp atomic
        ++right;
    }
#pragma omp task depend(in : right) if (0) shared(right)
    {
        const Asked task = enter(kUndeferred);
        leave(task);
#pragma omp atomic
        ++right;
    }
#pragma omp taskwait
    EXPECT(right == 5);
}

static void on_create(Data *parent, const Frame *frame, Data *task, int flags, int depends,
                      const void *code) {
    (void)parent, (void)frame, (void)flags, (void)depends, (void)code;
    task->value = 0;
    __atomic_fetch_add(&created, 1, __ATOMIC_RELAXED);
}
static void on_schedule(Data *prior, int status, Data *next) {
    (void)prior, (void)status, (void)next;
}

static void register_late(void) {
    int (*set_callback)(int, Function) = (int (*)(int, Function))look_up("ompt_set_callback");
    EXPECT(set_callback(kTaskCreate, (Function)on_create) == 5);
    EXPECT(set_callback(kTaskSchedule, (Function)on_schedule) == 5);
}

/* Tasks of which nothing was told, and tasks that run at once, have children and end before them.
 */
static void outlived(int depth, int *left) {
    for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(depth, left, i) if (i % 2)
        {
            const Asked task = enter(i % 2 != 0 ? 0 : kUndeferred);
#pragma omp atomic
            --*left;
            if (depth > 0) {
                outlived(depth - 1, left);
            }
            leave(task);
        }
    }
}

int main(int argc, char **argv) {
    const int is_late = argc > 1 && strcmp(argv[1], "late") == 0;
    int left = 20 + 20 * 20 + 20;
    long first = 0;
    long second = 0;
    long third = 0;
    /* A routine that asks or sets something is a first call. */
    EXPECT(omp_get_thread_num() == 0 && task_info == NULL);
    EXPECT(omp_get_max_threads() > 0 && task_info != NULL);
    EXPECT(ask(0).flags == kInitial);
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        const Asked implicit = ask(0);
        EXPECT(implicit.flags == kImplicit);
        implicit.task->value = 1;
        first = sum(12, 0);
        data_of_each_kind();
#pragma omp task final(1) shared(second)
        {
            const Asked task = enter(kFinal);
            second = sum(10, kUndeferred | kFinal);
            leave(task);
        }
#pragma omp taskwait
#pragma omp task shared(left)
        {
            const Asked task = enter(0);
            if (is_late) {
                register_late();
            }
            outlived(1, &left);
            leave(task);
        }
#pragma omp taskwait
        leave(implicit);
    }
#pragma omp parallel num_threads(4)
#pragma omp single
    outlived(0, &left);
    /* Outside a region each runs at once. */
#pragma omp task shared(third)
    {
        const Asked task = ask(0);
        EXPECT(task.flags == (kExplicit | kUndeferred));
        third = 55;
    }
    EXPECT(first == 144 && second == 55 && third == 55);
    EXPECT(left == 0);
    EXPECT(is_late ? created == 20 + 20 * 20 + 20 + 1 : created == 0);
    printf("asked %d, created %d\n", asked, created);
    return wrong;
}
