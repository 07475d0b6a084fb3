# SPDX-License-Identifier: Apache-2.0
# The copyright file, which reuse reads too, and the changelog: in each package of Debian. It has the
# version alone: what changed is in CHANGELOG.md, in the package of documents.
configure_file("${top}/.reuse/dep5" "${CMAKE_CURRENT_BINARY_DIR}/copyright" COPYONLY)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(when "$ENV{SOURCE_DATE_EPOCH}")
else()
  string(TIMESTAMP when "%s")
endif()
execute_process(COMMAND date -u -R -d "@${when}" OUTPUT_VARIABLE date
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian" "omp-collector-bridge (${PROJECT_VERSION}-${OCB_PACKAGE_RELEASE}) stable; urgency=medium

  * What changed is in CHANGELOG.md of the package omp-collector-bridge-doc.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND gzip -9nkf changelog.Debian WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
                COMMAND_ERROR_IS_FATAL ANY)
