/* SPDX-License-Identifier: Apache-2.0
 *
 * own_tool - a program that is its own OMPT tool: the runtime finds its ompt_start_tool first.
 */
#include "marks.h"
#include <stdint.h>
#include <stdio.h>

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
    puts("own tool attached");
    return 1;
}

static void finalize(uint64_t *data) {
    (void)data;
}

StartToolResult *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    static StartToolResult result = {initialize, finalize, 0};
    (void)omp_version;
    (void)runtime_version;
    return &result;
}

int main(void) {
#pragma omp parallel num_threads(2)
    mark("body");
    return 0;
}
