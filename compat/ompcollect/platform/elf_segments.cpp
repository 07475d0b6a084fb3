// SPDX-License-Identifier: Apache-2.0
#include "elf_segments.h"

#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>

namespace ompcollect::report {

ElfSegments segments_of(const std::string &path) {
    ElfSegments to;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
        return to;
    }
    std::ifstream in(path, std::ios::binary);
    Elf64_Ehdr head;
    if (!in.read(reinterpret_cast<char *>(&head), sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof(Elf64_Phdr)) {
        return to;
    }
    to.is_fixed = head.e_type == ET_EXEC;
    to.entry = head.e_entry;
    in.seekg(static_cast<std::streamoff>(head.e_phoff));
    for (unsigned i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr row;
        if (!in.read(reinterpret_cast<char *>(&row), sizeof row)) {
            break;
        }
        if (row.p_type == PT_LOAD) {
            to.segments.push_back({row.p_vaddr, row.p_memsz, row.p_offset,
                                   (row.p_flags & PF_R) != 0, (row.p_flags & PF_W) != 0,
                                   (row.p_flags & PF_X) != 0});
        }
    }
    return to;
}

} // namespace ompcollect::report
