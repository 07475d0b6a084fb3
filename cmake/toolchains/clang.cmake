# SPDX-License-Identifier: Apache-2.0
# The clang of the tests, whatever its name here (cmake/needs.txt: OCB_TEST_CLANG).
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../needs.txt" rows REGEX "^OCB_TEST_CLANG(XX)? ")
foreach(row IN LISTS rows)
  string(REGEX MATCH "^OCB_TEST_CLANG(XX)? .*program ([^|]+) \\|" matched "${row}")
  set(language C${CMAKE_MATCH_1})
  string(REPLACE " " ";" names "${CMAKE_MATCH_2}")
  if(language STREQUAL "CXX")
    find_program(CMAKE_CXX_COMPILER NAMES ${names} REQUIRED)
  else()
    find_program(CMAKE_C_COMPILER NAMES ${names} REQUIRED)
  endif()
endforeach()
