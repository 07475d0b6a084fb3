// SPDX-License-Identifier: Apache-2.0
#include "base/kept_text.h"

#include "base/lock.h"
#include "base/once_flag.h"

#include <atomic>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>

namespace ocb {
namespace {

// The characters of the text follow this header in memory.
struct Kept {
    const Kept *next;

    [[nodiscard]] const char *text() const { return reinterpret_cast<const char *>(this + 1); }
};

constinit Lock adding;
constinit OnceFlag forks_are_watched{0};
constinit const Kept *first = nullptr; // under `adding`

const char *find(const char *text, std::size_t length) {
    for (const Kept *kept = first; kept != nullptr; kept = kept->next) {
        if (std::strncmp(kept->text(), text, length) == 0 && kept->text()[length] == '\0') {
            return kept->text();
        }
    }
    return nullptr;
}

} // namespace

const char *kept_text(const char *text, std::size_t most) {
    const std::size_t length = strnlen(text, most);
    if (length == 0) {
        return "";
    }
    if (forks_are_watched.exchange(1, std::memory_order_relaxed) == 0) {
        pthread_atfork(nullptr, nullptr, [] { adding.reset_after_fork(); });
    }
    const LockGuard guard(adding);
    if (const char *found = find(text, length); found != nullptr) {
        return found;
    }
    void *memory = mmap(nullptr, sizeof(Kept) + length + 1, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return "";
    }
    auto *kept = static_cast<Kept *>(memory);
    kept->next = first;
    std::memcpy(kept + 1, text, length);
    first = kept;
    return kept->text();
}

} // namespace ocb
