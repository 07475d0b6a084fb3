// SPDX-License-Identifier: Apache-2.0
//
// The names of symbols as people know them: demangled, Fortran's as module::procedure, functions
// that a compiler made of parts of others under the name of the one that the source has.
#pragma once

#include <string>

namespace ompcollect {

// "main" for main._omp_fn.0 and main.omp_outlined; "a::b()" for _ZN1a1bEv; "solver::step" for
// __solver_MOD_step. Names that it does not know are returned as they are.
std::string display_name(const std::string &symbol);

// clang before 17 names all parts of functions alike: .omp_outlined., without their parents' names.
bool is_nameless_part(const std::string &symbol);

// The name is that of a part that the compiler has cut out for a region or a task.
bool is_part_of_function(const std::string &symbol);

} // namespace ompcollect
