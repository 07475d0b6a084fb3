/* SPDX-License-Identifier: Apache-2.0
 * old_entries - calls libgomp as programs do that gcc before 4.9 has built: a start, the region's
 * function called by the program itself, and GOMP_parallel_end; and the locks of before 4.4, which
 * are other types. Each region is begun in a function whose name says so. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

typedef void (*Outlined)(void *);
typedef bool (*Next)(long *, long *);
void GOMP_parallel_start(Outlined, void *, unsigned);
void GOMP_parallel_loop_static_start(Outlined, void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_dynamic_start(Outlined, void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_guided_start(Outlined, void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_runtime_start(Outlined, void *, unsigned, long, long, long);
void GOMP_parallel_sections_start(Outlined, void *, unsigned, unsigned);
void GOMP_parallel_end(void);
bool GOMP_loop_static_next(long *, long *);
bool GOMP_loop_dynamic_next(long *, long *);
bool GOMP_loop_guided_next(long *, long *);
bool GOMP_loop_runtime_next(long *, long *);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);

#define OLD(name, result)                                                                          \
    result old_##name(void *);                                                                     \
    __asm__(".symver old_" #name "," #name "@OMP_1.0")
OLD(omp_init_lock, void);
OLD(omp_destroy_lock, void);
OLD(omp_set_lock, void);
OLD(omp_unset_lock, void);
OLD(omp_test_lock, int);
OLD(omp_init_nest_lock, void);
OLD(omp_destroy_nest_lock, void);
OLD(omp_set_nest_lock, void);
OLD(omp_unset_nest_lock, void);
OLD(omp_test_nest_lock, int);

enum { kThreads = 3, kRounds = 10, kIterations = 100, kSections = 4 };

struct Shared {
    long sum;
    int members;
    Next next;
};

/* Larger than the old locks, and nothing behind them may change. */
static union {
    int words[8];
    long aligned;
} lock, nest_lock;

static void add(struct Shared *shared, long value) {
    old_omp_set_lock(&lock);
    shared->sum += value;
    old_omp_unset_lock(&lock);
}

static void region(void *data) {
    struct Shared *shared = data;
    add(shared, 1);
    __atomic_add_fetch(&shared->members, 1, __ATOMIC_RELAXED);
}

static void loop(void *data) {
    struct Shared *shared = data;
    long begin, end, sum = 0;
    while (shared->next(&begin, &end)) {
        for (long i = begin; i < end; ++i) {
            sum += i;
        }
    }
    GOMP_loop_end_nowait();
    add(shared, sum);
    __atomic_add_fetch(&shared->members, 1, __ATOMIC_RELAXED);
}

static void sections(void *data) {
    struct Shared *shared = data;
    for (unsigned section = GOMP_sections_next(); section != 0; section = GOMP_sections_next()) {
        add(shared, section);
    }
    GOMP_sections_end_nowait();
    __atomic_add_fetch(&shared->members, 1, __ATOMIC_RELAXED);
}

#define BEGINS_REGION __attribute__((noinline, noclone))
void BEGINS_REGION begin_parallel(struct Shared *shared) {
    GOMP_parallel_start(region, shared, kThreads);
    __asm__ volatile("");
}
void BEGINS_REGION begin_static(struct Shared *shared) {
    shared->next = GOMP_loop_static_next;
    GOMP_parallel_loop_static_start(loop, shared, kThreads, 0, kIterations, 1, 3);
    __asm__ volatile("");
}
void BEGINS_REGION begin_dynamic(struct Shared *shared) {
    shared->next = GOMP_loop_dynamic_next;
    GOMP_parallel_loop_dynamic_start(loop, shared, kThreads, 0, kIterations, 1, 3);
    __asm__ volatile("");
}
void BEGINS_REGION begin_guided(struct Shared *shared) {
    shared->next = GOMP_loop_guided_next;
    GOMP_parallel_loop_guided_start(loop, shared, kThreads, 0, kIterations, 1, 3);
    __asm__ volatile("");
}
void BEGINS_REGION begin_runtime(struct Shared *shared) {
    shared->next = GOMP_loop_runtime_next;
    GOMP_parallel_loop_runtime_start(loop, shared, kThreads, 0, kIterations, 1);
    __asm__ volatile("");
}
void BEGINS_REGION begin_sections(struct Shared *shared) {
    GOMP_parallel_sections_start(sections, shared, kThreads, kSections);
    __asm__ volatile("");
}

static const struct {
    const char *name;
    void (*begin)(struct Shared *);
    Outlined function;
} kKinds[] = {
    {"parallel", begin_parallel, region}, {"static", begin_static, loop},
    {"dynamic", begin_dynamic, loop},     {"guided", begin_guided, loop},
    {"runtime", begin_runtime, loop},     {"sections", begin_sections, sections},
};

static void use_locks(void) {
    int depths[4], is_set;
    old_omp_set_nest_lock(&nest_lock);
    depths[0] = old_omp_test_nest_lock(&nest_lock);
    old_omp_set_nest_lock(&nest_lock);
    depths[1] = old_omp_test_nest_lock(&nest_lock);
    for (int i = 0; i < 4; ++i) {
        old_omp_unset_nest_lock(&nest_lock);
    }
    depths[2] = old_omp_test_nest_lock(&nest_lock);
    old_omp_unset_nest_lock(&nest_lock);
    old_omp_set_lock(&lock);
    is_set = old_omp_test_lock(&lock);
    old_omp_unset_lock(&lock);
    printf("locks %d %d %d %d", depths[0], depths[1], depths[2], is_set);
    is_set = old_omp_test_lock(&lock);
    old_omp_unset_lock(&lock);
    printf(" %d\n", is_set);
}

int main(void) {
    for (int i = 0; i < 8; ++i) {
        lock.words[i] = nest_lock.words[i] = 1000 + i;
    }
    old_omp_init_lock(&lock);
    old_omp_init_nest_lock(&nest_lock);
    for (unsigned kind = 0; kind < sizeof kKinds / sizeof kKinds[0]; ++kind) {
        struct Shared shared = {0, 0, 0};
        for (int round = 0; round < kRounds; ++round) {
            kKinds[kind].begin(&shared);
            kKinds[kind].function(&shared);
            GOMP_parallel_end();
        }
        printf("%s %ld %d\n", kKinds[kind].name, shared.sum, shared.members);
    }
    use_locks();
    old_omp_destroy_nest_lock(&nest_lock);
    old_omp_destroy_lock(&lock);
    printf("behind the locks:");
    for (int i = 2; i < 8; ++i) {
        printf(" %d %d", lock.words[i], nest_lock.words[i]);
    }
    printf("\n");
    return 0;
}
