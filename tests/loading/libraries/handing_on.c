/* SPDX-License-Identifier: Apache-2.0
 *
 * handing_on - stands in front of the bridge where a runtime looks for its tool, and hands the
 * question on, as libraries do that watch a tool or load one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

void *ompt_start_tool(unsigned omp_version, const char *runtime_version);
void *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
    void *(*next)(unsigned, const char *) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
    return next ? next(omp_version, runtime_version) : NULL;
}
