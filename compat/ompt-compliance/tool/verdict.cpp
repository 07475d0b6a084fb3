// SPDX-License-Identifier: Apache-2.0
#include "verdict.h"

#include "shared.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <sched.h>

namespace compliance {
namespace {

__attribute__((format(printf, 3, 0))) void add_line(char mark, int *counter, const char *format,
                                                    va_list arguments) {
    char line[512];
    line[0] = mark;
    line[1] = ' ';
    const int length = vsnprintf(line + 2, sizeof line - 4, format, arguments);
    if (length < 0) {
        return;
    }
    line[strlen(line) + 1] = '\0';
    line[strlen(line)] = '\n';

    Shared &memory = shared();
    while (memory.text_lock.exchange(1, std::memory_order_acquire) != 0) {
        sched_yield();
    }
    const size_t size = strlen(line);
    if (memory.text_used + size < kMaxText && strstr(memory.text, line) == nullptr) {
        memcpy(memory.text + memory.text_used, line, size);
        memory.text_used += static_cast<unsigned>(size);
    }
    if (counter != nullptr) {
        ++*counter;
    }
    memory.text_lock.store(0, std::memory_order_release);
}

} // namespace

#define OCB_ADD_LINE(mark, counter)                                                                \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    add_line(mark, counter, format, arguments);                                                    \
    va_end(arguments)

void fail(const char *format, ...) {
    OCB_ADD_LINE(kMarkFailure, &shared().failures);
}

void not_implemented(const char *format, ...) {
    OCB_ADD_LINE(kMarkMissing, &shared().missing);
}

void not_in_this_generation(const char *format, ...) {
    OCB_ADD_LINE(kMarkMissing, &shared().not_in_generation);
}

void fact(const char *format, ...) {
    OCB_ADD_LINE(kMarkFact, nullptr);
}

int print_verdict() {
    const Shared &memory = shared();
    printf("%c %s\n", kMarkGeneration, generation_name(memory.registration.generation));
    fwrite(memory.text, 1, memory.text_used, stdout);
    return memory.failures != 0            ? kImplementedButIncorrect
           : memory.missing != 0           ? kNotImplemented
           : memory.not_in_generation != 0 ? kNotInThisGeneration
                                           : kCorrect;
}

} // namespace compliance
