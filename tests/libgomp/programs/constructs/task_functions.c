/* SPDX-License-Identifier: Apache-2.0
 *
 * task_functions LIBRARY OTHER - more functions of tasks than the library has stubs for; tasks of a
 * library that is closed, and of another one at the same address; tasks of a forked child. Prints
 * what they have added up. With ASKS it has an OMPT tool that can ask for tasks and registers
 * nothing. With ANSWER it is such a library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef ANSWER

long answer(int tasks) {
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(sum)
#pragma omp atomic
        sum += ANSWER;
    }
    return sum;
}

#else

#ifdef ASKS
typedef void (*Function)(void);
typedef struct {
    int (*initialise)(Function (*)(const char *), int, void *);
    void (*finalise)(void *);
    void *data;
} StartToolResult;
static int initialise(Function (*look_up)(const char *), int device, void *data) {
    (void)device, (void)data;
    return look_up("ompt_get_task_info") != NULL;
}
static void finalise(void *data) {
    (void)data;
}
StartToolResult *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    static StartToolResult result = {initialise, finalise, NULL};
    (void)omp_version, (void)runtime_version;
    return &result;
}
#endif

/* gcc makes a function of each task, and may make one of two that are the same. */
#define TASK(number)                                                                               \
    _Pragma("omp task shared(sum)") {                                                              \
        _Pragma("omp atomic") sum += number;                                                       \
    }
#define TASKS_4(number) TASK(number) TASK(number + 1) TASK(number + 2) TASK(number + 3)
#define TASKS_16(number)                                                                           \
    TASKS_4(number) TASKS_4(number + 4) TASKS_4(number + 8) TASKS_4(number + 12)
#define TASKS_64(number)                                                                           \
    TASKS_16(number) TASKS_16(number + 16) TASKS_16(number + 32) TASKS_16(number + 48)
#define TASKS_256(number)                                                                          \
    TASKS_64(number) TASKS_64(number + 64) TASKS_64(number + 128) TASKS_64(number + 192)

static long many_functions(int threads) {
    long sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int round = 0; round < 20; ++round) {
#pragma omp task shared(sum)
        {
            TASKS_256(1)
#pragma omp taskwait
        }
    }
    return sum;
}

static long answer_of(const char *file, void **address) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    long (*answer)(int) = NULL;
    *(void **)&answer = *address = library ? dlsym(library, "answer") : NULL;
    if (!answer) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    const long sum = answer(100);
    dlclose(library);
    return sum;
}

int main(int count, char **words) {
    if (count != 3) {
        return 2;
    }
    printf("functions %ld\n", many_functions(2));
    void *before = NULL;
    void *address = NULL;
    long sums[4];
    int is_same = 1;
    for (int i = 0; i < 4; ++i) {
        sums[i] = answer_of(words[1 + i % 2], &address);
        is_same = is_same && (i == 0 || address == before);
        before = address;
    }
    printf("libraries %ld %ld %ld %ld, at %s\n", sums[0], sums[1], sums[2], sums[3],
           is_same ? "one address" : "more than one address");
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        printf("child %ld\n", many_functions(1));
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("parent %ld, %d\n", many_functions(2), status);
    return 0;
}

#endif
