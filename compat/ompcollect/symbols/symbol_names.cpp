// SPDX-License-Identifier: Apache-2.0
#include "symbol_names.h"

#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <string_view>

namespace ompcollect {
namespace {

constexpr std::string_view kOffloading = "__omp_offloading_";

// What compilers append to the name of the function that they take apart or copy.
constexpr std::string_view kPartMarks[] = {
    "._omp_fn.",   "._omp_cpyfn.", ".omp_outlined", "_omp_outlined", "._omp_outlined", "..omp_par",
    ".constprop.", ".isra.",       ".part.",        ".cold",         ".lto_priv.",     ".llvm.",
};

std::string without_part_marks(std::string name) {
    for (const std::string_view mark : kPartMarks) {
        const size_t at = name.find(mark);
        if (at != std::string::npos && at > 0) {
            name.resize(at);
        }
    }
    return name;
}

// __omp_offloading_fd00_1234abcd_NAME_l12 -> NAME
std::string without_offloading(const std::string &name) {
    if (!name.starts_with(kOffloading)) {
        return name;
    }
    size_t begin = name.find('_', kOffloading.size());
    begin = begin == std::string::npos ? begin : name.find('_', begin + 1);
    const size_t end = name.rfind("_l");
    if (begin == std::string::npos || end == std::string::npos || end <= begin + 1) {
        return name;
    }
    return name.substr(begin + 1, end - begin - 1);
}

// gfortran: __module_MOD_procedure. flang: _QMmodulePprocedure, _QPprocedure.
std::string fortran_name(const std::string &name) {
    constexpr std::string_view kModule = "_MOD_";
    const size_t at = name.find(kModule);
    if (name.starts_with("__") && at != std::string::npos && at > 2) {
        return name.substr(2, at - 2) + "::" + name.substr(at + kModule.size());
    }
    if (name.starts_with("_QM")) {
        const size_t procedure = name.find('P', 3);
        if (procedure != std::string::npos) {
            return name.substr(3, procedure - 3) + "::" + name.substr(procedure + 1);
        }
    }
    return name.starts_with("_QP") ? name.substr(3) : name;
}

std::string demangled(const std::string &symbol) {
    if (!symbol.starts_with("_Z")) {
        return symbol; // the demangler would take a C function f for the type float
    }
    int status = 0;
    char *text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string result = status == 0 && text ? text : symbol;
    free(text);
    return result;
}

} // namespace

bool is_nameless_part(const std::string &symbol) {
    return symbol.starts_with(".omp_outlined") || symbol.starts_with(".omp_task_entry") ||
           symbol.starts_with(".omp.");
}

bool is_part_of_function(const std::string &symbol) {
    return is_nameless_part(symbol) || symbol.find("omp_outlined") != std::string::npos ||
           symbol.find("._omp_fn.") != std::string::npos ||
           symbol.find("..omp_par") != std::string::npos || // flang's
           symbol.find("omp_task_entry") != std::string::npos;
}

std::string display_name(const std::string &symbol) {
    if (is_nameless_part(symbol)) {
        return symbol;
    }
    return demangled(fortran_name(without_part_marks(without_offloading(symbol))));
}

} // namespace ompcollect
