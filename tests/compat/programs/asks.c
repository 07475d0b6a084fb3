/* SPDX-License-Identifier: Apache-2.0
 *
 * A runtime as far as a tool can see, which asks for one and then offers it nothing.
 */
#include <stdint.h>

typedef void (*Function)(void);
typedef struct {
    int (*initialise)(Function (*lookup)(const char *name), int device, uint64_t *data);
    void (*finalise)(uint64_t *data);
    uint64_t data;
} StartToolResult;
extern __attribute__((weak)) StartToolResult *ompt_start_tool(unsigned version, const char *name);

static Function look_up(const char *name) {
    (void)name;
    return 0;
}

int main(void) {
    StartToolResult *tool = ompt_start_tool ? ompt_start_tool(201811, "a runtime of nothing") : 0;
    return tool && tool->initialise(look_up, 0, &tool->data);
}
