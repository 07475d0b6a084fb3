# SPDX-License-Identifier: Apache-2.0
# Looks for what needs.txt lists, and says in one line what is missing, by the name of its package.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/needs.txt" OCB_NEED_ROWS REGEX "^[^#].*\\|")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/needs.txt")
option(OCB_TESTS_NEED_ALL "Stop where a tool is missing that the tests need, instead of leaving tests out" OFF)

# ocb_look_for(MISSING NAME...): sets each NAME to the place of its program, or to the folder of its
# header. MISSING becomes a text with those that are not there, empty where all are.
function(ocb_look_for missing)
  set(text "")
  foreach(name IN LISTS ARGN)
    set(row "${OCB_NEED_ROWS}")
    list(FILTER row INCLUDE REGEX "^${name} \\|")
    if(row STREQUAL "" OR NOT row MATCHES "\\| (program|header) ([^|]+) \\| ([^|]+) \\|")
      message(FATAL_ERROR "cmake/needs.txt has no row in which ${name} is a program or a header")
    endif()
    set(packages "${CMAKE_MATCH_3}")
    set(looked_for "${CMAKE_MATCH_2}")
    if(CMAKE_MATCH_1 STREQUAL "program")
      string(REPLACE " " ";" names "${looked_for}")
      find_program(${name} NAMES ${names} DOC "Debian: ${packages}")
      list(GET names 0 looked_for)
    else()
      find_path(${name} "${looked_for}" DOC "Debian: ${packages}")
    endif()
    if(NOT ${name})
      string(REGEX REPLACE ",[^ ]*" "" packages "${packages}")
      string(APPEND text ", ${looked_for} (Debian: ${packages})")
    endif()
  endforeach()
  string(REGEX REPLACE "^, " "" text "${text}")
  set(${missing} "${text}" PARENT_SCOPE)
endfunction()

# ocb_names_of(RESULT WHEN): the names of all rows of that kind which CMake looks for.
function(ocb_names_of result when)
  set(rows "${OCB_NEED_ROWS}")
  list(FILTER rows INCLUDE REGEX "^[^|]+ \\| ${when} \\| (program|header) ")
  list(TRANSFORM rows REPLACE " \\|.*" "")
  set(${result} "${rows}" PARENT_SCOPE)
endfunction()

# ocb_left_out(WHAT MISSING): one line.
function(ocb_left_out what missing)
  message(STATUS "Left out: ${what}, without ${missing}")
endfunction()
