/* SPDX-License-Identifier: Apache-2.0
 *
 * unmarked_loop - a single construct, and a static loop as flang 19 makes it: what the runtime gets
 * does not say that it is one. Each of two threads executes one half.
 */
#include <stdint.h>
#include <stdio.h>

struct place {
    int32_t zero, flags, zero_too, length;
    const char *source;
};
static const struct place loop_here = {0, 0x2, 0, 22, ";unknown;unknown;0;0;;"};

/* Of LLVM's runtime. */
int32_t __kmpc_global_thread_num(const void *place);
void __kmpc_for_static_init_4(const void *place, int32_t thread, int32_t kind, int32_t *is_last,
                              int32_t *lower, int32_t *upper, int32_t *stride, int32_t increment,
                              int32_t chunk);
void __kmpc_for_static_fini(const void *place, int32_t thread);

int main(void) {
    int sum = 0;
    int singles = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp single
        ++singles;
        enum { kStatic = 34 };
        const int32_t thread = __kmpc_global_thread_num(&loop_here);
        int32_t is_last = 0, lower = 0, upper = 999, stride = 1;
        __kmpc_for_static_init_4(&loop_here, thread, kStatic, &is_last, &lower, &upper, &stride, 1,
                                 1);
        for (int32_t i = lower; i <= upper; ++i) {
            sum += i;
        }
        __kmpc_for_static_fini(&loop_here, thread);
    }
    printf("%d %d\n", singles, sum);
    return singles != 1 || sum != 499500;
}
