// SPDX-License-Identifier: Apache-2.0
//
// The functions of libdw, and those of libelf that it brings. They are opened while the program
// runs, and not before it: the two and what they need take longer to load than the launcher.
#pragma once

#include "late_library.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace ompcollect {

struct Libdw {
    report::LateLibrary library{"libdw.so.1", "libdw1"};
    OMPCOLLECT_LATE(dwarf_attr);
    OMPCOLLECT_LATE(dwarf_attr_integrate);
    OMPCOLLECT_LATE(dwarf_child);
    OMPCOLLECT_LATE(dwarf_decl_file);
    OMPCOLLECT_LATE(dwarf_decl_line);
    OMPCOLLECT_LATE(dwarf_diename);
    OMPCOLLECT_LATE(dwarf_dieoffset);
    OMPCOLLECT_LATE(dwarf_filesrc);
    OMPCOLLECT_LATE(dwarf_formaddr);
    OMPCOLLECT_LATE(dwarf_formflag);
    OMPCOLLECT_LATE(dwarf_formref_die);
    OMPCOLLECT_LATE(dwarf_formstring);
    OMPCOLLECT_LATE(dwarf_formudata);
    OMPCOLLECT_LATE(dwarf_getfuncs);
    OMPCOLLECT_LATE(dwarf_getsrc_die);
    OMPCOLLECT_LATE(dwarf_getsrcfiles);
    OMPCOLLECT_LATE(dwarf_getsrclines);
    OMPCOLLECT_LATE(dwarf_haspc);
    OMPCOLLECT_LATE(dwarf_lineaddr);
    OMPCOLLECT_LATE(dwarf_lineendsequence);
    OMPCOLLECT_LATE(dwarf_lineno);
    OMPCOLLECT_LATE(dwarf_linesrc);
    OMPCOLLECT_LATE(dwarf_lowpc);
    OMPCOLLECT_LATE(dwarf_onesrcline);
    OMPCOLLECT_LATE(dwarf_ranges);
    OMPCOLLECT_LATE(dwarf_siblingof);
    OMPCOLLECT_LATE(dwarf_tag);
    OMPCOLLECT_LATE(dwfl_begin);
    OMPCOLLECT_LATE(dwfl_build_id_find_debuginfo);
    OMPCOLLECT_LATE(dwfl_build_id_find_elf);
    OMPCOLLECT_LATE(dwfl_end);
    OMPCOLLECT_LATE(dwfl_lineinfo);
    OMPCOLLECT_LATE(dwfl_module_addrdie);
    OMPCOLLECT_LATE(dwfl_module_getelf);
    OMPCOLLECT_LATE(dwfl_module_getsrc);
    OMPCOLLECT_LATE(dwfl_module_getsym_info);
    OMPCOLLECT_LATE(dwfl_module_getsymtab);
    OMPCOLLECT_LATE(dwfl_module_info);
    OMPCOLLECT_LATE(dwfl_module_nextcu);
    OMPCOLLECT_LATE(dwfl_offline_section_address);
    OMPCOLLECT_LATE(dwfl_report_begin);
    OMPCOLLECT_LATE(dwfl_report_end);
    OMPCOLLECT_LATE(dwfl_report_offline);
    OMPCOLLECT_LATE(dwfl_standard_find_debuginfo);
    OMPCOLLECT_LATE(dwfl_version);
    OMPCOLLECT_LATE(elf_begin);
    OMPCOLLECT_LATE(elf_end);
    OMPCOLLECT_LATE(elf_getshdrstrndx);
    OMPCOLLECT_LATE(elf_nextscn);
    OMPCOLLECT_LATE(elf_rawdata);
    OMPCOLLECT_LATE(elf_strptr);
    OMPCOLLECT_LATE(gelf_getchdr);
    OMPCOLLECT_LATE(gelf_getshdr);
};

// Throws Failure where it is missing.
inline const Libdw &libdw() {
    static const Libdw kFound;
    return kFound;
}

} // namespace ompcollect
