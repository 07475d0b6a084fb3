/* SPDX-License-Identifier: Apache-2.0
 *
 * elf_base.c - the library that the inputs of elf_target.cpp change: functions, one of them
 * inlined, with symbols and debug information.
 */
static int inner(int x) {
    return x * 3 + 1;
}

int counter;

int middle(int x) {
    counter += inner(x);
    return counter;
}

int outer(int x) {
    for (int i = 0; i < x; ++i) {
        counter += middle(i) + inner(i);
    }
    return counter;
}
