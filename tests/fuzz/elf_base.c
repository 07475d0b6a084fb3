/* SPDX-License-Identifier: Apache-2.0
 *
 * elf_base.c - the library that the inputs of elf_target.cpp change: functions, one of them
 * inlined, with symbols and debug information, and an interpreter. Their names are of each kind
 * that compilers make, one has three.
 */
#define NAMED(name) __asm__(name)

const char interpreter[] __attribute__((section(".interp"), used)) = "/lib64/ld-linux-x86-64.so.2";

static int inner(int x) {
    return x * 3 + 1;
}

int counter;

int middle(int x) {
    counter += inner(x);
    return counter;
}
int middle_of_three(int) __attribute__((alias("middle")));
int _middle(int) __attribute__((alias("middle")));
static int middle_here(int) __attribute__((alias("middle"), used));

int outer(int x) {
    for (int i = 0; i < x; ++i) {
        counter += middle(i) + inner(i);
    }
    return counter;
}

int GOMP_parallel(int);

int of_cpp(int) NAMED("_ZN6solver4stepEi");
int of_cpp(int x) {
    return outer(x) + GOMP_parallel(x);
}
int of_gfortran(int) NAMED("__solver_MOD_step");
int of_gfortran(int x) {
    return inner(x) + outer(x);
}
int main_of_fortran(int) NAMED("MAIN__");
int main_of_fortran(int x) {
    return of_cpp(x);
}
static int part(int) NAMED(".omp_outlined.");
__attribute__((used, noinline)) static int part(int x) {
    return outer(x) + inner(x);
}
int copy(int) NAMED("outer._omp_fn.0");
int copy(int x) {
    return part(x);
}
