/* SPDX-License-Identifier: Apache-2.0
 *
 * ompt_spy - a shared library, preloaded in front of the bridge, that stands between runtime and
 * tool and notes which callbacks the tool asks for: a line "set NUMBER" or "clear NUMBER" in the
 * file named by OCB_TEST_SPY_LOG, and "attached" when the runtime accepts the tool. Everything else
 * passes unchanged. The tool's result structure stays the tool's, ours is a copy.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*Function)(void);
typedef Function (*Lookup)(const char *name);
typedef int (*SetCallback)(int event, Function callback);

/* ompt_start_tool_result_t of OpenMP 5.x. */
typedef struct {
    int (*initialize)(Lookup lookup, int device, uint64_t *data);
    void (*finalize)(uint64_t *data);
    uint64_t data;
} StartToolResult;

typedef StartToolResult *(*StartTool)(unsigned omp_version, const char *runtime_version);

StartToolResult *ompt_start_tool(unsigned omp_version, const char *runtime_version);

static StartToolResult *spied_tool;
static StartToolResult tool_result;
static Lookup lookup_function;
static SetCallback real_set_callback;

static void note(const char *what, int number) {
    const char *path = getenv("OCB_TEST_SPY_LOG");
    if (!path) {
        return;
    }
    char line[64];
    const int length = snprintf(line, sizeof line, "%s %d\n", what, number);
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file >= 0) {
        if (write(file, line, (size_t)length) != length) {
            abort();
        }
        close(file);
    }
}

static int set_callback(int event, Function callback) {
    note(callback ? "set" : "clear", event);
    return real_set_callback(event, callback);
}

static Function look_up(const char *name) {
    if (strcmp(name, "ompt_set_callback") != 0) {
        return lookup_function(name);
    }
    real_set_callback = (SetCallback)lookup_function(name);
    return (Function)set_callback;
}

static int initialize(Lookup lookup, int device, uint64_t *data) {
    (void)data;
    lookup_function = lookup;
    const int accepted = spied_tool->initialize(look_up, device, &spied_tool->data);
    note(accepted ? "attached" : "refused", 0);
    return accepted;
}

static void finalize(uint64_t *data) {
    (void)data;
    spied_tool->finalize(&spied_tool->data);
}

__attribute__((visibility("default"))) StartToolResult *
ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    StartTool next = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
    spied_tool = next ? next(omp_version, runtime_version) : NULL;
    if (!spied_tool) {
        return NULL;
    }
    tool_result.initialize = initialize;
    tool_result.finalize = finalize;
    return &tool_result;
}
