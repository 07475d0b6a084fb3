/* SPDX-License-Identifier: Apache-2.0
 *
 * newer_runtime - an OpenMP runtime of a later OpenMP, as far as a collector's START can see: it
 * has what 5.0 demands, and at the end of the process it reports barriers and mutexes of kinds that
 * no document has yet, each of them twice.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

typedef void (*Function)(void);
typedef struct {
    int (*initialize)(Function (*lookup)(const char *name), int device, uint64_t *data);
    void (*finalize)(uint64_t *data);
    uint64_t data;
} StartToolResult;
typedef StartToolResult *(*StartTool)(unsigned omp_version, const char *runtime_version);
typedef void (*SyncRegion)(int kind, int endpoint, uint64_t *region, uint64_t *task,
                           const void *code);
typedef void (*Mutex)(int kind, uint64_t wait_id, const void *code);

StartToolResult *ompt_start_tool(unsigned omp_version, const char *runtime_version);
int omp_get_max_threads(void);

enum { kSyncRegionWait = 16, kMutexReleased = 17, kMutexAcquired = 27, kCallbacks = 64 };

static Function callbacks[kCallbacks];
static StartToolResult *tool;
static uint64_t thread_data, region_data, task_data;

static int set_callback(int which, Function callback) {
    if (which > 0 && which < kCallbacks) {
        callbacks[which] = callback;
    }
    return 5; /* always */
}

static int get_state(uint64_t *wait_id) {
    *wait_id = 0;
    return 0; /* work_serial */
}

static int get_task_info(int level, int *flags, uint64_t **task, void **frame, uint64_t **region,
                         int *thread_num) {
    (void)level;
    (void)flags;
    (void)task;
    (void)frame;
    (void)region;
    (void)thread_num;
    return 0;
}

static uint64_t *get_thread_data(void) {
    return &thread_data;
}

static Function look_up(const char *name) {
    if (strcmp(name, "ompt_set_callback") == 0) {
        return (Function)set_callback;
    }
    if (strcmp(name, "ompt_get_state") == 0) {
        return (Function)get_state;
    }
    if (strcmp(name, "ompt_get_task_info") == 0) {
        return (Function)get_task_info;
    }
    return strcmp(name, "ompt_get_thread_data") == 0 ? (Function)get_thread_data : 0;
}

__attribute__((weak, visibility("default"))) StartToolResult *
ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    (void)omp_version;
    (void)runtime_version;
    return 0;
}

__attribute__((visibility("default"))) int omp_get_max_threads(void) {
    static int is_initialised;
    if (!is_initialised) {
        StartTool start = 0;
        *(void **)&start = dlsym(RTLD_NEXT, "ompt_start_tool");
        tool = start ? start(202911, "newer runtime") : 0;
        is_initialised = 1;
        if (tool && !tool->initialize(look_up, 0, &tool->data)) {
            tool = 0;
        }
    }
    return 1;
}

static void report_twice(void) {
    const SyncRegion on_sync_region = (SyncRegion)callbacks[kSyncRegionWait];
    const Mutex on_acquired = (Mutex)callbacks[kMutexAcquired];
    const Mutex on_released = (Mutex)callbacks[kMutexReleased];
    for (int i = 0; i < 2; ++i) {
        for (int endpoint = 1; on_sync_region && endpoint <= 2; ++endpoint) {
            on_sync_region(99, endpoint, &region_data, &task_data, 0);
        }
        if (on_acquired && on_released) {
            on_acquired(98, 0x10, 0);
            on_released(98, 0x10, 0);
        }
    }
}

__attribute__((destructor)) static void end(void) {
    if (tool) {
        report_twice();
        tool->finalize(&tool->data);
    }
}
