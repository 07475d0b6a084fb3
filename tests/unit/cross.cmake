# SPDX-License-Identifier: Apache-2.0
# The unit tests of a build for another machine, which run under its emulator. GoogleTest is compiled
# for it from Debian's sources.
find_path(OCB_GTEST_SOURCES googletest/src/gtest-all.cc PATHS /usr/src/googletest REQUIRED NO_CMAKE_FIND_ROOT_PATH
          DOC "The sources of GoogleTest (Debian: googletest)")
add_library(ocb-gtest STATIC "${OCB_GTEST_SOURCES}/googletest/src/gtest-all.cc"
                             "${OCB_GTEST_SOURCES}/googletest/src/gtest_main.cc")
target_include_directories(ocb-gtest PRIVATE "${OCB_GTEST_SOURCES}/googletest")
target_include_directories(ocb-gtest SYSTEM PUBLIC "${OCB_GTEST_SOURCES}/googletest/include")
target_compile_options(ocb-gtest PRIVATE -O0 -w)
add_library(GTest::gtest_main ALIAS ocb-gtest)
