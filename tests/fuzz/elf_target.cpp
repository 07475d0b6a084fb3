// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target of all that looks into ELF files: kind and needs of a program, symbols, source lines.
// An input is a list of changes to a small library with debug information (elf_base.c). Some first
// bytes say that it is something else.
#include "elf_file.h"
#include "image.h"
#include "needed_libraries.h"
#include "program_file.h"
#include "source_lines.h"
#include "symbol_names.h"

#include <cstdlib>
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

// What an input is.
constexpr unsigned kName = 0xfc;    // of a symbol
constexpr unsigned kProgram = 0xfd; // changes; the library is taken for a program
constexpr unsigned kCache = 0xfe;   // the text of a linker's cache

void look_at_elf(const std::string &path) {
    const ompcollect::ElfFile elf(path);
    if (!elf.is_elf()) {
        return;
    }
    static_cast<void>(elf.is_for_this_machine());
    static_cast<void>(elf.is_shared_object());
    static_cast<void>(elf.interpreter());
    static_cast<void>(elf.dynamic_needs());
    static_cast<void>(elf.image());
    static_cast<void>(elf.build_id());
    const auto name = [](const char *text, bool) { ompcollect::display_name(text); };
    elf.for_each_symbol(ompcollect::ElfFile::Symbols::kDynamic, name);
    elf.for_each_symbol(ompcollect::ElfFile::Symbols::kAll, name);
}

void look_into(const std::string &path) {
    look_at_elf(path);
    ompcollect::SourceLines lines;
    for (const std::uint64_t offset : {0x1000, 0x1024, 0x1030, 0x1044, 0x1060, 0x1094, 0x10b0,
                                       0x10e4, 0x1134, 0x1184, 0x11a0, 0x11d0, 0x2000, 0x4010}) {
        lines.look_up(path, offset);
        lines.inlined_at(path, offset);
        lines.function_begin(path, offset);
    }
}

// Where the program's libraries are.
bool set_library_path() {
    const std::string file = OCB_FUZZ_ELF;
    return setenv("LD_LIBRARY_PATH", (file.substr(0, file.rfind('/')) + "/needed").c_str(), 1) == 0;
}

void look_as_launcher(const std::string &path) {
    static const bool kIsSet = set_library_path();
    ocb::test::require(kIsSet, "the folder is named");
    ompcollect::kind_of_file(path);
    ompcollect::interpreter_of_script(path);
    ompcollect::contains_runtime(path);
    ompcollect::entries_missing_in(path, path);
    ompcollect::runtime_needs(path);
}

// A file of these bytes, the same each time.
const std::string &file_of(const std::string &bytes) {
    static const int kFile = memfd_create("elf", MFD_CLOEXEC);
    static const std::string kPath = "/proc/self/fd/" + std::to_string(kFile);
    ocb::test::require(ftruncate(kFile, 0) == 0 && pwrite(kFile, bytes.data(), bytes.size(), 0) ==
                                                       static_cast<ssize_t>(bytes.size()),
                       "the file is written");
    return kPath;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const unsigned what = size != 0 && *data >= kName && *data <= kCache ? *data : 0;
    const std::size_t begin = what != 0 ? 1 : 0;
    const std::string rest(reinterpret_cast<const char *>(data) + begin, size - begin);
    if (what == kCache) {
        ompcollect::paths_in_linker_cache(rest, "libc.so.6");
        return 0;
    }
    if (what == kName) {
        ompcollect::display_name(rest);
        ompcollect::is_part_of_function(rest);
        return 0;
    }
    ocb::test::Input input(data + begin, size - begin);
    std::string image = base();
    ocb::test::change_image(input, image);
    (what == kProgram ? look_as_launcher : look_into)(file_of(image));
    return 0;
}
