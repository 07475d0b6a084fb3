// SPDX-License-Identifier: Apache-2.0
//
// Ways out of a process that run no exit handlers: the collector hears of them before. The program
// sees nothing of that.
#include "listener.h"
#include "program_signal.h"
#include "real.h"

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

namespace ompcollect {
namespace {

using Arguments = char *const *;

constinit Real<int (*)(const char *, Arguments)> real_execv("execv");
constinit Real<int (*)(const char *, Arguments)> real_execvp("execvp");
constinit Real<int (*)(const char *, Arguments, Arguments)> real_execve("execve");
constinit Real<int (*)(const char *, Arguments, Arguments)> real_execvpe("execvpe");
constinit Real<int (*)(int, Arguments, Arguments)> real_fexecve("fexecve");
constinit Real<void (*)(int)> real_quick_exit("quick_exit");

// `become` returns only if it fails.
template <class Become> int replace_process(Become become) {
    const ompcollect_listener *listener = current_listener();
    if (!listener) {
        return become();
    }
    listener->becomes_another();
    ignore_for_exec();
    const int result = become();
    const int saved_errno = errno;
    heed_after_failed_exec();
    listener->stays();
    errno = saved_errno;
    return result;
}

void say_quits(int code) {
    if (const ompcollect_listener *listener = current_listener()) {
        listener->quits(code);
    }
}

// The words of execl() and its kin; `skipped` receives what follows the null, for execle().
struct Words {
    char **words;
    char *const *environment;
};
constexpr size_t kMostWords = 4096;

size_t count_words(va_list list) {
    size_t count = 1;
    while (count < kMostWords && va_arg(list, char *)) {
        ++count;
    }
    return count;
}

} // namespace
} // namespace ompcollect

using namespace ompcollect;

OMPCOLLECT_INTERPOSED int execve(const char *path, Arguments words, Arguments environment) {
    return replace_process([&] { return real_execve.get()(path, words, environment); });
}

OMPCOLLECT_INTERPOSED int execv(const char *path, Arguments words) {
    return replace_process([&] { return real_execv.get()(path, words); });
}

OMPCOLLECT_INTERPOSED int execvp(const char *file, Arguments words) {
    return replace_process([&] { return real_execvp.get()(file, words); });
}

OMPCOLLECT_INTERPOSED int execvpe(const char *file, Arguments words, Arguments environment) {
    return replace_process([&] { return real_execvpe.get()(file, words, environment); });
}

OMPCOLLECT_INTERPOSED int fexecve(int file, Arguments words, Arguments environment) {
    return replace_process([&] { return real_fexecve.get()(file, words, environment); });
}

// The list as an array on the stack, as it is in the C library: these may run in a child of
// vfork().
#define OMPCOLLECT_TAKE_WORDS(first)                                                               \
    va_list list;                                                                                  \
    va_start(list, first);                                                                         \
    const size_t count = count_words(list);                                                        \
    va_end(list);                                                                                  \
    char *words[count + 1];                                                                        \
    words[0] = const_cast<char *>(first);                                                          \
    va_start(list, first);                                                                         \
    for (size_t i = 1; i <= count; ++i)                                                            \
    words[i] = va_arg(list, char *)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvla"
#pragma GCC diagnostic ignored "-Wpedantic"
OMPCOLLECT_INTERPOSED int execl(const char *path, const char *first, ...) {
    OMPCOLLECT_TAKE_WORDS(first);
    va_end(list);
    return execv(path, words);
}

OMPCOLLECT_INTERPOSED int execlp(const char *file, const char *first, ...) {
    OMPCOLLECT_TAKE_WORDS(first);
    va_end(list);
    return execvp(file, words);
}

OMPCOLLECT_INTERPOSED int execle(const char *path, const char *first, ...) {
    OMPCOLLECT_TAKE_WORDS(first);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, words, environment);
}
#pragma GCC diagnostic pop

OMPCOLLECT_INTERPOSED __attribute__((noreturn)) void _exit(int code) {
    say_quits(code);
    for (;;) {
        syscall(SYS_exit_group, code);
    }
}

OMPCOLLECT_INTERPOSED __attribute__((noreturn)) void _Exit(int code) {
    _exit(code);
}

OMPCOLLECT_INTERPOSED __attribute__((noreturn)) void quick_exit(int code) {
    say_quits(code);
    real_quick_exit.get()(code);
    for (;;) {
        syscall(SYS_exit_group, code);
    }
}
