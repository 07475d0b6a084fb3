// SPDX-License-Identifier: Apache-2.0
//
// Places have the names that the dynamic linker knows; the launcher knows more.
#include "own_report.h"

#include "base/object_list.h"
#include "profile_reader.h"
#include "settings.h"
#include "store.h"
#include "text_output.h"
#include "text_report.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ompcollect {
namespace {

struct Search {
    const Place &place;
    uintptr_t address;
};

int match(dl_phdr_info *info, size_t, void *data) {
    auto &search = *static_cast<Search *>(data);
    const uintptr_t address = info->dlpi_addr + search.place.offset;
    Dl_info found;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) &segment = info->dlpi_phdr[i];
        const bool inside = segment.p_type == PT_LOAD && search.place.offset >= segment.p_vaddr &&
                            search.place.offset < segment.p_vaddr + segment.p_memsz;
        const bool is_program = !info->dlpi_name || !*info->dlpi_name;
        if (inside && (is_program || strcmp(info->dlpi_name, search.place.module) == 0) &&
            dladdr(reinterpret_cast<void *>(address), &found) && found.dli_sname) {
            search.address = address;
            return !is_program;
        }
    }
    return 0;
}

void name_place(Place &place, LoadedProfile &profile) {
    if (!place.module) {
        return;
    }
    Search search = {place, 0};
    ocb::look_at_objects(match, &search);
    Dl_info found;
    if (search.address != 0 && dladdr(reinterpret_cast<void *>(search.address), &found)) {
        place.symbol = profile.keep(found.dli_sname);
    }
}

bool take(void *, const char *text, size_t size) {
    return write_to_stderr(text, size);
}

void print(const void *bytes, size_t size) {
    LoadedProfile loaded;
    if (const char *why = read_profile(bytes, size, loaded)) {
        complain("no report: %s", why);
        return;
    }
    if (!used_openmp(loaded.profile)) {
        return;
    }
    for (RegionRow &region : loaded.regions) {
        name_place(region.place, loaded);
    }
    for (LockRow &lock : loaded.locks) {
        name_place(lock.object, loaded);
        name_place(lock.first_wait, loaded);
    }
    TextOutput out(take, nullptr);
    write_text_report(loaded.profile, out);
}

} // namespace

void print_own_report() {
    struct stat file;
    if (fstat(store_descriptor(), &file) != 0) {
        return;
    }
    const auto size = static_cast<size_t>(file.st_size);
    void *bytes = mmap(nullptr, size, PROT_READ, MAP_SHARED, store_descriptor(), 0);
    if (bytes != MAP_FAILED) {
        print(bytes, size);
        munmap(bytes, size);
    }
}

} // namespace ompcollect
