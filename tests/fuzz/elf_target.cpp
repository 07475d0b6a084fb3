// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target of all that looks into ELF files: kind and needs of a program, symbols, source lines.
// An input is a list of changes to a small library with debug information (elf_base.c). An input
// that begins with 0xfe is the text of a linker's cache.
#include "elf_file.h"
#include "image.h"
#include "needed_libraries.h"
#include "source_lines.h"
#include "symbol_names.h"

#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

const std::string &base() {
    static const std::string kBase = [] {
        std::ifstream in(OCB_FUZZ_ELF, std::ios::binary);
        std::ostringstream out;
        out << in.rdbuf();
        ocb::test::require(out.str().size() > 4096, OCB_FUZZ_ELF " is there");
        return out.str();
    }();
    return kBase;
}

void look_into(const std::string &path) {
    const ompcollect::ElfFile elf(path);
    if (!elf.is_elf()) {
        return;
    }
    static_cast<void>(elf.is_for_this_machine());
    static_cast<void>(elf.is_shared_object());
    static_cast<void>(elf.interpreter());
    static_cast<void>(elf.dynamic_needs());
    const auto name = [](const char *text, bool) { ompcollect::display_name(text); };
    elf.for_each_symbol(ompcollect::ElfFile::Symbols::kDynamic, name);
    elf.for_each_symbol(ompcollect::ElfFile::Symbols::kAll, name);
    ompcollect::SourceLines lines;
    for (const std::uint64_t offset : {0x1000, 0x1010, 0x1020, 0x1040, 0x2000, 0x4010}) {
        lines.look_up(path, offset);
        lines.inlined_at(path, offset);
        lines.function_begin(path, offset);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size != 0 && *data == 0xfe) {
        ompcollect::linker_cache_entries({reinterpret_cast<const char *>(data) + 1, size - 1});
        return 0;
    }
    ocb::test::Input input(data, size);
    std::string image = base();
    ocb::test::change_image(input, image);
    static const int kFile = memfd_create("elf", MFD_CLOEXEC);
    static const std::string kPath = "/proc/self/fd/" + std::to_string(kFile);
    ocb::test::require(ftruncate(kFile, 0) == 0 && pwrite(kFile, image.data(), image.size(), 0) ==
                                                       static_cast<ssize_t>(image.size()),
                       "the file is written");
    look_into(kPath);
    return 0;
}
