# SPDX-License-Identifier: Apache-2.0
set(OCB_MACHINE ppc64le)
set(OCB_MACHINE_TRIPLET powerpc64le-linux-gnu)
include("${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake")
