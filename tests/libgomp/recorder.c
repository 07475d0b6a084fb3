/* SPDX-License-Identifier: Apache-2.0
 * An OMPT tool that counts. "sync:KIND" is sync_region of a kind. Writes "name begins ends" for
 * each event that came, a line each, to the file OCB_RECORD at its end, and first the runtime's
 * version. It has its own declarations of what it uses of OMPT. OCB_RECORD_NOTHING: it neither
 * registers nor looks up anything. OCB_RECORD_ASKS: it looks up what a sampler asks.
 * OCB_RECORD_LATE: it registers when the program calls omp_control_tool. OCB_RECORD_ENDS: also
 * masked, reduction and dispatch, and "work:TYPE". OCB_RECORD_WORDS: the
 * program has no leagues, and so an initial task's region is new. OCB_RECORD_CODE: also
 * "code:FUNCTION regions 0" for each function of the program that began regions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef union {
    uint64_t value;
    void *ptr;
} Data;
typedef void (*Function)(void);
typedef Function (*Lookup)(const char *);

enum { kEvents = 40, kBarrierImplementation = 4, kComplete = 1, kSwitch = 7 };
static atomic_long begins[kEvents], ends[kEvents], misfits;
enum { kKinds = 16 };
static atomic_long kind_begins[kKinds], kind_ends[kKinds]; /* of sync_region */
static atomic_long work_begins[kKinds], work_ends[kKinds];
static atomic_ulong last_id;
static const char *version;

static const char *const kNames[kEvents] = {
    [1] = "thread_begin",    [2] = "thread_end",    [3] = "parallel_begin", [4] = "parallel_end",
    [5] = "task_create",     [6] = "task_schedule", [7] = "implicit_task",  [16] = "sync_wait",
    [17] = "mutex_released", [18] = "dependences",  [20] = "work",          [23] = "sync_region",
    [24] = "lock_init",      [25] = "lock_destroy", [26] = "mutex_acquire", [27] = "mutex_acquired",
    [21] = "masked",         [28] = "nest_lock",    [30] = "cancel",        [31] = "reduction",
    [32] = "dispatch",
};

static void count(int event, int endpoint) {
    ++*(endpoint == 2 ? &ends[event] : &begins[event]);
}

static int (*get_state)(uint64_t *);
static int (*get_parallel_info)(int, Data **, int *);

enum { kFunctions = 16 };
static struct {
    const char *name;
    long regions;
} functions[kFunctions]; /* of regions that one thread begins */
static int records_code, records_words;

static void record_code(const void *code) {
    Dl_info info;
    const char *name = dladdr(code, &info) && info.dli_sname ? info.dli_sname : "?";
    int i = 0;
    while (i < kFunctions - 1 && functions[i].name && strcmp(functions[i].name, name) != 0) {
        ++i;
    }
    functions[i].name = name;
    ++functions[i].regions;
}

