# SPDX-License-Identifier: Apache-2.0
set(OCB_MACHINE aarch64)
set(OCB_MACHINE_TRIPLET aarch64-linux-gnu)
include("${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake")
