/* SPDX-License-Identifier: Apache-2.0
 *
 * poor_runtime - an OpenMP runtime with a tools interface that lacks what OpenMP 5.0 demands, as
 * far as a collector's START can see: it asks for a tool and offers it nothing. The program's
 * regions run on whatever runtime comes behind it.
 */
#include <dlfcn.h>
#include <stdint.h>

typedef void (*Function)(void);
typedef struct {
    int (*initialize)(Function (*lookup)(const char *name), int device, uint64_t *data);
    void (*finalize)(uint64_t *data);
    uint64_t data;
} StartToolResult;
typedef StartToolResult *(*StartTool)(unsigned omp_version, const char *runtime_version);

StartToolResult *ompt_start_tool(unsigned omp_version, const char *runtime_version);
int omp_get_max_threads(void);

static Function look_up(const char *name) {
    (void)name;
    return 0;
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
        StartToolResult *tool = start ? start(201611, "poor runtime") : 0;
        is_initialised = 1;
        if (tool) {
            tool->initialize(look_up, 0, &tool->data);
        }
    }
    return 1;
}
