# SPDX-License-Identifier: Apache-2.0
# Sets OCB_OPENMP_CLANG to a clang that links OpenMP, with each of the names in cmake/needs.txt in
# turn: a machine may have two, of which one has a libomp.
if(NOT DEFINED OCB_OPENMP_CLANG)
  set(rows "${OCB_NEED_ROWS}")
  list(FILTER rows INCLUDE REGEX "^OCB_OPENMP_CLANG ")
  string(REGEX REPLACE ".*\\| program ([^|]+) \\|.*" "\\1" names "${rows}")
  string(REPLACE " " ";" names "${names}")
  set(check "${CMAKE_CURRENT_BINARY_DIR}/openmp_check.c")
  file(WRITE "${check}" "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
  foreach(name IN LISTS names)
    find_program(clang_${name} NAMES ${name} NO_CACHE)
    if(clang_${name})
      execute_process(COMMAND "${clang_${name}}" -fopenmp "${check}" -o "${check}.out"
                      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
      if(NOT failed)
        set(OCB_OPENMP_CLANG "${clang_${name}}" CACHE FILEPATH "A clang that links LLVM's OpenMP")
        break()
      endif()
    endif()
  endforeach()
endif()