static void on_thread_begin(int type, Data *thread) {
    (void)type;
    thread->value = ++last_id;
    count(1, 1);
}
static void on_thread_end(Data *thread) {
    misfits += thread->value == 0;
    count(2, 1);
}
static void on_parallel_begin(Data *task, const void *frame, Data *region, unsigned threads,
                              int flags, const void *code) {
    (void)task, (void)frame, (void)threads, (void)flags;
    misfits += region->value != 0 || code == NULL;
    region->value = ++last_id;
    if (records_code) {
        record_code(code);
    }
    count(3, 1);
}
static void on_parallel_end(Data *region, Data *task, int flags, const void *code) {
    (void)task, (void)flags, (void)code;
    misfits += region->value == 0;
    count(4, 1);
}
static void on_implicit_task(int endpoint, Data *region, Data *task, unsigned threads,
                             unsigned index, int flags) {
    enum { kInitial = 1 };
    Data *seen = NULL;
    int size = 0;
    if (endpoint == 1) {
        misfits += task->value != 0;
        task->value = ++last_id;
        if ((flags & kInitial) != 0) {
            misfits += records_words && region->value != 0;
            region->value = records_words ? ++last_id : region->value;
        } else {
            misfits += index >= threads || get_parallel_info(0, &seen, &size) != 2 ||
                       seen != region || size != (int)threads;
        }
    } else {
        misfits += task->value == 0;
    }
    count(7, endpoint);
}
static void on_sync(int kind, int endpoint, Data *region, Data *task, const void *code) {
    (void)region, (void)code;
    if (kind >= 0 && kind < kKinds) {
        ++*(endpoint == 2 ? &kind_ends[kind] : &kind_begins[kind]);
    }
    misfits += task->value == 0;
    count(23, endpoint);
}
static void on_sync_wait(int kind, int endpoint, Data *region, Data *task, const void *code) {
    (void)kind, (void)region, (void)code;
    misfits += task->value == 0;
    count(16, endpoint);
}
static void on_mutex_acquire(int kind, unsigned hint, unsigned impl, uint64_t wait_id,
                             const void *code) {
    (void)kind, (void)hint, (void)impl, (void)code;
    misfits += wait_id == 0;
    count(26, 1);
}
static void on_mutex_acquired(int kind, uint64_t wait_id, const void *code) {
    (void)kind, (void)wait_id, (void)code;
    count(27, 1);
}
static void on_mutex_released(int kind, uint64_t wait_id, const void *code) {
    (void)kind, (void)wait_id, (void)code;
    count(17, 1);
}
static void on_lock_init(int kind, unsigned hint, unsigned impl, uint64_t wait_id,
                         const void *code) {
    (void)kind, (void)hint, (void)impl, (void)wait_id, (void)code;
    count(24, 1);
}
static void on_lock_destroy(int kind, uint64_t wait_id, const void *code) {
    (void)kind, (void)wait_id, (void)code;
    count(25, 1);
}
static void on_nest_lock(int endpoint, uint64_t wait_id, const void *code) {
    (void)wait_id, (void)code;
    count(28, endpoint);
}
static void on_task_create(Data *parent, const void *frame, Data *task, int flags, int dependences,
                           const void *code) {
    (void)parent, (void)frame, (void)dependences, (void)code;
    enum { kExplicit = 4 };
    if ((flags & kExplicit) == 0) {
        return; /* of a target construct, or the initial task */
    }
    misfits += task->value != 0;
    task->value = ++last_id;
    count(5, 1);
}
static void on_task_schedule(Data *prior, int status, Data *next) {
    (void)prior, (void)next;
    if (status == kSwitch || status == kComplete) {
        count(6, status == kSwitch ? 1 : 2);
    }
}
static void on_work(int type, int endpoint, Data *region, Data *task, uint64_t number,
                    const void *code) {
    (void)region, (void)number, (void)code;
    misfits += task->value == 0;
    if (type >= 0 && type < kKinds) {
        ++*(endpoint == 2 ? &work_ends[type] : &work_begins[type]);
    }
    count(20, endpoint);
}
static void on_masked(int endpoint, Data *region, Data *task, const void *code) {
    (void)code;
    misfits += region->value == 0 || task->value == 0;
    count(21, endpoint);
}
static void on_reduction(int kind, int endpoint, Data *region, Data *task, const void *code) {
    enum { kReduction = 7, kWorkReduction = 2 };
    (void)code;
    misfits += region->value == 0 || task->value == 0 || kind != kReduction;
    misfits += get_state(NULL) != kWorkReduction;
    count(31, endpoint);
}
static void on_dispatch(Data *region, Data *task, int kind, Data instance) {
    enum { kLoopChunk = 3, kDistributeChunk = 5 };
    const uint64_t *chunk = instance.ptr; /* begin, iterations */
    misfits += region->value == 0 || task->value == 0;
    misfits += kind != kLoopChunk && kind != kDistributeChunk;
    count(32, 1);
    ends[32] += (long)chunk[1]; /* how many it were */
}
static void on_dependences(Data *task, const void *list, int number) {
    (void)task, (void)list;
    misfits += number <= 0;
    count(18, 1);
    ends[18] += number; /* how many it were */
}
static void on_cancel(Data *task, int flags, const void *code) {
    (void)task, (void)flags, (void)code;
    count(30, 1);
}

