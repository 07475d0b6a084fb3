/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of kinds share: NAME [KIND]... - one small program of each kind that gcc's code
 * has for libgomp. Each computes something whose value is known. Prints each one's name and "right"
 * or "wrong"; ends with the number of wrong ones.
 */
#ifndef OCB_TESTS_KINDS_H
#define OCB_TESTS_KINDS_H

#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { kCount = 1000, kThreads = 3, kRows = 12, kColumns = 9 };
static const long kSum = (long)kCount * (kCount - 1) / 2;

struct kind {
    const char *name;
    int (*is_right)(void);
};
#define KIND(name)                                                                                 \
    { #name, name }

static int is_asked_for(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], name) == 0) {
            return 1;
        }
    }
    return argc == 1;
}

static int run_kinds(const struct kind *kinds, unsigned count, int argc, char **argv) {
    int wrong = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (is_asked_for(argc, argv, kinds[i].name)) {
            const int is_right = kinds[i].is_right();
            printf("%s %s\n", kinds[i].name, is_right ? "right" : "wrong");
            fflush(stdout);
            wrong += !is_right;
        }
    }
    return wrong;
}

#define RUN_KINDS(kinds)                                                                           \
    int main(int argc, char **argv) {                                                              \
        return run_kinds(kinds, sizeof kinds / sizeof kinds[0], argc, argv);                       \
    }

#endif
