// SPDX-License-Identifier: Apache-2.0
//
// Code whose stack is walked at each of its instructions (stack_walk_test.cpp): built by several
// compilers with several options, as a library of its own. Each function makes frames of another
// kind, and they call each other and the C library, by the procedure linkage table.
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <stdexcept>
#include <string>

namespace {

#define FUNCTION __attribute__((noinline))

volatile long kept;

FUNCTION long leaf(long a, long b) {
    return a * b + kept;
}

// Pushes many registers.
FUNCTION long many(long a, long b, long c, long d) {
    long e = leaf(a, b);
    long f = leaf(c, d);
    long g = leaf(a, d);
    long h = leaf(e, f);
    long i = leaf(g, h);
    return a + b + c + d + e + f + g + h + i + leaf(i, e);
}

FUNCTION long recursion(long depth) {
    const long below = depth > 0 ? recursion(depth - 1) : leaf(depth, 2);
    return below + kept;
}

// A frame whose size is known at run time only.
FUNCTION long with_alloca(size_t size) {
    auto *bytes = static_cast<char *>(__builtin_alloca(size));
    memset(bytes, 1, size);
    kept = kept + bytes[size / 2];
    return leaf(bytes[0], bytes[size - 1]);
}

// The stack pointer is rounded down, so that the caller's frame is found by an expression.
FUNCTION long aligned(long value) {
    alignas(64) volatile double vector[16];
    for (volatile double &element : vector) {
        element = static_cast<double>(value);
    }
    return many(value, 1, 2, 3) + static_cast<long>(vector[3]);
}

// The same where arguments lie on the stack: they are found by a register of their own.
FUNCTION long aligned_with_arguments(long a, long b, long c, long d, long e, long f, long g,
                                     long h) {
    alignas(64) volatile double vector[16];
    for (volatile double &element : vector) {
        element = static_cast<double>(g + h);
    }
    return many(a, b, c, d) + many(e, f, g, h) + static_cast<long>(vector[3]);
}

// Most calls end before there is a frame.
FUNCTION long shrink_wrapped(long value) {
    if (value < 3) {
        return value;
    }
    volatile char space[300];
    space[value] = 1;
    return many(value, space[value], 3, 4);
}

FUNCTION long large_frame(long value) {
    volatile char space[20000];
    space[0] = static_cast<char>(value);
    space[19999] = 1;
    return leaf(space[0], space[19999]);
}

int ascending(const void *a, const void *b) {
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

FUNCTION long c_library() {
    char text[200];
    int numbers[] = {5, 3, 9, 1, 7, 2};
    snprintf(text, sizeof text, "%d %s %.3f", 42, "words", 2.5);
    qsort(numbers, 6, sizeof numbers[0], ascending);
    auto *copy = static_cast<char *>(malloc(sizeof text));
    memcpy(copy, text, sizeof text);
    const size_t length = strlen(copy);
    free(copy);
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const char *home = getenv("HOME");
    return static_cast<long>(length) + numbers[0] + (home ? 1 : 0) + atoi("17");
}

FUNCTION long cpp_library() {
    std::map<std::string, int> names;
    for (int i = 0; i < 3; ++i) {
        names["a name that does not fit into the object " + std::to_string(i)] = i;
    }
    return static_cast<long>(names.size());
}

struct Cleanup {
    explicit Cleanup(long value) : value_(value) {}
    ~Cleanup() { kept = leaf(value_, kept); }
    long value_;
};

FUNCTION void throws(long value) {
    const Cleanup cleanup(value);
    if (value > 2) {
        throw std::runtime_error("a value");
    }
    kept = leaf(value, 1);
}

FUNCTION long catches(long value) {
    try {
        const Cleanup cleanup(value);
        throws(value);
        return 1;
    } catch (const std::exception &error) {
        return static_cast<long>(strlen(error.what()));
    }
}

jmp_buf back;

// Its last instruction is the call: the return address lies behind its end.
[[noreturn]] FUNCTION void never_returns(long value) {
    kept = leaf(value, 2);
    longjmp(back, 1);
}

[[noreturn]] FUNCTION void ends_with_a_call(long value) {
    kept = leaf(value, 3);
    never_returns(value + 1);
}

FUNCTION long jumps(long value) {
    if (setjmp(back) == 0) {
        ends_with_a_call(value);
    }
    return kept;
}

} // namespace

extern "C" {

// What is run by name. 0 ends the list.
struct WalkedPart {
    const char *name;
    long (*run)();
};

__attribute__((visibility("default"))) extern const WalkedPart walked_parts[] = {
    {"Functions",
     [] {
         return many(1, 2, 3, 4) + recursion(12) + shrink_wrapped(1) + shrink_wrapped(5) +
                large_frame(3);
     }},
    {"MovedStackPointers",
     [] {
         return with_alloca(100) + with_alloca(5000) + aligned(4) +
                aligned_with_arguments(1, 2, 3, 4, 5, 6, 7, 8);
     }},
    {"TheCLibrary", [] { return c_library(); }},
    {"TheCppLibrary", [] { return cpp_library(); }},
    {"Cleanups", [] { return catches(1) + catches(5); }},
    {"Jumps", [] { return jumps(7); }},
    {nullptr, nullptr},
};
}
