// SPDX-License-Identifier: Apache-2.0
#include "elf_file.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
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
int open_regular(const std::string &path, uint64_t &size) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return -1;
    }
    size = fd >= 0 ? static_cast<uint64_t>(status.st_size) : 0;
    return fd;
}

// The form that can be read here: 64 bits, in the machine's own order.
bool is_readable(const Elf64_Ehdr &header) {
    constexpr unsigned char kOwnOrder =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == kOwnOrder;
}

// False: not all of it is there.
bool read_all(int fd, void *to, size_t size, uint64_t offset) {
    auto *bytes = static_cast<char *>(to);
    while (size > 0) {
        const ssize_t got = pread(fd, bytes, size, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        bytes += got;
        offset += static_cast<uint64_t>(got);
        size -= static_cast<size_t>(got);
    }
    return true;
}

std::string in_hexadecimal(const unsigned char *bytes, uint64_t size) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (uint64_t i = 0; i < size; ++i) {
        text += kDigits[bytes[i] >> 4U];
        text += kDigits[bytes[i] & 15U];
    }
    return text;
}

} // namespace

template <class Row> std::vector<Row> ElfFile::rows(uint64_t offset, uint64_t count) const {
    if (offset > size_ || count > (size_ - offset) / sizeof(Row)) {
        return {};
    }
    std::vector<Row> rows(count);
    if (!read_all(fd_, rows.data(), count * sizeof(Row), offset)) {
        rows.clear();
    }
    return rows;
}

ElfFile::ElfFile(const std::string &path) : fd_(open_regular(path, size_)) {
    if (size_ < EI_NIDENT || !read_all(fd_, header_.e_ident, EI_NIDENT, 0) ||
        !is_readable(header_)) {
        return;
    }
    if (size_ < sizeof header_ || !read_all(fd_, &header_, sizeof header_, 0)) {
        header_ = {};
    } else if (header_.e_phentsize == sizeof(Elf64_Phdr)) {
        segments_ = rows<Elf64_Phdr>(header_.e_phoff, header_.e_phnum);
    }
}

ElfFile::~ElfFile() {
    if (fd_ >= 0) {
        close(fd_);
    }
}

bool ElfFile::is_elf() const {
    const unsigned char *mark = header_.e_ident;
    return memcmp(mark, ELFMAG, SELFMAG) == 0 && mark[EI_VERSION] == EV_CURRENT &&
           (mark[EI_CLASS] == ELFCLASS32 || mark[EI_CLASS] == ELFCLASS64) &&
           (mark[EI_DATA] == ELFDATA2LSB || mark[EI_DATA] == ELFDATA2MSB);
}

bool ElfFile::is_for_this_machine() const {
    return is_elf() && is_readable(header_) && header_.e_machine == kMachine;
}

bool ElfFile::is_shared_object() const {
    return is_elf() && is_readable(header_) && header_.e_type == ET_DYN;
}

const Elf64_Phdr *ElfFile::segment_of_type(uint32_t type) const {
    const auto found = std::find_if(segments_.begin(), segments_.end(),
                                    [type](const Elf64_Phdr &one) { return one.p_type == type; });
    return is_elf() && found != segments_.end() ? &*found : nullptr;
}

uint64_t ElfFile::offset_of_address(uint64_t address, uint64_t &rest) const {
    for (const Elf64_Phdr &segment : segments_) {
        const uint64_t inside = address - segment.p_vaddr;
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && inside < segment.p_filesz) {
            rest = segment.p_filesz - inside;
            return segment.p_offset + inside;
        }
    }
    return 0;
}

// Up to its end, or as much as there may be of it.
std::string ElfFile::text_at(uint64_t offset, uint64_t most) const {
    std::string text;
    char piece[256];
    while (most > 0 && offset < size_) {
        const size_t size = std::min<uint64_t>({sizeof piece, most, size_ - offset});
        if (!read_all(fd_, piece, size, offset)) {
            break;
        }
        const size_t length = strnlen(piece, size);
        text.append(piece, length);
        if (length < size) {
            break;
        }
        offset += size;
        most -= size;
    }
    return text;
}

std::string ElfFile::interpreter() const {
    const Elf64_Phdr *segment = segment_of_type(PT_INTERP);
    return segment ? text_at(segment->p_offset, std::min<uint64_t>(segment->p_filesz, PATH_MAX - 1))
                   : std::string();
}

