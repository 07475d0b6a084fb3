/* SPDX-License-Identifier: Apache-2.0
 *
 * needing_runtime - a runtime in one function, with OMPT as the draft after TR2 leaves open: it has
 * no ompt_tool of its own, the symbol is undefined and weak. Its version's text lies on the heap.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void (*Function)(void);
typedef Function (*LookupFunction)(const char *name);
typedef void (*Initializer)(LookupFunction lookup, const char *version, unsigned number);

extern Initializer ompt_tool(void) __attribute__((weak));

static int callbacks = 0;

static int set_callback(int event, Function callback) {
    (void)event;
    callbacks += callback != NULL;
    return 4;
}
static int get_state(uint64_t *wait_id) {
    *wait_id = 0;
    return 0;
}
static uint64_t get_thread_id(void) {
    return 1;
}
static uint32_t get_parallel_info(int level, uint64_t *id, int *team_size) {
    (void)level;
    *id = 0;
    *team_size = 0;
    return 0;
}

static Function look_up(const char *name) {
    if (strcmp(name, "ompt_set_callback") == 0) {
        return (Function)set_callback;
    }
    if (strcmp(name, "ompt_get_state") == 0) {
        return (Function)get_state;
    }
    if (strcmp(name, "ompt_get_thread_id") == 0) {
        return (Function)get_thread_id;
    }
    if (strcmp(name, "ompt_get_parallel_info") == 0) {
        return (Function)get_parallel_info;
    }
    return NULL;
}

int omp_get_max_threads(void) {
    static int is_up = 0;
    if (!is_up) {
        is_up = 1;
        const Initializer initialize = ompt_tool ? ompt_tool() : NULL;
        if (initialize) {
            initialize(look_up, strdup("a runtime with a need"), 2);
        }
        fprintf(stderr, "callbacks %d\n", callbacks);
    }
    return 1;
}
