// SPDX-License-Identifier: Apache-2.0
// The counting definitions of malloc and its kin, or the sanitizer's hooks.
#include "allocation_count.h"

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OCB_HAS_SANITIZER_ALLOCATOR
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OCB_HAS_SANITIZER_ALLOCATOR
#endif

namespace {

constinit thread_local unsigned calls = 0;

} // namespace

#ifdef OCB_HAS_SANITIZER_ALLOCATOR

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *,
                                                                             std::size_t),
                                                         void (*free_hook)(const volatile void *));

namespace {

void count_malloc(const volatile void *, std::size_t) {
    ++calls;
}
void count_free(const volatile void *) {
    ++calls;
}
[[maybe_unused]] const int kHooks =
    __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);

} // namespace

#else

extern "C" {

void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void *__libc_realloc(void *memory, std::size_t size);
void __libc_free(void *memory);

void *malloc(std::size_t size) {
    ++calls;
    return __libc_malloc(size);
}
void *calloc(std::size_t count, std::size_t size) {
    ++calls;
    return __libc_calloc(count, size);
}
void *realloc(void *memory, std::size_t size) {
    ++calls;
    return __libc_realloc(memory, size);
}
void free(void *memory) {
    ++calls;
    __libc_free(memory);
}

} // extern "C"

#endif

namespace ocb::test {

AllocationCount::AllocationCount() : before_(calls) {}

unsigned AllocationCount::count() const {
    return calls - before_;
}

} // namespace ocb::test
