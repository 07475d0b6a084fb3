// SPDX-License-Identifier: Apache-2.0
#include "entry/forecast.h"

#include "attachment/attachment.h"
#include "attachment/entry_names.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

namespace ocb::ompt {
namespace {

// Runtimes of LLVM's family see each other in a process by what each leaves when it is initialised:
// "ADDRESS-VALUE-FILE" with the address of a variable of its own and the value that it has. Up to
// libomp 12 it stands in the environment, later in shared memory, or in a file where there is none.
// It is written behind the question for a tool. Another process may have left it, so the variable
// decides.
class Registration {
  public:
    Registration() {
        char name[64];
        snprintf(name, sizeof name, "__KMP_REGISTERED_LIB_%d", static_cast<int>(getpid()));
        if (const char *value = getenv(name); value != nullptr) {
            parse(value);
        }
        for (const char *folder : {"/dev/shm", "/tmp"}) {
            if (variable_ == nullptr) {
                read_file(folder, name);
            }
        }
    }

    [[nodiscard]] bool is_of(const LoadedObject &object) const {
        const Symbol segment = object.segment_of(variable_);
        const auto address = reinterpret_cast<std::uintptr_t>(variable_);
        if (!segment.is_found() || segment.address + segment.size - address < sizeof value_) {
            return false;
        }
        unsigned long value = 0;
        std::memcpy(&value, variable_, sizeof value);
        return value == value_;
    }

  private:
    void read_file(const char *folder, const char *name) {
        char path[128], text[128];
        snprintf(path, sizeof path, "%s/%s_%d", folder, name, static_cast<int>(getuid()));
        const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (file < 0) {
            return;
        }
        const ssize_t size = read(file, text, sizeof text - 1);
        close(file);
        if (size > 0) {
            text[size] = '\0';
            parse(text);
        }
    }

    void parse(const char *text) {
        char *end = nullptr;
        const unsigned long long address = std::strtoull(text, &end, 16);
        if (*end == '-') {
            value_ = std::strtoul(end + 1, nullptr, 16);
            variable_ = value_ != 0 ? reinterpret_cast<const void *>(address) : nullptr;
        }
    }

    const void *variable_ = nullptr;
    unsigned long value_ = 0;
};

// In a child of fork the mark has the parent's name, and may be gone. The variable stays: its upper
// part is a constant, its lower one a thread's number. It is 0 until the runtime is initialised.
// From libomp 15 on the runtime leaves no mark in the child, nor asks for a tool there again.
bool has_registered(const LoadedObject &object) {
    constexpr std::uint64_t kValue = 0xCAFE0000U;
    constexpr std::uint64_t kLowerPart = 0xFFFFU;
    return object.has_variable(kValue, ~kLowerPart);
}

// LLVM's family: runtimes that have its extensions of OpenMP as well as the compiler's entries.
bool leaves_registration(const LoadedObject &object) {
    return object.definition_of("__kmpc_fork_call").is_found() &&
           object.definition_of("kmp_get_stacksize").is_found();
}

enum class Initialised : std::uint8_t { kNo, kYes, kUnknown };

Initialised is_initialised(const RuntimeSearch &search) {
    const Registration registration;
    Initialised result = Initialised::kUnknown;
    visit_object_of(
        reinterpret_cast<const void *>(search.initialise), [&](const LoadedObject &object) {
            if (leaves_registration(object)) {
                result = registration.is_of(object) || has_registered(object) ? Initialised::kYes
                                                                              : Initialised::kNo;
            }
        });
    return result;
}

bool is_runtime(const void *address) {
    bool is_one = false;
    visit_object_of(address, [&](const LoadedObject &object) {
        is_one = initialising_function(object).is_found();
    });
    return is_one;
}

// kWillAttach if the first definition of `entry` that the runtime finds is ours. Where it is the
// runtime's own, a runtime of OpenMP 5 goes on to the next one.
Forecast forecast_of_search(const char *entry) {
    const void *first = dlsym(RTLD_DEFAULT, entry);
    if (first == nullptr) {
        return Forecast::kUnknown;
    }
    if (is_in_own_object(first)) {
        return Forecast::kWillAttach;
    }
    if (!is_runtime(first)) {
        return Forecast::kToolInFront;
    }
    if (std::strcmp(entry, kEntryNames[0]) != 0) {
        return Forecast::kTooLate;
    }
    ObjectPath ignored;
    return !exports_entry(entry)                    ? Forecast::kUnknown
           : other_tool_is_in_front(entry, ignored) ? Forecast::kToolInFront
                                                    : Forecast::kWillAttach;
}

} // namespace

// Runtimes of OpenMP 5 go on without a tool for any value that does not enable one. Older ones
// print a message, or end the program. By the documents, case and blanks around the value do not
// count.
bool tool_is_disabled(const char *value) {
    if (value == nullptr) {
        return false;
    }
    value += std::strspn(value, " \t");
    const std::size_t length = std::strcspn(value, " \t");
    constexpr char kEnabled[] = "enabled";
    return length != 0 &&
           (length != sizeof kEnabled - 1 || strncasecmp(value, kEnabled, length) != 0);
}

bool llvm_takes_tool(const char *value) {
    return value == nullptr || value[0] == '\0' || strcasecmp(value, "enabled") == 0;
}

Forecast forecast_of(const RuntimeSearch &search) {
    // A runtime that has ended and starts again need not ask again.
    if (search.has_provider || was_detached()) {
        return Forecast::kUnknown;
    }
    const Initialised initialised = is_initialised(search);
    if (initialised == Initialised::kUnknown) {
        return Forecast::kUnknown;
    }
    if (initialised == Initialised::kYes || !llvm_takes_tool(getenv("OMP_TOOL"))) {
        return Forecast::kTooLate;
    }
    return forecast_of_search(search.entry);
}

} // namespace ocb::ompt
