# SPDX-License-Identifier: Apache-2.0
# A build for another machine with Debian's cross compiler (g++-aarch64-linux-gnu); what it makes runs
# under qemu-user. The compiler brings libc and libgomp. Other libraries of the machine lie where
# tests/support/fetch_root.sh unpacks them: a root with a libc of its own, which is then the one.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${OCB_MACHINE})
set(CMAKE_C_COMPILER ${OCB_MACHINE_TRIPLET}-gcc)
set(CMAKE_CXX_COMPILER ${OCB_MACHINE_TRIPLET}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${OCB_MACHINE_TRIPLET})
set(OCB_MACHINE_ROOT "/usr/${OCB_MACHINE_TRIPLET}")
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../../build/machines/${OCB_MACHINE}/root" ABSOLUTE)
if(EXISTS "${root}")
  set(OCB_MACHINE_ROOT "${root}")
  set(CMAKE_SYSROOT "${root}")
endif()
set(CMAKE_FIND_ROOT_PATH "${OCB_MACHINE_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${OCB_MACHINE}-static;-L;${OCB_MACHINE_ROOT}")
