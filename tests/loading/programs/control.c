/* SPDX-License-Identifier: Apache-2.0
 *
 * control - the program itself controls its tool: a region after each command, and what each
 * command returned. Declared here, because the headers of old compilers do not.
 */
#include "marks.h"
#include <stdio.h>

int omp_control_tool(int command, int modifier, void *argument) __attribute__((weak));

static void region(void) {
#pragma omp parallel num_threads(2)
    mark("body");
}

int main(void) {
    static const struct {
        const char *name;
        int command;
    } steps[] = {{"pause", 2}, {"pause", 2}, {"flush", 3},
                 {"start", 1}, {"start", 1}, {"of another tool", 64},
                 {"end", 4},   {"end", 4},   {"start", 1}};
    region();
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        printf("%s %d\n", steps[i].name,
               omp_control_tool ? omp_control_tool(steps[i].command, 0, NULL) : -99);
        mark(steps[i].name);
        region();
    }
    return 0;
}