static Lookup look_up;
static int (*set)(int, Function);

static void look_up_questions(void) {
    get_state = (int (*)(uint64_t *))look_up("ompt_get_state");
    get_parallel_info = (int (*)(int, Data **, int *))look_up("ompt_get_parallel_info");
}

static void register_all(void) {
    const struct {
        int event;
        Function function;
    } rows[] = {
        {1, (Function)on_thread_begin},    {2, (Function)on_thread_end},
        {3, (Function)on_parallel_begin},  {4, (Function)on_parallel_end},
        {5, (Function)on_task_create},     {6, (Function)on_task_schedule},
        {7, (Function)on_implicit_task},   {16, (Function)on_sync_wait},
        {17, (Function)on_mutex_released}, {18, (Function)on_dependences},
        {20, (Function)on_work},           {23, (Function)on_sync},
        {24, (Function)on_lock_init},      {25, (Function)on_lock_destroy},
        {26, (Function)on_mutex_acquire},  {27, (Function)on_mutex_acquired},
        {28, (Function)on_nest_lock},      {30, (Function)on_cancel},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        set(rows[i].event, rows[i].function);
    }
}

static void register_ends(void) {
    set(21, (Function)on_masked);
    set(31, (Function)on_reduction);
    set(32, (Function)on_dispatch);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code) {
    (void)command, (void)modifier, (void)argument, (void)code;
    look_up_questions();
    register_all();
    return 0;
}

static int initialize(Lookup lookup, int device, Data *tool) {
    (void)device, (void)tool;
    if (getenv("OCB_RECORD_NOTHING")) {
        return 1;
    }
    enum { kControlTool = 11 };
    records_words = getenv("OCB_RECORD_WORDS") != NULL;
    records_code = getenv("OCB_RECORD_CODE") != NULL;
    look_up = lookup;
    set = (int (*)(int, Function))lookup("ompt_set_callback");
    if (getenv("OCB_RECORD_LATE")) {
        return set(kControlTool, (Function)on_control_tool) != 0;
    }
    look_up_questions();
    if (!getenv("OCB_RECORD_ASKS")) {
        register_all();
    }
    if (getenv("OCB_RECORD_ENDS")) {
        register_ends();
    }
    return 1;
}

static void finalize(Data *tool) {
    (void)tool;
    const char *path = getenv("OCB_RECORD");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) {
        return;
    }
    for (int i = 0; i < kEvents; ++i) {
        if (begins[i] || ends[i]) {
            fprintf(file, "%s %ld %ld\n", kNames[i], (long)begins[i], (long)ends[i]);
        }
    }
    for (int i = 0; i < kKinds; ++i) {
        if (kind_begins[i] || kind_ends[i]) {
            fprintf(file, "sync:%d %ld %ld\n", i, (long)kind_begins[i], (long)kind_ends[i]);
        }
    }
    for (int i = 0; i < kKinds && getenv("OCB_RECORD_ENDS"); ++i) {
        if (work_begins[i] || work_ends[i]) {
            fprintf(file, "work:%d %ld %ld\n", i, (long)work_begins[i], (long)work_ends[i]);
        }
    }
    for (int i = 0; i < kFunctions && functions[i].name; ++i) {
        fprintf(file, "code:%s %ld 0\n", functions[i].name, functions[i].regions);
    }
    fprintf(file, "misfits %ld 0\n", (long)misfits);
    fprintf(file, "llvm %d 0\n", strstr(version, "LLVM") != NULL);
    fclose(file);
}

typedef struct {
    int (*initialize)(Lookup, int, Data *);
    void (*finalize)(Data *);
    Data data;
} Result;

Result *ompt_start_tool(unsigned omp_version, const char *runtime_version);
Result *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    static Result result = {initialize, finalize, {0}};
    (void)omp_version;
    version = runtime_version;
    return &result;
}
