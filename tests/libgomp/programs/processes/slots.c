/* SPDX-License-Identifier: Apache-2.0
 * slots [PLUGIN] - calls some of libgomp's functions, and then prints for each where its own calls
 * lead: "NAME FILE". Last, whether the memory that the dynamic linker has made read-only is so. A
 * plugin is opened in between and uses OpenMP too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static omp_lock_t lock;
static long sum;

static void use(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        sum += 1;
        omp_set_lock(&lock);
        sum += 1;
        omp_unset_lock(&lock);
#pragma omp barrier
    }
}

static const char *file_of(uintptr_t address) {
    Dl_info info;
    const char *name = dladdr((void *)address, &info) ? info.dli_fname : "?";
    return strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
}

static int is_writable(uintptr_t address) {
    char line[512], rights[8] = "";
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long begin, end;
        if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) == 3 && begin <= address &&
            address < end) {
            break;
        }
    }
    if (maps) {
        fclose(maps);
    }
    return rights[1] == 'w';
}

static int show(struct dl_phdr_info *program, size_t size, void *data) {
    (void)size, (void)data;
    const ElfW(Rela) *slots = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    size_t bytes = 0;
    for (int i = 0; i < program->dlpi_phnum; ++i) {
        const ElfW(Phdr) *part = &program->dlpi_phdr[i];
        const uintptr_t begin = program->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_GNU_RELRO) {
            printf("protected memory is %s\n", is_writable(begin) ? "writable" : "read-only");
        }
        if (part->p_type != PT_DYNAMIC) {
            continue;
        }
        for (const ElfW(Dyn) *entry = (const ElfW(Dyn) *)begin; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_JMPREL) {
                slots = (const ElfW(Rela) *)entry->d_un.d_ptr;
            }
            if (entry->d_tag == DT_PLTRELSZ) {
                bytes = entry->d_un.d_val;
            }
            if (entry->d_tag == DT_SYMTAB) {
                symbols = (const ElfW(Sym) *)entry->d_un.d_ptr;
            }
            if (entry->d_tag == DT_STRTAB) {
                names = (const char *)entry->d_un.d_ptr;
            }
        }
    }
    for (size_t i = 0; i < bytes / sizeof *slots; ++i) {
        const char *name = names + symbols[ELF64_R_SYM(slots[i].r_info)].st_name;
        if (strncmp(name, "GOMP_", 5) == 0 || strstr(name, "set_lock") != NULL) {
            printf("%s %s\n", name,
                   file_of(*(uintptr_t *)(program->dlpi_addr + slots[i].r_offset)));
        }
    }
    return 1;
}

int main(int argc, char **argv) {
    omp_init_lock(&lock);
    use();
    if (argc > 1) {
        void *plugin = dlopen(argv[1], RTLD_NOW);
        int (*run)(int, int) = plugin ? (int (*)(int, int))dlsym(plugin, "plugin_run") : NULL;
        printf("plugin %d\n", run ? run(2, 10) : -1);
    }
    use();
    printf("%ld\n", sum);
    dl_iterate_phdr(show, NULL);
    return 0;
}
