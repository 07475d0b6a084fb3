/* SPDX-License-Identifier: Apache-2.0
 *
 * own_tool - a program that is its own OMPT tool: the runtime finds its ompt_start_tool first.
 */
#include "marks.h"

#include <stdio.h>

#define TOOL_ATTACHED() puts("own tool attached")
#include "other_tool.c"

int main(void) {
#pragma omp parallel num_threads(2)
    mark("body");
    return 0;
}