DynamicNeeds ElfFile::dynamic_needs() const {
    DynamicNeeds needs;
    const Elf64_Phdr *segment = segment_of_type(PT_DYNAMIC);
    if (!segment) {
        return needs;
    }
    std::vector<Elf64_Dyn> entries =
        rows<Elf64_Dyn>(segment->p_offset, segment->p_filesz / sizeof(Elf64_Dyn));
    entries.erase(std::find_if(entries.begin(), entries.end(),
                               [](const Elf64_Dyn &one) { return one.d_tag == DT_NULL; }),
                  entries.end());
    const auto value_of = [&entries](int64_t tag) {
        uint64_t value = 0;
        for (const Elf64_Dyn &one : entries) {
            value = one.d_tag == tag ? one.d_un.d_val : value;
        }
        return value;
    };
    uint64_t size = 0; // of the strings
    const uint64_t strings = offset_of_address(value_of(DT_STRTAB), size);
    size = std::min(size, value_of(DT_STRSZ));
    for (const Elf64_Dyn &one : entries) {
        const uint64_t at = one.d_un.d_val;
        const auto text = [&] { return at < size ? text_at(strings + at, size - at) : ""; };
        if (one.d_tag == DT_NEEDED) {
            needs.needed.push_back(text());
        } else if (one.d_tag == DT_RPATH || one.d_tag == DT_RUNPATH) {
            (one.d_tag == DT_RPATH ? needs.rpath : needs.runpath) = text();
        }
    }
    return needs;
}

Image ElfFile::image() const {
    Image image;
    if (!is_elf()) {
        return image;
    }
    image.is_fixed = header_.e_type == ET_EXEC;
    image.entry = header_.e_entry;
    for (const Elf64_Phdr &segment : segments_) {
        if (segment.p_type == PT_LOAD) {
            image.segments.push_back({segment.p_vaddr, segment.p_memsz, segment.p_offset,
                                      (segment.p_flags & PF_R) != 0, (segment.p_flags & PF_W) != 0,
                                      (segment.p_flags & PF_X) != 0});
        }
    }
    return image;
}

std::string ElfFile::build_id() const {
    constexpr uint64_t kMostNotes = 1 << 16;
    for (const Elf64_Phdr &segment : segments_) {
        if (!is_elf() || segment.p_type != PT_NOTE || segment.p_filesz > kMostNotes) {
            continue;
        }
        const std::vector<unsigned char> notes =
            rows<unsigned char>(segment.p_offset, segment.p_filesz);
        const uint64_t step = segment.p_align == 8 ? 8 : 4;
        const auto padded = [step](uint64_t size) { return (size + step - 1) / step * step; };
        Elf64_Nhdr note;
        for (uint64_t at = 0; at + sizeof note <= notes.size();) {
            memcpy(&note, &notes[at], sizeof note);
            const uint64_t name = at + sizeof note;
            const uint64_t value = padded(name + note.n_namesz);
            if (value > notes.size() || note.n_descsz > notes.size() - value) {
                break;
            }
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
                memcmp(&notes[name], ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
                return in_hexadecimal(&notes[value], note.n_descsz);
            }
            at = padded(value + note.n_descsz);
        }
    }
    return {};
}

// Of more than 65,279 the first one has the number.
std::vector<Elf64_Shdr> ElfFile::sections() const {
    if (!is_elf() || header_.e_shoff == 0 || header_.e_shentsize != sizeof(Elf64_Shdr)) {
        return {};
    }
    uint64_t count = header_.e_shnum;
    if (count == 0) {
        const std::vector<Elf64_Shdr> first = rows<Elf64_Shdr>(header_.e_shoff, 1);
        count = first.empty() ? 0 : first.front().sh_size;
    }
    return rows<Elf64_Shdr>(header_.e_shoff, count);
}

void ElfFile::for_each_symbol(
    Symbols table, const std::function<void(const char *name, bool defined)> &found) const {
    const uint32_t type = table == Symbols::kDynamic ? SHT_DYNSYM : SHT_SYMTAB;
    const std::vector<Elf64_Shdr> all = sections();
    for (const Elf64_Shdr &section : all) {
        if (section.sh_type != type || section.sh_link >= all.size()) {
            continue;
        }
        const Elf64_Shdr &named = all[section.sh_link];
        std::vector<char> names = rows<char>(named.sh_offset, named.sh_size);
        names.push_back(0);
        const std::vector<Elf64_Sym> symbols =
            rows<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
        for (size_t i = 1; i < symbols.size(); ++i) {
            if (symbols[i].st_name < names.size()) {
                found(&names[symbols[i].st_name], symbols[i].st_shndx != SHN_UNDEF);
            }
        }
    }
}

bool is_loadable_library(const std::string &path) {
    const ElfFile file(path);
    return file.is_elf() && file.is_for_this_machine() && file.is_shared_object();
}

} // namespace ompcollect
