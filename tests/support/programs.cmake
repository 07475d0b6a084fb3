# SPDX-License-Identifier: Apache-2.0
# Test programs with OpenMP, each built by clang (linked with libomp) and by gcc (linked with
# libgomp), whatever compiler the project itself is built with and without its sanitizers.
ocb_look_for(missing OCB_TEST_CLANG OCB_TEST_GCC)

# For another machine gcc is its cross compiler. clang knows every machine, and finds the libraries by
# the packages of fetch_root.sh.
set(OCB_TEST_CLANG_TARGET)
set(OCB_TEST_COMPILERS clang gcc)
if(CMAKE_CROSSCOMPILING)
  set(OCB_TEST_GCC "${CMAKE_C_COMPILER}")
  if(NOT CMAKE_SYSROOT) # gcc brings its libgomp, and there is no libomp
    set(OCB_TEST_COMPILERS gcc)
  endif()
  set(OCB_TEST_CLANG_TARGET --target=${CMAKE_LIBRARY_ARCHITECTURE} "--sysroot=${CMAKE_SYSROOT}"
                            -L "${PROJECT_SOURCE_DIR}/build/machines/${OCB_MACHINE}/libomp/14/lib")
endif()

set(OCB_TEST_PROGRAM_FLAGS -std=gnu11 -O1 -g -fPIE -pie -Wall -Wextra -Werror -pthread
                           -I "${CMAKE_CURRENT_LIST_DIR}" -I "${PROJECT_SOURCE_DIR}/include")

# ocb_add_programs(TARGET FOLDER SOURCE... [NO_OPENMP SOURCE...] [LINKED SOURCE...])
# Builds each SOURCE of the current directory into FOLDER/clang/NAME and FOLDER/gcc/NAME; those
# after NO_OPENMP without -fopenmp, those after LINKED linked with the bridge and the fake collector.
function(ocb_add_programs target folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "NO_OPENMP;LINKED")
  set(outputs)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS arg_NO_OPENMP arg_LINKED)
    get_filename_component(name "${source}" NAME_WE)
    get_filename_component(path "${source}" ABSOLUTE)
    set(openmp -fopenmp)
    if(source IN_LIST arg_NO_OPENMP)
      set(openmp)
    endif()
    set(libraries)
    set(library_targets)
    if(source IN_LIST arg_LINKED)
      set(libraries -Wl,--no-as-needed -L "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}"
                    -locb-fake-collector -lomp-collector-bridge)
      set(library_targets ocb-fake-collector omp-collector-bridge)
    endif()
    foreach(compiler IN LISTS OCB_TEST_COMPILERS)
      string(TOUPPER "${compiler}" upper)
      # gcc 12 knows OpenMP 5.1 by itself.
      set(version)
      if(openmp AND compiler STREQUAL "clang")
        set(version -fopenmp-version=51)
      endif()
      if(compiler STREQUAL "clang")
        list(APPEND version ${OCB_TEST_CLANG_TARGET})
      elseif(CMAKE_SYSROOT)
        list(APPEND version "--sysroot=${CMAKE_SYSROOT}")
      endif()
      set(output "${folder}/${compiler}/${name}")
      file(MAKE_DIRECTORY "${folder}/${compiler}")
      add_custom_command(
        OUTPUT "${output}"
        COMMAND "${OCB_TEST_${upper}}" ${OCB_TEST_PROGRAM_FLAGS} ${openmp} ${version} -MD -MF "${output}.d"
                -MQ "${output}" -o "${output}" "${path}" -lm -ldl ${libraries}
        DEPENDS "${path}" ${library_targets}
        DEPFILE "${output}.d"
        VERBATIM)
      list(APPEND outputs "${output}")
    endforeach()
  endforeach()
  add_custom_target(${target} ALL DEPENDS ${outputs})
endfunction()
