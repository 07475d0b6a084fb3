// SPDX-License-Identifier: Apache-2.0
#include "elf_file.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// The machine this launcher, and so the bridge, is built for.
#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr unsigned kMachine = EM_PPC64;
#elif defined(__riscv)
constexpr unsigned kMachine = EM_RISCV;
#else
#error "add the ELF machine number of this architecture"
#endif

// A FIFO or a device is not waited for.
int open_regular(const std::string &path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

std::optional<GElf_Phdr> segment_of_type(Elf *elf, unsigned type) {
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) {
        return {};
    }
    for (size_t i = 0; i < count && i < INT_MAX; ++i) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, static_cast<int>(i), &segment) && segment.p_type == type) {
            return segment;
        }
    }
    return {};
}

// Where the file holds what is mapped at the address.
std::optional<uint64_t> offset_of_address(Elf *elf, uint64_t address) {
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) {
        return {};
    }
    for (size_t i = 0; i < count && i < INT_MAX; ++i) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, static_cast<int>(i), &segment) && segment.p_type == PT_LOAD &&
            address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
            return segment.p_offset + (address - segment.p_vaddr);
        }
    }
    return {};
}

std::string string_in(const Elf_Data *strings, uint64_t at) {
    if (!strings || at >= strings->d_size) {
        return {};
    }
    const char *begin = static_cast<const char *>(strings->d_buf) + at;
    return {begin, strnlen(begin, strings->d_size - at)};
}

} // namespace

ElfFile::ElfFile(const std::string &path) : fd_(open_regular(path)) {
    elf_version(EV_CURRENT);
    if (fd_ >= 0) {
        elf_ = elf_begin(fd_, ELF_C_READ, nullptr);
    }
}

ElfFile::~ElfFile() {
    elf_end(elf_);
    if (fd_ >= 0) {
        close(fd_);
    }
}

bool ElfFile::is_elf() const {
    return elf_ && elf_kind(elf_) == ELF_K_ELF;
}

bool ElfFile::is_for_this_machine() const {
    GElf_Ehdr header;
    return gelf_getehdr(elf_, &header) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_machine == kMachine;
}

bool ElfFile::is_shared_object() const {
    GElf_Ehdr header;
    return gelf_getehdr(elf_, &header) && header.e_type == ET_DYN;
}

std::string ElfFile::interpreter() const {
    const auto segment = segment_of_type(elf_, PT_INTERP);
    if (!segment) {
        return {};
    }
    char name[PATH_MAX] = {};
    const size_t size = std::min<uint64_t>(segment->p_filesz, sizeof name - 1);
    const ssize_t got = pread(fd_, name, size, static_cast<off_t>(segment->p_offset));
    return got > 0 ? std::string(name) : std::string();
}

DynamicNeeds ElfFile::dynamic_needs() const {
    DynamicNeeds needs;
    const auto segment = segment_of_type(elf_, PT_DYNAMIC);
    if (!segment) {
        return needs;
    }
    Elf_Data *entries = elf_getdata_rawchunk(elf_, static_cast<int64_t>(segment->p_offset),
                                             segment->p_filesz, ELF_T_DYN);
    uint64_t table = 0;
    uint64_t table_size = 0;
    std::vector<GElf_Dyn> wanted;
    GElf_Dyn entry;
    for (int i = 0; entries && gelf_getdyn(entries, i, &entry) && entry.d_tag != DT_NULL; ++i) {
        switch (entry.d_tag) {
        case DT_STRTAB:
            table = entry.d_un.d_ptr;
            break;
        case DT_STRSZ:
            table_size = entry.d_un.d_val;
            break;
        case DT_NEEDED:
        case DT_RPATH:
        case DT_RUNPATH:
            wanted.push_back(entry);
            break;
        default:
            break;
        }
    }
    const auto offset = offset_of_address(elf_, table);
    const Elf_Data *strings =
        offset ? elf_getdata_rawchunk(elf_, static_cast<int64_t>(*offset), table_size, ELF_T_BYTE)
               : nullptr;
    for (const GElf_Dyn &one : wanted) {
        std::string text = string_in(strings, one.d_un.d_val);
        if (one.d_tag == DT_NEEDED) {
            needs.needed.push_back(std::move(text));
        } else {
            (one.d_tag == DT_RPATH ? needs.rpath : needs.runpath) = std::move(text);
        }
    }
    return needs;
}

Image ElfFile::image() const {
    Image image;
    GElf_Ehdr header;
    size_t count = 0;
    if (!gelf_getehdr(elf_, &header) || elf_getphdrnum(elf_, &count) != 0) {
        return image;
    }
    image.is_fixed = header.e_type == ET_EXEC;
    image.entry = header.e_entry;
    for (size_t i = 0; i < count && i < INT_MAX; ++i) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf_, static_cast<int>(i), &segment) && segment.p_type == PT_LOAD) {
            image.segments.push_back({segment.p_vaddr, segment.p_memsz, segment.p_offset,
                                      (segment.p_flags & PF_R) != 0, (segment.p_flags & PF_W) != 0,
                                      (segment.p_flags & PF_X) != 0});
        }
    }
    return image;
}

void ElfFile::for_each_symbol(
    Symbols table, const std::function<void(const char *name, bool defined)> &found) const {
    const GElf_Word type = table == Symbols::kDynamic ? SHT_DYNSYM : SHT_SYMTAB;
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf_, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != type) {
            continue;
        }
        Elf_Data *data = elf_getdata(section, nullptr);
        GElf_Sym symbol;
        for (int i = 1; data && gelf_getsym(data, i, &symbol); ++i) {
            if (const char *name = elf_strptr(elf_, header.sh_link, symbol.st_name)) {
                found(name, symbol.st_shndx != SHN_UNDEF);
            }
        }
    }
}

bool is_loadable_library(const std::string &path) {
    const ElfFile file(path);
    return file.is_elf() && file.is_for_this_machine() && file.is_shared_object();
}

} // namespace ompcollect
