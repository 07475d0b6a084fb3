# SPDX-License-Identifier: Apache-2.0
# Writes FILE, what `ompcollect --version` says of the build. The sources are a commit, a changed one,
# or an archive that `git archive` has written its commit into (commit.txt).
file(READ "${SOURCES}/compat/packages/commit.txt" archived)
string(STRIP "${archived}" archived)
set(from "sources without a commit")
if(NOT archived MATCHES "Format")
  set(from "commit ${archived}")
else()
  if(EXISTS "${SOURCES}/.git")
    execute_process(COMMAND git -C "${SOURCES}" rev-parse --short=12 HEAD
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
    execute_process(COMMAND git -C "${SOURCES}" diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET)
    if(NOT failed)
      set(from "commit ${commit}")
      if(changed)
        string(APPEND from ", changed")
      endif()
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${FILE}" CONTENT [[// SPDX-License-Identifier: Apache-2.0
// Written by build_facts.cmake.
#pragma once

#define OMPCOLLECT_VERSION "@VERSION@"
#define OMPCOLLECT_BUILT_FROM "@from@"
#define OMPCOLLECT_COMPILER "@COMPILER@ (@BUILD_TYPE@)"
#define OMPCOLLECT_MACHINE "@MACHINE@"
]] @ONLY)
