/* SPDX-License-Identifier: Apache-2.0
 *
 * control - the program controls its tool by the function that its runtime has: a region after each
 * command.
 */
#include "marks.h"

#include <stdint.h>
#include <stdio.h>

int omp_control_tool(int command, int modifier, void *argument) __attribute__((weak));
void ompt_control(uint64_t command, uint64_t modifier) __attribute__((weak));

static void control(int command) {
    if (omp_control_tool) {
        omp_control_tool(command, 0, NULL);
    } else if (ompt_control) {
        ompt_control((uint64_t)command, 0);
    } else {
        puts("no control");
    }
}

static void region(const char *name) {
    mark(name);
#pragma omp parallel num_threads(2)
    (void)0;
}

int main(void) {
    region("first");
    control(2);
    region("paused");
    control(3);
    region("flushed");
    control(1);
    region("resumed");
    control(4);
    region("ended");
    mark("end");
    return 0;
}
