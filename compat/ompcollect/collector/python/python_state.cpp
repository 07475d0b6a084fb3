// SPDX-License-Identifier: Apache-2.0
#include "python_state.h"

#include "stack_memory.h"
#include "store.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {

constinit PythonInterpreter the_python = {};

namespace {

constexpr unsigned kMostThreads = 4096;

bool read_field(uintptr_t object, size_t offset, uintptr_t &value) {
    return ask_kernel(object + offset, value);
}

// The one interpreter; 0: there are several, or none.
uintptr_t only_interpreter(const InterpreterFile &file) {
    uintptr_t interpreter = 0;
    uintptr_t next = 0;
    if (!read_field(file.runtime, the_python.layout.interpreters, interpreter) ||
        interpreter == 0 || !read_field(interpreter, the_python.layout.next_interpreter, next)) {
        return 0;
    }
    if (next != 0) {
        header().python.store(static_cast<uint32_t>(PythonRead::kSeveral),
                              std::memory_order_relaxed);
    }
    the_python.only.store(next == 0 ? interpreter : 0, std::memory_order_relaxed);
    return next == 0 ? interpreter : 0;
}

// A new one becomes the first in the runtime's list.
bool is_still_only(const InterpreterFile &file) {
    const auto *const first =
        reinterpret_cast<const uintptr_t *>(file.runtime + the_python.layout.interpreters);
    return __atomic_load_n(first, __ATOMIC_RELAXED) ==
           the_python.only.load(std::memory_order_relaxed);
}

bool is_of_thread(uintptr_t state, int tid) {
    uintptr_t number = 0;
    return read_field(state, the_python.layout.native_thread_id, number) &&
           number == static_cast<uintptr_t>(tid);
}

bool is_in_interpreter(uintptr_t state, uintptr_t interpreter) {
    uintptr_t of = 0;
    return read_field(state, the_python.layout.interpreter_of_thread, of) && of == interpreter;
}

// Among all states of the interpreter.
uintptr_t search_state(const InterpreterFile &file, int tid) {
    const uintptr_t interpreter = only_interpreter(file);
    uintptr_t state = 0;
    if (interpreter == 0 || !read_field(interpreter, the_python.layout.threads, state)) {
        return 0;
    }
    for (unsigned i = 0; i < kMostThreads && state != 0; ++i) {
        if (is_of_thread(state, tid)) {
            return state;
        }
        if (!read_field(state, the_python.layout.next_thread, state)) {
            return 0;
        }
    }
    return 0;
}

int own_tid() {
    return static_cast<int>(syscall(SYS_gettid));
}

struct Key {
    int is_there;
    pthread_key_t number;
};

Key key_at(uintptr_t place) {
    const auto *const words = reinterpret_cast<const int *>(place);
    return {__atomic_load_n(words, __ATOMIC_RELAXED),
            static_cast<pthread_key_t>(__atomic_load_n(words + 1, __ATOMIC_RELAXED))};
}

// Where the runtime keeps the key under which this thread has its state.
uintptr_t search_key(const InterpreterFile &file, uintptr_t state) {
    constexpr pthread_key_t kKeys = 1024; // PTHREAD_KEYS_MAX
    for (uintptr_t at = file.runtime; at + sizeof(Key) <= file.runtime + file.runtime_size;
         at += sizeof(int)) {
        const Key key = key_at(at);
        if (key.is_there == 1 && key.number < kKeys &&
            reinterpret_cast<uintptr_t>(pthread_getspecific(key.number)) == state) {
            return at;
        }
    }
    return 0;
}

PythonRead reason_of(LayoutFound found) {
    switch (found) {
    case LayoutFound::kYes:
        return PythonRead::kYes;
    case LayoutFound::kUnknownVersion:
        return PythonRead::kUnknownVersion;
    case LayoutFound::kFreeThreaded:
        return PythonRead::kFreeThreaded;
    case LayoutFound::kImplausible:
        break;
    }
    return PythonRead::kImplausible;
}

constinit std::atomic<bool> is_met{false};
constinit std::atomic<uint32_t> reason{0}; // PythonRead; 0: not known yet

// Once, whichever thread comes first.
void find_structures(const InterpreterFile &file) {
    if (is_met.exchange(true, std::memory_order_relaxed)) {
        return;
    }
    DebugTable table = {};
    const LayoutFound found = copy_memory(file.runtime, table, sizeof table) == sizeof table
                                  ? find_layout(file.version, table, the_python.layout)
                                  : LayoutFound::kImplausible;
    if (found == LayoutFound::kYes) {
        the_python.file.store(&file, std::memory_order_release);
    }
    reason.store(static_cast<uint32_t>(reason_of(found)), std::memory_order_release);
}

// The profile may be a child's, whose parent has met it.
void describe(const InterpreterFile &file) {
    const uint32_t found = reason.load(std::memory_order_acquire);
    if (found != 0 && header().python.load(std::memory_order_relaxed) == 0) {
        header().python_version.store(file.version, std::memory_order_relaxed);
        header().python.store(found, std::memory_order_relaxed);
    }
}

} // namespace

void learn_interpreter() {
    const InterpreterFile *const met = interpreter_file();
    if (!met || !store_is_open()) {
        return;
    }
    find_structures(*met);
    describe(*met);
    const InterpreterFile *const file = loaded_interpreter();
    if (!file || the_python.key_place.load(std::memory_order_relaxed) != 0) {
        return;
    }
    if (const uintptr_t state = search_state(*file, own_tid())) {
        the_python.key_place.store(search_key(*file, state), std::memory_order_release);
    }
}

uintptr_t own_python_state(const InterpreterFile &file, std::atomic<uintptr_t> &remembered) {
    const uintptr_t place = the_python.key_place.load(std::memory_order_acquire);
    if (place == 0) {
        return python_state_of(file, own_tid(), remembered);
    }
    const Key key = key_at(place);
    if (key.is_there != 1) {
        return 0;
    }
    const auto state = reinterpret_cast<uintptr_t>(pthread_getspecific(key.number));
    if (state == 0 ||
        (state == remembered.load(std::memory_order_relaxed) && is_still_only(file))) {
        return state;
    }
    const uintptr_t interpreter = only_interpreter(file);
    if (interpreter == 0 || !is_in_interpreter(state, interpreter)) {
        return 0;
    }
    remembered.store(state, std::memory_order_relaxed);
    return state;
}

uintptr_t python_state_of(const InterpreterFile &file, int tid,
                          std::atomic<uintptr_t> &remembered) {
    const uintptr_t known = remembered.load(std::memory_order_relaxed);
    if (known != 0 && is_of_thread(known, tid)) {
        return known;
    }
    const uintptr_t state = search_state(file, tid);
    remembered.store(state, std::memory_order_relaxed);
    return state;
}

} // namespace ompcollect
