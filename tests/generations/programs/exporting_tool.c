/* SPDX-License-Identifier: Apache-2.0
 *
 * exporting_tool - a tool of OpenMP 5 that calls its initializer ompt_initialize and exports it, as
 * many do. The name is the bridge's as well, which stands in front. It has an answer for TR2 too,
 * which is never asked for behind the bridge.
 */
#include <stdint.h>
#include <stdio.h>

typedef union {
    uint64_t value;
    void *ptr;
} Data;
typedef void (*InterfaceFunction)(void);
typedef InterfaceFunction (*LookupFunction)(const char *name);

int ompt_initialize(LookupFunction lookup, int device, Data *tool_data) {
    tool_data->value = 7;
    printf("tool begins %d %d\n", lookup("ompt_set_callback") != NULL, device);
    fflush(stdout);
    return 1;
}

void ompt_finalize(Data *tool_data) {
    printf("tool ends %d\n", (int)tool_data->value);
    fflush(stdout);
}

void *ompt_tool(void) {
    puts("tool of TR2 begins");
    return NULL;
}

typedef struct {
    int (*initialize)(LookupFunction lookup, int device, Data *tool_data);
    void (*finalize)(Data *tool_data);
    Data tool_data;
} Result;

Result *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    static Result tool;
    (void)omp_version;
    (void)runtime_version;
    tool.initialize = ompt_initialize;
    tool.finalize = ompt_finalize;
    return &tool;
}
