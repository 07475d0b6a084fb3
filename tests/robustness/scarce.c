/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that is not there, for the bridge alone: of malloc, calloc, realloc and mmap every n-th
 * call (OCB_SCARCE=n) fails that the bridge makes itself, or that libc and the dynamic linker make
 * while a request is carried out. The OpenMP runtime, which ends the process where it gets no
 * memory, gets its own, also where libc asks for it. Writes to the file that OCB_SCARCE_REPORT
 * names how many calls came and failed.
 */
#define _GNU_SOURCE
#include "omp_collector_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct range {
    uintptr_t begin, end;
};
static struct range bridge, libc, linker, runtime;
static long every;
static atomic_long calls, failed, direct, maps;
static __thread int in_request __attribute__((tls_model("initial-exec")));
static __thread const uintptr_t *request_frame __attribute__((tls_model("initial-exec")));

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static int is_in(const struct range *range, const void *address) {
    return (uintptr_t)address >= range->begin && (uintptr_t)address < range->end;
}

/* Whether the runtime stands between the request and here: one of its addresses is on the stack.
 * One that was left there makes a call succeed, never fail. */
__attribute__((noinline)) static int is_for_runtime(void) {
    for (const uintptr_t *word = __builtin_frame_address(0); word < request_frame; ++word) {
        if (is_in(&runtime, (const void *)*word)) {
            return 1;
        }
    }
    return 0;
}

static int fails(const void *caller, atomic_long *own) {
    const int is_direct = is_in(&bridge, caller);
    const int is_indirect = in_request && (is_in(&libc, caller) || is_in(&linker, caller));
    if (every == 0 || !(is_direct || is_indirect) || (is_indirect && is_for_runtime())) {
        return 0;
    }
    if (is_direct) {
        atomic_fetch_add(own, 1);
    }
    if (atomic_fetch_add(&calls, 1) % every != every - 1) {
        return 0;
    }
    atomic_fetch_add(&failed, 1);
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) {
    return fails(__builtin_return_address(0), &direct) ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    return fails(__builtin_return_address(0), &direct) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
    return fails(__builtin_return_address(0), &direct) ? NULL : __libc_realloc(memory, size);
}
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    if (fails(__builtin_return_address(0), &maps)) {
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

static void find_range(const void *address, struct range *range) {
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0) {
        return;
    }
    const char *base = info.dli_fbase;
    const ElfW(Ehdr) *header = (const void *)base;
    const ElfW(Phdr) *segment = (const void *)(base + header->e_phoff);
    range->begin = (uintptr_t)base;
    for (int i = 0; i < header->e_phnum; ++i, ++segment) {
        if (segment->p_type == PT_LOAD &&
            range->end < range->begin + segment->p_vaddr + segment->p_memsz) {
            range->end = range->begin + segment->p_vaddr + segment->p_memsz;
        }
    }
}

static OMP_COLLECTOR_API_FUNCTION next_api;

/* Stands before the bridge to know when a request is carried out. */
int __omp_collector_api(void *list) {
    const uintptr_t *outer = request_frame;
    if (in_request++ == 0) {
        request_frame = __builtin_frame_address(0);
    }
    const int result = next_api(list);
    --in_request;
    request_frame = outer;
    return result;
}

__attribute__((constructor)) static void begin(void) {
    *(void **)&next_api = dlsym(RTLD_NEXT, OMP_COLLECTOR_API);
    const char *number = getenv("OCB_SCARCE");
    if (next_api == NULL || number == NULL) {
        return;
    }
    void *address = NULL;
    memcpy(&address, &next_api, sizeof address);
    find_range(address, &bridge);
    find_range(dlsym(RTLD_DEFAULT, "getpid"), &libc);
    find_range(dlsym(RTLD_DEFAULT, "__tls_get_addr"), &linker);
    find_range(dlsym(RTLD_DEFAULT, "omp_get_max_threads"), &runtime);
    every = atol(number);
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("OCB_SCARCE_REPORT");
    FILE *report = path != NULL ? fopen(path, "w") : NULL;
    every = 0;
    if (report == NULL) {
        return;
    }
    fprintf(report, "calls %ld failed %ld by_bridge %ld maps_by_bridge %ld\n", (long)calls,
            (long)failed, (long)direct, (long)maps);
    fclose(report);
}
