# SPDX-License-Identifier: Apache-2.0
# Read by cpack for each kind of package: an archive is one file, the others are one file for each
# component.
if(CPACK_GENERATOR MATCHES "TGZ|TXZ|TZST")
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
  set(CPACK_PACKAGING_INSTALL_PREFIX "/")
else()
  set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
endif()
# Each .deb has its own first line: CPack puts the project's before it, unless it takes that for a default.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_DEFAULT_PACKAGE_DESCRIPTION_SUMMARY "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}")
endif()
