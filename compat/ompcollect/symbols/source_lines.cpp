// SPDX-License-Identifier: Apache-2.0
#include "source_lines.h"

#include "debug_units.h"
#include "failure.h"
#include "late_libdw.h"
#include "run.h"
#include "symbol_index.h"
#include "symbol_names.h"
#include "words.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dwarf.h>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace ompcollect {
namespace {

// The section .eh_frame_hdr of a file: where each function begins, in order. Empty: there is none,
// or it is written in another way than all linkers do.
struct FunctionTable {
    const unsigned char *entries = nullptr; // pairs of 32-bit numbers, counted from the section
    size_t count = 0;
    uint64_t section = 0;
};

bool has_file(const std::string &path) {
    return access(path.c_str(), R_OK) == 0;
}

// In the usual places for a debug file that goes by its name.
bool has_debug_file(const std::string &file, const char *debug_name) {
    const size_t slash = file.rfind('/');
    const std::string folder = slash == std::string::npos ? "./" : file.substr(0, slash + 1);
    return has_file(folder + debug_name) || has_file(folder + ".debug/" + debug_name) ||
           has_file("/usr/lib/debug/" + folder + debug_name);
}

// libdw's own way loads the client of debuginfod where it finds no file, servers or not. With what
// that needs, it takes longer than all the rest.
int find_debug_file_here(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                         const char *file, const char *debug_name, GElf_Word checksum,
                         char **found) {
    const int fd = libdw().dwfl_build_id_find_debuginfo(module, data, name, base, file, debug_name,
                                                        checksum, found);
    if (fd >= 0 || !file || !debug_name || !has_debug_file(file, debug_name)) {
        return fd;
    }
    return libdw().dwfl_standard_find_debuginfo(module, data, name, base, file, debug_name,
                                                checksum, found);
}

const Dwfl_Callbacks &callbacks(bool ask_servers) {
    static char *debug_path = nullptr; // the usual places
    static const Dwfl_Callbacks kWithServers = {
        .find_elf = libdw().dwfl_build_id_find_elf,
        .find_debuginfo = libdw().dwfl_standard_find_debuginfo,
        .section_address = libdw().dwfl_offline_section_address,
        .debuginfo_path = &debug_path,
    };
    static const Dwfl_Callbacks kFilesAlone = {
        .find_elf = libdw().dwfl_build_id_find_elf,
        .find_debuginfo = find_debug_file_here,
        .section_address = libdw().dwfl_offline_section_address,
        .debuginfo_path = &debug_path,
    };
    return ask_servers ? kWithServers : kFilesAlone;
}

constexpr char kFortranMain[] = "MAIN__";

std::string file_and_line(const char *file, int line) {
    return file ? std::filesystem::path(file).filename().string() + ":" + std::to_string(line)
                : std::string();
}

std::string path_and_line(const char *file, int line) {
    return file ? file + (":" + std::to_string(line)) : std::string();
}

struct LineRow {
    Dwarf_Addr address;
    const char *file;
    int line;
    bool is_end; // of a piece of code
};

// Each row of the unit's table of lines, by address, until `is_last(row)`.
template <class IsLast> void for_each_row(Dwarf_Die &unit, IsLast is_last) {
    Dwarf_Lines *lines = nullptr;
    size_t count = 0;
    if (libdw().dwarf_getsrclines(&unit, &lines, &count) != 0) {
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        Dwarf_Line *line = libdw().dwarf_onesrcline(lines, i);
        LineRow row = {0, libdw().dwarf_linesrc(line, nullptr, nullptr), 0, true};
        if (libdw().dwarf_lineaddr(line, &row.address) != 0 ||
            libdw().dwarf_lineno(line, &row.line) != 0 ||
            libdw().dwarf_lineendsequence(line, &row.is_end) != 0 || !row.file || is_last(row)) {
            return;
        }
    }
}

// A compiler gives code that belongs to several lines, as calls that it has joined, the line 0. The
// next row that has a line, of the same piece of code, is near. Empty: there is none.
std::string next_line(Dwarf_Die &unit, Dwarf_Addr address) {
    std::string next;
    for_each_row(unit, [&](const LineRow &row) {
        if (row.address <= address) {
            return false;
        }
        next = row.is_end || row.line == 0 ? "" : path_and_line(row.file, row.line);
        return row.is_end || row.line != 0;
    });
    return next;
}

std::string source_line(Dwfl_Module *module, DebugUnits &units, GElf_Addr address) {
    int number = 0;
    std::string place;
    GElf_Addr in_unit = address;
    Dwarf_Die *unit = units.unit_at(in_unit);
    if (Dwfl_Line *line = libdw().dwfl_module_getsrc(module, address)) {
        const char *file = libdw().dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
        place = path_and_line(file, number);
    } else if (Dwarf_Line *of_unit = unit ? libdw().dwarf_getsrc_die(unit, in_unit) : nullptr;
               of_unit && libdw().dwarf_lineno(of_unit, &number) == 0) {
        place = path_and_line(libdw().dwarf_linesrc(of_unit, nullptr, nullptr), number);
    }
    const std::string next =
        number == 0 && !place.empty() && unit ? next_line(*unit, in_unit) : std::string();
    return next.empty() ? place : next;
}

// Fortran's main program, whose symbol is the same in all programs; empty: there is none.
std::string main_program(Dwarf_Die &unit) {
    Dwarf_Die program;
    const bool is_found = find_child(unit, program, [](Dwarf_Die &each) {
        Dwarf_Attribute attribute;
        bool is_main = false;
        return libdw().dwarf_tag(&each) == DW_TAG_subprogram &&
               libdw().dwarf_attr(&each, DW_AT_main_subprogram, &attribute) &&
               libdw().dwarf_formflag(&attribute, &is_main) == 0 && is_main;
    });
    const char *name = is_found ? libdw().dwarf_diename(&program) : nullptr;
    return name ? name : "";
}

// Where an inlined function was called from. File null: nobody knows.
struct CallSite {
    const char *file = nullptr;
    int line = 0;
};

CallSite call_site(Dwarf_Die &unit, Dwarf_Die &function) {
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0;
    Dwarf_Word line = 0;
    Dwarf_Files *files = nullptr;
    if (libdw().dwarf_formudata(libdw().dwarf_attr(&function, DW_AT_call_file, &attribute),
                                &file) != 0 ||
        libdw().dwarf_formudata(libdw().dwarf_attr(&function, DW_AT_call_line, &attribute),
                                &line) != 0 ||
        libdw().dwarf_getsrcfiles(&unit, &files, nullptr) != 0) {
        return {};
    }
    return {libdw().dwarf_filesrc(files, file, nullptr, nullptr), static_cast<int>(line)};
}

// The name that the linker would know, or the source's own.
std::string function_name(Dwarf_Die &function) {
    Dwarf_Attribute attribute;
    for (const unsigned kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
        if (libdw().dwarf_attr_integrate(&function, kind, &attribute)) {
            if (const char *name = libdw().dwarf_formstring(&attribute)) {
                return name;
            }
        }
    }
    const char *name = libdw().dwarf_diename(&function);
    return name ? name : "";
}

// The function of the source in which a line stands that belongs to a part cut out by clang, whose
// own symbol names no function: the last one of its file that begins before the line.
struct OwnLine {
    const char *file;
    int line;
};

std::string function_before(DebugUnits &units, Dwarf_Die &unit, const OwnLine &own) {
    const DebugUnits::Declared *best = nullptr;
    for (const DebugUnits::Declared &each : units.declared_in(unit)) {
        if (each.line <= own.line && each.line > (best ? best->line : 0) &&
            !is_nameless_part(each.name) && strcmp(each.file, own.file) == 0) {
            best = &each;
        }
    }
    Dwarf_Die die = best ? best->die : Dwarf_Die{};
    return best ? function_name(die) : std::string();
}

// Where a piece of code stands in the function that it belongs to: the code of an inlined function
// stands where that is called.
bool find_own_line(DebugUnits &units, Dwarf_Die *unit, GElf_Addr address, OwnLine &own) {
    std::vector<Dwarf_Die> inlined = units.inlined_around(*unit, address);
    if (!inlined.empty()) {
        const CallSite site = call_site(*unit, inlined.front());
        own.file = site.file;
        own.line = site.line;
    } else if (Dwarf_Line *line = libdw().dwarf_getsrc_die(unit, address)) {
        own.file = libdw().dwarf_lineno(line, &own.line) == 0
                       ? libdw().dwarf_linesrc(line, nullptr, nullptr)
                       : nullptr;
    }
    return own.file != nullptr;
}

std::string enclosing_function(DebugUnits &units, GElf_Addr address) {
    OwnLine own = {};
    Dwarf_Die *unit = units.unit_at(address);
    return unit && find_own_line(units, unit, address, own) ? function_before(units, *unit, own)
                                                            : std::string();
}

uint64_t begin_at(const FunctionTable &table, size_t place) {
    int32_t distance = 0;
    memcpy(&distance, table.entries + 8 * place, sizeof distance);
    return table.section + static_cast<uint64_t>(static_cast<int64_t>(distance));
}

Elf_Scn *section_named(Elf *file, const char *wanted) {
    size_t names = 0;
    GElf_Shdr header;
    Elf_Scn *section =
        libdw().elf_getshdrstrndx(file, &names) == 0 ? libdw().elf_nextscn(file, nullptr) : nullptr;
    for (; section; section = libdw().elf_nextscn(file, section)) {
        const char *name = libdw().gelf_getshdr(section, &header)
                               ? libdw().elf_strptr(file, names, header.sh_name)
                               : nullptr;
        if (name && strcmp(name, wanted) == 0) {
            break;
        }
    }
    return section;
}

FunctionTable function_table(Elf *file) {
    constexpr unsigned char kHead[] = {1, 0x1b, 0x03, 0x3b};
    constexpr size_t kHeadSize = 12;
    GElf_Shdr header;
    Elf_Scn *section = section_named(file, ".eh_frame_hdr");
    const Elf_Data *data = section ? libdw().elf_rawdata(section, nullptr) : nullptr;
    if (!data || !libdw().gelf_getshdr(section, &header) || data->d_size < kHeadSize ||
        memcmp(data->d_buf, kHead, sizeof kHead) != 0) {
        return {};
    }
    const auto *bytes = static_cast<const unsigned char *>(data->d_buf);
    uint32_t count = 0;
    memcpy(&count, bytes + 8, sizeof count);
    return {bytes + kHeadSize, std::min<size_t>(count, (data->d_size - kHeadSize) / 8),
            header.sh_addr};
}

uint64_t last_begin_before(const FunctionTable &table, uint64_t offset) {
    size_t low = 0; // all before it begin at or before the offset
    for (size_t high = table.count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (begin_at(table, middle) <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? begin_at(table, low - 1) : 0;
}

// libdw has looked for lines: what is compressed still, it could not read.
bool has_unread_lines(Elf *file) {
    constexpr unsigned kZstd = 2; // ELFCOMPRESS_ZSTD, which elf.h of glibc has from 2.37 on
    for (const char *name : {".debug_info", ".debug_line"}) {
        Elf_Scn *section = file ? section_named(file, name) : nullptr;
        GElf_Chdr header = {};
        if (section && libdw().gelf_getchdr(section, &header) && header.ch_type == kZstd) {
            return true;
        }
    }
    return false;
}

// In the file itself, or in its separate debug file.
bool has_unread_lines(Dwfl_Module *module) {
    GElf_Addr bias = 0;
    if (has_unread_lines(libdw().dwfl_module_getelf(module, &bias))) {
        return true;
    }
    // On the disk a section stays compressed, whether libdw has read it or not.
    if (libdw().dwfl_module_nextcu(module, nullptr, &bias) != nullptr) {
        return false;
    }
    const char *debug_file = nullptr;
    libdw().dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                             &debug_file);
    const int descriptor = debug_file ? open(debug_file, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor < 0) {
        return false;
    }
    Elf *file = libdw().elf_begin(descriptor, ELF_C_READ_MMAP, nullptr);
    const bool are_unread = has_unread_lines(file);
    libdw().elf_end(file);
    close(descriptor);
    return are_unread;
}

} // namespace

struct SourceLines::Module {
    Dwfl *session = nullptr;
    Dwfl_Module *module = nullptr;
    uint64_t bias = 0;
    bool has_lines = false;
    SymbolIndex symbols;
    DebugUnits units;
    FunctionTable functions;
};

SourceLines::SourceLines(bool ask_servers) : asks_servers_(ask_servers) {
    // libdw asks the servers that this variable names, which may take minutes.
    if (!ask_servers) {
        unsetenv("DEBUGINFOD_URLS");
    }
}

void SourceLines::prepare() noexcept {
    try {
        libdw();
    } catch (const Failure &) {
    }
}

SourceLines::~SourceLines() {
    for (auto &[path, module] : modules_) {
        if (module->session) {
            libdw().dwfl_end(module->session);
        }
    }
}

SourceLines::Module &SourceLines::open(const std::string &path) {
    const auto [entry, is_new] = modules_.try_emplace(path);
    if (!is_new) {
        return *entry->second;
    }
    entry->second = std::make_unique<Module>();
    Module &module = *entry->second;
    try {
        module.session = libdw().dwfl_begin(&callbacks(asks_servers_));
    } catch (const Failure &why) {
        why_no_libdw_ = why.what();
    }
    if (!module.session) {
        return module;
    }
    libdw().dwfl_report_begin(module.session);
    module.module = libdw().dwfl_report_offline(module.session, path.c_str(), path.c_str(), -1);
    libdw().dwfl_report_end(module.session, nullptr, nullptr);
    GElf_Addr bias = 0;
    Elf *file = module.module ? libdw().dwfl_module_getelf(module.module, &bias) : nullptr;
    if (file) {
        module.bias = bias;
        module.has_lines = !report::is_system_library(path);
        module.functions = function_table(file);
        module.symbols.read(module.module);
        module.units.set_module(module.module);
    } else {
        module.module = nullptr;
    }
    return module;
}

SymbolAt SourceLines::look_up(const std::string &path, uint64_t offset) {
    SymbolAt place;
    Module &module = open(path);
    if (!module.module) {
        return place;
    }
    const GElf_Addr address = offset + module.bias;
    place.symbol = module.symbols.name_at(address);
    place.path =
        module.has_lines ? source_line(module.module, module.units, address) : std::string();
    place.source = place.path.substr(place.path.rfind('/') + 1);
    if (place.path.empty() && module.has_lines && has_unread_lines(module.module)) {
        compressed_.insert(report::base_name(path));
    }
    if (place.symbol.starts_with(kFortranMain)) {
        GElf_Addr in_unit = address;
        Dwarf_Die *unit = module.units.unit_at(in_unit);
        const std::string name = unit ? main_program(*unit) : "";
        place.symbol.replace(0, name.empty() ? 0 : strlen(kFortranMain), name);
    }
    place.is_part = is_part_of_function(place.symbol);
    if (is_nameless_part(place.symbol)) {
        const std::string function = enclosing_function(module.units, address);
        place.symbol = function.empty() ? place.symbol : function;
    }
    return place;
}

std::string SourceLines::why_lines_are_missing() const {
    if (!why_no_libdw_.empty()) {
        return "no names of functions and no source lines: " + why_no_libdw_;
    }
    if (compressed_.empty()) {
        return {};
    }
    std::string files;
    for (const std::string &file : compressed_) {
        files += (files.empty() ? "" : ", ") + file;
    }
    return "no source lines of " + files + ": elfutils " + libdw().dwfl_version(nullptr) +
           " cannot read debug information that zstd compressed (0.189 and later can); build with "
           "-gz=zlib or -gz=none";
}

uint64_t SourceLines::function_begin(const std::string &path, uint64_t offset) {
    return last_begin_before(open(path).functions, offset);
}

SymbolAt SourceLines::called_at(const std::string &path, uint64_t offset) {
    Module &module = open(path);
    const GElf_Addr place = offset + module.bias;
    GElf_Addr address = place;
    Dwarf_Die *unit = module.module && module.has_lines ? module.units.unit_at(address) : nullptr;
    Dwarf_Die callee;
    Dwarf_Addr begin = 0;
    if (!unit || !module.units.called_before(*unit, address + 1, callee) ||
        libdw().dwarf_lowpc(&callee, &begin) != 0) {
        return {};
    }
    SymbolAt found = {function_name(callee), {}, {}, false};
    found.path = source_line(module.module, module.units, begin + (place - address));
    found.source = found.path.substr(found.path.rfind('/') + 1);
    return found;
}

int SourceLines::first_line_from(const std::string &path, uint64_t offset, int line) {
    Module &module = open(path);
    GElf_Addr address = offset + module.bias;
    Dwarf_Die *unit = module.module && module.has_lines ? module.units.unit_at(address) : nullptr;
    Dwarf_Line *place = unit ? libdw().dwarf_getsrc_die(unit, address) : nullptr;
    const char *file = place ? libdw().dwarf_linesrc(place, nullptr, nullptr) : nullptr;
    int first = 0;
    if (file) {
        for_each_row(*unit, [&](const LineRow &row) {
            const bool is_nearer = row.line >= line && (first == 0 || row.line < first);
            if (is_nearer && !row.is_end && strcmp(row.file, file) == 0 &&
                module.units.are_of_one_function(*unit, row.address, address)) {
                first = row.line;
            }
            return false;
        });
    }
    return first;
}

std::vector<SymbolAt> SourceLines::inlined_at(const std::string &path, uint64_t offset) {
    std::vector<SymbolAt> inlined;
    Module &module = open(path);
    if (!module.module || !module.has_lines) {
        return inlined;
    }
    GElf_Addr address = offset + module.bias;
    Dwarf_Die *unit = module.units.unit_at(address);
    if (!unit) {
        return inlined;
    }
    for (Dwarf_Die &function : module.units.inlined_around(*unit, address)) {
        const CallSite site = call_site(*unit, function);
        inlined.push_back(
            {function_name(function), file_and_line(site.file, site.line), {}, false});
    }
    return inlined;
}

} // namespace ompcollect
