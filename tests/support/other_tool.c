/* SPDX-License-Identifier: Apache-2.0
 *
 * other_tool - a shared library that is an OMPT tool of somebody else: it takes the runtime's one
 * place for a tool and asks for nothing. Preloaded in front of the bridge it keeps the bridge out.
 * A program that is its own tool includes this file and says so in TOOL_ATTACHED.
 */
#include <stdint.h>

#ifndef TOOL_ATTACHED
#define TOOL_ATTACHED() ((void)0)
#endif

typedef struct {
    int (*initialize)(void (*(*lookup)(const char *name))(void), int device, uint64_t *data);
    void (*finalize)(uint64_t *data);
    uint64_t data;
} StartToolResult;

StartToolResult *ompt_start_tool(unsigned omp_version, const char *runtime_version);

static int initialize(void (*(*lookup)(const char *name))(void), int device, uint64_t *data) {
    (void)lookup;
    (void)device;
    (void)data;
    TOOL_ATTACHED();
    return 1;
}

static void finalize(uint64_t *data) {
    (void)data;
}

static StartToolResult result = {initialize, finalize, 0};

__attribute__((visibility("default"))) StartToolResult *
ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    (void)omp_version;
    (void)runtime_version;
    return &result;
}
