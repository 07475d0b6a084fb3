// SPDX-License-Identifier: Apache-2.0
#include "trace.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <unistd.h>

namespace ocb::front {
namespace {

constexpr char kProgram[] = "(program)";

const char *name_of(const Object *object) {
    return object == nullptr ? "?" : object->name[0] == '\0' ? kProgram : object->name;
}

} // namespace

void trace_binding(const ObjectList &objects, const Object &caller, const Reference &reference,
                   const void *definition) {
    const char *value = secure_getenv("OCB_FRONT");
    if (value == nullptr || std::strcmp(value, "trace") != 0) {
        return;
    }
    char line[1024];
    std::size_t size = 0;
    for (const char *part : {"[omp-collector-front] ", name_of(&caller), " calls ", reference.name,
                             " of ", name_of(objects.holding(definition)), "\n"}) {
        const std::size_t length = std::strlen(part);
        if (size + length > sizeof line) {
            return;
        }
        std::memcpy(line + size, part, length);
        size += length;
    }
    if (write(STDERR_FILENO, line, size) < 0) {
        return; // nowhere to report it
    }
}

} // namespace ocb::front
