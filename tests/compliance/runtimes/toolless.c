// SPDX-License-Identifier: Apache-2.0
// Enough of a runtime to be asked, and nothing of OMPT: its regions have one thread.
#include <stdarg.h>

struct ident;
typedef void (*Microtask)(int *global_thread, int *bound_thread, ...);

// The names are those that clang's code calls.
// NOLINTBEGIN(readability-identifier-naming)
int omp_get_max_threads(void);
int omp_get_thread_num(void);
void omp_set_max_active_levels(int levels);
int __kmpc_global_thread_num(struct ident *location);
void __kmpc_push_num_threads(struct ident *location, int thread, int count);
void __kmpc_fork_call(struct ident *location, int count, Microtask task, ...);

int omp_get_max_threads(void) {
    return 1;
}

int omp_get_thread_num(void) {
    return 0;
}

void omp_set_max_active_levels(int levels) {
    (void)levels;
}

int __kmpc_global_thread_num(struct ident *location) {
    (void)location;
    return 0;
}

void __kmpc_push_num_threads(struct ident *location, int thread, int count) {
    (void)location;
    (void)thread;
    (void)count;
}

void __kmpc_fork_call(struct ident *location, int count, Microtask task, ...) {
    (void)location;
    void *values[8] = {0};
    va_list arguments;
    va_start(arguments, task);
    for (int i = 0; i < count && i < 8; ++i) {
        values[i] = va_arg(arguments, void *);
    }
    va_end(arguments);
    int thread = 0;
    task(&thread, &thread, values[0], values[1], values[2], values[3], values[4], values[5],
         values[6], values[7]);
}
// NOLINTEND(readability-identifier-naming)
